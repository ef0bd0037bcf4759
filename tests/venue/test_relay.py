"""The relay: delay, order, hold and cut at once, corrections in time, and a restart that neither skips nor repeats."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from table_controller.feed.topics import relay_topic
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.effects import Publish
from table_controller.venue.relay.relay import Relay
from table_controller.venue.relay.spool import Spool

pytestmark = pytest.mark.broker


class Air:
    """A relay, one table, a viewer with the overlay's rights, and the director's word."""

    def __init__(self, hall: Any, kit: Any, folder: Path, delay_s: float) -> None:
        self.hall, self.kit, self.folder, self.delay_s = hall, kit, folder, delay_s
        self.viewer = kit.Client(hall.login("overlay"), "viewer", "guandan/v1/hall/air/#", keeps=True)
        self.director = kit.Client(hall.login("venue"), "director")
        self.table = kit.SimulatedTable(hall, "t1", folder)
        self.relay = self.begin()

    def begin(self) -> Relay:
        relay = Relay(self.hall.login("relay"), "hall", self.folder, self.delay_s, None)
        relay.start()
        self.kit.wait_for(lambda: relay._clear)
        return relay

    def say(self, what: str, **more: Any) -> None:
        self.director.publish(relay_topic("hall", "t1", "control"), json.dumps({"do": what, **more}))

    def events(self) -> list[dict[str, Any]]:
        return self.viewer.said("/air/t1/event")

    def speak(self, count: int) -> None:
        for _ in range(count):
            self.table.publisher.perform(Publish("camera_back"))

    def close(self) -> None:
        self.relay.stop()
        self.table.close()
        self.director.close()
        self.viewer.close()


@pytest.fixture
def air(hall: Any, kit: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Air]:
    made = Air(hall, kit, tmp_path / "state", getattr(request, "param", 0))
    yield made
    made.close()


def test_a_deal_goes_on_air_in_order_and_as_it_was_said(air: Air, kit: Any) -> None:
    air.table.table.open()
    air.table.table.play_deal()
    kit.wait_for(lambda: len(air.events()) >= air.table.sent)
    seqs = [event["seq"] for event in air.events()]
    assert seqs == list(range(1, air.table.sent + 1))
    kit.wait_for(lambda: air.viewer.said("/air/t1/state")[-1]["seq"] == air.table.sent)
    assert {m.topic.split("/")[5] for m in air.viewer.messages} <= {"event", "state", "info", "availability"}
    kit.wait_for(lambda: not air.relay._tracks["t1"].out)
    assert air.relay.spool.everything() == []


@pytest.mark.parametrize("air", [1.0], indirect=True)
def test_nothing_is_early_and_a_hold_and_a_cut_work_at_once(air: Air, kit: Any) -> None:
    began = time.monotonic()
    air.speak(3)
    kit.wait_for(lambda: len(air.events()) == 3)
    assert time.monotonic() - began >= 1.0
    air.speak(2)
    air.say("hold")
    status = lambda: (air.relay._tracks["t1"].lane.mode, len(air.relay._tracks["t1"].waiting))  # noqa: E731
    kit.wait_for(lambda: status()[0] == "hold" and status()[1] >= 2)
    time.sleep(1.3)
    assert len(air.events()) == 3
    air.speak(1)
    air.say("go")
    kit.wait_for(lambda: len(air.events()) == 6)
    assert [event["seq"] for event in air.events()] == [1, 2, 3, 4, 5, 6]
    assert air.relay._tracks["t1"].lane.late_ms > 1000
    air.speak(2)
    kit.wait_for(lambda: len(air.relay._tracks["t1"].waiting) >= 2)
    air.say("cut")
    kit.wait_for(lambda: status() == ("cut", 0))
    air.speak(2)  # while it is cut
    kit.wait_for(lambda: air.relay._lanes.seen.get(("t1", "b1")) == 10)
    air.say("go")
    kit.wait_for(lambda: status()[0] == "go")
    air.speak(1)
    kit.wait_for(lambda: [event["seq"] for event in air.events()][-1] == 11)
    assert [event["seq"] for event in air.events()] == [1, 2, 3, 4, 5, 6, 11]
    air.say("delay", delay_ms=0)
    air.speak(1)
    kit.wait_for(lambda: len(air.events()) == 8, 0.9)


@pytest.mark.parametrize("air", [600.0], indirect=True)
def test_a_correction_before_air_time_leaves_no_trace_of_the_error(air: Air, kit: Any) -> None:
    table = air.table.table
    table.open()
    table.deal()
    table.sort_and_exchange()
    table.act()
    first = table.core.state.actions[0]
    shown = list(first.cards)
    swapped = [("H" if card[1] == "S" else "S") for card in shown if len(card) == 2 and card not in ("BJ", "SJ")]
    right = tuple(card[0] + suit for card, suit in zip(shown, swapped, strict=True))
    table.act()
    table.send(ev.PlayCorrected, play=first.number, cards=right, by="Li", reason="looked")
    table.act()
    last = table.core.state.actions[-1]
    table.send(rv.PlayRemoved, play=last.number, by="Li", reason="never was")
    assert table.core.state.actions[0].cards == right
    kit.wait_for(lambda: air.relay._lanes.seen.get(("t1", "b1")) == air.table.sent)
    kit.wait_for(lambda: air.relay._tracks["t1"].waiting[-1].seq == air.table.sent)
    air.say("delay", delay_ms=0)
    kit.wait_for(lambda: len(air.events()) == air.table.sent)
    kit.wait_for(lambda: air.viewer.said("/air/t1/state")[-1]["seq"] == air.table.sent)
    events = air.events()
    assert [event["seq"] for event in events] == list(range(1, air.table.sent + 1))
    plays = {e["data"]["number"]: e["data"] for e in events if e["schema"] == "event/play"}
    assert plays[first.number]["cards"] == list(right)
    assert last.number not in plays
    assert not [e for e in events if e["schema"] == "event/correction"]
    assert [e["schema"] for e in events].count("event/withdrawn") == 3
    for state in air.viewer.said("/air/t1/state"):
        actions = [*state["data"]["recent"], *(s["last"] for s in state["data"]["seats"].values() if s["last"])]
        for action in actions:
            assert action["number"] != last.number
            if action["number"] == first.number:
                assert (action["cards"], action["reading"]) == (list(right), plays[first.number]["reading"])


def test_a_correction_after_air_time_is_aired(air: Air, kit: Any) -> None:
    table = air.table.table
    table.open()
    table.deal()
    table.sort_and_exchange()
    table.act()
    kit.wait_for(lambda: len(air.events()) == air.table.sent)
    first = table.core.state.actions[0]
    table.send(ev.PlayCorrected, play=first.number, cards=first.cards[:1], by="Li", reason="looked")
    kit.wait_for(lambda: len(air.events()) == air.table.sent)
    assert [e["schema"] for e in air.events()].count("event/correction") == 1


@pytest.mark.parametrize("air", [0.3], indirect=True)
def test_a_restart_neither_skips_nor_repeats(air: Air, kit: Any) -> None:
    """Stopped and begun three times while a table talks: every number once, in order."""
    for round_ in range(1, 4):
        air.speak(40)
        kit.wait_for(lambda n=round_: len(air.events()) >= 40 * (n - 1) + 5)
        air.relay.stop()
        air.speak(10)
        air.relay = air.begin()
        air.speak(10)
        kit.wait_for(lambda n=round_: air.events() and air.events()[-1]["seq"] == 60 * n)
    assert [event["seq"] for event in air.events()] == list(range(1, 181))


def test_the_roster_is_copied_and_what_was_aired_is_told_again(air: Air, kit: Any) -> None:
    air.director.publish("guandan/v1/hall/venue/hall/roster", b'{"round":1,"tables":{}}', retain=True)
    kit.wait_for(lambda: "guandan/v1/hall/air/hall/roster" in air.viewer.topics())
    air.speak(4)
    kit.wait_for(lambda: len(air.events()) == 4 and not air.relay._tracks["t1"].out)
    listener = kit.Client(air.hall.login("venue"), "listener", "guandan/v1/hall/relay/t1/again")
    for asked in ({"boot": "b1", "after": 1}, {"boot": "b1", "after": -1}, {"boot": 3, "after": 1}):
        air.say("again", **asked)
    kit.wait_for(lambda: listener.said("/again"))
    [told] = listener.said("/again")
    assert [event["seq"] for event in told["events"]] == [2, 3, 4]
    with air.relay.spool.commit():
        air.relay.spool.forget_aired(2**60)
    assert air.relay.spool.aired("t1", "b1", 0, 9) == []
    listener.close()


def test_a_last_event_that_only_the_state_tells_of_is_fetched(
    hall: Any, kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker lost it on the way to the relay, and nothing came after it."""
    monkeypatch.setattr("table_controller.venue.relay.catching_up.BEHIND_MS", 200)
    table, lost = kit.SimulatedTable(hall, "t1", tmp_path), []
    viewer = kit.Client(hall.login("overlay"), "viewer", "guandan/v1/hall/air/+/event")

    def missed(http: str, boot: str, after: int) -> list[Any]:
        return [json.loads(payload) for payload in table.outbox.events(boot, after)]

    relay = Relay(hall.login("relay"), "hall", tmp_path / "state", 0, missed)
    take = relay._incoming.event

    def deaf_once(track: Any, heard: Any, said: dict[str, Any]) -> None:
        if said["seq"] == 4 and not lost:
            lost.append(said)
        else:
            take(track, heard, said)

    monkeypatch.setattr(relay._incoming, "event", deaf_once)
    relay.start()
    try:
        kit.wait_for(lambda: relay._clear)
        told = {"program": "t", "schema": 1, "simulated": True, "http": "http://here", "commands": False}
        table.publisher.info(told)
        for _ in range(4):
            table.publisher.perform(Publish("camera_back"))
        kit.wait_for(lambda: lost)
        kit.wait_for(lambda: [event["seq"] for event in viewer.said("/event")] == [1, 2, 3])
        table.publisher.committed(None, table.table.core.state, ())
        table.table.clock.call_at(table.table.clock.now_ms() + 500, lambda: None)
        while table.table.clock.run_next():
            continue
        kit.wait_for(lambda: [event["seq"] for event in viewer.said("/event")] == [1, 2, 3, 4])
    finally:
        relay.stop()
        viewer.close()
        table.close()


def test_the_spool_keeps_times_right_over_a_restart_of_the_machine(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "s", machine="a", now_ms=500_000, wall_ms=10_000_000)
    with spool.commit():
        spool.add("t1", "event", "b", 1, b"x", 500_000)
    spool.close()
    again = Spool(tmp_path / "s", machine="b", now_ms=2_000, wall_ms=10_030_000)
    [kept] = again.everything()
    assert kept.at_ms == 2_000 - 30_000
    assert kept.payload == b"", "payloads stay on the disk until they are due"
    assert [one.payload for one in again.filled([kept])] == [b"x"]
    again.close()
