#include "session.h"

#include <string.h>

#ifndef FIRMWARE_ID
#define FIRMWARE_ID "nogit"
#endif

void session_init(session_t *s, const session_port_t *port, dealer_t *dealer, uint32_t boot, uint8_t cause) {
    memset(s, 0, sizeof *s);
    s->port = port;
    s->dealer = dealer;
    s->boot = boot;
    s->cause = cause;
    s->told_events = dealer->next_event;
}

static uint8_t pack_ack(const session_t *s, uint8_t of, uint8_t result, uint8_t *out) {
    const msg_ack_t ack = {s->session, s->boot, s->cause, of, result};
    return msg_ack_pack(&ack, out);
}

/* An answer that is not a command's outcome: never cached. */
static void refuse(session_t *s, const frame_t *f, uint8_t result) {
    uint8_t payload[MSG_ACK_SIZE], wire[MSG_ACK_SIZE + 12];
    uint8_t size = pack_ack(s, f->type, result, payload);
    s->port->send(wire, frame_encode(wire, f->sequence, MSG_ACK, payload, size));
}

/* --- commands: each returns a RESULT_ ---------------------------------------------------------------------------- */

static uint8_t chunk(session_t *s, const frame_t *f) {
    msg_plan_chunk_t m;
    dealer_t *d = s->dealer;
    if (!msg_plan_chunk_unpack(&m, f->payload, f->size)) return RESULT_BAD_PAYLOAD;
    if (!dealer_at_rest(d)) return RESULT_BAD_STATE;
    if (m.offset == 0) {
        dealer_forget(d);
        s->loading = m.job;
        s->loaded = 0;
    }
    if (m.job == 0 || m.job != s->loading || m.offset != s->loaded) return RESULT_BAD_PLAN;
    if ((uint16_t)s->loaded + m.exits_size > MAX_CARDS) return RESULT_BAD_PLAN;
    for (uint8_t i = 0; i < m.exits_size; i++) {
        if (m.exits[i] >= EXITS) return RESULT_BAD_PLAN;
    }
    memcpy(d->plan + s->loaded, m.exits, m.exits_size);
    s->loaded = (uint8_t)(s->loaded + m.exits_size);
    return RESULT_OK;
}

static uint8_t commit(session_t *s, const frame_t *f) {
    msg_plan_commit_t m;
    dealer_t *d = s->dealer;
    uint8_t counts[EXITS] = {0};
    if (!msg_plan_commit_unpack(&m, f->payload, f->size)) return RESULT_BAD_PAYLOAD;
    if (d->state == STATE_PLANNED && d->job == m.job) return RESULT_OK;
    if (d->state != STATE_IDLE) return RESULT_BAD_STATE;
    if (m.job == 0 || m.job != s->loading || m.cards == 0 || m.cards != s->loaded) return RESULT_BAD_PLAN;
    for (uint8_t i = 0; i < m.cards; i++) counts[d->plan[i]]++;
    if (memcmp(counts, m.quotas, EXITS) != 0 || crc16(d->plan, m.cards) != m.crc) return RESULT_BAD_PLAN;
    s->loading = 0;
    dealer_planned(d, m.job, m.cards, counts, m.pack_id);
    return RESULT_OK;
}

static uint8_t set_settings(session_t *s, const frame_t *f) {
    msg_set_settings_t m;
    settings_t wanted;
    if (!msg_set_settings_unpack(&m, f->payload, f->size)) return RESULT_BAD_PAYLOAD;
    if (!dealer_at_rest(s->dealer)) return RESULT_BAD_STATE;
    wanted.home_steps = m.home_steps;
    wanted.settle_ms = m.settle_ms;
    memcpy(wanted.serial, m.serial, sizeof wanted.serial);
    if (!settings_valid(&wanted)) return RESULT_BAD_PAYLOAD;
    s->dealer->settings = wanted;
    s->cause &= (uint8_t)~SESSION_DEFAULTS;
    s->keep_settings = true;
    return RESULT_OK;
}

static uint8_t act(session_t *s, const frame_t *f) {
    dealer_t *d = s->dealer;
    msg_start_t start;
    msg_release_t release;
    if (f->type == MSG_STOP) {
        dealer_stop(d, REASON_HOST_STOP);
        return RESULT_OK;
    }
    if (!s->matched) return RESULT_MISMATCH;
    switch (f->type) {
    case MSG_PLAN_CHUNK: return chunk(s, f);
    case MSG_PLAN_COMMIT: return commit(s, f);
    case MSG_START:
        return msg_start_unpack(&start, f->payload, f->size) ? dealer_start(d, start.job, start.pack_id) : RESULT_BAD_PAYLOAD;
    case MSG_RELEASE:
        return msg_release_unpack(&release, f->payload, f->size) ? dealer_release(d, release.job) : RESULT_BAD_PAYLOAD;
    case MSG_CLEAR_FAULT: return dealer_clear(d);
    case MSG_SELFTEST: return dealer_selftest(d);
    case MSG_SET_SETTINGS: return set_settings(s, f);
    default: return RESULT_UNKNOWN_TYPE;
    }
}

/* --- replies with content ---------------------------------------------------------------------------------------- */

static uint8_t hello(session_t *s, const frame_t *f, uint8_t *out) {
    msg_hello_t m;
    if (!msg_hello_unpack(&m, f->payload, f->size)) return 0;
    s->matched = m.protocol == PROTOCOL_VERSION && m.geometry == GEOMETRY_CRC;
    msg_hello_reply_t reply = {s->session, s->boot, s->cause, PROTOCOL_VERSION, GEOMETRY_CRC, {0}, {0}};
    memcpy(reply.firmware, FIRMWARE_ID, sizeof FIRMWARE_ID - 1 < 12 ? sizeof FIRMWARE_ID - 1 : 12);
    memcpy(reply.device, DEVICE_NAME, sizeof DEVICE_NAME - 1 < 12 ? sizeof DEVICE_NAME - 1 : 12);
    return msg_hello_reply_pack(&reply, out);
}

