/* The core, native, under the address and undefined-behaviour sanitizers: frames and session. test_deal.c has the deals. */
#include "rig.h"

int test_dealing(void);

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
    printf("core: %d checks passed\n", checks + test_dealing());
    return 0;
}
