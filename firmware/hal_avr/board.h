/* The ATmega2560 board: pins, the motion timer, the boot record. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* Why the MCU started (CAUSE_…), taken before main. */
uint8_t board_cause(void);
/* Counts this start in the EEPROM and returns its number; *damaged when neither copy could be read. */
uint32_t board_boot(bool *damaged);
void board_init(void);
/* Changes whenever the motion interrupt has run: the watchdog is fed only then. */
uint8_t board_heartbeat(void);

#endif
