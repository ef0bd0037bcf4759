/* The ATmega2560 board: pins, the motion timer, the boot record. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/dealer.h"

/* Why the MCU started (CAUSE_…), taken before main. */
uint8_t board_cause(void);
/* Counts this start in the EEPROM and returns its number; settings as kept, or the defaults. *damaged when neither of
 * the two copies could be read although the EEPROM is not blank. */
uint32_t board_boot(settings_t *settings, bool *damaged);
/* Keeps settings beside the boot number. Some 60 ms. */
void board_keep(const settings_t *settings);
void board_init(void);
/* Changes whenever the motion interrupt has run: the watchdog is fed only then. */
uint8_t board_heartbeat(void);

#endif