static uint8_t status(const session_t *s, uint8_t *out) {
    const dealer_t *d = s->dealer;
    msg_status_reply_t m = {
        .session = s->session, .boot = s->boot, .cause = s->cause,
        .state = d->state, .reason = d->reason, .job = d->job, .cards = d->cards, .index = d->index,
        .fault = d->fault, .place = d->place, .is_void = d->is_void, .inputs = d->inputs,
        .next_event = d->next_event, .bad_frames = s->decoder.bad, .overruns = s->port->overruns(),
    };
    memcpy(m.counts, d->counts, EXITS);
    return msg_status_reply_pack(&m, out);
}

static uint8_t settings(const session_t *s, uint8_t *out) {
    const settings_t *kept = &s->dealer->settings;
    msg_settings_reply_t m = {
        .session = s->session, .boot = s->boot, .cause = s->cause,
        .home_steps = kept->home_steps, .settle_ms = kept->settle_ms, .defaults = (s->cause & SESSION_DEFAULTS) != 0,
    };
    memcpy(m.serial, kept->serial, sizeof m.serial);
    return msg_settings_reply_pack(&m, out);
}

static uint8_t events_from(const session_t *s, const frame_t *f, uint8_t *out) {
    const dealer_t *d = s->dealer;
    uint8_t events[4 * EVENT_RING], size = 0;
    msg_events_from_t m;
    if (!msg_events_from_unpack(&m, f->payload, f->size)) return 0;
    /* signed distances, so that the numbers may wrap */
    if ((int16_t)(m.number - d->first_event) < 0) m.number = d->first_event;
    if ((int16_t)(m.number - d->next_event) > 0) m.number = d->next_event;
    for (uint16_t n = m.number; n != d->next_event; n++) {
        memcpy(events + size, d->ring[n % EVENT_RING], 4);
        size = (uint8_t)(size + 4);
    }
    msg_events_reply_t reply = {s->session, s->boot, s->cause, m.number, events, size};
    return msg_events_reply_pack(&reply, out);
}

/* --- frames ------------------------------------------------------------------------------------------------------ */

static void answer(session_t *s, const frame_t *f) {
    uint8_t payload[MAX_PAYLOAD], size = 0, type = MSG_ACK;
    uint8_t was = s->port->lock();
    dealer_heard(s->dealer);
    if (f->type == MSG_HELLO) {
        type = MSG_HELLO_REPLY;
        size = hello(s, f, payload);
    } else if (f->type == MSG_STATUS) {
        type = MSG_STATUS_REPLY;
        size = status(s, payload);
    } else if (f->type == MSG_SETTINGS) {
        type = MSG_SETTINGS_REPLY;
        size = settings(s, payload);
    } else if (f->type == MSG_EVENTS_FROM) {
        type = MSG_EVENTS_REPLY;
        size = events_from(s, f, payload);
    } else {
        size = pack_ack(s, f->type, act(s, f), payload);
    }
    s->port->unlock(was);
    if (s->keep_settings) {
        s->keep_settings = false;
        s->port->keep(&s->dealer->settings); /* before the answer: what was acknowledged is kept */
    }
    if (size == 0) {
        type = MSG_ACK;
        size = pack_ack(s, f->type, RESULT_BAD_PAYLOAD, payload);
    }
    s->cache_size = frame_encode(s->cache, f->sequence, type, payload, size);
    s->last_sequence = f->sequence;
    s->have_last = true;
    s->port->send(s->cache, s->cache_size);
}

static void command(session_t *s, const frame_t *f) {
    const uint8_t *p = f->payload;
    if (f->size < 4) {
        refuse(s, f, RESULT_BAD_PAYLOAD);
        return;
    }
    uint32_t session = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    if (f->type == MSG_HELLO && session != 0 && session != s->session) {
        s->session = session;
        s->have_last = false;
    } else if (session == 0 || session != s->session) {
        refuse(s, f, RESULT_NO_SESSION);
        return;
    }
    int16_t ahead = (int16_t)(f->sequence - s->last_sequence);
    if (s->have_last && ahead == 0) {
        uint8_t was = s->port->lock();
        dealer_heard(s->dealer);
        s->port->unlock(was);
        s->port->send(s->cache, s->cache_size);
    } else if (!s->have_last || ahead > 0) {
        answer(s, f);
    } /* else an old one, delayed on its way: answered long ago */
}

void session_byte(session_t *s, uint8_t byte) {
    frame_t frame;
    if (frame_feed(&s->decoder, byte, &frame)) command(s, &frame);
}

void session_poll(session_t *s) {
    dealer_t *d = s->dealer;
    for (;;) {
        uint8_t was = s->port->lock();
        if ((int16_t)(s->told_events - d->first_event) < 0) s->told_events = d->first_event;
        bool none = s->told_events == d->next_event;
        const uint8_t *slot = d->ring[s->told_events % EVENT_RING];
        const msg_event_t m = {s->session, s->boot, s->cause, s->told_events, slot[0], slot[1], slot[2], slot[3]};
        s->port->unlock(was);
        if (none) return;
        if (s->session != 0) {
            uint8_t payload[MSG_EVENT_SIZE], wire[MSG_EVENT_SIZE + 12];
            uint8_t size = msg_event_pack(&m, payload);
            if (!s->port->send(wire, frame_encode(wire, 0, MSG_EVENT, payload, size))) return; /* later */
        }
        s->told_events++;
    }
}
