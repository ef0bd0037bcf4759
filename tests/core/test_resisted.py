"""Jokers that resist a tribute: a doubtful reading settles nothing, a human is asked first (000 L153-L155)."""

from __future__ import annotations

import pytest

from table_controller.errors import InputError, TableError
from table_controller.games.guandan.profile import load_profile
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.commands import parse_command
from table_controller.table.snapshot import snapshot
from tests.rules.case_table import CaseTable, in_tribute


def due(order: str = "ENWS") -> CaseTable:
    """A second deal after one with these places, tribute due: S owes E, or after EW both N and S owe."""
    return in_tribute(load_profile("default"), order)


def lay(table: EventTable, seat: str, cards: str, *doubtful: int) -> None:
    outcome = table.send(ev.CardsSeen, seat=seat, cards=tuple(cards.split()), doubtful=doubtful, evidence="t.jpg")
    assert outcome.refusal is None, outcome.refusal


def tell(table: EventTable, seat: str, card: str) -> None:
    command = {"do": "correct_exchange", "seat": seat, "card": card, "by": "r"}
    refusal = table.send(lambda at_ms: parse_command(command, at_ms, lambda: "E")).refusal
    assert refusal is None, refusal


def asked(table: EventTable) -> list[tuple[str, list[str], str]]:
    return [(q["seat"], q["cards"], q["evidence"]) for q in snapshot(table.core.state, table.now)["asked"]]


def stands(table: EventTable) -> tuple[str, bool, str | None]:
    state = table.core.state
    return state.phase, state.exchange.resisted, state.leader


@pytest.mark.parametrize("doubtful", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("read", ["BJ BJ", "BJ SJ", "BJ ??"])
def test_two_jokers_of_one_payer_read_doubtfully_wait_for_a_human(read: str, doubtful: tuple[int, ...]) -> None:
    if read == "BJ SJ" and doubtful == (0,):
        doubtful = (1,)
    table = due()
    lay(table, "S", read, *doubtful)
    assert stands(table) == ("tribute", False, None)
    assert asked(table) == [("S", read.split(), "t.jpg")]
    tell(table, "S", "BJ BJ")
    assert stands(table) == ("playing", True, "E")
    assert asked(table) == []


def test_a_human_says_that_one_of_them_was_the_small_joker() -> None:
    table = due()
    lay(table, "S", "BJ BJ", 1)
    tell(table, "S", "SJ BJ")
    assert stands(table) == ("returning", False, "S")
    assert table.core.state.exchange.shown == {"S": "BJ"}


@pytest.mark.parametrize(("said", "after"), [("BJ", ("playing", True, "E")), ("SJ", ("returning", False, "N"))])
@pytest.mark.parametrize("read", ["BJ", "SJ", "??"])
def test_one_joker_of_each_payer_of_which_one_is_doubtful(said: str, after: tuple[str, bool, str], read: str) -> None:
    table = due("EW")
    lay(table, "N", "BJ")
    lay(table, "S", read, 0)
    assert stands(table) == ("tribute", False, None)
    tell(table, "S", said)
    assert stands(table) == after


def test_laid_again_and_read_surely_nobody_is_asked_any_more() -> None:
    table = due()
    lay(table, "S", "BJ BJ", 1)
    table.send(ev.AreaCleared, seat="S")
    lay(table, "S", "BJ BJ")
    assert stands(table) == ("playing", True, "E")
    assert [(i.kind, i.status) for i in table.core.state.incidents] == [("doubtful_exchange", "resolved")]


def test_a_doubtful_second_joker_after_a_tribute_is_asked_about_once() -> None:
    table = due()
    lay(table, "S", "BJ")
    for _ in range(2):
        lay(table, "S", "BJ BJ", 1)
    assert stands(table) == ("returning", False, "S")
    assert asked(table) == [("S", ["BJ", "BJ"], "t.jpg")]
    tell(table, "S", "BJ BJ")
    assert stands(table) == ("playing", True, "E")
    assert table.core.state.exchange.pays == {}


def test_a_card_put_right_into_the_second_big_joker_resists() -> None:
    table = due("EW")
    lay(table, "N", "BJ")
    lay(table, "S", "SJ")
    assert stands(table) == ("returning", False, "N")
    tell(table, "S", "BJ")
    assert stands(table) == ("playing", True, "E")


def test_once_a_return_lies_it_is_refused_and_says_what_to_do() -> None:
    table = due("EW")
    lay(table, "N", "BJ")
    lay(table, "S", "SJ")
    lay(table, "E", "3S")
    refusal = table.send(rv.ExchangeCorrected, seat="S", card="BJ", by="r").refusal
    assert refusal is not None
    assert (refusal.code, bool(refusal.way_out)) == ("EXCHANGE", True)
    assert table.core.state.exchange.shown["S"] == "SJ"


@pytest.mark.parametrize(("said", "after"), [("BJ", ("playing", True, "E")), ("KS", ("returning", False, "N"))])
def test_a_card_told_during_a_pause_counts_when_play_goes_on(said: str, after: tuple[str, bool, str]) -> None:
    table = due("EW")
    lay(table, "N", "BJ")
    lay(table, "S", "??")
    table.send(ev.PauseRequested, by="r")
    tell(table, "S", said)
    assert table.core.state.phase == "paused"
    table.send(ev.ResumeRequested, by="r")
    assert stands(table) == after


def test_a_clear_resistance_needs_no_question_whatever_else_is_doubtful() -> None:
    table = due("EW")
    lay(table, "N", "BJ")
    lay(table, "S", "BJ SJ", 1)
    assert stands(table) == ("playing", True, "E")
    assert asked(table) == []


@pytest.mark.parametrize("card", ["BJ BJ BJ", "", "BJ XX"])
def test_what_is_no_card_or_too_many_is_refused(card: str) -> None:
    with pytest.raises((InputError, TableError)):
        parse_command({"do": "correct_exchange", "seat": "S", "card": card}, 5, lambda: "E")


@pytest.mark.parametrize("paused", [False, True])
@pytest.mark.parametrize("status", ["resolved", "overturned"])
def test_a_question_that_the_tribute_waits_for_is_answered_and_not_put_away(status: str, paused: bool) -> None:
    table = due()
    lay(table, "S", "BJ BJ", 1)
    if paused:
        table.send(ev.PauseRequested, by="r")
    refusal = table.send(ev.IncidentUpdated, incident=1, status=status, by="r").refusal
    assert refusal is not None
    assert "Say which" in refusal.way_out
    assert table.send(ev.IncidentUpdated, incident=1, status="acknowledged", by="r").refusal is None
    assert asked(table) == [("S", ["BJ", "BJ"], "t.jpg")]


def test_a_return_is_one_card() -> None:
    table = due()
    lay(table, "S", "KS")
    lay(table, "E", "3S")
    assert table.send(rv.ExchangeCorrected, seat="E", card="BJ", by="r", second="BJ").refusal is not None
