/* The core, native, under the address and undefined-behaviour sanitizers, with the same mechanics as the bench. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/session.h"
#include "../sim/mechanics.h"

#define SESSION 0x1234567u
#define BOOT 77u

static int checks;
#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "%s:%d: %s: not true: %s\n", __FILE__, __LINE__, __func__, #what);                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* --- a host, a line and a machine -------------------------------------------------------------------------------- */

static dealer_t dealer;
static session_t session;
static mechanics_t machine;
static frame_decoder_t host_decoder;
static frame_t last; /* the last answer, its payload copied */
static uint8_t last_payload[MAX_PAYLOAD];
static int answers, events;
static uint16_t last_event, sequence;
static bool line_full;
static uint8_t plan[MAX_CARDS], plan_cards;

static bool host_receives(const uint8_t *data, uint8_t size) {
    frame_t f;
    if (line_full) return false;
    for (uint8_t i = 0; i < size; i++) {
        if (!frame_feed(&host_decoder, data[i], &f)) continue;
        if (f.type == MSG_EVENT) {
            msg_event_t e;
            CHECK(msg_event_unpack(&e, f.payload, f.size));
            CHECK(events == 0 || e.number == (uint16_t)(last_event + 1));
            last_event = e.number;
            events++;
        } else {
            last = f;
            memcpy(last_payload, f.payload, f.size);
            last.payload = last_payload;
            answers++;
        }
    }
    return true;
}

static uint8_t no_lock(void) { return 0; }
static void no_unlock(uint8_t was) { (void)was; }
static uint16_t no_overruns(void) { return 0; }
static settings_t kept;
static void keep(const settings_t *settings) { kept = *settings; }
static const session_port_t port = {host_receives, no_lock, no_unlock, no_overruns, keep};

static void feed_raw(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) session_byte(&session, data[i]);
}

static void send_numbered(uint16_t number, uint8_t type, const uint8_t *payload, uint8_t size) {
    uint8_t wire[FRAME_WIRE_MAX];
    feed_raw(wire, frame_encode(wire, number, type, payload, size));
}

static void send(uint8_t type, const uint8_t *payload, uint8_t size) { send_numbered(++sequence, type, payload, size); }

static uint8_t result(void) {
    msg_ack_t ack;
    CHECK(last.type == MSG_ACK && msg_ack_unpack(&ack, last.payload, last.size));
    CHECK(ack.boot == BOOT);
    return ack.result;
}

static void hello(uint32_t id) {
    uint8_t p[MAX_PAYLOAD];
    const msg_hello_t m = {id, PROTOCOL_VERSION, GEOMETRY_CRC};
    send(MSG_HELLO, p, msg_hello_pack(&m, p));
}

static uint8_t simple(uint8_t type) {
    uint8_t p[4];
    const msg_stop_t m = {SESSION};
    send(type, p, msg_stop_pack(&m, p));
    return type == MSG_STATUS ? 0 : result();
}

static uint8_t send_chunk(uint32_t job, uint8_t offset, uint8_t size) {
    uint8_t p[MAX_PAYLOAD];
    const msg_plan_chunk_t m = {SESSION, job, offset, plan + offset, size};
    send(MSG_PLAN_CHUNK, p, msg_plan_chunk_pack(&m, p));
    return result();
}

static uint8_t send_commit(uint32_t job, uint8_t cards, uint16_t crc) {
    uint8_t p[MAX_PAYLOAD];
    msg_plan_commit_t m = {SESSION, job, cards, {0}, crc, "A"};
    for (uint8_t i = 0; i < cards; i++) m.quotas[plan[i]]++;
    send(MSG_PLAN_COMMIT, p, msg_plan_commit_pack(&m, p));
    return result();
}

static uint8_t send_start(uint32_t job) {
    uint8_t p[MAX_PAYLOAD];
    const msg_start_t m = {SESSION, job, "A"};
    send(MSG_START, p, msg_start_pack(&m, p));
    return result();
}

static uint8_t send_release(uint32_t job) {
    uint8_t p[MAX_PAYLOAD];
    const msg_release_t m = {SESSION, job};
    send(MSG_RELEASE, p, msg_release_pack(&m, p));
    return result();
}

static void begin(int cards) {
    dealer_init(&dealer);
    session_init(&session, &port, &dealer, BOOT, CAUSE_POWER_ON);
    mechanics_init(&machine);
    mechanics_load(&machine, cards);
    memset(&host_decoder, 0, sizeof host_decoder);
    answers = events = 0;
    sequence = 0;
    line_full = false;
    plan_cards = (uint8_t)cards;
    for (int i = 0; i < cards; i++) plan[i] = (uint8_t)((i * 7 + i / 3) % EXITS);
}

static void tick(int count, bool alive) {
    for (int i = 0; i < count; i++) {
        if (alive) dealer_heard(&dealer);
        mechanics_outputs(&machine, dealer_tick(&dealer, mechanics_inputs(&machine)));
        session_poll(&session);
    }
}

static void tick_while_moving(void) {
    int left = 4000000;
    while (dealer_moving(&dealer) && left--) tick(1, true);
    CHECK(left > 0);
}

