/* A stepper that speeds up and slows down at a given rate: one call a tick, speeds in 1/65536 step a tick. Pure C. */
#ifndef MOTOR_H
#define MOTOR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint16_t start, top, accel; /* start: the speed it may begin and end with */
} motor_limits_t;

typedef struct {
    uint16_t speed, part; /* part: of the step under way */
    uint8_t ramp;         /* steps it takes to slow down from here */
} motor_t;

#define MOTOR_ON_AND_ON 0xFFFFu

void motor_stop(motor_t *motor);
/* One tick; `left` steps from now it must stand still (or MOTOR_ON_AND_ON). True when a step is due in this tick. */
bool motor_tick(motor_t *motor, const motor_limits_t *limits, uint16_t left);

#endif
