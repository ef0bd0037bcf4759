#include "dealer.h"

#include <string.h>

#define MS_TO_TICKS(ms) ((uint16_t)((uint32_t)(ms) * 1000u / TICK_US))
#define CARD_STEPS (CARD_UM / FEED_UM_PER_STEP)
#define TOLERANCE_STEPS (LENGTH_TOLERANCE_UM / FEED_UM_PER_STEP)
#define HOME_RANGE ((EXITS - 1u) * CHUTE_STEPS + 2u * CHUTE_HOME_STEPS)
#define IN_EXITS (IN_EXIT_E | IN_EXIT_N | IN_EXIT_W | IN_EXIT_S | IN_EXIT_B)
#define IN_TRAYS (IN_TRAY_E | IN_TRAY_N | IN_TRAY_W | IN_TRAY_S | IN_TRAY_B)
/* Changes of these are told; beams and the home flag change with every card. */
#define IN_TOLD (IN_TRAYS | IN_HOPPER | IN_UNSAFE | IN_DRIVER_FAULT)

static void event(dealer_t *d, uint8_t kind, uint8_t a, uint8_t b, uint8_t c) {
    uint8_t *slot = d->ring[d->next_event % EVENT_RING];
    slot[0] = kind;
    slot[1] = a;
    slot[2] = b;
    slot[3] = c;
    d->next_event++;
    if ((uint16_t)(d->next_event - d->first_event) > EVENT_RING) d->first_event++;
}

void dealer_init(dealer_t *d) {
    memset(d, 0, sizeof *d);
    d->next_event = d->first_event = 1;
    d->out = OUT_EMITTER;
}

bool dealer_moving(const dealer_t *d) {
    return d->state == STATE_TESTING || d->state == STATE_DEALING || d->state == STATE_STOPPING ||
           d->state == STATE_RELEASING;
}

bool dealer_at_rest(const dealer_t *d) { return !dealer_moving(d) && d->state != STATE_FAULT; }

void dealer_heard(dealer_t *d) { d->silent = 0; }

static void rest(dealer_t *d, uint8_t state) {
    d->state = state;
    d->phase = PHASE_NONE;
    d->out = OUT_EMITTER;
}

static void fail(dealer_t *d, uint8_t fault, uint8_t place, bool is_void) {
    d->fault = fault;
    d->place = place;
    d->is_void = is_void;
    rest(d, STATE_FAULT);
    event(d, EVENT_KIND_FAULT, fault, place, is_void);
}

static void enter(dealer_t *d, phase_t phase) {
    d->phase = phase;
    d->ticks = d->steps = 0;
    d->pause = 0;
}

static void stopped(dealer_t *d) {
    d->reason = d->stop_asked;
    rest(d, d->after_test == STATE_DEALING ? STATE_STOPPED : d->after_test);
    event(d, EVENT_KIND_STOPPED, d->index, d->reason, 0);
}

/* --- commands ---------------------------------------------------------------------------------------------------- */

void dealer_forget(dealer_t *d) {
    d->job = 0;
    d->cards = 0;
    d->state = STATE_IDLE;
}

void dealer_planned(dealer_t *d, uint32_t job, uint8_t cards, const uint8_t *quotas) {
    d->job = job;
    d->cards = cards;
    d->index = 0;
    memcpy(d->quotas, quotas, EXITS);
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
    enter(d, PHASE_DARK);
}

uint8_t dealer_start(dealer_t *d, uint32_t job) {
    if (d->state == STATE_FAULT) return RESULT_FAULTED;
    if (d->job == 0 || d->job != job) return RESULT_BAD_PLAN;
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
        enter(d, PHASE_GATE);
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
    else stopped(d);
}

/* --- motion ------------------------------------------------------------------------------------------------------ */

/* One step of a motor if it is time; slow ones take twice as long. */
static void step(dealer_t *d, uint16_t pulse, bool slow) {
    if (d->pause) {
        d->pause--;
        return;
    }
    d->out |= pulse;
    d->steps++;
    d->pause = slow ? 3 : 1;
}

static void step_chute(dealer_t *d, bool away) {
    d->out |= OUT_CHUTE_EN;
    if (away) d->out |= OUT_CHUTE_DIR;
    else d->out &= (uint16_t)~OUT_CHUTE_DIR;
    step(d, OUT_CHUTE_STEP, false);
}

