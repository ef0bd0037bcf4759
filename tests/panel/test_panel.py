"""Buttons and lamps on gpiozero's mock pins; bounce trains as pure code (R14)."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator

import pytest
from gpiozero import Device
from gpiozero.exc import BadPinFactory, PinFactoryFallback
from gpiozero.pins.mock import MockFactory

from table_controller.errors import DeviceError
from table_controller.panel.debounce import QUIET_MS, Debouncer
from table_controller.panel.panel import Panel
from table_controller.panel.pins_gen import PINS
from table_controller.table import events as ev
from table_controller.table.effects import Buzzer, Lamp


class Bench:
    def __init__(self) -> None:
        self.now = 1000
        self.events: list[ev.Event] = []
        self.factory = MockFactory()
        self.panel = Panel(self.events.append, lambda: self.now, lambda: "W", self.factory)

    def press(self, name: str) -> None:
        pin = self.factory.pin(PINS[name].gpio)
        pin.drive_low()
        self.now += 80
        pin.drive_high()
        self.now += 80


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.panel.close()
    made.factory.reset()


def test_every_button_posts_its_event_once(bench: Bench) -> None:
    for name, pin in PINS.items():
        if pin.direction == "in":
            bench.press(name)
    kinds = [(type(e).__name__, getattr(e, "seat", None)) for e in bench.events]
    assert ("PassPressed", "E") in kinds
    assert ("TdPressed", "S") in kinds
    assert ("ReadyPressed", "N") in kinds
    assert ("DealRequested", None) in kinds
    assert ("StopRequested", None) in kinds
    assert len(kinds) == len(set(kinds)) == 14


def test_lamps_follow_their_modes(bench: Bench) -> None:
    bench.panel.perform(Lamp("E", "on"))
    assert bench.factory.pin(PINS["LAMP_E"].gpio).state
    bench.panel.perform(Lamp("E", "off"))
    assert not bench.factory.pin(PINS["LAMP_E"].gpio).state
    bench.panel.perform(Lamp(None, "fast"))
    assert bench.panel.lamps["table"].is_active in (True, False)
    bench.panel.perform(Lamp(None, "off"))
    bench.panel.perform(Buzzer("warn"))


def test_bounce_trains_give_one_press_with_the_stamp_of_the_first_edge() -> None:
    rng = random.Random(14)
    for _ in range(1000):
        button, at, presses = Debouncer(), 1000, []
        first = at
        level = False
        for _ in range(rng.randrange(1, 12)):
            level = not level
            if button.edge(at, pressed=level):
                presses.append(at)
            at += rng.randrange(0, QUIET_MS)
        assert presses == [first]
        button.edge(at + QUIET_MS, pressed=False)
        assert button.edge(at + 3 * QUIET_MS, pressed=True)


def test_a_stuck_button_is_one_press() -> None:
    button = Debouncer()
    assert button.edge(1000, pressed=True)
    assert not any(button.edge(1000 + 100 * i, pressed=True) for i in range(1, 50))


def test_the_tables_lamp_winks_while_something_has_failed(bench: Bench) -> None:
    lamp = bench.panel.lamps["table"]
    bench.panel.perform(Lamp(None, "on"))
    bench.panel.attention(True)
    assert lamp._blink_thread is not None, "it winks"
    bench.panel.perform(Lamp(None, "fast"))
    fast = lamp._blink_thread
    bench.panel.attention(True)
    assert lamp._blink_thread is fast, "said again: nothing changes"
    bench.panel.perform(Lamp("E", "on"))
    assert bench.panel.lamps["E"]._blink_thread is None, "the seats' lamps are the game's"
    bench.panel.perform(Lamp(None, "on"))
    bench.panel.attention(False)
    assert lamp._blink_thread is None
    assert lamp.value == 1


def test_a_machine_without_pins_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way to the pins that fails warns in gpiozero, and its last word ends with a mark of its own."""

    def none() -> None:
        warnings.warn("Falling back from lgpio", PinFactoryFallback, stacklevel=1)
        raise BadPinFactory("Unable to load any default pin factory!")

    monkeypatch.setattr(Device, "_default_pin_factory", staticmethod(none))
    monkeypatch.setattr(Device, "pin_factory", None)
    with pytest.raises(DeviceError) as refused:
        Panel(lambda event: None, lambda: 0, lambda: "W")
    assert refused.value.message == "The panel's pins cannot be used: Unable to load any default pin factory."