static void load_plan(uint32_t job) {
    for (int at = 0; at < plan_cards; at += MAX_CHUNK) {
        int size = plan_cards - at < MAX_CHUNK ? plan_cards - at : MAX_CHUNK;
        CHECK(send_chunk(job, (uint8_t)at, (uint8_t)size) == RESULT_OK);
    }
    CHECK(send_commit(job, plan_cards, crc16(plan, plan_cards)) == RESULT_OK);
}

static void start_deal(int cards) {
    begin(cards);
    hello(SESSION);
    load_plan(1);
    CHECK(send_start(1) == RESULT_OK);
}

static void check_delivered(void) {
    int at[EXITS] = {0};
    for (int i = 0; i < plan_cards; i++) CHECK(machine.delivered[plan[i]][at[plan[i]]++] == i);
    for (int e = 0; e < EXITS; e++) CHECK(machine.delivered_count[e] == at[e] && dealer.counts[e] == at[e]);
    CHECK(machine.crushed == 0);
}

/* --- frames ------------------------------------------------------------------------------------------------------ */

static void test_crc(void) { CHECK(crc16((const uint8_t *)"123456789", 9) == 0x906E); }

static void test_frames_round_trip(void) {
    uint8_t payload[MAX_PAYLOAD], wire[FRAME_WIRE_MAX];
    static frame_decoder_t d;
    for (int size = 0; size <= MAX_PAYLOAD; size++) {
        for (int style = 0; style < 3; style++) {
            frame_t f;
            bool got = false;
            for (int i = 0; i < size; i++) payload[i] = style == 0 ? 0 : style == 1 ? (uint8_t)(i * 37) : 0xFF;
            uint8_t length = frame_encode(wire, (uint16_t)(size * 263), (uint8_t)style, payload, (uint8_t)size);
            for (uint8_t i = 1; i + 1 < length; i++) CHECK(wire[i] != 0);
            for (uint8_t i = 0; i < length; i++) got |= frame_feed(&d, wire[i], &f);
            CHECK(got && f.size == size && f.type == style && f.sequence == (uint16_t)(size * 263));
            CHECK(memcmp(f.payload, payload, (size_t)size) == 0);
        }
    }
    CHECK(frame_encode(wire, 0, 0, payload, MAX_PAYLOAD + 1) == 0);
    CHECK(d.bad == 0);
}

static void test_damaged_frames_are_refused(void) {
    uint8_t payload[40], wire[FRAME_WIRE_MAX], other[FRAME_WIRE_MAX];
    for (int i = 0; i < 40; i++) payload[i] = (uint8_t)(i * 11);
    uint8_t length = frame_encode(wire, 5, 6, payload, sizeof payload);
    for (uint8_t at = 0; at < length; at++) {
        for (int flip = 1; flip < 256; flip++) {
            static frame_decoder_t d;
            frame_t f;
            memset(&d, 0, sizeof d);
            memcpy(other, wire, length);
            other[at] ^= (uint8_t)flip;
            for (uint8_t i = 0; i < length; i++) {
                if (!frame_feed(&d, other[i], &f)) continue;
                /* only damage to the outer delimiters may leave the frame as it was */
                CHECK(f.size == sizeof payload && memcmp(f.payload, payload, sizeof payload) == 0);
                CHECK(at == 0 || at == length - 1);
            }
        }
    }
}

static void test_any_bytes(void) {
    begin(10);
    hello(SESSION);
    srand(3);
    for (int round = 0; round < 20000; round++) {
        uint8_t noise[64];
        int size = rand() % 64;
        for (int i = 0; i < size; i++) noise[i] = rand() % 4 ? (uint8_t)rand() : 0;
        if (round % 2) feed_raw(noise, (size_t)size);
        else send_numbered((uint16_t)rand(), (uint8_t)(rand() % 12), noise, (uint8_t)size);
        if (round % 5 == 0) { /* frames of the session with any content */
            memcpy(noise, (const uint8_t[]){0x67, 0x45, 0x23, 0x01}, 4);
            send((uint8_t)(rand() % 12), noise, (uint8_t)(4 + rand() % 40));
        }
        tick(3, true);
    }
    hello(SESSION + 1);
    CHECK(last.type == MSG_HELLO_REPLY);
}

/* --- the session ------------------------------------------------------------------------------------------------- */

static void test_nothing_before_hello(void) {
    begin(4);
    CHECK(simple(MSG_SELFTEST) == RESULT_NO_SESSION);
    CHECK(dealer.state == STATE_IDLE);
    simple(MSG_STATUS);
    CHECK(result() == RESULT_NO_SESSION);
}

static void test_other_version_moves_nothing(void) {
    uint8_t p[MAX_PAYLOAD];
    begin(4);
    const msg_hello_t m = {SESSION, PROTOCOL_VERSION + 1, GEOMETRY_CRC};
    send(MSG_HELLO, p, msg_hello_pack(&m, p));
    CHECK(last.type == MSG_HELLO_REPLY);
    CHECK(send_chunk(1, 0, 4) == RESULT_MISMATCH);
    CHECK(simple(MSG_SELFTEST) == RESULT_MISMATCH);
    CHECK(dealer.state == STATE_IDLE);
}

