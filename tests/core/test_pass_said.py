"""A pass by word or knock where the card is required: it counts, and a referee is told (003 L27; 000 L97)."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.errors import InputError
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.commands import parse_command

OURS = 'inherits = "national"\n[penalties]\npass_manner_steps = ["warning", "violation"]\n'


def led(rules: str = "") -> EventTable:
    """E has led a five."""
    table = EventTable()
    table.send(ev.TableOpened, table="t1", venue="v", profile="ours" if rules else "default", rules=rules)
    table.send(ev.DealtByHand, by="x", leader="E")
    for seat in "ENWS":
        table.send(ev.ReadyPressed, seat=seat)
    table.send(ev.CardsSeen, seat="E", cards=("5S",))
    return table


def kinds(table: EventTable) -> list[tuple[str, str]]:
    return [(i.kind, i.status) for i in table.core.state.incidents]


def early_timer(table: EventTable) -> None:
    table.now += 5000
    table.core.commit(table.core.handle(ev.TimerFired(table.now, "early")))


def test_one_pass_in_a_clean_deal_is_said_and_nothing_else_is_raised(driven: EventTable) -> None:
    driven.open("national")
    driven.deal()
    driven.sort_and_exchange()
    said: list[str] = []
    for _ in range(600):
        if driven.core.state.phase == "deal_over":
            break
        outcome = driven.act() if said else _pass_by_word(driven, said)
        assert outcome.refusal is None, outcome.refusal
    assert [(i.kind, i.seat, i.rule) for i in driven.core.state.incidents] == [("pass_said", said[0], "003 L27")]
    assert driven.core.state.phase == "deal_over"


def _pass_by_word(table: EventTable, said: list[str]) -> Any:
    """The seat in turn passes by word if it follows, else it plays."""
    deal = table.core.state.deal
    assert deal is not None
    assert deal.turn is not None
    if deal.to_beat is None:
        return table.act()
    said.append(deal.turn)
    return table.send(ev.PassPressed, seat=deal.turn, how="word")


def test_the_next_seat_is_not_accused_once_the_pass_that_nobody_saw_is_told() -> None:
    table = led()
    table.send(ev.CardsSeen, seat="W", cards=("9S",))
    early_timer(table)
    assert kinds(table) == [("out_of_turn", "open")]
    table.send(ev.PassPressed, seat="N", how="word")
    assert kinds(table) == [("out_of_turn", "overturned"), ("pass_said", "open")]
    assert [(a.seat, a.cards) for a in table.core.state.actions] == [("E", ("5S",)), ("N", ()), ("W", ("9S",))]


@pytest.mark.parametrize("told", ["said", "inserted"])
def test_a_play_that_a_referee_ruled_out_of_turn_stays_taken_back(told: str) -> None:
    table = led()
    table.send(ev.CardsSeen, seat="W", cards=("9S",))
    early_timer(table)
    table.send(rv.Ruled, incident=1, penalty="", by="r")
    if told == "said":
        table.send(ev.PassPressed, seat="N", how="word")
    else:
        table.send(rv.PlayInserted, after=1, seat="N", cards=(), by="r")
    assert [a.seat for a in table.core.state.actions if a.cards] == ["E"]


def test_a_pass_by_card_after_an_accusation_takes_nothing_that_lay_before_it() -> None:
    table = led()
    table.send(ev.CardsSeen, seat="W", cards=("9S",))
    early_timer(table)
    table.send(ev.PassPressed, seat="N")
    assert kinds(table) == [("out_of_turn", "open")]
    assert [a.seat for a in table.core.state.actions] == ["E", "N"]


def test_a_venue_names_a_penalty_and_both_wrong_ways_of_a_pair_count_together() -> None:
    table = led(OURS)
    table.send(ev.PassPressed, seat="N", how="knock")
    table.send(rv.Ruled, incident=1, penalty="warning", by="r")
    table.send(rv.IrregularityNoted, kind="pass_mixed", seat="S", by="r")
    table.send(rv.IrregularityNoted, kind="pass_said", seat="E", by="r")
    assert [(i.proposal, i.rule) for i in table.core.state.incidents] == [
        ("warning", "000 L219"), ("violation", "000 L219"), ("warning", "000 L219"),
    ]  # fmt: skip


def test_where_a_word_is_the_way_to_pass_nobody_can_note_it_as_wrong() -> None:
    table = led('inherits = "huaian"\n')
    refusal = table.send(rv.IrregularityNoted, kind="pass_said", seat="N", by="r").refusal
    assert refusal is not None
    assert "pass_mixed" in refusal.way_out


def test_a_command_tells_how_and_what_is_no_way_to_pass_is_refused() -> None:
    assert parse_command({"do": "pass", "seat": "N", "how": "word"}, 5, lambda: "E") == ev.PassPressed(5, "N", "word")
    assert parse_command({"do": "pass", "seat": "N"}, 5, lambda: "E") == ev.PassPressed(5, "N")
    for how in ("shout", ["word"], 1, None):
        with pytest.raises(InputError):
            parse_command({"do": "pass", "seat": "N", "how": how}, 5, lambda: "E")


def test_a_pass_said_during_a_pause_waits_and_is_told_at_once() -> None:
    table = led()
    table.send(ev.PauseRequested, by="r")
    table.send(ev.PassPressed, seat="N", how="word")
    assert [a.seat for a in table.core.state.actions] == ["E"]
    table.send(ev.ResumeRequested, by="r")
    assert [a.seat for a in table.core.state.actions] == ["E", "N"]
    assert kinds(table) == [("pass_said", "open")]
