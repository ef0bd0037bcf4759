"""A table that missed the end of a deal is put right by its referee: nobody waits for it for ever."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from table_controller.runtime.clock import VirtualClock
from table_controller.sim.event_table import EventTable
from table_controller.sim.players import People
from table_controller.sim.referee import LOST_AFTER_MS, Referee
from table_controller.table import events as ev
from table_controller.table import referee_events as rv


def test_a_deal_whose_last_pass_was_not_seen_is_ended_by_the_referee() -> None:
    table, clock = EventTable(3), VirtualClock()
    table.open()
    table.deal()
    table.sort_and_exchange()
    table.send(ev.Resync, by="test", turn="W", counts=(0, 1, 3, 0), last_seat="N", last_cards=("AD",))
    assert table.core.state.phase == "playing"
    # W passed unseen, and N led its last card
    ended = SimpleNamespace(over=True, turn=None, counts={"E": 0, "N": 0, "W": 3, "S": 0})
    people: Any = SimpleNamespace(
        deal=ended,
        truth=SimpleNamespace(laid=[("W", ("9C",)), ("N", ("3D",))]),
        errors=SimpleNamespace(said=lambda now: ()),
    )
    told: list[str] = []

    def post(event: ev.Event) -> None:
        outcome = table.core.handle(event)
        assert outcome.refusal is None, outcome.refusal
        table.core.commit(outcome)
        told.append(type(event).__name__)

    Referee(clock, cast("People", people), post, lambda: table.core.state).watch()
    while clock.now_ms() < LOST_AFTER_MS + 6000:
        clock.run_next()
    assert told == ["Resync", "PlayEntered"]
    assert table.core.state.phase == "deal_over"


def test_a_seat_that_a_human_gives_the_turn_serves_its_stopped_right_in_the_next_trick() -> None:
    table = EventTable(5)
    table.open()
    table.deal()
    table.sort_and_exchange()
    table.act()
    seat = table.core.state.deal.trick.last_seat if table.core.state.deal else None
    assert seat is not None
    table.send(rv.IrregularityNoted, kind="serious", seat=seat, by="ref")
    number = table.core.state.incidents[-1].number
    table.send(rv.Ruled, incident=number, penalty="violation+stop", by="ref", role="head_referee")
    (held,) = table.core.state.stops
    table.send(ev.Resync, by="ref", turn=seat, counts=(20, 20, 20, 20))
    (moved,) = table.core.state.stops
    deal = table.core.state.deal
    assert deal is not None
    assert (deal.turn, moved.incident, moved.trick) == (seat, held.incident, deal.trick_number + 1)
    table.send(rv.IrregularityNoted, kind="light", seat="E", by="ref")
    other = table.core.state.incidents[-1].number
    table.send(rv.Ruled, incident=other, penalty="violation", by="ref", role="head_referee")
    table.send(ev.IncidentUpdated, incident=other, status="overturned", by="ref")
    deal = table.core.state.deal
    assert deal is not None
    assert (deal.turn, table.core.state.actions[-1].stopped) == (seat, False), "a ruling on another moves no turn"
