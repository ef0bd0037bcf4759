"""Every kind of incident that a human raises, by its command: exactly that one, with its rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_controller.sim.catalogue import BY_A_HUMAN, OTHERWISE, errors_of, shown_by
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.commands import parse_command
from table_controller.table.incidents import KINDS, NOTED

COMMANDS: dict[str, dict[str, Any]] = {
    "exposed_card": {"do": "exposed", "seat": "N", "cards": "5S"},
    "late_arrival": {"do": "late", "seat": "N", "minutes": 3},
}


def say(table: EventTable, command: dict[str, Any]) -> None:
    refusal = table.send(lambda at_ms: parse_command(command, at_ms, lambda: "E")).refusal
    assert refusal is None, refusal


@pytest.mark.parametrize("kind", NOTED)
def test_a_human_notes_what_no_camera_sees(kind: str, driven: EventTable) -> None:
    driven.open()
    say(driven, {"do": "note", "kind": kind, "seat": "N", "by": "referee"})
    incidents = driven.core.state.incidents
    assert [(i.kind, i.seat, i.status) for i in incidents] == [(kind, "N", "open")]
    assert incidents[0].rule


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_command_of_its_own_raises_it_too(kind: str, driven: EventTable) -> None:
    driven.open()
    say(driven, COMMANDS[kind])
    assert [i.kind for i in driven.core.state.incidents] == [kind]


def test_a_camera_that_fails_is_told_once(driven: EventTable) -> None:
    driven.open()
    for _ in range(3):
        driven.send(ev.CameraLost, reason="unplugged")
    assert [(i.kind, i.detail) for i in driven.core.state.incidents] == [("camera_lost", "unplugged")]


def test_two_games_lost_by_penalty_make_exclusion_due(driven: EventTable) -> None:
    driven.open()
    for _ in range(2):
        driven.deal()
        say(driven, {"do": "note", "kind": "serious", "seat": "N"})
        ruling = {"do": "rule", "penalty": "game_lost", "role": "head_referee"}
        say(driven, {**ruling, "number": len(driven.core.state.incidents)})
    due = driven.core.state.incidents[-1]
    assert (due.kind, due.proposal, due.needs) == ("exclusion_due", "out", "head_referee")


def test_every_kind_comes_about_in_exactly_one_way_and_its_test_is_there() -> None:
    root = Path(__file__).parents[2]
    assert set(BY_A_HUMAN) == set(NOTED)
    for kind in KINDS:
        ways = [kind in BY_A_HUMAN, bool(errors_of(kind)), kind in OTHERWISE]
        assert sum(ways) == 1, (kind, ways)
        assert (root / shown_by(kind)).is_file(), kind
        if kind in OTHERWISE:
            assert kind in (root / shown_by(kind)).read_text(encoding="utf-8"), kind
