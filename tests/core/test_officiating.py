"""Irregularities, rulings, counters and overturning, through the core."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from table_controller.cards import SEATS, next_seat, partner
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.effects import Publish, SetTimer
from table_controller.table.incidents import NOTED, Incident

HEAD = {"by": "head", "role": "head_referee"}


def kinds(table: EventTable) -> list[str]:
    return [i.kind for i in table.core.state.incidents]


def last(table: EventTable) -> Incident:
    return table.core.state.incidents[-1]


def fire(table: EventTable, name: str) -> None:
    """Let the newest timer of this name run out."""
    at_ms = [e.at_ms for e in table.effects if isinstance(e, SetTimer) and e.name == name][-1]
    table.now = max(table.now, at_ms)
    outcome = table.core.handle(ev.TimerFired(at_ms, name))
    table.core.commit(outcome)
    table.effects.extend(outcome.effects)


def rule(table: EventTable, penalty: str = "warning", **more: Any) -> None:
    outcome = table.send(rv.Ruled, **{"incident": last(table).number, "penalty": penalty, "by": "ref", **more})
    assert outcome.refusal is None, outcome.refusal


def turn(table: EventTable) -> str:
    deal = table.core.state.deal
    assert deal is not None
    assert deal.turn is not None
    return deal.turn


def essence(table: EventTable) -> Any:
    """Score, level, counters, rights and record: what overturning must restore."""
    state = copy.deepcopy(table.core.state)
    deal = state.deal
    return (
        state.levels, state.deal_level, state.owner, state.winner, state.results, state.given, state.stops, state.bans,
        state.deal_number, state.actions, deal, state.last_order, state.no_tribute, state.a_failures, state.match,
    )  # fmt: skip


@pytest.fixture
def led(driven: EventTable) -> EventTable:
    """E has led a single; N is in turn."""
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    assert driven.send(ev.CardsSeen, seat="E", cards=("5S",)).refusal is None
    return driven


def test_a_followers_wrong_play_loses_the_turn_and_bars_the_type_for_the_partner(led: EventTable) -> None:
    led.send(ev.CardsSeen, seat="N", cards=("4S", "4D"))
    incident = last(led)
    assert (incident.kind, incident.seat, incident.type) == ("does_not_beat", "N", "pair")
    assert turn(led) == "N", "the table only advises"
    rule(led)
    assert turn(led) == "W", "the follower lost this turn (000 L257)"
    assert led.core.state.actions[-1].stopped
    ban = led.core.state.bans[0]
    assert (ban.seat, ban.type, ban.trick) == ("S", "pair", 2)
    # S wins the trick and leads a pair: barred (000 L259).
    led.send(ev.PassPressed, seat="W")
    led.send(ev.CardsSeen, seat="S", cards=("AS",))
    led.send(ev.PassPressed, seat="E")
    led.send(ev.PassPressed, seat="N")
    led.send(ev.PassPressed, seat="W")
    led.send(ev.CardsSeen, seat="S", cards=("9S", "9D"))
    assert last(led).kind == "banned_type"
    assert turn(led) == "S"
    led.send(ev.AreaCleared, seat="S")
    led.send(ev.CardsSeen, seat="S", cards=("9S",))
    assert led.core.state.actions[-1].cards == ("9S",)


def test_a_leaders_wrong_play_lets_the_left_hand_neighbour_name_the_type(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    driven.send(ev.CardsSeen, seat="E", cards=("5S", "5D", "6D"))
    assert last(driven).kind == "not_a_play"
    rule(driven)
    assert (driven.core.state.names_type, driven.core.state.nameable) == ("S", ["single", "pair"])
    assert driven.send(rv.TypeNamed, seat="S", play_type="triple").refusal is not None
    assert driven.send(rv.TypeNamed, seat="N", play_type="single").refusal is not None
    assert driven.send(rv.TypeNamed, seat="S", play_type="pair").refusal is None
    driven.send(ev.AreaCleared, seat="E")
    driven.send(ev.CardsSeen, seat="E", cards=("5S",))
    assert last(driven).kind == "banned_type"
    driven.send(ev.AreaCleared, seat="E")
    driven.send(ev.CardsSeen, seat="E", cards=("5S", "5D"))
    assert turn(driven) == "N"
    assert driven.core.state.must_lead is None


def test_a_play_out_of_turn_loses_the_next_turn_only(led: EventTable) -> None:
    led.send(ev.CardsSeen, seat="W", cards=("9S",))
    fire(led, "early")
    assert (last(led).kind, last(led).seat, last(led).type) == ("out_of_turn", "W", "single")
    rule(led)
    assert turn(led) == "N"
    led.send(ev.PassPressed, seat="N")
    assert turn(led) == "S", "W's turn is passed over (000 L275)"
    led.send(ev.CardsSeen, seat="S", cards=("TS",))
    led.send(ev.PassPressed, seat="E")
    led.send(ev.PassPressed, seat="N")
    assert turn(led) == "W", "then the right to follow comes back by itself"


def test_a_pass_out_of_turn_bars_both_partners_until_an_opponent_follows(led: EventTable) -> None:
    led.send(ev.PassPressed, seat="S")
    fire(led, "early")
    assert last(led).kind == "pass_out_of_turn"
    rule(led)
    assert turn(led) == "W", "N is S's partner and may not follow (000 L281)"
    led.send(ev.CardsSeen, seat="W", cards=("9S",))
    assert turn(led) == "S", "an opponent followed: the ban is over (000 L283)"


def test_taking_back_a_play_that_stands_is_told(led: EventTable) -> None:
    led.send(ev.AreaCleared, seat="E")
    led.send(ev.CardsSeen, seat="E", cards=("7S", "7D"))
    fire(led, "early")
    assert last(led).kind == "taken_back"


def test_a_card_that_slides_in_belongs_to_the_play_and_one_laid_later_is_a_split_play(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    now = driven.now
    handle = driven.core.handle
    driven.core.commit(handle(ev.CardsSeen(now, "E", ("5S", "5D"))))
    driven.core.commit(handle(ev.CardsSeen(now + 900, "E", ("5C",))))
    state = driven.core.state
    assert [a.cards for a in state.actions] == [("5S", "5D", "5C")]
    assert (state.deal.counts["E"], state.deal.turn, kinds(driven)) == (24, "N", [])  # type: ignore[union-attr]
    # N: four cards of a plate's six, no play by themselves; the rest comes two seconds later.
    driven.core.commit(handle(ev.CardsSeen(now + 2000, "N", ("6S", "6D"))))
    assert [(i.kind, i.status) for i in driven.core.state.incidents] == [("does_not_beat", "open")]
    driven.core.commit(driven.core.handle(ev.CardsSeen(now + 4000, "N", ("6C",))))
    assert driven.core.state.actions[-1].cards == ("6S", "6D", "6C")
    assert [(i.kind, i.status) for i in driven.core.state.incidents] == [
        ("does_not_beat", "overturned"),
        ("split_play", "open"),
    ]


def test_missed_reports_of_a_pair_escalate_and_the_second_stops_a_trick() -> None:
    table = EventTable(1)
    table.open("huaian")
    table.deal()
    table.sort_and_exchange()
    state = table.core.state
    state.deal.counts = {"E": 11, "N": 27, "W": 11, "S": 27}  # type: ignore[union-attr]
    for seat, card in (("E", "3S"), ("N", None), ("W", "4S"), ("S", None), ("E", "5S"), ("N", None), ("W", "6S")):
        make = {"cards": (card,)} if card else {}
        table.send(ev.CardsSeen if card else ev.PassPressed, seat=seat, **make)
        if kinds(table) and last(table).is_open:
            expected = "warning" if len(kinds(table)) == 1 else "violation+stop"
            assert (last(table).kind, last(table).proposal, last(table).needs) == ("missed_report", expected, "referee")
            rule(table, expected)
    assert kinds(table) == ["missed_report", "missed_report"]
    assert [stop.seat for stop in table.core.state.stops] == ["W"]


def test_the_second_violation_makes_a_foul_due_and_only_the_head_referee_gives_it(led: EventTable) -> None:
    for seat in ("E", "W"):
        led.send(rv.IrregularityNoted, kind="serious", seat=seat, by="ref")
        rule(led, last(led).proposal)
    due = last(led)
    assert due.kind == "foul_due"
    assert led.send(rv.Ruled, incident=due.number, penalty="foul", by="ref").refusal is not None
    before, clock = essence(led), copy.deepcopy(led.core.state.clock)
    outcome = led.send(rv.Ruled, incident=due.number, penalty="foul", **HEAD)
    fouled_at = led.now
    assert outcome.refusal is None
    state = led.core.state
    assert (state.phase, state.levels, state.winner) == ("deal_over", {"EW": "2", "NS": "5"}, "NS")
    assert state.no_tribute
    assert state.namer == "NS"
    # Overturned: as if it never had been; play stands paused where it was.
    assert led.send(ev.IncidentUpdated, incident=due.number, status="overturned", by="head").refusal is None
    assert led.core.state.phase == "paused"
    assert essence(led) == before
    assert led.core.state.clock.elapsed(led.now) == clock.elapsed(fouled_at), "the time since is nobody's"
    assert led.send(ev.ResumeRequested, by="head").refusal is None
    assert turn(led) in SEATS


def test_after_a_foul_no_tribute_and_the_opponents_name_the_leader(led: EventTable) -> None:
    led.send(rv.IrregularityNoted, kind="hidden_card", seat="E", by="ref")
    rule(led, "foul", **HEAD)
    for seat in SEATS:
        led.send(ev.AreaCleared, seat=seat)
    led.deal()
    led.send(rv.LeaderNamed, leader="S", by="N")
    for seat in SEATS:
        led.send(ev.ReadyPressed, seat=seat)
    assert (led.core.state.phase, turn(led), led.core.state.deal_level) == ("playing", "S", "5")


def test_a_foul_overturned_after_later_deals_takes_only_its_own_levels_back(led: EventTable) -> None:
    led.send(rv.IrregularityNoted, kind="extra_card", seat="N", by="ref")
    foul = last(led).number
    rule(led, "foul", **HEAD)
    assert led.core.state.levels == {"EW": "5", "NS": "2"}
    for seat in SEATS:
        led.send(ev.AreaCleared, seat=seat)
    led.send(rv.LeaderNamed, leader="E", by="EW")
    led.play_deal()
    after = dict(led.core.state.levels)
    winner, rise = led.core.state.results[-1]["winner"], led.core.state.results[-1]["rise"]
    led.send(ev.IncidentUpdated, incident=foul, status="overturned", by="head")
    ranks = "23456789TJQKA"
    expected = {pair: ranks[rise if pair == winner else 0] for pair in ("EW", "NS")}  # type: ignore[index]
    assert led.core.state.levels == expected != after
    assert led.core.state.given == []


def test_three_fouls_in_a_game_make_its_loss_due(led: EventTable) -> None:
    for _ in range(3):
        led.send(rv.IrregularityNoted, kind="hidden_card", seat="E", by="ref")
        rule(led, "foul", **HEAD)
    due = last(led)
    assert (due.kind, due.needs) == ("game_loss_due", "head_referee")
    led.send(rv.Ruled, incident=due.number, penalty="game_lost", **HEAD)
    state = led.core.state
    assert state.phase == "game_over"
    game = state.match.played[-1]
    assert (game["winner"], dict(game["points"])["NS"], dict(game["level_points"])["NS"] >= 18) == ("NS", 2.0, True)  # type: ignore[call-overload]


def test_overturning_any_penalty_restores_the_counters(led: EventTable) -> None:
    before = essence(led)
    for penalty in ("warning", "violation", "violation+stop", "class_2"):
        led.send(rv.IrregularityNoted, kind="serious", seat="W", by="ref")
        number = last(led).number
        rule(led, penalty)
        assert essence(led) != before
        led.send(ev.IncidentUpdated, incident=number, status="overturned", by="head")
        assert essence(led) == before


def test_a_right_that_lapsed_is_recorded_with_its_reason(led: EventTable) -> None:
    led.send(rv.IrregularityNoted, kind="serious", seat="W", by="ref")
    outcome = led.send(rv.Ruled, incident=1, penalty="", by="ref", lapsed="because")
    assert outcome.refusal is not None
    led.send(rv.Ruled, incident=1, penalty="", by="ref", lapsed="spectator")
    assert (last(led).status, last(led).lapsed, last(led).reason) == ("resolved", "spectator", "000 L243")
    assert led.core.state.given == []


def test_a_hall_wide_reminder_counts_as_the_first_time(led: EventTable) -> None:
    led.send(rv.HallReminded, kinds=("illegal_signal",), by="head")
    led.send(rv.IrregularityNoted, kind="illegal_signal", seat="N", by="ref")
    assert (last(led).proposal, last(led).needs, last(led).count) == ("foul", "head_referee", 2)


def test_a_referee_may_note_only_what_the_table_cannot_see(led: EventTable) -> None:
    assert led.send(rv.IrregularityNoted, kind="out_of_turn", seat="N", by="ref").refusal is not None
    for kind in NOTED:
        assert led.send(rv.IrregularityNoted, kind=kind, seat="N", by="ref").refusal is None


def test_a_card_shown_as_tribute_nobody_owed_is_due_at_the_first_single(led: EventTable) -> None:
    led.send(rv.CardsExposed, seat="N", cards=("AS",), by="ref", as_tribute=True)
    assert last(led).kind == "tribute_not_due"
    led.send(ev.CardsSeen, seat="N", cards=("9S",))
    assert (last(led).kind, last(led).detail) == ("shown_card_kept", "AS")


def test_a_void_hand_plays_no_more_and_is_last(led: EventTable) -> None:
    led.send(rv.IrregularityNoted, kind="serious", seat="N", by="ref")
    led.send(rv.Ruled, incident=1, penalty="void_hand", by="ref", role="head_referee", apply=False)
    assert turn(led) == "W"
    state = led.core.state
    assert state.deal is not None
    while state.phase in ("playing", "trick_over"):
        deal = state.deal
        assert deal is not None
        assert deal.turn is not None
        assert deal.turn != "N"
        deal.counts[deal.turn] = 1
        spare = next(r for r in "6789TJQKA" if all(r + "C" not in a.cards for a in state.actions))
        led.send(ev.CardsSeen, seat=deal.turn, cards=(spare + "C",))
        state = led.core.state
    assert state.last_order[3] == "N" or state.last_order[2] is None


def test_enforce_records_the_violation_and_it_can_be_overturned() -> None:
    table = EventTable(3)
    table.send(ev.TableOpened, table="t", venue="v", profile="default", officiating="enforce")
    table.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
    table.deal()
    table.sort_and_exchange()
    leader = turn(table)
    fire(table, "limit")
    assert turn(table) == next_seat(leader)  # type: ignore[arg-type]
    assert [g.penalty for g in table.core.state.given] == ["violation+stop"]
    assert (last(table).status, last(table).by) == ("acknowledged", "table")
    table.send(ev.IncidentUpdated, incident=1, status="overturned", by="ref")
    assert table.core.state.given == []


def test_a_report_card_taken_away_is_told_at_the_next_action(led: EventTable) -> None:
    state = led.core.state
    assert state.deal is not None
    state.deal.counts["N"] = 11
    led.send(ev.CardsSeen, seat="N", cards=("6S",))
    led.send(ev.PromptLaid, seat="N", kind="10")
    led.send(ev.PromptLifted, seat="N", kind="10")
    for seat in ("W", "S", "E"):
        led.send(ev.PassPressed, seat=seat)
    led.send(ev.CardsSeen, seat="N", cards=("7S",))
    assert kinds(led) == ["report_removed"]
    assert partner("N") == "S"


def test_incident_events_carry_what_the_rules_propose(led: EventTable) -> None:
    led.send(ev.CardsSeen, seat="N", cards=("7S", "8S"))
    told = [dict(e.data) for e in led.effects if isinstance(e, Publish) and e.kind == "incident"][-1]
    assert told["rule"] == "000 L55-L75, L255-L257"
    assert {"proposal", "needs", "number", "kind", "seat", "play"} <= set(told)
