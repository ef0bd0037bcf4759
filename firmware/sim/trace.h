/* What the MCU has executed, and for how long it could not be interrupted. */
#ifndef TRACE_H
#define TRACE_H

#include <sim_avr.h>

#include <stdint.h>

typedef struct {
    avr_cycle_count_t cycles;
    uint32_t from, to; /* addresses */
} trace_off_t;

/* The longest time without interrupts. The start before main first lets interrupts in is not counted. */
extern trace_off_t trace_off;

/* After each instruction; `pc` is where it stood. */
void trace(const avr_t *avr, uint32_t pc);
/* The MCU starts again. */
void trace_reset(void);
/* A byte a word of the flash: whether it was executed. */
void trace_write(const char *path);

#endif
