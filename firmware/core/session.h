/* The conversation with the host: frames in, frames out, commands carried out once. Pure C. */
#ifndef SESSION_H
#define SESSION_H

#include "dealer.h"
#include "frame.h"

/* Added to the cause: boot count and settings were lost, defaults are in use. */
#define SESSION_DEFAULTS 0x80u

typedef struct {
    /* Takes a whole frame or, without room, nothing. */
    bool (*send)(const uint8_t *data, uint8_t size);
    /* Keep the motion interrupt out; unlock takes what lock returned. */
    uint8_t (*lock)(void);
    void (*unlock)(uint8_t was);
    /* Bytes lost in the receiver since the start. */
    uint16_t (*overruns)(void);
    /* Keep the settings over a power cycle. May take tens of milliseconds; the interrupts go on. */
    void (*keep)(const settings_t *settings);
} session_port_t;

typedef struct {
    const session_port_t *port;
    dealer_t *dealer;
    frame_decoder_t decoder;
    uint32_t session, boot;
    uint8_t cause;  /* CAUSE_…, and SESSION_DEFAULTS when the EEPROM held nothing that could be read */
    bool matched;   /* HELLO named our protocol and geometry */
    bool have_last; /* a command of this session was carried out */
    uint16_t last_sequence;
    uint8_t cache[FRAME_WIRE_MAX];
    uint8_t cache_size;
    uint32_t loading;
    uint8_t loaded;
    bool keep_settings;   /* they were set and are not in the EEPROM yet */
    uint16_t told_events; /* the next event to send unasked */
} session_t;

void session_init(session_t *s, const session_port_t *port, dealer_t *dealer, uint32_t boot, uint8_t cause);
void session_byte(session_t *s, uint8_t byte);
/* Sends events that have not been told; call often. */
void session_poll(session_t *s);

#endif
