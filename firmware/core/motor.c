#include "motor.h"

void motor_stop(motor_t *motor) {
    motor->speed = motor->part = 0;
    motor->ramp = 0;
}

bool motor_tick(motor_t *motor, const motor_limits_t *limits, uint16_t left) {
    int8_t change = 0;
    if (motor->speed < limits->start) motor->speed = limits->start;
    if (left <= motor->ramp) {
        uint16_t over = (uint16_t)(motor->speed - limits->start);
        motor->speed = (uint16_t)(motor->speed - (over < limits->accel ? over : limits->accel));
        change = -1;
    } else if (motor->speed < limits->top && left != (uint16_t)(motor->ramp + 1u)) { /* else it would slow down at once */
        uint16_t room = (uint16_t)(limits->top - motor->speed);
        motor->speed = (uint16_t)(motor->speed + (room < limits->accel ? room : limits->accel));
        change = 1;
    }
    uint16_t before = motor->part;
    motor->part = (uint16_t)(motor->part + motor->speed);
    if (motor->part >= before) return false;
    if (change > 0 && motor->ramp < 255) motor->ramp++;
    if (change < 0 && motor->ramp > 0) motor->ramp--;
    return true;
}
