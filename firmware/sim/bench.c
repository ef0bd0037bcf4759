/* The bench: runs the real ELF in libsimavr with the machine's mechanics round it.
 *
 *   bench dealer.elf [--eeprom=FILE]                 lock step: one request line on stdin, one answer line on stdout
 *   … --trace=FILE                                   and which words of the flash were executed, a byte each, at the end
 *   bench dealer.elf --pty [--free] [--eeprom=FILE]  UART0 on a pty (its name is the first answer), in real time or free
 *
 * Requests: R ms hex (run, bytes for the MCU; answers the time in ms and the MCU's bytes), L cards (collect and load),
 * D (cards in each tray E N W S B), G (cards in the trays each time they were opened), C (cycles), M address (a byte of
 * the MCU's memory), O (with --trace: the most cycles without interrupts, and between which addresses), F name key=value… (fault). Answers begin with "= " or, refused, "! ".
 * One thread; time is the MCU's cycle counter and nothing else, so equal requests give equal answers. */
#define _GNU_SOURCE
#include <avr_ioport.h>
#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_elf.h>
#include <sim_time.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../hal_avr/pins_gen.h"
#include "eeprom.h"
#include "mechanics.h"
#include "pty.h"
#include "trace.h"

#define HZ 16000000u
#define CYCLES_PER_MS (HZ / 1000u)
/* The line's own pace, whatever the host writes at once: a tenth slower than 115200 baud, because simavr starts to count
 * a byte's time only when the one before has been read, so that at full pace its buffer would fill and overrun. */
#define CYCLES_PER_BYTE (HZ / 10400u)
#define LINE_MAX_CHARS 70000
#define TIMSK1_ADDRESS 0x6F

typedef struct {
    uint8_t data[1 << 15];
    unsigned head, tail;
} queue_t;

static FILE *answers; /* the real stdout: simavr prints on the other one */
static avr_t *avr;
static mechanics_t machine;
static queue_t to_mcu, to_host;
static uint16_t levels_out; /* OUT_ bits as driven */
static uint16_t inputs_set; /* IN_ bits as the pins show them */
static bool inputs_known;
static bool carrying;       /* the byte timer runs */
static bool tracing;
static avr_cycle_count_t wanted;
static void (*core_reset)(struct avr_t *);

static bool push(queue_t *q, uint8_t byte) {
    if (q->head - q->tail == sizeof q->data) return false;
    q->data[q->head++ % sizeof q->data] = byte;
    return true;
}

/* --- pins -------------------------------------------------------------------------------------------------------- */

static void set_pin(char port, int bit, int level) {
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), bit), (uint32_t)level);
}