static void next_card(dealer_t *d) {
    if (d->index == d->cards) {
        if (d->inputs & IN_HOPPER) {
            fail(d, FAULT_LEFTOVER, PLACE_HOPPER, true);
            return;
        }
        for (uint8_t i = 0; i < EXITS; i++) {
            if (d->counts[i] != d->quotas[i]) {
                fail(d, FAULT_COUNT, (uint8_t)(PLACE_EXIT_E + i), true);
                return;
            }
        }
        rest(d, STATE_COUNTED);
        event(d, EVENT_KIND_COUNTED, d->cards, 0, 0);
    } else if (d->stop_asked) {
        stopped(d);
    } else if (!(d->inputs & IN_HOPPER)) {
        fail(d, FAULT_HOPPER_EMPTY, PLACE_HOPPER, d->index > 0);
    } else {
        d->tries = 0;
        enter(d, PHASE_POSITION);
    }
}

static void tested(dealer_t *d) {
    d->chute_at = 0;
    if (d->after_test == STATE_DEALING) {
        d->state = STATE_DEALING;
        next_card(d);
    } else {
        rest(d, d->after_test);
        event(d, EVENT_KIND_TESTED, 0, 0, 0);
    }
}

/* The first of the beams (path, exits) whose bit in `wrong` is set fails the test. */
static bool beams_wrong(dealer_t *d, uint16_t wrong) {
    for (uint8_t i = 0; i <= EXITS; i++) {
        if (wrong & (IN_BEAM << i)) {
            fail(d, FAULT_SENSOR, i == 0 ? PLACE_BEAM : (uint8_t)(PLACE_EXIT_E + i - 1), false);
            return true;
        }
    }
    return false;
}

static void tick_dark(dealer_t *d) {
    if (++d->ticks < MS_TO_TICKS(TEST_MS)) return;
    if (beams_wrong(d, (uint16_t)~d->inputs)) return;
    d->out |= OUT_EMITTER;
    enter(d, PHASE_LIGHT);
}

static void tick_light(dealer_t *d) {
    if (++d->ticks < MS_TO_TICKS(TEST_MS)) return;
    if (beams_wrong(d, d->inputs & (IN_BEAM | IN_EXITS))) return;
    if (d->after_test == STATE_DEALING && d->index == 0 && (d->inputs & IN_TRAYS)) {
        uint8_t tray = 0;
        while (!(d->inputs & (IN_TRAY_E << tray))) tray++;
        fail(d, FAULT_TRAY, (uint8_t)(PLACE_TRAY_E + tray), false);
        return;
    }
    enter(d, PHASE_HOME_OFF);
}

static void tick_home(dealer_t *d) {
    bool home = d->inputs & IN_HOME;
    if (d->phase == PHASE_HOME_OFF) {
        if (!home) enter(d, PHASE_HOME_ON);
        else if (d->steps >= CHUTE_HOME_STEPS) fail(d, FAULT_SENSOR, PLACE_CHUTE, false);
        else step_chute(d, true);
    } else if (d->phase == PHASE_HOME_ON) {
        if (home) enter(d, PHASE_HOME_AWAY);
        else if (d->steps >= HOME_RANGE) fail(d, FAULT_CHUTE, PLACE_CHUTE, false);
        else step_chute(d, false);
    } else if (d->steps < CHUTE_HOME_STEPS) {
        step_chute(d, true);
    } else if (d->pause) {
        d->pause--; /* the flag is read after the last step has been made */
    } else if (home) {
        fail(d, FAULT_SENSOR, PLACE_CHUTE, false);
    } else {
        tested(d);
    }
}

static void tick_position(dealer_t *d) {
    uint8_t target = (uint8_t)(d->plan[d->index] * CHUTE_STEPS);
    if (d->chute_at == target) {
        enter(d, PHASE_SETTLE);
        return;
    }
    bool away = d->chute_at < target;
    uint16_t before = d->steps;
    step_chute(d, away);
    if (d->steps != before) d->chute_at = (uint8_t)(away ? d->chute_at + 1 : d->chute_at - 1);
}

static void begin_feed(dealer_t *d) {
    enter(d, PHASE_FEED);
    d->beam_was = d->exit_was = false;
    d->beam_rises = d->exit_rises = 0;
    d->beam_from = d->beam_steps = 0;
}

static void no_card(dealer_t *d) {
    if (d->exit_rises) {
        fail(d, FAULT_SENSOR, PLACE_BEAM, true); /* it passed the exit unseen by the beam */
    } else if (!(d->inputs & IN_HOPPER)) {
        fail(d, FAULT_HOPPER_EMPTY, PLACE_HOPPER, d->index > 0);
    } else if (d->stop_asked) {
        stopped(d);
    } else if (d->tries == 0) {
        d->tries = 1;
        begin_feed(d);
    } else {
        fail(d, FAULT_JAM, PLACE_FEEDER, false); /* nothing has left the hopper: the counts stand */
    }
}

