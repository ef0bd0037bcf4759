/* Any bytes for the decoder and the session, under the sanitizers: `fuzz [inputs] [seed]`.
 *
 * One input is a handful of frames, whole, flipped, cut, glued, doubled or mere noise. What the decoder accepts must be
 * exactly what the encoder writes for it, byte by byte; and after every input a good frame must still get through.
 * LLVMFuzzerTestOneInput is there for a fuzzer that guides itself by coverage (clang -fsanitize=fuzzer -DGUIDED). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/session.h"

#define SESSION 0x01020304u
#define INPUT_MAX 600

static dealer_t dealer;
static session_t session;
static frame_decoder_t decoder;
static uint8_t block[INPUT_MAX + 8];
static int block_size;
static unsigned long accepted, refused, answered;
static uint16_t sequence;

static bool take(const uint8_t *data, uint8_t size) {
    (void)data;
    answered += size > 0;
    return true;
}
static uint8_t no_lock(void) { return 0; }
static void no_unlock(uint8_t was) { (void)was; }
static uint16_t none(void) { return 0; }
static void keep(const settings_t *settings) {
    if (!settings_valid(settings)) abort();
}
static const session_port_t port = {take, no_lock, no_unlock, none, keep};

static void check_accepted(const frame_t *f) {
    uint8_t wire[FRAME_WIRE_MAX];
    uint8_t payload[MAX_PAYLOAD];
    memcpy(payload, f->payload, f->size);
    uint8_t size = frame_encode(wire, f->sequence, f->type, payload, f->size);
    if (size != block_size + 2 || memcmp(wire + 1, block, (size_t)block_size) != 0) abort();
    accepted++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    frame_t f;
    uint16_t before = decoder.bad;
    for (size_t i = 0; i < size; i++) {
        if (frame_feed(&decoder, data[i], &f)) check_accepted(&f);
        if (data[i] == 0) block_size = 0;
        else if (block_size < (int)sizeof block) block[block_size++] = data[i];
        session_byte(&session, data[i]);
        if (i % 16 == 0) dealer_tick(&dealer, (uint16_t)(data[i] * 257u));
    }
    refused += (uint16_t)(decoder.bad - before);
    session_poll(&session);
    if (dealer.index > dealer.cards || (dealer.job && dealer.cards > MAX_CARDS)) abort();
    return 0;
}

#ifndef GUIDED
static uint64_t lot;
static uint32_t any(uint32_t below) {
    lot ^= lot << 13;
    lot ^= lot >> 7;
    lot ^= lot << 17;
    return (uint32_t)(lot >> 33) % below;
}

static size_t add_frame(uint8_t *out) {
    uint8_t payload[MAX_PAYLOAD];
    uint8_t size = (uint8_t)any(any(8) ? 40 : MAX_PAYLOAD + 1);
    for (int i = 0; i < size; i++) payload[i] = (uint8_t)(any(3) ? any(256) : 0);
    const uint8_t id[4] = {4, 3, 2, 1};
    if (size >= 4 && any(4)) memcpy(payload, id, 4); /* of the session, so that it is obeyed */
    sequence = (uint16_t)(sequence + any(3));
    return frame_encode(out, sequence, (uint8_t)(any(5) ? any(16) : any(256)), payload, size);
}

static size_t spoil(uint8_t *data, size_t size) {
    size_t at = any((uint32_t)size), other = any((uint32_t)size);
    switch (any(7)) {
    case 0: data[at] ^= (uint8_t)(1u << any(8)); return size;
    case 1: data[at] = (uint8_t)any(256); return size;
    case 2: return at + 1; /* cut */
    case 3: memmove(data + at, data + at + 1, size - at - 1); return size - 1; /* a byte lost */
    case 4: data[at] = data[other]; return size;
    case 5: data[at] = 0; return size;
    default: return size;
    }
}

static void greet(void) {
    uint8_t payload[MSG_HELLO_SIZE], wire[FRAME_WIRE_MAX];
    const msg_hello_t m = {SESSION, PROTOCOL_VERSION, GEOMETRY_CRC};
    uint8_t size = frame_encode(wire, ++sequence, MSG_HELLO, payload, msg_hello_pack(&m, payload));
    unsigned long before = accepted;
    LLVMFuzzerTestOneInput(wire, size);
    if (accepted == before) abort(); /* a good frame after anything gets through */
}

int main(int argc, char **argv) {
    unsigned long inputs = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    lot = argc > 2 ? strtoull(argv[2], NULL, 10) * 2 + 1 : 0x9E3779B97F4A7C15ull;
    dealer_init(&dealer);
    session_init(&session, &port, &dealer, 1, CAUSE_POWER_ON);
    greet();
    for (unsigned long n = 0; n < inputs; n++) {
        uint8_t data[INPUT_MAX];
        size_t size = 0;
        for (uint32_t frames = 1 + any(3); frames && size + FRAME_WIRE_MAX < INPUT_MAX; frames--) {
            if (any(6)) {
                size_t more = add_frame(data + size);
                size += any(2) ? spoil(data + size, more) : more;
            } else {
                for (uint32_t noise = any(60); noise; noise--) data[size++] = (uint8_t)any(256);
            }
        }
        if (size) LLVMFuzzerTestOneInput(data, size);
        if (n % 64 == 0) greet();
    }
    printf("fuzz: %lu inputs, %lu frames accepted, %lu refused, %lu answers\n", inputs, accepted, refused, answered);
    return accepted > inputs / 4 && refused > inputs / 4 ? 0 : 1;
}
#endif
