"""Tribute and return at the table: whose card is late, what nobody owed, what is put right before play."""

from __future__ import annotations

import pytest

from table_controller.cards import SEATS, Seat
from table_controller.games.guandan.order import card_strength
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.effects import SetTimer


def tribute_due(payers: int) -> EventTable:
    """A table in its second deal, where so many owe tribute and nobody holds both big jokers."""
    for seed in range(60):
        table = EventTable(seed)
        table.open()
        table.play_deal()
        table.deal()
        for seat in SEATS:
            table.send(ev.ReadyPressed, seat=seat)
        owing = table.core.state.exchange.owing
        jokers = sum(table.brains[seat].hand.count("BJ") for seat in owing)
        if len(owing) == payers and jokers == 0:
            return table
    raise AssertionError("no such deal in sixty seeds")


def fire(table: EventTable, name: str) -> None:
    at_ms = [e.at_ms for e in table.effects if isinstance(e, SetTimer) and e.name == name][-1]
    outcome = table.core.handle(ev.TimerFired(at_ms, name))
    assert outcome.refusal is None, outcome.refusal
    table.now = at_ms
    table.core.commit(outcome)
    table.effects.extend(outcome.effects)


def told(table: EventTable) -> list[tuple[str, Seat | None, str]]:
    return [(i.kind, i.seat, i.proposal) for i in table.core.state.incidents]


def pay(table: EventTable, seat: Seat, at_ms: int) -> None:
    table.now = at_ms - 500
    table.send(ev.CardsSeen, seat=seat, cards=(table.brains[seat].tribute(table.core.state.deal_level),))


@pytest.mark.parametrize(("used_ms", "late"), [(14_900, False), (15_000, False), (15_001, True)])
def test_the_stamp_of_a_tribute_decides_and_a_tie_goes_to_the_player(used_ms: int, late: bool) -> None:
    table = tribute_due(1)
    (payer,), began = table.core.state.exchange.owing, table.core.state.clock.anchor_ms
    fire(table, "warning")  # fifteen seconds are over, but a card stamped before may still be read
    pay(table, payer, began + used_ms)
    assert table.core.state.phase == "returning"
    assert told(table) == ([("tribute_late", payer, "warning")] if late else [])


def test_every_seat_that_still_owes_is_told_and_again_at_each_further_step() -> None:
    table = tribute_due(2)
    first, second = table.core.state.exchange.owing
    pay(table, first, table.core.state.clock.anchor_ms + 3000)
    fire(table, "late")
    fire(table, "limit")
    fire(table, "limit")
    incidents = table.core.state.incidents
    assert [(i.kind, i.seat, i.detail) for i in incidents] == [
        ("tribute_late", second, ""),
        ("tribute_late", second, "violation 1"),
        ("tribute_late", second, "violation 2"),
    ]
    pay(table, second, table.now + 1000)
    assert (table.core.state.phase, len(table.core.state.incidents)) == ("returning", 3)
    fire(table, "late")  # both returns
    assert [i.kind for i in table.core.state.incidents[3:]] == ["return_late"] * 2


def test_a_pause_stops_the_clock_of_the_tribute() -> None:
    table = tribute_due(1)
    began = table.core.state.clock.anchor_ms
    table.now = began + 9_500
    table.send(ev.PauseRequested, by="ref")
    table.now = began + 60_000
    table.send(ev.ResumeRequested, by="ref")
    pay(table, table.core.state.exchange.owing[0], table.now + 4_500)
    assert told(table) == []


def test_a_card_that_nobody_owed_is_told_once_and_due_by_a_ruling() -> None:
    table = tribute_due(1)
    other = next(seat for seat in SEATS if seat not in table.core.state.exchange.owing)
    table.send(ev.CardsSeen, seat=other, cards=("AS",))
    assert table.send(ev.CardsSeen, seat=other, cards=("AS",)).refusal is not None
    assert table.send(ev.CardsSeen, seat=other, cards=("AS", "KS")).refusal is not None
    assert table.send(ev.PlayEntered, seat=other, cards=("KS",), by="page").refusal is not None
    assert [(i.kind, i.seat, i.detail) for i in table.core.state.incidents] == [("tribute_not_due", other, "AS")]
    assert table.core.state.shown_cards == []
    table.send(rv.Ruled, incident=1, penalty="", by="ref")
    assert [(s.seat, s.card) for s in table.core.state.shown_cards] == [(other, "AS")]
    table.send(ev.IncidentUpdated, incident=1, status="overturned", by="ref")
    assert table.core.state.shown_cards == []


def test_a_higher_card_in_place_of_the_tribute_is_the_tribute() -> None:
    table = tribute_due(1)
    (payer,), level = table.core.state.exchange.owing, table.core.state.deal_level
    lower = min(table.brains[payer].hand, key=lambda card: card_strength(card, level))
    table.send(ev.CardsSeen, seat=payer, cards=(lower,))
    highest = table.brains[payer].tribute(level)
    table.send(ev.CardsSeen, seat=payer, cards=(highest,))
    state = table.core.state
    assert (state.phase, state.exchange.shown) == ("returning", {payer: highest})
    assert told(table) == [("wrong_tribute_early", payer, "warning")]
    assert table.send(ev.CardsSeen, seat=payer, cards=(lower,)).refusal is not None


def test_a_small_card_in_place_of_a_return_above_ten_is_the_return() -> None:
    table = tribute_due(1)
    payer = table.core.state.exchange.owing[0]
    pay(table, payer, table.now + 1000)
    receiver = table.core.state.exchange.pays[payer]
    table.send(ev.CardsSeen, seat=receiver, cards=("KD",))
    table.send(ev.CardsSeen, seat=receiver, cards=("4D",))
    state = table.core.state
    assert (state.exchange.returned, state.early, state.phase) == ({receiver: "4D"}, [], "playing")
    assert [(i.kind, i.status) for i in state.incidents] == [
        ("return_too_high", "overturned"),
        ("wrong_return_early", "open"),
    ]
    # After that a card of the receiver is a play before its turn again.
    table.send(ev.CardsSeen, seat=receiver, cards=("5D",))
    assert [early.cards for early in table.core.state.early] == [("5D",)]
