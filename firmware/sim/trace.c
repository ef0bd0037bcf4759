#include "trace.h"

#include <stdbool.h>
#include <stdio.h>

#define FLASH_WORDS (1u << 17)

trace_off_t trace_off;
static uint8_t executed[FLASH_WORDS];
static bool interrupts_seen;
static avr_cycle_count_t off_since;
static uint32_t off_from;

void trace(const avr_t *avr, uint32_t pc) {
    if (pc / 2 < FLASH_WORDS) executed[pc / 2] = 1;
    bool on = avr->sreg[S_I];
    interrupts_seen |= on;
    if (on || !interrupts_seen) {
        if (off_since && avr->cycle - off_since > trace_off.cycles) {
            trace_off = (trace_off_t){avr->cycle - off_since, off_from, pc};
        }
        off_since = 0;
    } else if (!off_since) {
        off_since = avr->cycle;
        off_from = pc;
    }
}

void trace_reset(void) {
    interrupts_seen = false;
    off_since = 0;
}

void trace_write(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(executed, 1, sizeof executed, file) != sizeof executed) fprintf(stderr, "bench: cannot write %s\n", path);
    if (file) fclose(file);
}
