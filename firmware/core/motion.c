/* The moves: self-test, home, and the deal itself, a turn of the pick roller a card. */
#include "motion.h"

#define CARD_STEPS (CARD_UM / FEED_UM_PER_STEP)
#define TOLERANCE_STEPS (LENGTH_TOLERANCE_UM / FEED_UM_PER_STEP)
#define ENTRY_STEPS (CHUTE_ENTRY_UM / FEED_UM_PER_STEP)
#define HOME_STEPS_MAX (CHUTE_HOME_STEPS + CHUTE_HOME_SPREAD)
#define HOME_RANGE ((EXITS - 1u) * CHUTE_STEPS + 2u * HOME_STEPS_MAX)
#define TICKS_PER_MS (1000u / TICK_US)
#define IN_EXITS (IN_EXIT_E | IN_EXIT_N | IN_EXIT_W | IN_EXIT_S | IN_EXIT_B)
#define IN_TRAYS (IN_TRAY_E | IN_TRAY_N | IN_TRAY_W | IN_TRAY_S | IN_TRAY_B)

static const motor_limits_t FEED_LIMITS = {FEED_START_Q16, FEED_MAX_Q16, FEED_ACCEL_Q16};
static const motor_limits_t CHUTE_LIMITS = {CHUTE_START_Q16, CHUTE_MAX_Q16, CHUTE_ACCEL_Q16};
static const motor_limits_t HOME_LIMITS = {CHUTE_START_Q16, CHUTE_START_Q16, 0};

void motion_enter(dealer_t *d, phase_t phase) {
    d->phase = phase;
    d->ticks = d->steps = 0;
}

/* --- self-test and home ------------------------------------------------------------------------------------------ */

/* The first of the beams (path, exits) whose bit in `wrong` is set fails the test. */
static bool beams_wrong(dealer_t *d, uint16_t wrong) {
    for (uint8_t i = 0; i <= EXITS; i++) {
        if (wrong & (IN_BEAM << i)) {
            dealer_fail(d, FAULT_SENSOR, i == 0 ? PLACE_BEAM : (uint8_t)(PLACE_EXIT_E + i - 1), false);
            return true;
        }
    }
    return false;
}

static void tick_dark(dealer_t *d) {
    if (++d->ticks < MS_TO_TICKS(TEST_MS)) return;
    if (beams_wrong(d, (uint16_t)~d->inputs)) return;
    if (d->inputs & IN_BACK) {
        dealer_fail(d, FAULT_SENSOR, PLACE_HOPPER, false); /* it sees light that is not there */
        return;
    }
    d->out |= OUT_EMITTER;
    motion_enter(d, PHASE_LIGHT);
}

static void tick_light(dealer_t *d) {
    if (++d->ticks < MS_TO_TICKS(TEST_MS)) return;
    if (beams_wrong(d, d->inputs & (IN_BEAM | IN_EXITS))) return;
    if (d->after_test == STATE_DEALING && d->index == 0 && (d->inputs & IN_TRAYS)) {
        uint8_t tray = 0;
        while (!(d->inputs & (IN_TRAY_E << tray))) tray++;
        dealer_fail(d, FAULT_TRAY, (uint8_t)(PLACE_TRAY_E + tray), false);
        return;
    }
    motion_enter(d, PHASE_HOME_OFF);
}

static void step_home(dealer_t *d, bool away) {
    d->out |= OUT_CHUTE_EN;
    if (away) d->out |= OUT_CHUTE_DIR;
    else d->out &= (uint16_t)~OUT_CHUTE_DIR;
    if (!motor_tick(&d->chute, &HOME_LIMITS, MOTOR_ON_AND_ON)) return;
    d->out |= OUT_CHUTE_STEP;
    d->steps++;
}

static void next_card(dealer_t *d);

static void tested(dealer_t *d) {
    d->chute_at = 0;
    motor_stop(&d->chute);
    if (d->after_test == STATE_DEALING) {
        d->state = STATE_DEALING;
        next_card(d);
    } else {
        dealer_rest(d, d->after_test);
        dealer_event(d, EVENT_KIND_TESTED, 0, 0, 0);
    }
}

