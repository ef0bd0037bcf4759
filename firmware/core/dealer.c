#include "dealer.h"

#include <string.h>

#include "motion.h"

#define IN_TRAYS (IN_TRAY_E | IN_TRAY_N | IN_TRAY_W | IN_TRAY_S | IN_TRAY_B)
/* Changes of these are told; beams, back and home flag change with every card. */
#define IN_TOLD (IN_TRAYS | IN_HOPPER | IN_UNSAFE | IN_DRIVER_FAULT)

void dealer_event(dealer_t *d, uint8_t kind, uint8_t a, uint8_t b, uint8_t c) {
    uint8_t *slot = d->ring[d->next_event % EVENT_RING];
    slot[0] = kind;
    slot[1] = a;
    slot[2] = b;
    slot[3] = c;
    d->next_event++;
    if ((uint16_t)(d->next_event - d->first_event) > EVENT_RING) d->first_event++;
}

void settings_default(settings_t *s) {
    memset(s, 0, sizeof *s);
    s->home_steps = CHUTE_HOME_STEPS;
    s->settle_ms = CHUTE_SETTLE_MS;
}

bool settings_valid(const settings_t *s) {
    return s->home_steps >= CHUTE_HOME_STEPS - CHUTE_HOME_SPREAD && s->home_steps <= CHUTE_HOME_STEPS + CHUTE_HOME_SPREAD &&
           s->settle_ms >= CHUTE_SETTLE_MS && s->settle_ms <= 2u * CHUTE_SETTLE_MS;
}

void dealer_init(dealer_t *d) {
    memset(d, 0, sizeof *d);
    settings_default(&d->settings);
    d->next_event = d->first_event = 1;
    d->out = OUT_EMITTER;
}

bool dealer_moving(const dealer_t *d) {
    return d->state == STATE_TESTING || d->state == STATE_DEALING || d->state == STATE_STOPPING ||
           d->state == STATE_RELEASING;
}

bool dealer_at_rest(const dealer_t *d) { return !dealer_moving(d) && d->state != STATE_FAULT; }

void dealer_heard(dealer_t *d) { d->silent = 0; }

void dealer_rest(dealer_t *d, uint8_t state) {
    d->state = state;
    d->phase = PHASE_NONE;
    d->out = OUT_EMITTER;
    motor_stop(&d->feed);
    motor_stop(&d->chute);
}

void dealer_fail(dealer_t *d, uint8_t fault, uint8_t place, bool is_void) {
    d->fault = fault;
    d->place = place;
    d->is_void = is_void;
    dealer_rest(d, STATE_FAULT);
    dealer_event(d, EVENT_KIND_FAULT, fault, place, is_void);
}

void dealer_stopped(dealer_t *d) {
    d->reason = d->stop_asked;
    dealer_rest(d, d->after_test == STATE_DEALING ? STATE_STOPPED : d->after_test);
    dealer_event(d, EVENT_KIND_STOPPED, d->index, d->reason, 0);
}

/* --- commands ---------------------------------------------------------------------------------------------------- */

void dealer_forget(dealer_t *d) {
    d->job = 0;
    d->cards = 0;
    d->state = STATE_IDLE;
}

void dealer_planned(dealer_t *d, uint32_t job, uint8_t cards, const uint8_t *quotas, const char *pack) {
    d->job = job;
    d->cards = cards;
    d->index = 0;
    memcpy(d->quotas, quotas, EXITS);
    memcpy(d->pack, pack, PACK_ID_SIZE);
    memset(d->counts, 0, EXITS);
    d->reason = REASON_NONE;
    d->state = STATE_PLANNED;
}

static void begin_test(dealer_t *d, uint8_t after) {
    d->after_test = after;
    d->reason = REASON_NONE;
    d->stop_asked = 0;
    d->stop_request = false;
    d->silent = 0;
    d->state = STATE_TESTING;
    d->out = OUT_LED;
    motion_enter(d, PHASE_DARK);
}

uint8_t dealer_start(dealer_t *d, uint32_t job, const char *pack) {
    if (d->state == STATE_FAULT) return RESULT_FAULTED;
    if (d->job == 0 || d->job != job || memcmp(d->pack, pack, PACK_ID_SIZE) != 0) return RESULT_BAD_PLAN;
    if (d->state == STATE_PLANNED || d->state == STATE_STOPPED) begin_test(d, STATE_DEALING);
    return RESULT_OK;
}

uint8_t dealer_selftest(dealer_t *d) {
    if (d->state == STATE_FAULT) return RESULT_FAULTED;
    if (!dealer_at_rest(d)) return RESULT_BAD_STATE;
    begin_test(d, d->state);
    return RESULT_OK;
}

uint8_t dealer_release(dealer_t *d, uint32_t job) {
    if (d->job == 0 || d->job != job) return RESULT_BAD_STATE;
    if (d->state == STATE_COUNTED) {
        d->state = STATE_RELEASING;
        d->silent = 0;
        d->out = OUT_EMITTER | OUT_LED | OUT_GATE;
        motion_enter(d, PHASE_GATE);
    }
    return d->state == STATE_RELEASING || d->state == STATE_RELEASED ? RESULT_OK : RESULT_BAD_STATE;
}

uint8_t dealer_clear(dealer_t *d) {
    if (d->state != STATE_FAULT) return RESULT_OK;
    if (d->inputs & (IN_UNSAFE | IN_DRIVER_FAULT)) return RESULT_FAULTED;
    bool resumable = d->job != 0 && !d->is_void;
    d->fault = d->place = d->is_void = 0;
    d->reason = resumable ? REASON_FAULT_CLEARED : REASON_NONE;
    d->state = resumable ? STATE_STOPPED : STATE_IDLE;
    if (!resumable) d->job = 0;
    return RESULT_OK;
}

void dealer_stop(dealer_t *d, uint8_t reason) {
    if (d->state != STATE_TESTING && d->state != STATE_DEALING) return;
    d->stop_asked = reason;
    if (d->phase == PHASE_FEED) d->state = STATE_STOPPING; /* the card in the path is brought to its exit first */
    else dealer_stopped(d);
}

/* --- the tick ---------------------------------------------------------------------------------------------------- */

/* Whether cutting the motors leaves a card on its way, or the cam somewhere in its turn: nothing can go on from there. */
static bool in_a_turn(const dealer_t *d) { return d->phase == PHASE_FEED; }

uint16_t dealer_tick(dealer_t *d, uint16_t inputs) {
    uint16_t changed = (uint16_t)((inputs ^ d->inputs) & IN_TOLD);
    d->inputs = inputs;
    if (changed) dealer_event(d, EVENT_KIND_INPUT, (uint8_t)inputs, (uint8_t)(inputs >> 8), 0);
    d->out &= (uint16_t)~(OUT_FEED_STEP | OUT_CHUTE_STEP);
    bool stop_now = d->stop_request;
    d->stop_request = false;
    if (!dealer_moving(d)) return d->out;
    if (inputs & IN_UNSAFE) {
        dealer_fail(d, FAULT_SAFETY, PLACE_LID, in_a_turn(d));
    } else if (inputs & IN_DRIVER_FAULT) {
        dealer_fail(d, FAULT_DRIVER, PLACE_DRIVER, in_a_turn(d));
    } else {
        if (stop_now) dealer_stop(d, REASON_HOST_STOP);
        if (d->silent < MS_TO_TICKS(HOST_SILENCE_MS)) d->silent++;
        else dealer_stop(d, REASON_HOST_SILENT);
        motion_tick(d);
    }
    return d->out;
}