/* simavr raises pulled-up pins by itself when PORT is written, unless it is told what is outside. */
static void tell_outside(uint16_t in) {
    avr_ioport_external_t ports[2] = {{.name = 'C'}, {.name = 'L'}};
#define OUTSIDE(name_, port_, bit_, high_)                                                                             \
    {                                                                                                                  \
        avr_ioport_external_t *p = &ports[#port_[0] == 'L'];                                                           \
        p->mask |= 1u << bit_;                                                                                         \
        if (((in & IN_##name_) != 0) == high_) p->value |= 1u << bit_;                                                 \
    }
    PINS_IN(OUTSIDE)
    for (int i = 0; i < 2; i++) avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(ports[i].name), &ports[i]);
}

static void show_inputs(void) {
    uint16_t in = mechanics_inputs(&machine), changed = inputs_known ? in ^ inputs_set : 0xFFFF;
    if (!changed) return;
    tell_outside(in);
#define SHOW(name_, port_, bit_, high_)                                                                                \
    if (changed & IN_##name_) {                                                                                        \
        int level = ((in & IN_##name_) != 0) == high_;                                                                 \
        if (!inputs_known) set_pin(#port_[0], bit_, !level); /* equal levels are filtered */                           \
        set_pin(#port_[0], bit_, level);                                                                               \
    }
    PINS_IN(SHOW)
    inputs_set = in;
    inputs_known = true;
}

static void on_output(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    uint16_t word = (uint16_t)(uintptr_t)param, bit = word & 0x7FFF;
    bool active = (value != 0) == (word >> 15);
    levels_out = (uint16_t)(active ? levels_out | bit : levels_out & ~bit);
    mechanics_outputs(&machine, levels_out);
    show_inputs();
}

static void watch_outputs(void) {
#define WATCH(name_, port_, bit_, high_)                                                                               \
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(#port_[0]), bit_), on_output,                   \
                            (void *)(uintptr_t)(OUT_##name_ | (high_) << 15));
    PINS_OUT(WATCH)
}

/* --- UART -------------------------------------------------------------------------------------------------------- */

static void on_uart_byte(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    (void)param;
    push(&to_host, (uint8_t)value);
}

static avr_cycle_count_t carry_byte(avr_t *a, avr_cycle_count_t when, void *param) {
    (void)a;
    (void)param;
    if (to_mcu.head == to_mcu.tail) {
        carrying = false;
        return 0;
    }
    uint8_t byte = to_mcu.data[to_mcu.tail++ % sizeof to_mcu.data];
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT), byte);
    return when + CYCLES_PER_BYTE;
}

static void carry(void) {
    if (carrying || to_mcu.head == to_mcu.tail) return;
    carrying = true;
    avr_cycle_timer_register(avr, CYCLES_PER_BYTE, carry_byte, NULL);
}

/* --- the MCU ----------------------------------------------------------------------------------------------------- */

static void no_sleep(avr_t *a, avr_cycle_count_t cycles) {
    (void)a;
    (void)cycles; /* simulated time passes, ours need not */
}

/* Every reset, the watchdog's too: the pins float, what was on the line is lost. */
static void on_reset(avr_t *a) {
    if (core_reset) core_reset(a);
    levels_out = 0;
    machine.out = 0;
    inputs_known = false;
    trace_reset();
    carrying = false;
    to_mcu.tail = to_mcu.head;
}

static void reset(bool power) {
    avr_reset(avr);
    avr_regbit_clear(avr, avr->reset_flags.wdrf);
    avr_regbit_setto(avr, avr->reset_flags.porf, power);
    avr_regbit_setto(avr, avr->reset_flags.extrf, !power);
    show_inputs();
}

static avr_cycle_count_t arrive(avr_t *a, avr_cycle_count_t when, void *param) {
    (void)a;
    (void)when;
    (void)param;
    return 0; /* only there so that a sleep ends in time */
}

static bool run_ms(unsigned ms) {
    wanted += (avr_cycle_count_t)ms * CYCLES_PER_MS;
    if (avr->cycle >= wanted) return true;
    avr_cycle_timer_register(avr, wanted - avr->cycle, arrive, NULL);
    while (avr->cycle < wanted) {
        uint32_t pc = avr->pc;
        if (tracing) avr->run_cycle_count = avr->run_cycle_limit = 1;
        int state = avr_run(avr);
        if (tracing) trace(avr, pc);
        if (state == cpu_Done || state == cpu_Crashed) return false;
        if (!inputs_known) show_inputs();
    }
    return true;
}

static void start(const char *elf) {
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    if (elf_read_firmware(elf, &firmware) != 0) {
        fprintf(stderr, "bench: cannot read %s\n", elf);
        exit(66);
    }
    avr = avr_make_mcu_by_name("atmega2560");
    if (!avr) {
        fprintf(stderr, "bench: this libsimavr has no ATmega2560\n");
        exit(69);
    }
    avr_init(avr);
    firmware.eesize = 0; /* a new chip's EEPROM is blank, as flashing the hex leaves it */
    avr_load_firmware(avr, &firmware);
    avr->frequency = HZ;
    avr->log = LOG_ERROR;
    avr->sleep = no_sleep;
    core_reset = avr->reset;
    avr->reset = on_reset;
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_uart_byte, NULL);
    mechanics_init(&machine);
    watch_outputs();
    reset(true);
}

/* --- requests ---------------------------------------------------------------------------------------------------- */

static long argument(const char *line, const char *key, long otherwise) {
    char pattern[32];
    snprintf(pattern, sizeof pattern, " %s=", key);
    const char *at = strstr(line, pattern);
    return at ? strtol(at + strlen(pattern), NULL, 0) : otherwise;
}

static bool jam(const char *line) {
    if (strstr(line, "place=beam")) machine.jam_place = PLACE_BEAM;
    else if (strstr(line, "place=exit")) machine.jam_place = PLACE_EXIT_E;
    else machine.jam_place = PLACE_FEEDER;
    machine.jam_index = (int)argument(line, "index", machine.hopper_next);
    machine.jam_times = (int)argument(line, "times", 1000);
    return true;
}

static bool stick(const char *line) {
    long bit = argument(line, "sensor", -1);
    if (bit < 0 || bit > 15) return false;
    uint16_t mask = (uint16_t)(1u << bit);
    machine.stuck |= mask;
    machine.stuck_active = (uint16_t)(argument(line, "active", 1) ? machine.stuck_active | mask : machine.stuck_active & ~mask);
    return true;
}

static bool fault(const char *line) {
    char name[32] = "";
    if (sscanf(line, "F %31s", name) != 1) return false;
    bool known = true;
    if (!strcmp(name, "reset")) reset(false);
    else if (!strcmp(name, "power_cycle")) reset(true);
    else if (!strcmp(name, "hang")) avr->data[TIMSK1_ADDRESS] = 0; /* the motion interrupt dies: the watchdog's case */
    else if (!strcmp(name, "eeprom")) known = eeprom_lose(avr, argument(line, "from", 0), argument(line, "size", 64));
    else if (!strcmp(name, "jam")) known = jam(line);
    else if (!strcmp(name, "double_feed")) machine.double_index = (int)argument(line, "index", machine.hopper_next);
    else if (!strcmp(name, "bad_back")) machine.bad_back = (int)argument(line, "index", machine.hopper_next);
    else if (!strcmp(name, "hopper_empty")) machine.hopper_limit = machine.hopper_next + (int)argument(line, "left", 0);
    else if (!strcmp(name, "leftover")) machine.hopper_limit = machine.hopper_end += (int)argument(line, "count", 1);
    else if (!strcmp(name, "sensor_stuck")) known = stick(line);
    else if (!strcmp(name, "lid")) machine.unsafe = argument(line, "open", 1);
    else if (!strcmp(name, "driver")) machine.driver_fault = argument(line, "active", 1);
    else if (!strcmp(name, "clear")) mechanics_clear(&machine);
    else known = false;
    show_inputs();
    return known;
}

static void take_hex(const char *hex) {
    unsigned byte;
    while (sscanf(hex, "%2x", &byte) == 1) {
        push(&to_mcu, (uint8_t)byte);
        hex += 2;
    }
}

static void answer_run(const char *line) {
    unsigned ms = 0;
    int at = 0;
    if (sscanf(line, "R %u %n", &ms, &at) != 1) {
        fprintf(answers, "! R needs milliseconds\n");
        return;
    }
    if (at) take_hex(line + at);
    carry();
    if (!run_ms(ms)) {
        fprintf(answers, "! the MCU has stopped\n");
        return;
    }
    fprintf(answers, "= %llu ", (unsigned long long)(wanted / CYCLES_PER_MS));
    while (to_host.tail != to_host.head) fprintf(answers, "%02x", to_host.data[to_host.tail++ % sizeof to_host.data]);
    fprintf(answers, "\n");
}

static void answer_delivered(void) {
    fprintf(answers, "=");
    for (int i = 0; i < EXITS; i++) {
        fprintf(answers, " ");
        for (int k = 0; k < machine.delivered_count[i]; k++) fprintf(answers, "%s%d", k ? "," : "", machine.delivered[i][k]);
    }
    fprintf(answers, "\n");
}

static void answer(const char *line) {
    if (line[0] == 'R') answer_run(line);
    else if (line[0] == 'D') answer_delivered();
    else if (line[0] == 'M') {
        int at = atoi(line + 1);
        if (at < 0 || at > avr->ramend) fprintf(answers, "! no such address\n");
        else fprintf(answers, "= %d\n", avr->data[at]);
    } else if (line[0] == 'G') {
        fprintf(answers, "=");
        for (int i = 0; i < machine.releases; i++) fprintf(answers, " %d", machine.released[i]);
        fprintf(answers, machine.releases ? "\n" : " \n");
    } else if (line[0] == 'O') {
        fprintf(answers, "= %llu %x %x\n", (unsigned long long)trace_off.cycles, trace_off.from, trace_off.to);
    } else if (line[0] == 'C') fprintf(answers, "= %llu\n", (unsigned long long)avr->cycle);
    else if (line[0] == 'F') fprintf(answers, fault(line) ? "= ok\n" : "! no such fault or argument: %s", line);
    else if (line[0] == 'L') {
        mechanics_load(&machine, atoi(line + 1));
        show_inputs();
        fprintf(answers, "= ok\n");
    } else fprintf(answers, "! no such request: %s", line);
    fflush(answers);
}

/* --- the pty ----------------------------------------------------------------------------------------------------- */

static void pump(int fd) {
    uint8_t buffer[512];
    ssize_t got = read(fd, buffer, sizeof buffer);
    for (ssize_t i = 0; i < got; i++) push(&to_mcu, buffer[i]);
    while (to_host.tail != to_host.head) {
        uint8_t byte = to_host.data[to_host.tail % sizeof to_host.data];
        if (write(fd, &byte, 1) != 1) break;
        to_host.tail++;
    }
}

static void run_pty(bool throttled) {
    char line[512];
    int fd = pty_open(answers);
    struct timespec began;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (unsigned long long ms = 2;; ms += 2) {
        pump(fd);
        carry();
        if (!run_ms(2)) return;
        struct pollfd in = {.fd = 0, .events = POLLIN};
        if (poll(&in, 1, 0) > 0) {
            if (!fgets(line, sizeof line, stdin)) return;
            answer(line);
        }
        if (throttled) pty_wait(&began, ms);
    }
}

int main(int argc, char **argv) {
    static char line[LINE_MAX_CHARS];
    const char *eeprom = NULL, *executed_path = NULL;
    bool pty = false, free_running = false;
    if (argc < 2) {
        fprintf(stderr, "usage: bench dealer.elf [--pty [--free]] [--eeprom=FILE]\n");
        return 64;
    }
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--pty")) pty = true;
        else if (!strcmp(argv[i], "--free")) free_running = true;
        else if (!strncmp(argv[i], "--trace=", 8)) executed_path = argv[i] + 8;
        else if (!strncmp(argv[i], "--eeprom=", 9)) eeprom = argv[i] + 9;
    }
    answers = fdopen(dup(STDOUT_FILENO), "w");
    if (!answers || !freopen("/dev/null", "w", stdout)) return 70;
    start(argv[1]);
    tracing = executed_path != NULL;
    if (eeprom) eeprom_load(avr, eeprom);
    if (pty) {
        setvbuf(stdin, NULL, _IONBF, 0); /* poll must see every line */
        run_pty(!free_running);
    } else {
        while (fgets(line, sizeof line, stdin)) answer(line);
    }
    if (eeprom) eeprom_save(avr, eeprom);
    if (executed_path) trace_write(executed_path);
    return 0;
}
