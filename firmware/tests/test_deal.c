/* The core, native, with the same mechanics as the bench: deals, stops, faults. */
#include "rig.h"

int test_dealing(void);

/* --- dealing ----------------------------------------------------------------------------------------------------- */

static void test_deals(void) {
    for (int cards = 1; cards <= MAX_CARDS; cards += 1 + cards / 3) {
        start_deal(cards);
        tick_while_moving();
        CHECK(dealer.state == STATE_COUNTED);
        check_delivered();
        CHECK(send_release(2) == RESULT_BAD_STATE);
        CHECK(send_release(1) == RESULT_OK);
        tick_while_moving();
        CHECK(dealer.state == STATE_RELEASED);
        CHECK(send_start(1) == RESULT_OK); /* the same job again changes nothing */
        CHECK(dealer.state == STATE_RELEASED);
        for (int e = 0; e < EXITS; e++) CHECK(machine.tray[e] == 0);
    }
}

static void test_release_needs_the_counts(void) {
    start_deal(10);
    CHECK(send_release(1) == RESULT_BAD_STATE);
    tick(3000, true);
    CHECK(send_release(1) == RESULT_BAD_STATE);
    dealer.quotas[0]++; /* as if a card had been counted elsewhere */
    tick_while_moving();
    CHECK(dealer.state == STATE_FAULT && dealer.fault == FAULT_COUNT && dealer.place == PLACE_EXIT_E && dealer.is_void);
    CHECK(send_release(1) == RESULT_BAD_STATE);
}

static void test_stop_at_every_moment(void) {
    for (int at = 1; at < 9000; at += 97) {
        start_deal(12);
        tick(at, true);
        if (!dealer_moving(&dealer)) break;
        if (at % 2) dealer.stop_request = true; /* STOP's own path */
        else simple(MSG_STOP);
        tick(1500, true); /* at most the turn under way and one more */
        CHECK(dealer.state == STATE_STOPPED || dealer.state == STATE_COUNTED);
        uint8_t index = dealer.index;
        tick(6000, true);
        CHECK(dealer.index == index && machine.path_count == 0);
        CHECK((machine.out & (OUT_FEED_EN | OUT_CHUTE_EN | OUT_GATE)) == 0);
        CHECK(send_start(1) == RESULT_OK);
        tick_while_moving();
        CHECK(dealer.state == STATE_COUNTED);
        check_delivered();
    }
}

static void test_silence_stops_between_cards(void) {
    start_deal(40);
    tick(8000, true);
    uint8_t index = dealer.index;
    tick(12000, false);
    CHECK(dealer.state == STATE_STOPPED && dealer.reason == REASON_HOST_SILENT);
    CHECK(dealer.index > index && dealer.index < 30 && machine.path_count == 0);
    CHECK(send_start(1) == RESULT_OK);
    tick_while_moving();
    check_delivered();
}

static void test_lid_at_every_moment(void) {
    for (int at = 1; at < 6000; at += 61) {
        start_deal(12);
        tick(at, true);
        machine.unsafe = true;
        tick(1, true);
        CHECK((machine.out & (OUT_FEED_EN | OUT_FEED_STEP | OUT_CHUTE_EN | OUT_CHUTE_STEP | OUT_GATE)) == 0);
        CHECK(dealer.state == STATE_FAULT && dealer.fault == FAULT_SAFETY);
        CHECK(dealer.is_void || machine.path_count == 0);
        CHECK(simple(MSG_CLEAR_FAULT) == RESULT_FAULTED);
        machine.unsafe = false;
        tick(100, true);
        CHECK(dealer.state == STATE_FAULT); /* closing the lid restarts nothing */
        CHECK(send_start(1) == RESULT_FAULTED);
        bool was_void = dealer.is_void;
        CHECK(simple(MSG_CLEAR_FAULT) == RESULT_OK);
        CHECK(send_start(1) == (was_void ? RESULT_BAD_PLAN : RESULT_OK));
        tick_while_moving();
        if (!was_void) check_delivered();
    }
}

