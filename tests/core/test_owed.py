"""What a ruling leaves to be named or settled: a type, a leader, a void hand that was none, a dispute."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.cards import other_pair, pair_of
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.snapshot import snapshot

HEAD = {"by": "head", "role": "head_referee", "apply": False}


@pytest.fixture
def playing(driven: EventTable) -> EventTable:
    """The table in play, E to lead."""
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    return driven


def ruled(table: EventTable, kind: str, seat: str, penalty: str) -> int:
    """A breach noted and ruled on; its number."""
    table.send(rv.IrregularityNoted, kind=kind, seat=seat, by="ref")
    number = table.core.state.incidents[-1].number
    assert table.send(rv.Ruled, incident=number, penalty=penalty, **HEAD).refusal is None
    return number


def asked(table: EventTable) -> list[tuple[Any, ...]]:
    """What is to be named: kind, by whom, how many choices."""
    return [(q["kind"], q["asked"], len(q["choices"])) for q in snapshot(table.core.state, table.now)["asked"]]


@pytest.mark.parametrize("how", ["overturned", "lead lost", "led all the same", "resync"])
def test_nobody_names_a_type_for_a_lead_that_is_gone(how: str, playing: EventTable) -> None:
    """A type left unnamed must not bind the leader of the next trick."""
    playing.send(ev.CardsSeen, seat="E", cards=("5S", "6D"))
    penalty = "violation+stop" if how == "lead lost" else ""
    playing.send(rv.Ruled, incident=1, penalty=penalty, by="ref")
    if how != "lead lost":
        assert asked(playing) == [("name_type", "S", 1)]
    if how == "overturned":
        playing.send(ev.IncidentUpdated, incident=1, status="overturned", by="ref")
    elif how == "led all the same":
        playing.send(ev.CardsSeen, seat="E", cards=("5S",))
    elif how == "resync":
        playing.send(ev.Resync, by="ref", turn="W", counts=(27, 27, 27, 27))
    state = playing.core.state
    assert (state.names_type, state.nameable, state.must_lead, asked(playing)) == (None, [], None, [])
    assert playing.send(rv.TypeNamed, seat="S", play_type="single").refusal is not None


def test_after_a_foul_the_leader_is_asked_for_until_somebody_is_named(playing: EventTable) -> None:
    ruled(playing, "hidden_card", "N", "foul")
    assert asked(playing) == [("name_leader", "EW", 4)]
    playing.deal()
    assert asked(playing) == [("name_leader", "EW", 4)]
    playing.send(rv.LeaderNamed, leader="W", by="E")
    assert asked(playing) == []


def test_a_void_hand_overturned_after_its_deal_takes_its_place_again_at_once(playing: EventTable) -> None:
    def deal() -> Any:
        return playing.core.state.deal

    while not deal().out:
        playing.act()
    first = deal().out[0]
    number = ruled(playing, "serious", first, "void_hand")
    while playing.core.state.phase in ("playing", "trick_over"):
        playing.act()
    assert playing.core.state.last_order[0] != first
    playing.send(ev.IncidentUpdated, incident=number, status="overturned", by="head")
    state = playing.core.state
    assert (state.last_order[0], state.winner) == (first, pair_of(first))
    assert state.levels[pair_of(first)] != "2"
    assert state.levels[other_pair(pair_of(first))] == "2"


def test_who_does_not_agree_leaves_a_dispute_to_the_referee(playing: EventTable) -> None:
    playing.send(rv.DisputeRaised, seat="N", play=0)
    playing.send(rv.DisputeAgreed, seat="E", incident=1, agrees=False)
    for seat in ("N", "W"):
        playing.send(rv.DisputeAgreed, seat=seat, incident=1)
    assert playing.core.state.incidents[0].status == "open"
    playing.send(rv.DisputeAgreed, seat="E", incident=1)  # E thinks again
    assert playing.core.state.incidents[0].status == "resolved"


def test_after_a_resync_nobody_is_accused_of_a_report_that_may_have_been_made(playing: EventTable) -> None:
    playing.send(ev.Resync, by="ref", turn="N", counts=(20, 9, 20, 20))
    playing.send(ev.CardsSeen, seat="N", cards=("7S",))
    for seat in ("W", "S", "E"):
        playing.send(ev.PassPressed, seat=seat)
    playing.send(ev.CardsSeen, seat="N", cards=("8S",))
    assert playing.core.state.incidents == []
