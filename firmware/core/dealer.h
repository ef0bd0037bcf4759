/* The dealing machine: one card at a time from the hopper, through the beam and the chute, past an exit's sensor.
 *
 * Pure C. dealer_tick runs every TICK_US while something moves (from the timer interrupt) and maps inputs to outputs.
 * Every other function is called from main with the interrupt locked out. */
#ifndef DEALER_H
#define DEALER_H

#include <stdbool.h>
#include <stdint.h>

#include "motor.h"
#include "protocol_gen.h"

#define OUT_FEED_EN (1u << 0)
#define OUT_FEED_STEP (1u << 1)
#define OUT_FEED_DIR (1u << 2)
#define OUT_CHUTE_EN (1u << 3)
#define OUT_CHUTE_STEP (1u << 4)
#define OUT_CHUTE_DIR (1u << 5) /* set: away from home */
#define OUT_EMITTER (1u << 6)
#define OUT_GATE (1u << 7)
#define OUT_LED (1u << 8)

#define EVENT_RING 32u
#define PACK_ID_SIZE 8u

typedef enum {
    PHASE_NONE,
    PHASE_DARK,      /* emitters off: every beam must read blocked, the back sensor nothing */
    PHASE_LIGHT,     /* emitters on: every beam must read clear, the trays empty */
    PHASE_HOME_OFF,  /* leave the home flag if the chute is on it */
    PHASE_HOME_ON,   /* come back until it is seen */
    PHASE_HOME_AWAY, /* go to exit E; the flag must be gone */
    PHASE_POSITION,  /* the chute goes to the first card's exit, the roller rests */
    PHASE_FEED,      /* turns of the pick roller, one a card, without a stop in between */
    PHASE_GATE,
} phase_t;

/* What is this machine's own. Kept in the EEPROM. */
typedef struct {
    uint8_t home_steps; /* from the home flag's edge to exit E */
    uint8_t settle_ms;  /* of the chute */
    char serial[8];
} settings_t;

typedef struct {
    uint8_t state, reason, fault, place, is_void;
    uint32_t job;
    char pack[PACK_ID_SIZE];
    uint8_t cards, index;
    uint8_t counts[EXITS], quotas[EXITS];
    uint8_t plan[MAX_CARDS];
    uint16_t inputs;
    settings_t settings;

    phase_t phase;
    uint16_t out;
    uint16_t ticks;       /* in this phase */
    uint16_t steps;       /* in this phase, or of the roller in this turn */
    uint16_t silent;      /* ticks in motion without a frame from the host */
    motor_t feed, chute;
    uint8_t chute_at;     /* steps from exit E */
    uint8_t settling;     /* ticks until the chute stands still */
    uint8_t tries;
    uint8_t after_test;   /* STATE_DEALING, or the state a self-test returns to */
    uint8_t stop_asked;   /* REASON_… or 0 */
    volatile bool stop_request; /* STOP's own path: set by the receive interrupt */

    bool halting;         /* the roller will stand still at the end of this turn */
    bool counted;         /* this turn's card has been counted */
    uint8_t exit_index;   /* of this turn's card */
    bool beam_was, exit_was;
    uint8_t beam_rises, exit_rises;
    uint16_t beam_from, beam_steps;

    uint8_t ring[EVENT_RING][4];
    uint16_t next_event;  /* number of the next event */
    uint16_t first_event; /* oldest still in the ring */
} dealer_t;

void dealer_init(dealer_t *d);
bool dealer_moving(const dealer_t *d);
uint16_t dealer_tick(dealer_t *d, uint16_t inputs);

void settings_default(settings_t *s);
/* Whether every value is one that this machine can have. */
bool settings_valid(const settings_t *s);

/* A valid frame of the session came. */
void dealer_heard(dealer_t *d);
/* The plan is in d->plan, checked: cards and quotas as given, for the pack. */
void dealer_planned(dealer_t *d, uint32_t job, uint8_t cards, const uint8_t *quotas, const char *pack);
/* Forgets the job, before its plan is overwritten. */
void dealer_forget(dealer_t *d);
/* Whether a plan may be loaded or a self-test run. */
bool dealer_at_rest(const dealer_t *d);
/* These return a RESULT_. */
uint8_t dealer_start(dealer_t *d, uint32_t job, const char *pack);
uint8_t dealer_release(dealer_t *d, uint32_t job);
uint8_t dealer_clear(dealer_t *d);
uint8_t dealer_selftest(dealer_t *d);
void dealer_stop(dealer_t *d, uint8_t reason);

#endif