static void test_self_test(void) {
    begin(4);
    hello(SESSION);
    CHECK(simple(MSG_SELFTEST) == RESULT_OK);
    CHECK(simple(MSG_SELFTEST) == RESULT_BAD_STATE);
    tick_while_moving();
    CHECK(dealer.state == STATE_IDLE && dealer.ring[(dealer.next_event - 1) % EVENT_RING][0] == EVENT_KIND_TESTED);
    machine.stuck = IN_HOME;
    machine.stuck_active = 0;
    CHECK(simple(MSG_SELFTEST) == RESULT_OK);
    tick_while_moving();
    CHECK(dealer.state == STATE_FAULT && dealer.fault == FAULT_CHUTE);
    CHECK(simple(MSG_SELFTEST) == RESULT_FAULTED);
}

/* Between any two moments the speed changes by no more than the machine may take, and never passes its top. */
static void test_motors_keep_their_limits(void) {
    static int feed_at[90000], chute_at[90000];
    int ticks = 0, feed = 0, from_chute;
    start_deal(108);
    from_chute = machine.chute_at;
    while (dealer_moving(&dealer) && ticks < 90000) {
        tick(1, true);
        feed += (machine.out & OUT_FEED_STEP) != 0;
        feed_at[ticks] = feed;
        chute_at[ticks++] = machine.chute_at - from_chute;
    }
    CHECK(dealer.state == STATE_COUNTED && feed == 108 * PITCH_STEPS);
    const int window = 40; /* 10 ms */
    double span_s = window * TICK_US / 1e6;
    for (int t = 2 * window; t < ticks; t++) {
        double fast = feed_at[t] - feed_at[t - window], slow = feed_at[t - window] - feed_at[t - 2 * window];
        CHECK(fast <= FEED_MAX_SPS * span_s + 1.0);
        /* two steps of rounding, and the start speed that it may jump to */
        CHECK(fast - slow <= FEED_ACCEL * span_s * span_s + FEED_START_SPS * span_s + 2.0);
        CHECK(slow - fast <= FEED_ACCEL * span_s * span_s + FEED_START_SPS * span_s + 2.0);
        double turn = chute_at[t] - chute_at[t - window];
        CHECK(turn <= CHUTE_MAX_SPS * span_s + 1.0 && -turn <= CHUTE_MAX_SPS * span_s + 1.0);
    }
    double least_s = 108.0 * PITCH_STEPS / FEED_MAX_SPS;
    printf("core: 108 cards counted after %.2f s; 108 turns at top speed take %.2f s\n", ticks * TICK_US / 1e6, least_s);
    CHECK(ticks * TICK_US / 1e6 < least_s + 0.3);
}

static void test_a_wrong_back_stops_before_it_is_dealt(void) {
    for (int card = 0; card < 12; card++) {
        start_deal(12);
        machine.bad_back = card;
        tick_while_moving();
        CHECK(dealer.state == STATE_FAULT && dealer.fault == FAULT_BACK && dealer.place == PLACE_HOPPER);
        CHECK(!dealer.is_void && dealer.index == card && machine.hopper_next == card && machine.path_count == 0);
        CHECK(machine.turn_steps == 0); /* it has slowed down and stands where it may go on */
        machine.bad_back = -1;
        tick(10, true);
        CHECK(simple(MSG_CLEAR_FAULT) == RESULT_OK && send_start(1) == RESULT_OK);
        tick_while_moving();
        CHECK(dealer.state == STATE_COUNTED);
        check_delivered();
    }
}

static void test_another_pack_does_not_go_on(void) {
    uint8_t p[MAX_PAYLOAD];
    start_deal(12);
    tick(4000, true);
    simple(MSG_STOP);
    tick_while_moving();
    const msg_start_t other = {SESSION, 1, "B"};
    send(MSG_START, p, msg_start_pack(&other, p));
    CHECK(result() == RESULT_BAD_PLAN && dealer.state == STATE_STOPPED);
    CHECK(send_start(1) == RESULT_OK);
    tick_while_moving();
    check_delivered();
}

