"""A human's word at any later time: the deal is judged anew, and what no longer holds is withdrawn."""

from __future__ import annotations

import copy

import pytest

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.effects import Publish, SetTimer
from table_controller.table.state import TableState


@pytest.fixture
def led(driven: EventTable) -> EventTable:
    """E has led a single five; N is in turn."""
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    driven.send(ev.CardsSeen, seat="E", cards=("5S",))
    return driven


def fire_early(table: EventTable) -> None:
    at_ms = [e.at_ms for e in table.effects if isinstance(e, SetTimer) and e.name == "early"][-1]
    table.now = max(table.now, at_ms)
    outcome = table.core.handle(ev.TimerFired(at_ms, "early"))
    table.core.commit(outcome)


def record(state: TableState) -> list[tuple[str, tuple[str, ...]]]:
    return [(a.seat, a.cards) for a in state.actions]


def test_a_missed_play_told_later_puts_what_followed_in_turn_and_withdraws_the_accusation(led: EventTable) -> None:
    led.send(ev.CardsSeen, seat="W", cards=("9S",))
    fire_early(led)
    assert [(i.kind, i.status) for i in led.core.state.incidents] == [("out_of_turn", "open")]
    outcome = led.send(rv.PlayInserted, after=1, seat="N", cards=("7S",), by="ref")
    assert outcome.refusal is None
    state = led.core.state
    assert record(state) == [("E", ("5S",)), ("N", ("7S",)), ("W", ("9S",))]
    assert [(i.kind, i.status) for i in state.incidents] == [("out_of_turn", "overturned")]
    assert state.deal is not None
    assert state.deal.turn == "S"
    told = [dict(e.data) for e in led.effects if isinstance(e, Publish) and e.kind == "correction"]
    assert told[-1]["change"] == "inserted"


def test_a_missed_pass_can_be_told(led: EventTable) -> None:
    led.send(ev.CardsSeen, seat="W", cards=("9S",))
    fire_early(led)
    led.send(rv.PlayInserted, after=1, seat="N", cards=(), by="ref")
    assert record(led.core.state) == [("E", ("5S",)), ("N", ()), ("W", ("9S",))]


def test_a_play_that_never_was_goes(led: EventTable) -> None:
    led.send(ev.PassPressed, seat="N")
    assert led.send(rv.PlayRemoved, play=2, by="ref").refusal is None
    state = led.core.state
    assert record(state) == [("E", ("5S",))]
    assert state.deal is not None
    assert (state.deal.turn, state.clock.seat) == ("N", "N")


def test_a_play_noted_for_the_wrong_seat_is_moved(led: EventTable) -> None:
    led.send(ev.CardsSeen, seat="N", cards=("7S",))
    assert led.send(rv.PlayMoved, play=2, seat="W", by="ref").refusal is None
    state = led.core.state
    assert state.deal is not None
    assert (state.deal.counts["N"], state.deal.counts["W"]) == (27, 26)
    assert [i.kind for i in state.incidents] == ["out_of_turn"], "W came before N"


def test_a_correction_withdraws_what_rested_on_the_misreading(led: EventTable) -> None:
    led.send(ev.CardsSeen, seat="N", cards=("7S",))
    led.send(ev.PlayCorrected, play=1, cards=("9S",), by="ref")
    assert [(i.kind, i.status) for i in led.core.state.incidents] == [("does_not_beat", "open")]
    led.send(ev.PlayCorrected, play=1, cards=("5S",), by="ref")
    assert [(i.kind, i.status) for i in led.core.state.incidents] == [("does_not_beat", "overturned")]


def test_cards_misread_as_no_play_are_told_and_the_incident_goes(led: EventTable) -> None:
    led.send(ev.CardsSeen, seat="N", cards=("7S", "8S"))
    outcome = led.send(ev.PlayEntered, seat="N", cards=("8S",), by="ref", replaces=1)
    assert outcome.refusal is None
    assert record(led.core.state)[-1] == ("N", ("8S",))
    assert led.core.state.incidents[0].status == "overturned"
    assert led.send(ev.PlayEntered, seat="W", cards=("9S",), by="ref", replaces=1).refusal is not None


def test_a_play_may_stand_as_so_many_cards_with_faces_unknown(led: EventTable) -> None:
    led.send(ev.PlayEntered, seat="N", cards=("??", "??"), by="ref")
    state = led.core.state
    assert state.deal is not None
    assert (state.deal.counts["N"], state.deal.to_beat_unknown, state.actions[-1].is_doubtful) == (25, True, True)


