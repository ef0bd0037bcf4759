"""Events in orders that nobody plans for: each leaves a table that can be led on, and a journal that replays."""

from __future__ import annotations

from dataclasses import fields

import pytest

from table_controller.errors import ConfigError
from table_controller.games.guandan.profile import own_rules
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.codec import EVENT_TYPES, from_data, to_data


def test_every_event_is_written_and_read_without_loss() -> None:
    assert all(field.name != "type" for kind in EVENT_TYPES.values() for field in fields(kind))
    named = rv.TypeNamed(1, "S", "pair")
    assert from_data(to_data(named)) == named


def exchanging(table: EventTable) -> EventTable:
    """The second deal's tribute is due: E won before N, so W or S pays."""
    table.open()
    table.play_deal()
    for seat in "ENWS":
        table.send(ev.AreaCleared, seat=seat)
    table.deal()
    for seat in "ENWS":
        table.send(ev.ReadyPressed, seat=seat)
    assert table.core.state.phase == "tribute"
    return table


def test_what_nobody_owes_does_not_keep_a_table_paused(driven: EventTable) -> None:
    table = exchanging(driven)
    payer = table.core.state.exchange.owing[0]
    other = next(seat for seat in "ENWS" if seat not in table.core.state.exchange.owing)
    table.send(ev.PauseRequested, by="referee")
    assert table.send(ev.PassPressed, seat=other).refusal is not None, "nobody passes before the first lead"
    table.send(ev.CardsSeen, seat=other, cards=("5S",))
    table.send(ev.CardsSeen, seat=payer, cards=("KS",))
    assert table.send(ev.ResumeRequested, by="referee").refusal is None
    assert table.core.state.exchange.shown == {payer: "KS"}


