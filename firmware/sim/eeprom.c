#include "eeprom.h"

#include <avr_eeprom.h>

#include <stdint.h>
#include <stdio.h>

#define SIZE 4096

static uint8_t image[SIZE];

static void copy(avr_t *avr, uint32_t what, long offset, long size) {
    avr_eeprom_desc_t d = {.ee = image, .offset = (uint16_t)offset, .size = (uint32_t)size};
    avr_ioctl(avr, what, &d);
}

void eeprom_load(avr_t *avr, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return;
    size_t size = fread(image, 1, sizeof image, file);
    fclose(file);
    copy(avr, AVR_IOCTL_EEPROM_SET, 0, (long)size);
}

void eeprom_save(avr_t *avr, const char *path) {
    copy(avr, AVR_IOCTL_EEPROM_GET, 0, SIZE);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(image, 1, sizeof image, file) != sizeof image) fprintf(stderr, "bench: cannot write %s\n", path);
    if (file) fclose(file);
}

bool eeprom_lose(avr_t *avr, long from, long size) {
    if (from < 0 || size < 1 || from + size > SIZE) return false;
    for (long i = 0; i < size; i++) image[i] = 0;
    copy(avr, AVR_IOCTL_EEPROM_SET, from, size);
    return true;
}
