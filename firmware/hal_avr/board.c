#include "board.h"

#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

#include "../core/dealer.h"
#include "../core/frame.h"
#include "app.h"
#include "pins_gen.h"

/* Timer 1 at F_CPU / 8: 2 counts a microsecond. */
#define COUNTS(us) ((uint16_t)((us) * (F_CPU / 8000000UL) - 1u))

static uint8_t saved_mcusr __attribute__((section(".noinit")));
static volatile uint8_t heartbeat;

/* Before main: after a watchdog reset the watchdog is still running, with its shortest time. */
void save_cause(void) __attribute__((naked, used, section(".init3")));
void save_cause(void) {
    saved_mcusr = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

uint8_t board_cause(void) {
    if (saved_mcusr & _BV(WDRF)) return CAUSE_WATCHDOG;
    if (saved_mcusr & _BV(BORF)) return CAUSE_BROWN_OUT;
    if (saved_mcusr & _BV(EXTRF)) return CAUSE_EXTERNAL;
    if (saved_mcusr & _BV(PORF)) return CAUSE_POWER_ON;
    return CAUSE_OTHER;
}

/* Two copies, written in turn: a write that is cut short leaves the other one. */
typedef struct {
    uint16_t writes; /* the higher one is the newer copy */
    uint32_t boot;
    settings_t settings;
    uint16_t crc;
} record_t;
static record_t EEMEM records[2];
static record_t kept;
static uint8_t kept_in;

static uint16_t record_crc(const record_t *r) { return crc16((const uint8_t *)r, sizeof *r - sizeof r->crc); }

static bool read_record(uint8_t slot, record_t *r, bool *blank) {
    eeprom_read_block(r, &records[slot], sizeof *r);
    *blank = true;
    for (uint8_t i = 0; i < sizeof *r; i++) *blank = *blank && ((const uint8_t *)r)[i] == 0xFF;
    return !*blank && r->crc == record_crc(r) && settings_valid(&r->settings);
}

static void write_record(void) {
    kept_in = !kept_in;
    kept.writes++;
    kept.crc = record_crc(&kept);
    eeprom_update_block(&kept, &records[kept_in], sizeof kept);
}

uint32_t board_boot(settings_t *settings, bool *damaged) {
    record_t r[2];
    bool blank[2], good[2];
    for (uint8_t i = 0; i < 2; i++) good[i] = read_record(i, &r[i], &blank[i]);
    *damaged = !good[0] && !good[1] && !(blank[0] && blank[1]);
    if (good[0] || good[1]) {
        kept_in = good[1] && (!good[0] || (int16_t)(r[1].writes - r[0].writes) > 0);
        kept = r[kept_in];
    } else {
        settings_default(&kept.settings);
    }
    kept.boot++;
    write_record();
    *settings = kept.settings;
    return kept.boot;
}

void board_keep(const settings_t *settings) {
    kept.settings = *settings;
    write_record();
}

static void write_outputs(uint16_t out) {
#define WRITE(name, port, bit, high)                                                                                   \
    if (((out & OUT_##name) != 0) == (high)) PORT##port |= _BV(bit);                                                   \
    else PORT##port &= (uint8_t)~_BV(bit);
    PINS_OUT(WRITE)
}

static uint16_t read_inputs(void) {
    uint16_t in = 0;
#define READ_PIN(name, port, bit, high)                                                                                \
    if (((PIN##port & _BV(bit)) != 0) == (high)) in |= IN_##name;
    PINS_IN(READ_PIN)
    return in;
}

void board_init(void) {
    write_outputs(0); /* motors off before the pins drive */
#define DRIVE(name, port, bit, high) DDR##port |= _BV(bit);
    PINS_OUT(DRIVE)
#define PULL_UP(name, port, bit, high) PORT##port |= _BV(bit);
    PINS_IN(PULL_UP)
    TCCR1A = 0;
    TCCR1B = _BV(WGM12) | _BV(CS11);
    OCR1A = COUNTS(IDLE_TICK_US);
    TIMSK1 = _BV(OCIE1A);
}

uint8_t board_heartbeat(void) { return heartbeat; }

ISR(TIMER1_COMPA_vect) {
    static uint16_t written;
    heartbeat++;
    uint16_t out = dealer_tick(&app_dealer, read_inputs());
    if (out != written) {
        written = out;
        write_outputs(out);
    }
    OCR1A = dealer_moving(&app_dealer) ? COUNTS(TICK_US) : COUNTS(IDLE_TICK_US);
}
