"""What a table of a season no longer keeps in its state: the journal has it."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.bygone import KEPT, LONG_AGO
from table_controller.table.effects import Publish

HEAD = {"by": "head", "role": "head_referee"}


def numbers(table: EventTable) -> list[int]:
    return [i.number for i in table.core.state.incidents]


@pytest.fixture
def table() -> EventTable:
    """With ten incidents more than are kept: the first has a warning, the second and third are settled."""
    made = EventTable()
    made.open()
    for _ in range(KEPT + 10):
        made.send(rv.IrregularityNoted, kind="light", seat="E", by="x")
    assert made.send(rv.Ruled, incident=1, penalty="warning", **HEAD).refusal is None
    for number in (2, 3):
        made.send(ev.IncidentUpdated, incident=number, status="resolved", by="x")
    return made


def told(table: EventTable) -> list[dict[str, Any]]:
    return [dict(e.data) for e in table.effects if isinstance(e, Publish) and e.kind == "incident_updated"]


def test_the_oldest_leave_when_a_match_begins_and_numbers_go_on(table: EventTable) -> None:
    assert len(numbers(table)) == KEPT + 10
    table.effects.clear()
    assert table.send(rv.MatchSet, by="x", system="计局", round=1).refusal is None
    assert numbers(table) == [1, *range(4, KEPT + 11)], "a penalty of this round counts on"
    assert [(u["number"], u["status"], u["reason"]) for u in told(table)] == [
        (number, "resolved", LONG_AGO) for number in range(4, 11)
    ]
    assert table.send(rv.MatchSet, by="x", system="计局", round=1).refusal is None
    assert numbers(table) == [1, *range(11, KEPT + 11)]
    table.send(rv.IrregularityNoted, kind="light", seat="E", by="x")
    assert numbers(table)[-1] == KEPT + 11


def test_a_penalty_of_another_round_no_longer_keeps_its_incident(table: EventTable) -> None:
    for _ in range(2):
        assert table.send(rv.MatchSet, by="x", system="计局", round=2).refusal is None
    assert numbers(table) == [*range(11, KEPT + 11)]
    refused = table.send(ev.IncidentUpdated, incident=2, status="resolved", by="x").refusal
    assert refused is not None
    assert refused.code == "INCIDENT"


def test_nothing_leaves_in_a_game(table: EventTable) -> None:
    table.play_deal()
    table.play_deal()
    assert numbers(table)[: KEPT + 10] == [*range(1, KEPT + 11)]


def test_they_leave_with_the_next_game_too(table: EventTable) -> None:
    assert table.send(rv.GameConceded, pair="EW", how="forfeit", **HEAD).refusal is None
    table.play_deal()
    assert numbers(table)[:2] == [4, 5]
