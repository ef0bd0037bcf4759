#include "mechanics.h"

#include <string.h>

#define CARD ((int)CARD_UM)
#define ENTRY_AT ((int)CHUTE_ENTRY_UM)
/* Of two cards fed at once the second lies so far back: their shadow is longer than one card's. */
#define DOUBLE_LAG_UM 48000
/* Where a stuck card stays: under the beam; past the beam and under the exit's. */
#define STUCK_AT_BEAM_UM (BEAM_AT_UM + 16000)
#define EXIT_AT ((int)EXIT_AT_UM)
#define STUCK_AT_EXIT_UM (EXIT_AT + 55000)

void mechanics_init(mechanics_t *m) {
    memset(m, 0, sizeof *m);
    m->double_index = m->bad_back = -1;
    m->chute_at = 5;
}

void mechanics_load(mechanics_t *m, int cards) {
    m->hopper_next = 0;
    m->hopper_end = m->hopper_limit = cards;
    m->path_count = m->turn_steps = m->releases = 0;
    memset(m->tray, 0, sizeof m->tray);
    memset(m->delivered_count, 0, sizeof m->delivered_count);
    m->jam_place = 0;
    m->double_index = m->bad_back = -1;
}

void mechanics_clear(mechanics_t *m) {
    m->path_count = 0;
    m->jam_place = 0;
    m->double_index = m->bad_back = -1;
    m->stuck = 0;
    m->unsafe = m->driver_fault = false;
}

static int hopper_cards(const mechanics_t *m) {
    int end = m->hopper_limit < m->hopper_end ? m->hopper_limit : m->hopper_end;
    return end > m->hopper_next ? end - m->hopper_next : 0;
}

static void take(mechanics_t *m, int lag_um) {
    if (hopper_cards(m) == 0 || m->path_count == PATH_MAX_CARDS) return;
    m->path[m->path_count++] = (path_card_t){m->hopper_next++, -lag_um, -1};
}

static bool jammed(const mechanics_t *m, int card) { return m->jam_place != 0 && card >= m->jam_index; }

static void pick(mechanics_t *m) {
    if (m->jam_place == PLACE_FEEDER && jammed(m, m->hopper_next)) {
        if (--m->jam_times <= 0) m->jam_place = 0;
        return;
    }
    bool two = m->double_index >= 0 && m->hopper_next >= m->double_index;
    take(m, 0);
    if (two) {
        take(m, DOUBLE_LAG_UM);
        m->double_index = -1;
    }
}

static bool stuck_here(const mechanics_t *m, const path_card_t *c) {
    if (!jammed(m, c->index)) return false;
    return (m->jam_place == PLACE_BEAM && c->lead_um >= STUCK_AT_BEAM_UM) ||
           (m->jam_place == PLACE_EXIT_E && c->lead_um >= STUCK_AT_EXIT_UM);
}

static int chute_exit(const mechanics_t *m) {
    int at = (m->chute_at - CHUTE_HOME_STEPS + CHUTE_STEPS / 2) / CHUTE_STEPS;
    return at < 0 ? 0 : at >= EXITS ? EXITS - 1 : at;
}

static void land(mechanics_t *m, int at) {
    const path_card_t *c = &m->path[at];
    if (m->delivered_count[c->exit] < PACK_MAX) m->delivered[c->exit][m->delivered_count[c->exit]++] = c->index;
    m->tray[c->exit]++;
    memmove(&m->path[at], &m->path[at + 1], sizeof m->path[0] * (size_t)(m->path_count - at - 1));
    m->path_count--;
}

static void feed_step(mechanics_t *m) {
    if (m->turn_steps == 0) pick(m);
    m->turn_steps = (m->turn_steps + 1) % PITCH_STEPS;
    for (int i = 0; i < m->path_count; i++) {
        path_card_t *c = &m->path[i];
        if (stuck_here(m, c)) continue;
        c->lead_um += FEED_UM_PER_STEP;
        if (c->exit < 0 && c->lead_um >= ENTRY_AT) c->exit = chute_exit(m);
        if (c->lead_um - CARD > EXIT_AT) land(m, i--);
    }
}

static void chute_step(mechanics_t *m, int by) {
    m->chute_at += by;
    for (int i = 0; i < m->path_count; i++) {
        if (m->path[i].exit >= 0) m->crushed++;
    }
}

static void open_trays(mechanics_t *m) {
    int cards = 0;
    for (int i = 0; i < EXITS; i++) cards += m->tray[i];
    if (m->releases < RELEASES_MAX) m->released[m->releases++] = cards;
    memset(m->tray, 0, sizeof m->tray);
}

void mechanics_outputs(mechanics_t *m, uint16_t out) {
    uint16_t rising = (uint16_t)(out & ~m->out);
    m->out = out;
    if ((rising & OUT_FEED_STEP) && (out & OUT_FEED_EN) && (out & OUT_FEED_DIR)) feed_step(m);
    if ((rising & OUT_CHUTE_STEP) && (out & OUT_CHUTE_EN)) chute_step(m, out & OUT_CHUTE_DIR ? 1 : -1);
    if (rising & OUT_GATE) open_trays(m);
}

static bool shadow(const path_card_t *c, int at_um) { return c->lead_um >= at_um && c->lead_um - CARD < at_um; }

uint16_t mechanics_inputs(const mechanics_t *m) {
    uint16_t in = 0;
    bool dark = !(m->out & OUT_EMITTER);
    for (int i = 0; i < m->path_count; i++) {
        if (shadow(&m->path[i], BEAM_AT_UM)) in |= IN_BEAM;
        if (m->path[i].exit >= 0 && shadow(&m->path[i], EXIT_AT)) in |= IN_EXIT_E << m->path[i].exit;
    }
    for (int i = 0; i < EXITS; i++) {
        if (m->tray[i]) in |= IN_TRAY_E << i;
        if (dark) in |= IN_EXIT_E << i;
    }
    if (dark) in |= IN_BEAM;
    if (hopper_cards(m)) in |= IN_HOPPER;
    if (hopper_cards(m) && !dark && m->hopper_next != m->bad_back) in |= IN_BACK;
    if (m->chute_at <= 0) in |= IN_HOME;
    if (m->unsafe) in |= IN_UNSAFE;
    if (m->driver_fault) in |= IN_DRIVER_FAULT;
    return (uint16_t)((in & ~m->stuck) | (m->stuck & m->stuck_active));
}