def test_after_a_foul_all_ready_waits_for_the_leader_to_be_named(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    driven.send(rv.IrregularityNoted, kind="hidden_card", seat="N", by="referee")
    driven.send(rv.Ruled, incident=1, penalty="foul", by="head", role="head_referee")
    assert driven.core.state.phase == "deal_over"
    driven.deal()
    for seat in "ENWS":
        driven.send(ev.ReadyPressed, seat=seat)
    assert driven.core.state.phase == "sorting"
    driven.send(rv.LeaderNamed, leader="W", by="EW")
    assert (driven.core.state.phase, driven.core.state.leader) == ("playing", "W")


def test_after_a_foul_the_first_to_lay_leads_where_nobody_was_named(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    driven.send(rv.IrregularityNoted, kind="hidden_card", seat="N", by="referee")
    driven.send(rv.Ruled, incident=1, penalty="foul", by="head", role="head_referee")
    driven.deal()
    driven.send(ev.CardsSeen, seat="W", cards=("5S",))
    assert driven.core.state.leader == "W"
    assert [action.seat for action in driven.core.state.actions] == ["W"]


def test_resync_to_the_seat_that_played_last_lets_it_lead(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    outcome = driven.send(ev.Resync, by="referee", turn="N", counts=(5, 5, 10, 27), last_seat="N")
    deal = outcome.state.deal
    assert deal is not None
    assert (deal.turn, deal.leading) == ("N", True)


def test_places_corrected_while_tribute_is_due_change_who_owes_it(driven: EventTable) -> None:
    table = exchanging(driven)
    table.send(ev.PauseRequested, by="referee")
    order = ("E", "W") if "E" in table.core.state.exchange.owing else ("N", "S")
    both = {"deal": 1, "agreed": ("EW", "NS"), "by": "head", "role": "head_referee"}
    assert table.send(rv.ResultCorrected, order=order, **both).refusal is None
    table.send(ev.ResumeRequested, by="referee")
    owing = list(table.core.state.exchange.owing)
    assert set(owing) == {"E", "N", "W", "S"} - set(order)
    for seat, card in zip(owing, ("AS", "KD"), strict=True):
        assert table.send(ev.CardsSeen, seat=seat, cards=(card,)).refusal is None
    assert table.core.state.phase == "returning"
    assert table.send(rv.ResultCorrected, order=("N", "E", "W", "S"), **both).refusal is None
    assert table.send(rv.ExchangeCorrected, seat=owing[0], card="QS", by="referee").refusal is None


def voided(table: EventTable) -> EventTable:
    """E led 5S, N's hand was declared void, W and S played."""
    table.open()
    table.deal()
    table.sort_and_exchange()
    table.send(ev.CardsSeen, seat="E", cards=("5S",))
    table.send(rv.IrregularityNoted, kind="serious", seat="N", by="ref")
    void = {"penalty": "void_hand", "by": "head", "role": "head_referee", "apply": False}
    assert table.send(rv.Ruled, incident=1, **void).refusal is None
    for seat, card in (("W", "7S"), ("S", "9S")):
        assert table.send(ev.CardsSeen, seat=seat, cards=(card,)).refusal is None
    return table


def test_a_correction_after_a_void_hand_accuses_nobody(driven: EventTable) -> None:
    table = voided(driven)
    assert table.send(ev.PlayCorrected, play=1, cards=("5H",), by="referee").refusal is None
    assert [i.kind for i in table.core.state.incidents] == ["serious"]
    deal = table.core.state.deal
    assert deal is not None
    assert (deal.turn, deal.void, deal.out) == ("E", "N", ["N"])


def test_a_void_hand_stays_void_through_a_resync_and_there_is_no_second(driven: EventTable) -> None:
    table = voided(driven)
    table.send(rv.IrregularityNoted, kind="serious", seat="W", by="ref")
    void = {"penalty": "void_hand", "by": "head", "role": "head_referee"}
    assert table.send(rv.Ruled, incident=2, **void).refusal is not None
    assert table.send(ev.Resync, by="ref", turn="N", counts=(20, 20, 20, 20)).refusal is not None
    assert table.send(ev.Resync, by="ref", turn="E", counts=(20, 20, 20, 20)).refusal is None
    table.send(ev.CardsSeen, seat="E", cards=("6S",))
    assert table.core.state.deal is not None
    assert table.core.state.deal.turn == "W"


def test_a_void_hand_is_played_through_when_the_trick_ends_by_it(driven: EventTable) -> None:
    table = voided(driven)
    table.send(ev.PassPressed, seat="E")
    table.send(ev.PassPressed, seat="W")
    assert table.core.state.deal is not None
    assert (table.core.state.deal.turn, table.core.state.deal.trick_number) == ("S", 2)
    assert table.send(rv.PlayRemoved, play=3, by="referee").refusal is None
    assert table.core.state.deal is not None
    assert table.core.state.deal.turn is not None


def test_two_places_that_are_no_double_down_are_refused(driven: EventTable) -> None:
    driven.open()
    driven.play_deal()
    both = {"deal": 1, "agreed": ("EW", "NS"), "by": "head", "role": "head_referee"}
    refusal = driven.send(rv.ResultCorrected, order=("E", "S"), **both).refusal
    assert refusal is not None
    assert refusal.code == "ORDER"


@pytest.mark.parametrize(
    "setting",
    [
        "[report]\nreport_limit = -5",
        "[penalties]\nmanner_steps = []",
        '[penalties]\npass_manner_steps = ["shouting"]',
        "[round]\nleast_share_used = [2, 0]",
        "[round]\nleast_share_used = []",
        '[scores]\nbye = ["a", "b"]',
        "[clocks]\nplay_warning_ms = -1",
    ],
)
def test_a_setting_that_would_stop_a_table_later_is_refused_at_once(setting: str) -> None:
    with pytest.raises(ConfigError):
        own_rules("ours", f'inherits = "default"\n{setting}\n')


def test_a_void_hand_overturned_plays_again_and_later_corrections_accuse_nobody(driven: EventTable) -> None:
    table = voided(driven)
    assert table.send(ev.IncidentUpdated, incident=1, status="overturned", by="head").refusal is None
    table.send(ev.CardsSeen, seat="E", cards=("JS",))
    deal = table.core.state.deal
    assert deal is not None
    assert (deal.turn, deal.void, deal.out) == ("N", None, [])
    assert table.send(ev.PlayCorrected, play=table.core.state.actions[-1].number, cards=("JH",), by="r").refusal is None
    assert [i.kind for i in table.core.state.incidents] == ["serious"]


def test_nobody_thinks_while_a_foul_overturned_stands_paused(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    driven.send(rv.IrregularityNoted, kind="hidden_card", seat="E", by="ref")
    driven.send(rv.Ruled, incident=1, penalty="foul", by="head", role="head_referee")
    driven.send(ev.IncidentUpdated, incident=1, status="overturned", by="head")
    assert driven.core.state.phase == "paused"
    assert driven.core.state.thinking.since_ms is None
