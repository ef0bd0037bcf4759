"""Anything on any topic: relay, hall and what was aired take it or leave it, and take the next as if it were not."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.feed.client import Broker
from table_controller.feed.topics import ROOT, Topics, split_topic
from table_controller.sim.published import Kept, PublishingTable
from table_controller.table import events as ev
from table_controller.venue.aired import Aired
from table_controller.venue.hall import Hall
from table_controller.venue.relay.relay import Relay
from table_controller.venue.wire import Heard, decoded

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
TOPICS = (
    "live/t1/event", "live/t1/state", "live/t1/info", "live/t1/availability", "live/t1/alert/1", "live/t1/health",
    "air/t1/event", "air/t1/state", "air/t1/x", "relay/t1/control", "relay/_relay/marker", "relay/t1/again",
    "venue/hall/roster", "cmd/t1/pause", "reply/t1/venue", "seal/t1/commit",
)  # fmt: skip
ACTS = ("go", "hold", "cut", "delay", "again", "")


def heard(rest: str, payload: bytes, *, retained: bool = False) -> Heard:
    topic = f"{ROOT}/v/{rest}"
    place = split_topic(topic)
    assert place is not None
    return Heard(topic, *place[1:], payload, retained, 0, decoded(payload))


def _said() -> list[dict[str, Any]]:
    kept, table = Kept(), PublishingTable(4)
    table.attach(kept, Topics("v", "t1"))
    table.open()
    table.deal()
    table.sort_and_exchange()
    for _ in range(4):
        table.act()
    play = next(action for action in table.core.state.actions if action.cards)
    table.send(ev.PlayCorrected, play=play.number, cards=play.cards, by="Li", reason="")
    return [said for _, said in kept.said()]


SAID = _said()


@st.composite
def hostile(draw: st.DrawFn) -> Heard:
    """Raw bytes, any JSON, or a true message with one field that is anything, on any topic."""
    kind = draw(st.sampled_from(["bytes", "json", "field", "field", "control"]))
    said: Any
    if kind == "bytes":
        return heard(draw(st.sampled_from(TOPICS)), draw(st.binary(max_size=40)))
    if kind == "json":
        said = draw(ANYTHING)
    elif kind == "control":
        fields = st.fixed_dictionaries({"do": st.sampled_from(ACTS), "delay_ms": ANYTHING, "after": ANYTHING})
        return heard("relay/t1/control", json.dumps({**draw(fields), "boot": draw(ANYTHING)}).encode())
    else:
        said = json.loads(json.dumps(draw(st.sampled_from(SAID))))
        place = said["data"] if draw(st.booleans()) else said
        place[draw(st.sampled_from(sorted(place)))] = draw(ANYTHING)
    return heard(draw(st.sampled_from(TOPICS)), json.dumps(said).encode(), retained=draw(st.booleans()))


def good(seq: int) -> Heard:
    event = {**SAID[0], "schema": "event/camera_back", "boot": "good", "seq": seq, "data": {"kind": "camera_back"}}
    return heard("live/t1/event", json.dumps(event).encode())


@settings(max_examples=120)
@given(bad=st.lists(hostile(), min_size=1, max_size=6))
def test_the_relay_takes_the_next_message(bad: list[Heard]) -> None:
    relay = Relay(Broker("127.0.0.1", 1), "v", None, 0, None)
    try:
        relay._work(bad)
        relay._work([heard("relay/t1/control", b'{"do":"go"}'), good(1), good(2)])
        relay._tick()
        waiting = [kept.seq for kept in relay._tracks["t1"].waiting if kept.boot == "good"]
        assert waiting == [1, 2]
    finally:
        relay.spool.close()
        relay._catch_up.stop()


@settings(max_examples=120)
@given(bad=st.lists(hostile(), min_size=1, max_size=6))
def test_hall_and_air_take_the_next_message(bad: list[Heard]) -> None:
    hall, aired = Hall(lambda: 5), Aired()
    for one in bad:
        hall.take([one])
        for said in [one.said] if one.said is not None else []:
            aired.state("t1", said)
            aired.event("t1", said, one.payload)
            aired.fill("t1", said)
        json.dumps(hall.rows())
    aired.gaps()
    state = next(said for said in SAID if said["schema"] == "state")
    hall.take([heard("live/t1/state", json.dumps(state).encode())])
    assert hall.views["t1"].data == state["data"]
    aired.state("t1", {**state, "boot": "good"})
    assert aired.states["t1"]["boot"] == "good"
