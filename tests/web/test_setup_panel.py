"""Lamps and buttons tried out on the set-up page: presses are noted and start nothing, and a trial ends by itself."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from table_controller.panel.panel import TRIAL_MS, Panel
from table_controller.panel.pins_gen import PINS
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.effects import Lamp

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
WINDOW_PX = (1280, 900)


class Pins:
    """A panel on mock pins, with a clock of its own."""

    def __init__(self) -> None:
        self.now, self.events = 1000, list[ev.Event]()
        self.factory = MockFactory()
        self.panel = Panel(self.events.append, lambda: self.now, lambda: "W", self.factory)

    def press(self, name: str) -> None:
        pin = self.factory.pin(PINS[name].gpio)
        for drive in (pin.drive_low, pin.drive_high):
            drive()
            self.now += 80


@pytest.fixture
def pins() -> Iterator[Pins]:
    made = Pins()
    yield made
    made.panel.close()
    made.factory.reset()


def test_while_it_is_tried_presses_are_noted_and_start_nothing(pins: Pins) -> None:
    pins.panel.perform(Lamp("E", "on"))
    pins.panel.try_out(True)
    pins.press("START")
    pins.press("TD_E")
    assert pins.events == []
    assert pins.panel.trial == {"START", "TD_E"}
    pins.panel.perform(Lamp("N", "on"))
    pins.panel.try_out(False)
    assert [pins.panel.lamps[seat].value for seat in "ENWS"] == [1, 1, 0, 0], "as the table wants them now"
    pins.press("TD_E")
    assert [type(event) for event in pins.events] == [ev.TdPressed]


def test_a_trial_that_nobody_goes_on_with_ends_by_itself(pins: Pins) -> None:
    pins.panel.try_out(True)
    pins.now += TRIAL_MS - 1000
    pins.panel.try_out(True)
    pins.now += TRIAL_MS - 200
    pins.press("PASS_E")
    assert pins.events == []
    pins.now += 1000
    pins.press("PASS_E")
    assert [type(event) for event in pins.events] == [ev.PassPressed]
    assert pins.panel.trial is None


def asked(url: str, body: Any) -> int:
    made = urllib.request.Request(f"{url}/api/panel", json.dumps(body).encode(), {"X-Table-Controller": "1"})
    try:
        with urllib.request.urlopen(made, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


@pytest.mark.parametrize(
    ("language", "first", "done"), [("zh", "试灯和按钮", "全部按钮正常"), ("en", "Try lamps", "Every button")]
)
def test_every_button_is_tried_on_the_page(
    serve: Any, eyes: Any, pins: Pins, language: str, first: str, done: str
) -> None:
    table = EventTable(5)
    table.open()
    served = serve(table)
    served.page.panel = pins.panel
    eyes.open(f"{served.url}/setup?lang={language}", 1280, 900)
    eyes.wait(lambda: eyes.text("#try").startswith(first))
    assert len(eyes.all("#commands li button")) == len(eyes.all("#commands code"))
    copied = "return document.querySelector('#commands button').textContent + getSelection().toString()"
    eyes.script("document.querySelector('#commands button').click()")
    eyes.wait(lambda: eyes.script(copied) not in ("复制", "Copy"))
    eyes.script("getSelection().removeAllRanges(); document.querySelector('#try').focus()")
    eyes.press("\ue007")
    eyes.wait(lambda: len(eyes.all("#pressed li")) == len(pins.panel.buttons))
    pins.press("START")
    eyes.wait(lambda: len(eyes.all("#pressed .heard")) == 1)
    eyes.shot(f"setup-panel-{language}")
    assert eyes.barriers() == []
    for name in pins.panel.buttons:
        pins.press(name)
    eyes.wait(lambda: eyes.text("#panel-words").startswith(done))
    eyes.one("#try").click()
    eyes.wait(lambda: not eyes.all("#pressed li"))
    assert pins.panel.trial is None
    assert asked(served.url, {"try": 1}) == asked(served.url, []) == 400
    table.deal()
    assert asked(served.url, {"try": True}) == 409, "not while a deal is on"
    served.page.panel = None
    assert asked(served.url, {"try": True}) == 404
