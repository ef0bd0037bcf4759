/* A host, a line and a machine round the core, for the native tests: one set of them in each test file. */
#ifndef RIG_H
#define RIG_H

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

static inline bool host_receives(const uint8_t *data, uint8_t size) {
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

static inline uint8_t no_lock(void) { return 0; }
static inline void no_unlock(uint8_t was) { (void)was; }
static inline uint16_t no_overruns(void) { return 0; }
static settings_t kept;
static inline void keep(const settings_t *settings) { kept = *settings; }
static const session_port_t port = {host_receives, no_lock, no_unlock, no_overruns, keep};

static inline void feed_raw(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) session_byte(&session, data[i]);
}

static inline void send_numbered(uint16_t number, uint8_t type, const uint8_t *payload, uint8_t size) {
    uint8_t wire[FRAME_WIRE_MAX];
    feed_raw(wire, frame_encode(wire, number, type, payload, size));
}

static inline void send(uint8_t type, const uint8_t *payload, uint8_t size) { send_numbered(++sequence, type, payload, size); }

static inline uint8_t result(void) {
    msg_ack_t ack;
    CHECK(last.type == MSG_ACK && msg_ack_unpack(&ack, last.payload, last.size));
    CHECK(ack.boot == BOOT);
    return ack.result;
}

static inline void hello(uint32_t id) {
    uint8_t p[MAX_PAYLOAD];
    const msg_hello_t m = {id, PROTOCOL_VERSION, GEOMETRY_CRC};
    send(MSG_HELLO, p, msg_hello_pack(&m, p));
}

static inline uint8_t simple(uint8_t type) {
    uint8_t p[4];
    const msg_stop_t m = {SESSION};
    send(type, p, msg_stop_pack(&m, p));
    return type == MSG_STATUS ? 0 : result();
}

static inline uint8_t send_chunk(uint32_t job, uint8_t offset, uint8_t size) {
    uint8_t p[MAX_PAYLOAD];
    const msg_plan_chunk_t m = {SESSION, job, offset, plan + offset, size};
    send(MSG_PLAN_CHUNK, p, msg_plan_chunk_pack(&m, p));
    return result();
}

static inline uint8_t send_commit(uint32_t job, uint8_t cards, uint16_t crc) {
    uint8_t p[MAX_PAYLOAD];
    msg_plan_commit_t m = {SESSION, job, cards, {0}, crc, "A"};
    for (uint8_t i = 0; i < cards; i++) m.quotas[plan[i]]++;
    send(MSG_PLAN_COMMIT, p, msg_plan_commit_pack(&m, p));
    return result();
}

static inline uint8_t send_start(uint32_t job) {
    uint8_t p[MAX_PAYLOAD];
    const msg_start_t m = {SESSION, job, "A"};
    send(MSG_START, p, msg_start_pack(&m, p));
    return result();
}

static inline uint8_t send_release(uint32_t job) {
    uint8_t p[MAX_PAYLOAD];
    const msg_release_t m = {SESSION, job};
    send(MSG_RELEASE, p, msg_release_pack(&m, p));
    return result();
}

static inline void begin(int cards) {
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

static inline void tick(int count, bool alive) {
    for (int i = 0; i < count; i++) {
        if (alive) dealer_heard(&dealer);
        mechanics_outputs(&machine, dealer_tick(&dealer, mechanics_inputs(&machine)));
        session_poll(&session);
    }
}

static inline void tick_while_moving(void) {
    int left = 4000000;
    while (dealer_moving(&dealer) && left--) tick(1, true);
    CHECK(left > 0);
}

static inline void load_plan(uint32_t job) {
    for (int at = 0; at < plan_cards; at += MAX_CHUNK) {
        int size = plan_cards - at < MAX_CHUNK ? plan_cards - at : MAX_CHUNK;
        CHECK(send_chunk(job, (uint8_t)at, (uint8_t)size) == RESULT_OK);
    }
    CHECK(send_commit(job, plan_cards, crc16(plan, plan_cards)) == RESULT_OK);
}

static inline void start_deal(int cards) {
    begin(cards);
    hello(SESSION);
    load_plan(1);
    CHECK(send_start(1) == RESULT_OK);
}

static inline void check_delivered(void) {
    int at[EXITS] = {0};
    for (int i = 0; i < plan_cards; i++) CHECK(machine.delivered[plan[i]][at[plan[i]]++] == i);
    for (int e = 0; e < EXITS; e++) CHECK(machine.delivered_count[e] == at[e] && dealer.counts[e] == at[e]);
    CHECK(machine.crushed == 0);
}

#endif