static void tick_home(dealer_t *d) {
    bool home = d->inputs & IN_HOME;
    if (d->phase == PHASE_HOME_OFF) {
        if (!home) motion_enter(d, PHASE_HOME_ON);
        else if (d->steps >= HOME_STEPS_MAX) dealer_fail(d, FAULT_SENSOR, PLACE_CHUTE, false);
        else step_home(d, true);
    } else if (d->phase == PHASE_HOME_ON) {
        if (home) motion_enter(d, PHASE_HOME_AWAY);
        else if (d->steps >= HOME_RANGE) dealer_fail(d, FAULT_CHUTE, PLACE_CHUTE, false);
        else step_home(d, false);
    } else if (d->steps < d->settings.home_steps) {
        step_home(d, true);
    } else if (home) {
        dealer_fail(d, FAULT_SENSOR, PLACE_CHUTE, false);
    } else {
        tested(d);
    }
}

/* --- dealing ----------------------------------------------------------------------------------------------------- */

/* One tick of the chute towards an exit; true when it stands there still. */
static bool chute_ready(dealer_t *d, uint8_t exit_index) {
    uint8_t target = (uint8_t)(exit_index * CHUTE_STEPS);
    if (d->chute_at == target) {
        motor_stop(&d->chute);
        if (d->settling) d->settling--;
        return d->settling == 0;
    }
    bool away = d->chute_at < target;
    d->out |= OUT_CHUTE_EN;
    if (away) d->out |= OUT_CHUTE_DIR;
    else d->out &= (uint16_t)~OUT_CHUTE_DIR;
    if (motor_tick(&d->chute, &CHUTE_LIMITS, (uint16_t)(away ? target - d->chute_at : d->chute_at - target))) {
        d->out |= OUT_CHUTE_STEP;
        d->chute_at = (uint8_t)(away ? d->chute_at + 1 : d->chute_at - 1);
    }
    d->settling = (uint8_t)(d->settings.settle_ms * TICKS_PER_MS);
    return false;
}

static void begin_turn(dealer_t *d) {
    motion_enter(d, PHASE_FEED);
    d->halting = d->counted = false;
    d->beam_was = d->exit_was = false;
    d->beam_rises = d->exit_rises = 0;
    d->beam_from = d->beam_steps = 0;
}

static void deal_over(dealer_t *d) {
    if (d->inputs & IN_HOPPER) {
        dealer_fail(d, FAULT_LEFTOVER, PLACE_HOPPER, true);
        return;
    }
    for (uint8_t i = 0; i < EXITS; i++) {
        if (d->counts[i] != d->quotas[i]) {
            dealer_fail(d, FAULT_COUNT, (uint8_t)(PLACE_EXIT_E + i), true);
            return;
        }
    }
    dealer_rest(d, STATE_COUNTED);
    dealer_event(d, EVENT_KIND_COUNTED, d->cards, 0, 0);
}

static void next_card(dealer_t *d) {
    if (d->index == d->cards) {
        deal_over(d);
    } else if (d->stop_asked) {
        dealer_stopped(d);
    } else if (!(d->inputs & IN_HOPPER)) {
        dealer_fail(d, FAULT_HOPPER_EMPTY, PLACE_HOPPER, d->index > 0);
    } else if (!(d->inputs & IN_BACK)) {
        dealer_fail(d, FAULT_BACK, PLACE_HOPPER, false); /* it is still in the hopper: the counts stand */
    } else {
        d->tries = 0;
        d->exit_index = d->plan[d->index];
        if (d->phase == PHASE_FEED) begin_turn(d);
        else motion_enter(d, PHASE_POSITION);
    }
}

static void no_card(dealer_t *d) {
    if (d->exit_rises) {
        dealer_fail(d, FAULT_SENSOR, PLACE_BEAM, true); /* it passed the exit unseen by the beam */
    } else if (!(d->inputs & IN_HOPPER)) {
        dealer_fail(d, FAULT_HOPPER_EMPTY, PLACE_HOPPER, d->index > 0);
    } else if (d->stop_asked) {
        dealer_stopped(d);
    } else if (d->tries == 0) {
        d->tries = 1;
        begin_turn(d);
    } else {
        dealer_fail(d, FAULT_JAM, PLACE_FEEDER, false); /* nothing has left the hopper: the counts stand */
    }
}

static bool of_one_card(uint16_t steps) {
    return steps >= CARD_STEPS - TOLERANCE_STEPS && steps <= CARD_STEPS + TOLERANCE_STEPS;
}

static void count_card(dealer_t *d) {
    d->counted = true;
    d->index++;
    d->counts[d->exit_index]++;
    dealer_event(d, EVENT_KIND_CARD, d->index, d->exit_index, (uint8_t)d->beam_steps);
}

