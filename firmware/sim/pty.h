/* A pseudo-terminal in place of the USB port, and real time. */
#ifndef PTY_H
#define PTY_H

#include <stdio.h>
#include <time.h>

/* Opens one, says its name on `answers`, returns our end of it. It survives a host that comes and goes. */
int pty_open(FILE *answers);
/* Sleeps until so many milliseconds after `began`. */
void pty_wait(const struct timespec *began, unsigned long long ms);

#endif
