"""Events in orders that nobody plans for: each leaves a table that can be led on, and a journal that replays."""

from __future__ import annotations

from dataclasses import fields

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