/* The turn is over and no card was counted in it: what has become of it? */
static void judge(dealer_t *d) {
    uint8_t exit_place = (uint8_t)(PLACE_EXIT_E + d->exit_index);
    if (d->beam_rises == 0) no_card(d);
    else if (d->beam_was) dealer_fail(d, FAULT_JAM, PLACE_BEAM, true);
    else if (d->beam_rises == 1 && d->beam_steps < CARD_STEPS - TOLERANCE_STEPS) dealer_fail(d, FAULT_SENSOR, PLACE_BEAM, true);
    else if (d->beam_rises > 1 || !of_one_card(d->beam_steps)) dealer_fail(d, FAULT_DOUBLE_FEED, PLACE_BEAM, true);
    else if (d->exit_rises > 1) dealer_fail(d, FAULT_DOUBLE_FEED, exit_place, true);
    else dealer_fail(d, FAULT_JAM, exit_place, true);
}

static void turn_over(dealer_t *d) {
    if (!d->counted) judge(d);
    else if (d->beam_rises > 1) dealer_fail(d, FAULT_DOUBLE_FEED, PLACE_BEAM, true);
    else if (d->exit_rises > 1) dealer_fail(d, FAULT_DOUBLE_FEED, (uint8_t)(PLACE_EXIT_E + d->exit_index), true);
    else next_card(d);
}

/* The card counts as its tail leaves the exit's beam, one card long and alone. */
static void watch_card(dealer_t *d) {
    bool beam = d->inputs & IN_BEAM, out = d->inputs & (IN_EXIT_E << d->exit_index);
    if (beam && !d->beam_was) {
        d->beam_rises++;
        d->beam_from = d->steps;
    }
    if (!beam && d->beam_was) d->beam_steps = (uint16_t)(d->steps - d->beam_from);
    if (out && !d->exit_was) d->exit_rises++;
    bool left = !out && d->exit_was;
    d->beam_was = beam;
    d->exit_was = out;
    if (left && !beam && d->beam_rises == 1 && d->exit_rises == 1 && of_one_card(d->beam_steps)) count_card(d);
}

/* Whether no card may be picked at the end of this turn. */
static bool must_halt(const dealer_t *d) {
    if (d->stop_asked || d->tries || !(d->inputs & IN_HOPPER)) return true;
    if (d->steps >= BACK_FROM_STEPS && !(d->inputs & IN_BACK)) return true;
    return (uint8_t)(d->index + (d->counted ? 0 : 1)) == d->cards;
}

static void tick_feed(dealer_t *d) {
    if (d->steps == PITCH_STEPS) {
        turn_over(d);
        if (d->phase != PHASE_FEED) return;
    }
    uint16_t others = d->inputs & IN_EXITS & (uint16_t)~(IN_EXIT_E << d->exit_index);
    if (others) {
        uint8_t wrong = 0;
        while (!(others & (IN_EXIT_E << wrong))) wrong++;
        dealer_fail(d, FAULT_WRONG_EXIT, (uint8_t)(PLACE_EXIT_E + wrong), true);
        return;
    }
    watch_card(d);
    bool ready = chute_ready(d, d->counted && d->index < d->cards ? d->plan[d->index] : d->exit_index);
    if (!ready && !d->counted && d->steps >= ENTRY_STEPS) {
        dealer_fail(d, FAULT_CHUTE, PLACE_CHUTE, true); /* the card would meet a moving chute */
        return;
    }
    uint16_t left = (uint16_t)(PITCH_STEPS - d->steps);
    if (!d->halting && left >= d->feed.ramp && must_halt(d)) d->halting = true;
    d->out |= OUT_FEED_EN | OUT_FEED_DIR;
    if (motor_tick(&d->feed, &FEED_LIMITS, d->halting ? left : MOTOR_ON_AND_ON)) {
        d->out |= OUT_FEED_STEP;
        d->steps++;
    }
}

void motion_tick(dealer_t *d) {
    switch (d->phase) {
    case PHASE_DARK: tick_dark(d); break;
    case PHASE_LIGHT: tick_light(d); break;
    case PHASE_HOME_OFF:
    case PHASE_HOME_ON:
    case PHASE_HOME_AWAY: tick_home(d); break;
    case PHASE_POSITION:
        if (chute_ready(d, d->exit_index)) begin_turn(d);
        break;
    case PHASE_FEED: tick_feed(d); break;
    case PHASE_GATE:
        if (++d->ticks >= MS_TO_TICKS(GATE_MS)) {
            dealer_rest(d, STATE_RELEASED);
            dealer_event(d, EVENT_KIND_RELEASED, d->cards, 0, 0);
        }
        break;
    case PHASE_NONE: break;
    }
}