/* The turn is over: exactly one card of the right length must have passed both sensors. */
static void judge(dealer_t *d, uint8_t exit_index) {
    uint8_t exit_place = (uint8_t)(PLACE_EXIT_E + exit_index);
    if (d->beam_rises == 0) no_card(d);
    else if (d->beam_was) fail(d, FAULT_JAM, PLACE_BEAM, true);
    else if (d->beam_rises > 1 || d->beam_steps > CARD_STEPS + TOLERANCE_STEPS) fail(d, FAULT_DOUBLE_FEED, PLACE_BEAM, true);
    else if (d->beam_steps < CARD_STEPS - TOLERANCE_STEPS) fail(d, FAULT_SENSOR, PLACE_BEAM, true);
    else if (d->exit_rises == 0 || d->exit_was) fail(d, FAULT_JAM, exit_place, true);
    else if (d->exit_rises > 1) fail(d, FAULT_DOUBLE_FEED, exit_place, true);
    else {
        d->index++;
        d->counts[exit_index]++;
        event(d, EVENT_KIND_CARD, d->index, exit_index, (uint8_t)d->beam_steps);
        next_card(d);
    }
}

static void watch_card(dealer_t *d, uint8_t exit_index) {
    bool beam = d->inputs & IN_BEAM, out = d->inputs & (IN_EXIT_E << exit_index);
    if (beam && !d->beam_was) {
        d->beam_rises++;
        d->beam_from = d->steps;
    }
    if (!beam && d->beam_was) d->beam_steps = (uint16_t)(d->steps - d->beam_from);
    if (out && !d->exit_was) d->exit_rises++;
    d->beam_was = beam;
    d->exit_was = out;
}

static void tick_feed(dealer_t *d) {
    uint8_t exit_index = d->plan[d->index];
    uint16_t others = d->inputs & IN_EXITS & (uint16_t)~(IN_EXIT_E << exit_index);
    if (others) {
        uint8_t wrong = 0;
        while (!(others & (IN_EXIT_E << wrong))) wrong++;
        fail(d, FAULT_WRONG_EXIT, (uint8_t)(PLACE_EXIT_E + wrong), true);
        return;
    }
    watch_card(d, exit_index);
    if (d->steps < PITCH_STEPS) {
        d->out |= OUT_FEED_EN | OUT_FEED_DIR;
        step(d, OUT_FEED_STEP, d->steps < RAMP_STEPS);
    } else if (d->pause) {
        d->pause--;
    } else {
        judge(d, exit_index);
    }
}

static void run_phase(dealer_t *d) {
    switch (d->phase) {
    case PHASE_DARK: tick_dark(d); break;
    case PHASE_LIGHT: tick_light(d); break;
    case PHASE_HOME_OFF:
    case PHASE_HOME_ON:
    case PHASE_HOME_AWAY: tick_home(d); break;
    case PHASE_POSITION: tick_position(d); break;
    case PHASE_SETTLE:
        if (++d->ticks >= MS_TO_TICKS(CHUTE_SETTLE_MS)) begin_feed(d);
        break;
    case PHASE_FEED: tick_feed(d); break;
    case PHASE_GATE:
        if (++d->ticks >= MS_TO_TICKS(GATE_MS)) {
            rest(d, STATE_RELEASED);
            event(d, EVENT_KIND_RELEASED, d->cards, 0, 0);
        }
        break;
    case PHASE_NONE: break;
    }
}

uint16_t dealer_tick(dealer_t *d, uint16_t inputs) {
    uint16_t changed = (uint16_t)((inputs ^ d->inputs) & IN_TOLD);
    d->inputs = inputs;
    if (changed) event(d, EVENT_KIND_INPUT, (uint8_t)inputs, (uint8_t)(inputs >> 8), 0);
    d->out &= (uint16_t)~(OUT_FEED_STEP | OUT_CHUTE_STEP);
    bool stop_now = d->stop_request;
    d->stop_request = false;
    if (!dealer_moving(d)) return d->out;
    if (inputs & IN_UNSAFE) {
        fail(d, FAULT_SAFETY, PLACE_LID, d->phase == PHASE_FEED);
    } else if (inputs & IN_DRIVER_FAULT) {
        fail(d, FAULT_DRIVER, PLACE_DRIVER, d->phase == PHASE_FEED);
    } else {
        if (stop_now) dealer_stop(d, REASON_HOST_STOP);
        if (d->silent < MS_TO_TICKS(HOST_SILENCE_MS)) d->silent++;
        else dealer_stop(d, REASON_HOST_SILENT);
        run_phase(d);
    }
    return d->out;
}
