#include "frame.h"

/* CRC-16/X-25 by half bytes: 32 bytes of table, about 60 cycles a byte on the AVR. */
static const uint16_t CRC_NIBBLE[16] = {
    0x0000, 0x1081, 0x2102, 0x3183, 0x4204, 0x5285, 0x6306, 0x7387,
    0x8408, 0x9489, 0xA50A, 0xB58B, 0xC60C, 0xD68D, 0xE70E, 0xF78F,
};

uint16_t crc16_add(uint16_t crc, uint8_t byte) {
    crc = (uint16_t)((crc >> 4) ^ CRC_NIBBLE[(crc ^ byte) & 0x0F]);
    return (uint16_t)((crc >> 4) ^ CRC_NIBBLE[(crc ^ (byte >> 4)) & 0x0F]);
}

uint16_t crc16(const uint8_t *data, uint16_t size) {
    uint16_t crc = 0xFFFF;
    for (uint16_t i = 0; i < size; i++) crc = crc16_add(crc, data[i]);
    return (uint16_t)(crc ^ 0xFFFF);
}

/* Decodes COBS in place; returns the content's size, 0 when the block is not strictly what an encoder writes. */
static uint8_t cobs_decode(uint8_t *block, uint8_t size) {
    uint8_t in = 0, out = 0;
    while (in < size) {
        uint8_t code = block[in++];
        if (code == 0xFF || (uint16_t)in + code - 1u > size) return 0;
        for (uint8_t i = 1; i < code; i++) block[out++] = block[in++];
        if (in < size) block[out++] = 0;
    }
    return out;
}

static bool check(frame_decoder_t *d, frame_t *out) {
    uint8_t size = cobs_decode(d->block, d->size);
    const uint8_t *b = d->block;
    if (size < FRAME_HEAD + 2u || b[0] != size - FRAME_HEAD - 2u || b[1] != FRAMING_VERSION << 4) return false;
    uint16_t crc = (uint16_t)(b[size - 2] | (uint16_t)b[size - 1] << 8);
    if (crc16(b, (uint16_t)(size - 2u)) != crc) return false;
    out->sequence = (uint16_t)(b[2] | (uint16_t)b[3] << 8);
    out->type = b[4];
    out->payload = b + FRAME_HEAD;
    out->size = b[0];
    return true;
}

bool frame_feed(frame_decoder_t *d, uint8_t byte, frame_t *out) {
    if (byte != 0) {
        if (d->size < sizeof d->block) d->block[d->size++] = byte;
        else d->overlong = true;
        return false;
    }
    if (d->size == 0) return false;
    bool good = !d->overlong && check(d, out);
    if (!good) d->bad++;
    d->size = 0;
    d->overlong = false;
    return good;
}

uint8_t frame_encode(uint8_t *out, uint16_t sequence, uint8_t type, const uint8_t *payload, uint8_t size) {
    if (size > MAX_PAYLOAD) return 0;
    const uint8_t head[FRAME_HEAD] = {size, FRAMING_VERSION << 4, (uint8_t)sequence, (uint8_t)(sequence >> 8), type};
    uint8_t code_at = 1, at = 2;
    uint16_t crc = 0xFFFF, total = (uint16_t)(FRAME_HEAD + size + 2u);
    out[0] = 0;
    for (uint16_t i = 0; i < total; i++) {
        uint8_t byte;
        if (i < FRAME_HEAD) byte = head[i];
        else if (i < FRAME_HEAD + (uint16_t)size) byte = payload[i - FRAME_HEAD];
        else byte = (uint8_t)((crc ^ 0xFFFF) >> (i == total - 1u ? 8 : 0));
        if (i < FRAME_HEAD + (uint16_t)size) crc = crc16_add(crc, byte);
        if (byte != 0) {
            out[at++] = byte;
        } else {
            out[code_at] = (uint8_t)(at - code_at);
            code_at = at++;
        }
    }
    out[code_at] = (uint8_t)(at - code_at);
    out[at++] = 0;
    return at;
}
