"""A ruling that is overturned takes back what it did, and nothing that was put right in other deals since."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from tests.rules.case_table import CaseTable


@pytest.fixture
def made() -> CaseTable:
    table = CaseTable(5)
    table.open("huaian")
    table.begin("E")
    return table


def _told(table: CaseTable) -> dict[Any, dict[str, Any]]:
    """Each deal as the feed told it last."""
    found = [dict(e.data) for e in table.effects if getattr(e, "kind", "") == "deal_over"]  # type: ignore[attr-defined]
    return {one["deal"]: one for one in found}


def _put_right(table: CaseTable) -> None:
    told = {"order": ("N", "E", "S", "W"), "agreed": ("EW", "NS"), "by": "head", "role": "head_referee"}
    assert table.send(rv.ResultCorrected, deal=1, **told).refusal is None


@pytest.mark.parametrize("penalty", ["foul", "game_lost"])
def test_two_rulings_in_two_deals_are_overturned_first_one_first(made: CaseTable, penalty: str) -> None:
    first = made.rule("foul", "N")
    made.ready()
    made.send(rv.LeaderNamed, leader="E", by="EW")
    second = made.rule(penalty, "E")
    made.overturn(first)
    made.overturn(second)
    state = made.core.state
    assert (state.phase, state.levels, state.given) == ("paused", {"EW": "2", "NS": "2"}, [])
    assert [(line["deal"], line.get("annulled")) for line in state.results] == [(1, True)]
    assert _told(made)[1]["annulled"]


@pytest.mark.parametrize("ended", [False, True])
def test_places_put_right_meanwhile_stay(made: CaseTable, ended: bool) -> None:
    """The foul is given while the second deal is on, or after its last play."""
    made.finish(list("ENWS"))
    made.ready()
    if ended:
        made.play_on("EWNS")
    foul = made.rule("foul", "E")
    _put_right(made)
    made.overturn(foul)
    state = made.core.state
    assert state.levels == {"EW": "5" if ended else "2", "NS": "4"}
    assert state.results[0]["order"] == _told(made)[1]["order"] == ("N", "E", "S", "W")


def test_a_record_put_right_meanwhile_stays(made: CaseTable) -> None:
    made.finish(list("ENWS"))
    last = made.core.state.past[-1].actions[-1].number
    made.ready()
    foul = made.rule("foul", "E")
    assert made.send(rv.PlayMoved, play=last, seat="S", by="ref", deal=1).refusal is None
    made.overturn(foul)
    assert made.core.state.past[0].actions[-1].seat == "S"
    assert made.core.state.levels == {"EW": "3", "NS": "2"}


def test_a_stop_overturned_meanwhile_does_not_come_back(made: CaseTable) -> None:
    stopped = made.rule("violation+stop", "N")
    foul = made.rule("foul", "E", "hidden_card")
    made.overturn(stopped)
    made.overturn(foul)
    made.send(ev.ResumeRequested, by="ref")
    assert (made.core.state.stops, made.core.state.phase) == ([], "playing")


def test_a_round_extended_meanwhile_keeps_its_end() -> None:
    table = CaseTable(5)
    table.open("huaian")
    table.send(rv.MatchSet, by="ref", system="计时", minutes=60)
    table.begin("E")
    foul = table.rule("foul", "E")
    assert table.send(rv.RoundExtended, minutes=10, by="ref").refusal is None
    ends_ms = table.core.state.match.ends_ms
    table.overturn(foul)
    assert table.core.state.match.ends_ms == ends_ms
