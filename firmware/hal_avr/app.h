/* What the interrupts share with main. */
#ifndef APP_H
#define APP_H

#include "../core/dealer.h"

extern dealer_t app_dealer;

#endif