static uint8_t send_settings(uint8_t home_steps, uint8_t settle_ms) {
    uint8_t p[MAX_PAYLOAD];
    const msg_set_settings_t m = {SESSION, home_steps, settle_ms, "no. 7"};
    send(MSG_SET_SETTINGS, p, msg_set_settings_pack(&m, p));
    return result();
}

static void test_settings(void) {
    for (uint8_t home = CHUTE_HOME_STEPS - CHUTE_HOME_SPREAD; home <= CHUTE_HOME_STEPS + CHUTE_HOME_SPREAD; home++) {
        start_deal(30);
        CHECK(send_settings(home, 2 * CHUTE_SETTLE_MS) == RESULT_BAD_STATE);
        tick_while_moving();
        begin(30);
        hello(SESSION);
        memset(&kept, 0, sizeof kept);
        CHECK(send_settings(home, 2 * CHUTE_SETTLE_MS) == RESULT_OK);
        CHECK(kept.home_steps == home && kept.settle_ms == 2 * CHUTE_SETTLE_MS && strcmp(kept.serial, "no. 7") == 0);
        load_plan(1);
        CHECK(send_start(1) == RESULT_OK);
        tick_while_moving();
        CHECK(dealer.state == STATE_COUNTED); /* the slowest chute still keeps the roller's pace */
        check_delivered();
    }
    memset(&kept, 0, sizeof kept);
    CHECK(send_settings(CHUTE_HOME_STEPS + CHUTE_HOME_SPREAD + 1, CHUTE_SETTLE_MS) == RESULT_BAD_PAYLOAD);
    CHECK(send_settings(0, CHUTE_SETTLE_MS) == RESULT_BAD_PAYLOAD);
    CHECK(send_settings(CHUTE_HOME_STEPS, CHUTE_SETTLE_MS - 1) == RESULT_BAD_PAYLOAD);
    CHECK(send_settings(CHUTE_HOME_STEPS, 2 * CHUTE_SETTLE_MS + 1) == RESULT_BAD_PAYLOAD);
    CHECK(kept.home_steps == 0 && settings_valid(&dealer.settings));
    uint8_t p[MAX_PAYLOAD];
    const msg_stop_t ask = {SESSION};
    send(MSG_SETTINGS, p, msg_stop_pack(&ask, p));
    msg_settings_reply_t reply;
    CHECK(last.type == MSG_SETTINGS_REPLY && msg_settings_reply_unpack(&reply, last.payload, last.size));
    CHECK(reply.home_steps == dealer.settings.home_steps && !reply.defaults);
}

static void test_wrong_exit(void) {
    for (uint8_t card = 0; card < 8; card++) {
        start_deal(12);
        int left = 1000000;
        while ((dealer.phase != PHASE_FEED || dealer.index != card) && left--) tick(1, true);
        CHECK(left > 0);
        uint8_t other = (uint8_t)((plan[card] + 2) % EXITS);
        machine.chute_at += (other - plan[card]) * CHUTE_STEPS; /* a knock has turned the chute */
        tick_while_moving();
        CHECK(dealer.state == STATE_FAULT && dealer.fault == FAULT_WRONG_EXIT && dealer.is_void);
        CHECK(dealer.place == PLACE_EXIT_E + other && dealer.index == card);
    }
}

static void test_every_stuck_sensor_during_the_deal_fails(void) {
    for (int bit = 0; bit <= 5; bit++) {
        for (int active = 0; active < 2; active++) {
            start_deal(30);
            tick(2500, true);
            machine.stuck = (uint16_t)(1u << bit);
            machine.stuck_active = active ? machine.stuck : 0;
            tick_while_moving();
            CHECK(dealer.state == STATE_FAULT && dealer.is_void);
        }
    }
}

/* Runs them all; how many checks they made. */
int test_dealing(void) {
    test_deals();
    test_release_needs_the_counts();
    test_stop_at_every_moment();
    test_silence_stops_between_cards();
    test_lid_at_every_moment();
    test_self_test();
    test_motors_keep_their_limits();
    test_a_wrong_back_stops_before_it_is_dealt();
    test_another_pack_does_not_go_on();
    test_settings();
    test_wrong_exit();
    test_every_stuck_sensor_during_the_deal_fails();
    return checks;
}