def test_play_rolls_back_to_the_report_that_was_missed() -> None:
    table = EventTable(1)
    table.open("huaian")
    table.deal()
    table.sort_and_exchange()
    state = table.core.state
    assert state.deal is not None
    for seat in ("E", "N", "W", "S"):
        state.deal.counts[seat] = 11
    state.resynced = copy.deepcopy(state.deal)
    table.send(ev.CardsSeen, seat="E", cards=("5S",))
    table.send(ev.CardsSeen, seat="N", cards=("6S",))
    table.send(ev.CardsSeen, seat="W", cards=("7S",))
    assert table.send(rv.RolledBack, play=1, by="ref", reason="E did not report").refusal is None
    state = table.core.state
    assert record(state) == [("E", ("5S",))]
    assert state.deal is not None
    assert (state.deal.turn, state.deal.owes_report) == ("N", {"E": 10})
    assert state.exposed == [("N", "6S"), ("W", "7S")]


def test_a_finished_deal_is_corrected_and_the_levels_follow(driven: EventTable) -> None:
    """The last play of the first deal was another seat's: places, winner and levels are found anew."""
    driven.open()
    driven.play_deal()
    state = driven.core.state
    first = state.results[0]
    number = state.past[0].actions[0].number
    cards = state.past[0].actions[0].cards
    driven.deal()
    # A correction that changes no place changes no level.
    levels = dict(driven.core.state.levels)
    same = driven.send(ev.PlayCorrected, play=number, cards=cards, by="ref", deal=1)
    assert same.refusal is None
    assert (driven.core.state.levels, driven.core.state.results[0]) == (levels, first)
    # One that would leave the deal unfinished is refused, and nothing changes.
    last = driven.core.state.past[0].actions[-1].number
    assert driven.send(rv.PlayRemoved, play=last, by="ref", deal=1).refusal is not None
    assert driven.send(ev.PlayCorrected, play=number, cards=cards, by="ref", deal=7).refusal is not None


def test_places_entered_wrongly_are_corrected_with_both_pairs_agreement(driven: EventTable) -> None:
    driven.open()
    driven.play_deal()
    told = {"deal": 1, "order": ("W", "E"), "by": "head", "role": "head_referee"}
    assert driven.send(rv.ResultCorrected, **told, agreed=("EW",)).refusal is not None
    assert driven.send(rv.ResultCorrected, **{**told, "role": "referee"}, agreed=("EW", "NS")).refusal is not None
    assert driven.send(rv.ResultCorrected, **told, agreed=("EW", "NS")).refusal is None
    state = driven.core.state
    assert (state.levels, state.deal_level, state.last_order) == ({"EW": "5", "NS": "2"}, "5", ["W", "E", None, None])


def test_a_tribute_is_put_right_before_the_first_play() -> None:
    for seed in range(12):
        table = EventTable(seed)
        table.open()
        table.play_deal()
        table.deal()
        for seat in ("E", "N", "W", "S"):
            table.send(ev.ReadyPressed, seat=seat)
        exchange = table.core.state.exchange
        if len(exchange.owing) != 1:
            continue
        payer = exchange.owing[0]
        table.send(ev.CardsSeen, seat=payer, cards=("KS",))
        outcome = table.send(rv.ExchangeCorrected, seat=payer, card="AS", by="ref", wrong=True)
        assert outcome.refusal is None
        state = table.core.state
        assert state.exchange.shown == {payer: "AS"}
        assert [(i.kind, i.proposal) for i in state.incidents] == [("wrong_tribute_early", "warning")]
        receiver = state.exchange.pays[payer]
        table.send(ev.CardsSeen, seat=receiver, cards=("QS",))
        assert table.core.state.incidents[-1].kind == "return_too_high"
        table.send(rv.ExchangeCorrected, seat=receiver, card="3S", by="ref")
        assert table.core.state.incidents[-1].status == "overturned"
        # Proof afterwards: the payer plays a card above the one it paid.
        leader = table.core.state.deal.turn  # type: ignore[union-attr]
        assert leader == payer
        table.send(ev.CardsSeen, seat=payer, cards=("SJ",))
        last = table.core.state.incidents[-1]
        assert (last.kind, last.seat, last.detail) == ("wrong_tribute", payer, f"SJ in play {last.play}")
        # A correction of that reading takes the proof away.
        assert last.play is not None
        table.send(ev.PlayCorrected, play=last.play, cards=("9S",), by="ref")
        assert table.core.state.incidents[-1].status == "overturned"
        return
    raise AssertionError("no single tribute in twelve seeds")


def test_a_dispute_is_settled_once_both_pairs_agree(led: EventTable) -> None:
    led.send(rv.DisputeRaised, seat="N", play=1, reason="it was a six")
    led.send(rv.DisputeAgreed, seat="S", incident=1)
    assert led.core.state.incidents[0].is_open
    led.send(rv.DisputeAgreed, seat="E", incident=1)
    assert led.core.state.incidents[0].status == "resolved"
