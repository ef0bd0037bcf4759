/* Frames: 00 COBS(len, version/flags, sequence, type, payload, crc16) 00. Strict COBS, CRC-16/X-25. Pure C. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol_gen.h"

#define FRAME_HEAD 5u
#define FRAME_CONTENT_MAX (MAX_PAYLOAD + FRAME_HEAD + 2u)
/* delimiter, one COBS code, content, delimiter: the content never reaches 254 bytes */
#define FRAME_WIRE_MAX (FRAME_CONTENT_MAX + 3u)

typedef struct {
    uint16_t sequence;
    uint8_t type;
    const uint8_t *payload; /* valid until the next byte is fed */
    uint8_t size;
} frame_t;

typedef struct {
    uint8_t block[FRAME_CONTENT_MAX + 1u];
    uint8_t size;
    bool overlong;
    uint16_t bad; /* blocks that were no frames */
} frame_decoder_t;

uint16_t crc16_add(uint16_t crc, uint8_t byte);
uint16_t crc16(const uint8_t *data, uint16_t size);

/* Feeds one byte; true when it completed a good frame, described in *out. */
bool frame_feed(frame_decoder_t *d, uint8_t byte, frame_t *out);

/* Writes a frame to out (FRAME_WIRE_MAX bytes); returns its size, or 0 when the payload is too long. */
uint8_t frame_encode(uint8_t *out, uint16_t sequence, uint8_t type, const uint8_t *payload, uint8_t size);

#endif
