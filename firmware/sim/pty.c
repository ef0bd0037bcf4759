#define _GNU_SOURCE
#include "pty.h"

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

int pty_open(FILE *answers) {
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || grantpt(fd) || unlockpt(fd)) {
        perror("bench: pty");
        exit(69);
    }
    int own = open(ptsname(fd), O_RDWR | O_NOCTTY); /* kept open: the pty survives a host that comes and goes */
    struct termios raw;
    tcgetattr(own, &raw);
    cfmakeraw(&raw);
    tcsetattr(own, TCSANOW, &raw);
    fprintf(answers, "= %s\n", ptsname(fd));
    fflush(answers);
    return fd;
}

void pty_wait(const struct timespec *began, unsigned long long ms) {
    struct timespec at = *began;
    at.tv_sec += (time_t)(ms / 1000);
    at.tv_nsec += (long)(ms % 1000) * 1000000L;
    if (at.tv_nsec >= 1000000000L) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000L;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}
