#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "../core/protocol_gen.h"
#include "app.h"

/* 115200 at 16 MHz with U2X: 2.1 % fast, inside what the USB bridge takes. */
#define DIVISOR 16u
#define TX_SIZE 512u

static volatile uint8_t rx[256], rx_head, rx_tail;
static volatile uint16_t overruns;
static uint8_t tx[TX_SIZE];
static volatile uint16_t tx_head, tx_tail;

void uart_init(void) {
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UBRR0 = DIVISOR; /* last: the simulator works out the byte's time here */
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

ISR(USART0_RX_vect) {
    static uint8_t zeros;
    if (UCSR0A & _BV(DOR0)) overruns++;
    uint8_t byte = UDR0;
    /* STOP's own path: no frame and no pair of frames has so many zeros in a row, and no full buffer can hide them. */
    if (byte != 0) zeros = 0;
    else if (zeros < STOP_ZEROS && ++zeros == STOP_ZEROS) app_dealer.stop_request = true;
    if ((uint8_t)(rx_head + 1) == rx_tail) {
        overruns++;
        return;
    }
    rx[rx_head] = byte;
    rx_head++;
}

ISR(USART0_UDRE_vect) {
    UDR0 = tx[tx_tail];
    tx_tail = (tx_tail + 1) % TX_SIZE;
    if (tx_tail == tx_head) UCSR0B &= (uint8_t)~_BV(UDRIE0);
}

bool uart_empty(void) { return rx_head == rx_tail; }

bool uart_read(uint8_t *byte) {
    if (uart_empty()) return false;
    *byte = rx[rx_tail];
    rx_tail++;
    return true;
}

bool uart_send(const uint8_t *data, uint8_t size) {
    uint16_t used;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { used = (uint16_t)(tx_head - tx_tail + TX_SIZE) % TX_SIZE; }
    if (used + size >= TX_SIZE) return false;
    for (uint8_t i = 0; i < size; i++) {
        tx[tx_head] = data[i];
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { tx_head = (tx_head + 1) % TX_SIZE; }
    }
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { UCSR0B |= _BV(UDRIE0); }
    return true;
}

uint16_t uart_overruns(void) {
    uint16_t value;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { value = overruns; }
    return value;
}
