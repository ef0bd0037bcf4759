/* The EEPROM as a file, and what can happen to it. */
#ifndef EEPROM_H
#define EEPROM_H

#include <sim_avr.h>

#include <stdbool.h>

/* A file that is not there is a blank EEPROM. */
void eeprom_load(avr_t *avr, const char *path);
void eeprom_save(avr_t *avr, const char *path);
/* As after a write that was cut, or worse: zeros over `size` bytes from `from` on. False when it has no such bytes. */
bool eeprom_lose(avr_t *avr, long from, long size);

#endif
