"""Reports after the record was put right: what was shown is held against the number that is held by it."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.games.guandan.profile import load_profile
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from tests.rules.case_table import CaseTable, table


def reported(number: int | None, *, left: int = 12) -> CaseTable:
    """E leads a pair, with so many cards before it, and shows this number."""
    made = table(load_profile("default"))
    made.begin("E")
    made.send(ev.Resync, by="r", turn="E", counts=(left, 20, 20, 20))
    made.send(ev.CardsSeen, seat="E", cards=("5S", "5D"))
    if number is not None:
        made.send(ev.PromptLaid, seat="E", kind=str(number))
    return made


def said(made: CaseTable) -> list[tuple[str, str, str]]:
    return [(i.kind, i.status, i.detail) for i in made.core.state.incidents]


def correct(made: CaseTable, cards: str, play: int = 1) -> None:
    outcome = made.send(ev.PlayCorrected, play=play, cards=tuple(cards.split()), by="r")
    assert outcome.refusal is None, outcome.refusal


def number(made: CaseTable, seat: Any = "E") -> int | None:
    assert made.core.state.deal is not None
    return made.core.state.deal.reported.get(seat)


def go_round(made: CaseTable, *cards: str) -> None:
    """The others pass, and E leads again."""
    for seat in "NWS":
        made.send(ev.PassPressed, seat=seat)
    made.send(ev.AreaCleared, seat="E")
    made.send(ev.CardsSeen, seat="E", cards=cards)


def test_a_wrong_report_stays_when_another_play_is_corrected_that_leaves_the_number_shown() -> None:
    made = reported(9)
    assert said(made) == [("wrong_report", "open", "9 shown, 10 held")]
    go_round(made, "6S")
    correct(made, "7S", play=made.core.state.actions[-1].number)
    assert said(made) == [("wrong_report", "open", "9 shown, 10 held")]
    assert number(made) == 10


@pytest.mark.parametrize("later", [0, 1, 2])
def test_a_right_report_that_was_of_another_number_is_told_and_goes_with_the_error(later: int) -> None:
    made = reported(10)
    for card in ("6S", "7S")[:later]:
        go_round(made, card)
    assert said(made) == []
    correct(made, "5S 5D 5C")
    assert (said(made), number(made)) == ([("wrong_report", "open", "10 shown, 9 held")], 9)
    correct(made, "5S 5D")
    assert (said(made), number(made)) == ([("wrong_report", "overturned", "10 shown, 9 held")], 10)
    correct(made, "5S 5D 5C")
    assert [status for _, status, _ in said(made)] == ["overturned", "open"]


def test_a_wrong_report_that_was_right_by_the_record_goes_and_the_number_is_told() -> None:
    made = reported(9)
    correct(made, "5S 5D 5C")
    assert (said(made), number(made)) == ([("wrong_report", "overturned", "9 shown, 10 held")], 9)


def test_nobody_who_reported_nothing_is_told_to_have_shown_a_wrong_number() -> None:
    made = reported(None)
    go_round(made, "6S")
    assert [kind for kind, _, _ in said(made)] == ["missed_report"]
    correct(made, "5S 5D 5C")
    assert [kind for kind, _, _ in said(made)] == ["missed_report"]
    assert number(made) == 9


def test_a_report_missed_by_a_misreading_goes_with_the_warning_for_it() -> None:
    made = reported(None)
    go_round(made, "6S")
    made.send(rv.Ruled, incident=1, penalty="warning", by="r")
    correct(made, "5S")
    assert [(kind, status) for kind, status, _ in said(made)] == [("missed_report", "resolved")], "ten cards: due later"
    made = reported(None, left=13)
    correct(made, "5S 5D 5C")
    go_round(made, "6S")
    made.send(rv.Ruled, incident=1, penalty="warning", by="r")
    correct(made, "5S")
    assert [(kind, status) for kind, status, _ in said(made)] == [("missed_report", "overturned")]
    assert made.core.state.given == []


def test_who_was_passed_over_is_passed_over_again_after_play_went_back() -> None:
    made = table(load_profile("default"))
    made.begin("E")
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    made.send(ev.CardsSeen, seat="W", cards=("9S",))
    made.early_timer()
    made.send(rv.Ruled, incident=1, penalty="", by="r")
    for _ in range(2):
        made.send(ev.PassPressed, seat="N")
        assert made.core.state.deal.turn == "S"  # type: ignore[union-attr]
        assert made.send(rv.RolledBack, play=1, by="r").refusal is None
        assert [(stop.seat, stop.once) for stop in made.core.state.stops] == [("W", True)]
