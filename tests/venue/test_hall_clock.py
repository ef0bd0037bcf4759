"""The table's clock as the hall knows it: commands are good by it, so what is said again may not turn it back."""

from __future__ import annotations

import json
from typing import Any

from table_controller.feed.commands import GOOD_FOR_MS, CommandDesk
from table_controller.venue.hall import Hall
from table_controller.venue.wire import Heard


def heard(rest: str, mono_ms: int, at_ms: int, *, boot: str = "b2", retained: bool = False) -> Heard:
    said: dict[str, Any] = {"v": 1, "schema": rest, "venue": "hall", "table": "t1", "boot": boot, "seq": 1, "rev": 1,
                            "ts": "", "mono_ms": mono_ms, "sync": True, "deal": 1, "data": {}}  # fmt: skip
    topic = f"guandan/v1/hall/live/t1/{rest}"
    return Heard(topic, "live", "t1", rest, json.dumps(said).encode(), retained, at_ms, said)


def taken(hall: Hall, at_ms: int, true_ms: int) -> bool:
    """Whether a table whose clock stands at ``true_ms`` takes a command that is given now."""
    view = hall.views["t1"]
    assert view.mono is not None
    until = view.mono[0] + at_ms - view.mono[1] + GOOD_FOR_MS
    said = {"v": 1, "tx": "0123456789", "client": "venue", "role": "referee", "by": "Li", "boot": view.boot,
            "expires_mono_ms": until, "data": {"reason": ""}}  # fmt: skip
    found = CommandDesk("t1", "b2", lambda: true_ms, lambda: "E").take("pause", json.dumps(said).encode())
    return not isinstance(found, tuple)


def test_an_alert_and_an_info_said_again_do_not_turn_the_clock_back() -> None:
    hall = Hall(lambda: 0)
    hall.take([heard("state", 700_000, 1000)])
    hall.take([heard("alert/1", 100_000, 1100), heard("info", 5000, 1200)])
    assert taken(hall, 1300, 700_300)


def test_an_event_of_an_earlier_start_names_neither_boot_nor_clock() -> None:
    hall = Hall(lambda: 0)
    hall.take([heard("state", 700_000, 1000)])
    hall.take([heard("event", 90_000_000, 1100, boot="b1")])
    assert hall.views["t1"].boot == "b2"
    assert taken(hall, 1200, 700_200)


def test_events_that_waited_on_the_disk_do_not_turn_the_clock_back() -> None:
    hall = Hall(lambda: 0)
    hall.take([heard("state", 700_000, 1000), heard("event", 400_000, 1001)])
    assert taken(hall, 1100, 700_100)


def test_a_state_sets_the_clock_back_that_ran_ahead_and_a_new_start_begins_anew() -> None:
    hall = Hall(lambda: 0)
    hall.take([heard("state", 700_000, 1000)])
    hall.take([heard("state", 650_000, 2000)])  # the table's machine slept
    assert taken(hall, 2100, 650_100)
    hall.take([heard("info", 10, 3000, boot="b3", retained=True)])
    assert hall.views["t1"].mono is None
    hall.take([heard("state", 900, 4000, boot="b2")])
    assert taken(hall, 4100, 1000)