static void test_repeat_comes_from_the_cache_and_an_old_one_is_dropped(void) {
    uint8_t p[MAX_PAYLOAD];
    start_deal(4);
    const msg_start_t m = {SESSION, 1, "A"};
    uint8_t size = msg_start_pack(&m, p);
    uint16_t started = sequence;
    tick_while_moving();
    CHECK(dealer.state == STATE_COUNTED);
    int before = answers;
    send_numbered(started, MSG_START, p, size);
    CHECK(answers == before + 1 && result() == RESULT_OK);
    simple(MSG_STATUS);
    before = answers;
    send_numbered(started, MSG_START, p, size);
    CHECK(answers == before);
    CHECK(dealer.state == STATE_COUNTED);
}

static void test_plan_out_of_order(void) {
    begin(108);
    hello(SESSION);
    CHECK(send_chunk(1, 60, 48) == RESULT_BAD_PLAN);
    CHECK(send_chunk(1, 0, 60) == RESULT_OK);
    CHECK(send_chunk(1, 0, 60) == RESULT_OK); /* begins anew */
    CHECK(send_chunk(2, 60, 48) == RESULT_BAD_PLAN);
    CHECK(send_commit(1, 60, (uint16_t)(crc16(plan, 60) ^ 1)) == RESULT_BAD_PLAN);
    CHECK(send_chunk(1, 60, 48) == RESULT_OK);
    CHECK(send_chunk(1, 60, 48) == RESULT_BAD_PLAN);
    CHECK(send_commit(1, 107, crc16(plan, 107)) == RESULT_BAD_PLAN);
    CHECK(send_start(1) == RESULT_BAD_PLAN);
    CHECK(send_commit(1, 108, crc16(plan, 108)) == RESULT_OK);
    CHECK(send_commit(1, 108, crc16(plan, 108)) == RESULT_OK); /* again */
    CHECK(send_start(2) == RESULT_BAD_PLAN);
    CHECK(dealer.state == STATE_PLANNED);
}

static void test_plan_too_long_or_with_a_sixth_exit(void) {
    begin(MAX_CARDS);
    hello(SESSION);
    for (uint8_t at = 0; at < MAX_CARDS; at = (uint8_t)(at + MAX_CHUNK)) CHECK(send_chunk(1, at, MAX_CHUNK) == RESULT_OK);
    uint8_t p[MAX_PAYLOAD], one = 0, six = EXITS;
    const msg_plan_chunk_t more = {SESSION, 1, MAX_CARDS, &one, 1}, wrong = {SESSION, 1, 0, &six, 1};
    send(MSG_PLAN_CHUNK, p, msg_plan_chunk_pack(&more, p));
    CHECK(result() == RESULT_BAD_PLAN);
    send(MSG_PLAN_CHUNK, p, msg_plan_chunk_pack(&wrong, p));
    CHECK(result() == RESULT_BAD_PLAN);
}

static void test_wraps(void) {
    begin(20);
    dealer.next_event = dealer.first_event = session.told_events = 0xFFF8;
    sequence = 0xFFFD;
    hello(SESSION);
    load_plan(1);
    CHECK(send_start(1) == RESULT_OK);
    tick_while_moving();
    CHECK(dealer.state == STATE_COUNTED);
    CHECK(sequence < 10);
    CHECK(last_event < 100 && events >= 21);
    check_delivered();
}

static void test_events_are_kept_while_the_line_is_full(void) {
    start_deal(20);
    tick(2000, true);
    int before = events;
    line_full = true;
    tick_while_moving();
    CHECK(events == before);
    line_full = false;
    session_poll(&session);
    CHECK(events > before + 15); /* host_receives has checked that no number was left out */
}

static void test_ring_keeps_the_newest(void) {
    start_deal(60);
    tick_while_moving();
    uint8_t p[MAX_PAYLOAD];
    const msg_events_from_t m = {SESSION, 1};
    send(MSG_EVENTS_FROM, p, msg_events_from_pack(&m, p));
    msg_events_reply_t reply;
    CHECK(last.type == MSG_EVENTS_REPLY && msg_events_reply_unpack(&reply, last.payload, last.size));
    CHECK(reply.events_size == 4 * EVENT_RING);
    CHECK(reply.first == (uint16_t)(dealer.next_event - EVENT_RING));
    CHECK(reply.events[4 * (EVENT_RING - 1)] == EVENT_KIND_COUNTED);
}

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

int main(void) {
    test_crc();
    test_frames_round_trip();
    test_damaged_frames_are_refused();
    test_any_bytes();
    test_nothing_before_hello();
    test_other_version_moves_nothing();
    test_repeat_comes_from_the_cache_and_an_old_one_is_dropped();
    test_plan_out_of_order();
    test_plan_too_long_or_with_a_sixth_exit();
    test_wraps();
    test_events_are_kept_while_the_line_is_full();
    test_ring_keeps_the_newest();
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
    printf("core: %d checks passed\n", checks);
    return 0;
}
