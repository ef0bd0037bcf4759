/* UART0, 115200 baud, with ring buffers and STOP's own path in the receive interrupt. */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stdint.h>

void uart_init(void);
bool uart_empty(void);
bool uart_read(uint8_t *byte);
/* Takes all of it, or nothing when there is no room. */
bool uart_send(const uint8_t *data, uint8_t size);
uint16_t uart_overruns(void);

#endif
