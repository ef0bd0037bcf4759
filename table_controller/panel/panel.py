"""The table's lamps, buttons and buzzer on gpiozero devices; off the Pi on gpiozero's mock factory."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from gpiozero import LED, Buzzer, DigitalInputDevice
from gpiozero.exc import GPIOZeroError, GPIOZeroWarning
from gpiozero.pins import Factory

from table_controller.cards import SEATS
from table_controller.errors import DeviceError
from table_controller.panel.debounce import Debouncer
from table_controller.panel.pins_gen import PINS
from table_controller.table.effects import Buzzer as BuzzerEffect
from table_controller.table.effects import Effect, Lamp
from table_controller.table.events import DealRequested, Event, PassPressed, ReadyPressed, StopRequested, TdPressed

LAMP_BLINKS_S = {"blink": (0.5, 0.5), "fast": (0.12, 0.12)}
ATTENTION_S = {"off": (0.1, 1.9), "on": (1.9, 0.1)}
"""The table's lamp while an adapter has failed: a short wink; the page says which. A blinking lamp stays as it is."""
BUZZES = {"warn": (0.15, 0.1, 2), "violation": (0.6, 0.2, 3), "td": (0.1, 0.1, 3), "fault": (1.0, 0.3, 2)}
"""On and off seconds, and how often."""


TRIAL_MS = 20_000
"""A trial ends so long after it was last asked for: no button stays dead because a page was closed."""


class Panel:
    """Owns the pins. ``post`` receives events (call it from any thread); ``draw_leader`` names a first leader."""

    def __init__(
        self,
        post: Callable[[Event], None],
        now_ms: Callable[[], int],
        draw_leader: Callable[[], Any],
        factory: Factory | None = None,
    ) -> None:
        """Raises DeviceError when the pins cannot be had."""
        self._post, self._now_ms, self._draw_leader = post, now_ms, draw_leader
        self._devices: list[Any] = []
        self._table_mode, self._attention = "off", False
        self._modes: dict[str, str] = {}
        self._trial_ends_ms = 0
        self.trial: set[str] | None = None
        """While lamps and buttons are tried: the buttons pressed so far, whose presses then do nothing else."""
        self._debouncers: dict[str, Debouncer] = {}
        try:
            with warnings.catch_warnings():  # of each way to the pins that there is not: the last word says it
                warnings.simplefilter("ignore", GPIOZeroWarning)
                self.lamps = {key: self._led(f"LAMP_{key.upper()}", factory) for key in (*SEATS, "table")}
            pin = PINS["BUZZER"]
            self.buzzer = Buzzer(pin.gpio, active_high=pin.active_high, pin_factory=factory)
            self._devices.append(self.buzzer)
            for name, pin in PINS.items():
                if pin.direction == "in":
                    self._button(name, pin, factory)
        except (GPIOZeroError, OSError, ImportError) as error:
            self.close()
            raise DeviceError(
                f"The panel's pins cannot be used: {str(error).rstrip('.!')}.",
                way_out="Set panel.enabled = false to run by the page.",
            ) from error

    def _led(self, name: str, factory: Factory | None) -> LED:
        pin = PINS[name]
        led = LED(pin.gpio, active_high=pin.active_high, pin_factory=factory)
        self._devices.append(led)
        return led

    def _button(self, name: str, pin: Any, factory: Factory | None) -> None:
        device = DigitalInputDevice(pin.gpio, pull_up=pin.pull_up, pin_factory=factory)
        self._debouncers[name] = Debouncer()
        device.when_activated = lambda: self._edge(name, pressed=True)
        device.when_deactivated = lambda: self._edge(name, pressed=False)
        self._devices.append(device)

    def _edge(self, name: str, *, pressed: bool) -> None:
        at_ms = self._now_ms()
        if not self._debouncers[name].edge(at_ms, pressed=pressed):
            return
        if self._trying():
            assert self.trial is not None
            self.trial.add(name)
        else:
            self._post(self.event_of(name, at_ms))

    def event_of(self, name: str, at_ms: int) -> Event:
        """The event of a button by its signal name, such as ``PASS_E``."""
        if name == "START":
            return DealRequested(at_ms, "panel", self._draw_leader())
        if name == "STOP":
            return StopRequested(at_ms, "panel")
        kind, seat = name.split("_")
        makers: dict[str, Any] = {"PASS": PassPressed, "TD": TdPressed, "READY": ReadyPressed}
        event: Event = makers[kind](at_ms, seat)
        return event

    def perform(self, effect: Effect) -> None:
        """Switch a lamp or sound the buzzer."""
        if isinstance(effect, Lamp):
            if effect.seat is None:
                self._table_mode = effect.mode
            self._modes[effect.seat or "table"] = effect.mode
            if not self._trying():
                self._light(self.lamps[effect.seat or "table"], effect.mode, attention=effect.seat is None)
        elif isinstance(effect, BuzzerEffect):
            on_s, off_s, times = BUZZES[effect.pattern]
            self.buzzer.beep(on_time=on_s, off_time=off_s, n=times)

    def _light(self, led: LED, mode: str, *, attention: bool) -> None:
        blinks = LAMP_BLINKS_S | (ATTENTION_S if attention and self._attention else {})
        if mode in blinks:
            on_s, off_s = blinks[mode]
            led.blink(on_time=on_s, off_time=off_s)
        else:
            led.value = mode == "on"

    def attention(self, wanted: bool) -> None:
        """The table's lamp winks while something has failed that a person should look at."""
        if wanted != self._attention:
            self._attention = wanted
            if not self._trying():
                self._light(self.lamps["table"], self._table_mode, attention=True)

    @property
    def buttons(self) -> tuple[str, ...]:
        """Every button by its signal name, such as ``PASS_E``."""
        return tuple(self._debouncers)

    def _trying(self) -> bool:
        """Whether lamps and buttons are tried now; a trial that nobody goes on with ends by itself."""
        if self.trial is not None and self._now_ms() >= self._trial_ends_ms:
            self.try_out(False)
        return self.trial is not None

    def try_out(self, wanted: bool) -> None:
        """For some seconds lamps blink, the buzzer sounds and buttons are only noted; then all is as before."""
        self._trial_ends_ms = self._now_ms() + TRIAL_MS
        if wanted == (self.trial is not None):
            return
        self.trial = set() if wanted else None
        for key, led in self.lamps.items():
            if wanted:
                led.blink(on_time=0.5, off_time=0.5)
            else:
                self._light(led, self._modes.get(key, "off"), attention=key == "table")
        if wanted:
            self.buzzer.beep(on_time=0.1, off_time=0.1, n=2)

    def close(self) -> None:
        """Everything off, pins released."""
        for device in self._devices:
            device.close()
        self._devices.clear()
