/* The dealer's firmware: serve the host, let the interrupt move the machine, sleep in between. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "../core/session.h"
#include "app.h"
#include "board.h"
#include "uart.h"

#ifndef FIRMWARE_ID
#define FIRMWARE_ID "nogit"
#endif
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

/* Who this image is, for whoever is about to write it to a board: `table-controller dealer flash` reads it. */
static const char MARK[] PROGMEM = "GUANDAN-DEALER board=atmega2560 protocol=" TEXT_OF(PROTOCOL_VERSION) " geometry=" TEXT_OF(
    GEOMETRY_CRC) " id=" FIRMWARE_ID ";";

dealer_t app_dealer;
static session_t session;

static uint8_t lock(void) {
    uint8_t was = SREG;
    cli();
    return was;
}

static void unlock(uint8_t was) { SREG = was; }

static const session_port_t port = {uart_send, lock, unlock, uart_overruns, board_keep};

/* Sleeps until the next interrupt, unless a byte came in the meantime. */
static void doze(void) {
    cli();
    if (uart_empty()) {
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
    sei();
}

int main(void) {
    bool damaged;
    dealer_init(&app_dealer);
    uint32_t boot = board_boot(&app_dealer.settings, &damaged);
    session_init(&session, &port, &app_dealer, boot, (uint8_t)(board_cause() | (damaged ? SESSION_DEFAULTS : 0)));
    (void)pgm_read_byte(MARK); /* so that the linker keeps it */
    board_init();
    uart_init();
    set_sleep_mode(SLEEP_MODE_IDLE);
    wdt_enable(WDTO_500MS);
    sei();
    uint8_t beat = board_heartbeat();
    for (;;) {
        if (board_heartbeat() != beat) { /* a dead motion interrupt must not look alive */
            beat = board_heartbeat();
            wdt_reset();
        }
        uint8_t byte;
        while (uart_read(&byte)) session_byte(&session, byte);
        session_poll(&session);
        doze();
    }
}
