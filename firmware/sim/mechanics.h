/* The machine round the MCU: hopper, pick roller, path, chute, trays, sensors, and what can go wrong with them.
 *
 * Knows nothing of the firmware: outputs in (OUT_ bits), inputs out (IN_ bits). Lengths in micrometres along the path,
 * from where a card's leading edge rests in the hopper. */
#ifndef MECHANICS_H
#define MECHANICS_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/dealer.h"

#define PATH_MAX_CARDS 4
#define PACK_MAX 255
#define RELEASES_MAX 16

typedef struct {
    int index; /* which card of the pack, in feed order */
    int lead_um;
    int exit;  /* -1 until the chute has taken it */
} path_card_t;

typedef struct {
    int hopper_next, hopper_end; /* cards hopper_next .. hopper_end - 1 still lie in it */
    int hopper_limit;            /* nothing from here on: the hopper runs empty early */
    path_card_t path[PATH_MAX_CARDS];
    int path_count;
    int tray[EXITS];             /* cards lying there now */
    int delivered[EXITS][PACK_MAX];
    int delivered_count[EXITS];
    int released[RELEASES_MAX], releases; /* cards in the trays each time they were opened */
    int turn_steps;              /* of the pick roller; a card is picked at 0 */
    int chute_at;                /* steps from the home flag's edge */
    uint16_t out;

    int jam_place;               /* PLACE_FEEDER, PLACE_BEAM, PLACE_EXIT_E (whichever exit comes), or 0 */
    int jam_index, jam_times;
    int double_index;            /* -1: none */
    int bad_back;                /* the card that lies face up or has a foreign back; -1: none */
    int crushed;                 /* cards that met a chute that turned */
    uint16_t stuck, stuck_active; /* input bits that do not change, and what they read */
    bool unsafe, driver_fault;
} mechanics_t;

void mechanics_init(mechanics_t *m);
/* Everything collected: `cards` in the hopper, path and trays empty, the roller at its rest. */
void mechanics_load(mechanics_t *m, int cards);
/* The firmware drives its outputs; steps happen on the rising edges. */
void mechanics_outputs(mechanics_t *m, uint16_t out);
uint16_t mechanics_inputs(const mechanics_t *m);
/* A person has cleared path and sensors. */
void mechanics_clear(mechanics_t *m);

#endif
