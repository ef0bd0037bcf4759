/* Inside the core: what dealer.c (states, commands) and motion.c (the moves) need of each other. */
#ifndef MOTION_H
#define MOTION_H

#include "dealer.h"

#define MS_TO_TICKS(ms) ((uint16_t)((uint32_t)(ms) * 1000u / TICK_US))

/* dealer.c */
void dealer_event(dealer_t *d, uint8_t kind, uint8_t a, uint8_t b, uint8_t c);
void dealer_rest(dealer_t *d, uint8_t state);
void dealer_fail(dealer_t *d, uint8_t fault, uint8_t place, bool is_void);
void dealer_stopped(dealer_t *d);

/* motion.c */
void motion_enter(dealer_t *d, phase_t phase);
void motion_tick(dealer_t *d);

#endif
