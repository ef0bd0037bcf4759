"""Whole deals through the core: clean play raises nothing, and conserves every card."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from table_controller.cards import full_pack
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.effects import Lamp, Publish, RunDeal, Seal, SetTimer, WatchMode
from table_controller.table.snapshot import snapshot


@pytest.mark.parametrize("seed", range(8))
def test_clean_games_raise_no_incident_and_conserve_cards(seed: int) -> None:
    table = EventTable(seed)
    table.open()
    for _ in range(4):
        table.play_deal()
        state = table.core.state
        assert [i.kind for i in state.incidents] == []
        spent = Counter(card for action in state.actions for card in action.cards)
        held = Counter(card for brain in table.brains.values() for card in brain.hand)
        assert spent + held == Counter(full_pack())
        assert state.deal is not None
        assert {s: len(b.hand) for s, b in table.brains.items()} == state.deal.counts
        if state.phase == "game_over":
            break
    json.dumps(snapshot(state, table.now))


def test_the_plan_is_sealed_before_the_machine_runs_and_revealed_after(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    names = [type(e).__name__ + getattr(e, "stage", "") for e in driven.effects]
    assert names.index("Sealcommit") < names.index("RunDeal") < names.index("Sealreveal")
    commit = next(e for e in driven.effects if isinstance(e, Seal) and e.stage == "commit")
    assert "plan" not in dict(commit.data)
    assert [e.mode for e in driven.effects if isinstance(e, WatchMode)] == ["idle", "deal", "play"]


def test_shot_clock_warns_at_20_and_the_stamp_decides_at_30(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    start = driven.core.state.clock.anchor_ms
    timers = {e.name: e.at_ms for e in driven.effects if isinstance(e, SetTimer)}
    assert timers["warning"] == start + 20_000
    driven.core.commit(driven.core.handle(ev.TimerFired(start + 20_000, "warning")))
    lamps = driven.core.state.lamps
    assert lamps["E"] == "blink"
    # A play stamped exactly at 30 s is in time, although its reading arrives after the limit.
    cards = driven.brains["E"].lead("2").cards
    outcome = driven.core.handle(ev.CardsSeen(start + 30_000, "E", cards))
    assert outcome.refusal is None
    assert [i.kind for i in outcome.state.incidents] == []
    late = driven.core.handle(ev.CardsSeen(start + 30_001, "E", cards))
    assert [i.kind for i in late.state.incidents] == ["time_violation"]


def test_a_play_stamped_in_time_withdraws_a_warning(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    start = driven.core.state.clock.anchor_ms
    driven.core.commit(driven.core.handle(ev.TimerFired(start + 20_000, "warning")))
    cards = driven.brains["E"].lead("2").cards
    outcome = driven.core.handle(ev.CardsSeen(start + 20_000, "E", cards))
    assert "warning_withdrawn" in [e.kind for e in outcome.effects if isinstance(e, Publish)]


@pytest.mark.parametrize("officiating", ["advise", "enforce"])
def test_a_violation_stops_the_turn_only_where_the_table_enforces(officiating: str) -> None:
    table = EventTable(3)
    table.send(ev.TableOpened, table="t", venue="v", profile="default", officiating=officiating)
    table.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
    table.deal()
    table.sort_and_exchange()

    def let_time_run_out() -> None:
        limit = [e.at_ms for e in table.effects if isinstance(e, SetTimer) and e.name == "limit"][-1]
        table.now = limit
        outcome = table.core.handle(ev.TimerFired(limit, "limit"))
        table.core.commit(outcome)
        table.effects.extend(outcome.effects)

    let_time_run_out()
    deal = table.core.state.deal
    assert deal is not None
    assert deal.turn == ("N" if officiating == "enforce" else "E")
    assert [i.kind for i in table.core.state.incidents] == ["time_violation"]
    if officiating == "advise":
        return
    table.send(ev.CardsSeen, seat="N", cards=table.brains["N"].lead("2").cards)
    let_time_run_out()
    deal = table.core.state.deal
    assert deal is not None
    assert (deal.turn, table.core.state.actions[-1].seat, table.core.state.actions[-1].cards) == ("S", "W", ())
    # A doubtful reading in the trick: the seat in turn may have played unseen, so the table only advises.
    table.send(ev.CardsSeen, seat="S", cards=("??",), doubtful=(0,))
    let_time_run_out()
    deal = table.core.state.deal
    assert deal is not None
    assert deal.turn == "E"


def test_td_and_stop_pause_the_clock_and_keep_the_time_used(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    start = driven.core.state.clock.anchor_ms
    for event in (
        ev.PromptLaid(start + 8_000, "N", "STOP"),
        ev.PromptLifted(start + 50_000, "N", "STOP"),
        ev.TdPressed(start + 53_000, "W"),
    ):
        driven.core.commit(driven.core.handle(event))
    assert driven.core.state.phase == "paused"
    assert driven.core.state.clock.elapsed(start + 99_000) == 11_000
    resumed = driven.core.handle(ev.ResumeRequested(start + 60_000, "ref"))
    assert resumed.state.phase == "playing"
    assert [i.kind for i in resumed.state.incidents] == ["stop", "td_call"]
    assert SetTimer("warning", start + 60_000 + 9_000) in resumed.effects


def test_what_is_laid_during_a_pause_takes_effect_when_play_goes_on(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    lead = driven.brains["E"].lead("2").cards
    driven.send(ev.TdPressed, seat="W")
    assert driven.send(ev.CardsSeen, seat="E", cards=lead).refusal is None
    driven.send(ev.PromptLaid, seat="N", kind="PASS")
    assert driven.core.state.actions == []
    state = driven.send(ev.ResumeRequested, by="ref").state
    assert [(a.seat, a.cards) for a in state.actions] == [("E", lead), ("N", ())]
    assert state.deal is not None
    assert state.deal.turn == "W"


def test_a_touched_pass_card_is_a_pass_only_in_its_seats_turn_to_follow(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    driven.send(ev.PromptTouched, seat="E", kind="PASS")
    driven.send(ev.PromptTouched, seat="N", kind="PASS")
    assert driven.core.state.actions == [], "the leader cannot pass, and it is not N's turn"
    driven.send(ev.CardsSeen, seat="E", cards=driven.brains["E"].lead("2").cards)
    driven.send(ev.PromptTouched, seat="N", kind="10")
    driven.send(ev.PromptTouched, seat="W", kind="PASS")
    assert len(driven.core.state.actions) == 1
    state = driven.send(ev.PromptTouched, seat="N", kind="PASS").state
    assert [(a.seat, a.cards) for a in state.actions[1:]] == [("N", ())]
    assert state.incidents == []


def test_an_early_action_waits_for_the_seats_before_it(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    now = driven.now
    lead = driven.brains["E"].lead("2").cards
    driven.core.commit(driven.core.handle(ev.PromptLaid(now + 900, "N", "PASS")))
    assert driven.core.state.deal is not None
    assert driven.core.state.deal.turn == "E"
    outcome = driven.core.handle(ev.CardsSeen(now + 400, "E", lead))
    assert outcome.state.deal is not None
    assert outcome.state.deal.turn == "W"
    assert outcome.state.incidents == []
    assert outcome.state.early == [], "what was held has been applied, once"
    # Had E's area stayed empty, N would have passed out of turn.
    fired = driven.core.handle(ev.TimerFired(now + 900 + 4000, "early"))
    assert [i.kind for i in fired.state.incidents] == ["pass_out_of_turn"]


def test_a_doubtful_play_stands_and_a_human_settles_it(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    lead = driven.brains["E"].lead("2").cards
    seen = ("??", *lead[1:])
    driven.send(ev.CardsSeen, seat="E", cards=seen, doubtful=(0,))
    state = driven.core.state
    assert state.deal is not None
    assert (state.deal.turn, state.deal.counts["E"]) == ("N", 27 - len(lead))
    assert [i.kind for i in state.incidents] == ["doubtful_reading"]
    outcome = driven.send(ev.PlayCorrected, play=1, cards=lead, by="referee")
    assert outcome.refusal is None
    assert outcome.state.actions[0].cards == lead
    assert outcome.state.actions[0].original == seen
    assert outcome.state.incidents[0].status == "resolved"
    assert outcome.state.deal is not None
    assert outcome.state.deal.to_beat is not None


def test_an_illegal_play_changes_no_count_and_is_never_made_legal(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    outcome = driven.send(ev.CardsSeen, seat="E", cards=("3S", "4D"))
    assert [i.kind for i in outcome.state.incidents] == ["not_a_play"]
    assert outcome.state.deal is not None
    assert outcome.state.deal.counts["E"] == 27
    assert outcome.state.deal.turn == "E"


def test_a_third_copy_is_flagged_as_doubtful(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    driven.send(ev.CardsSeen, seat="E", cards=("5S", "5S", "5S"))
    assert driven.core.state.actions[0].is_doubtful
    assert [i.kind for i in driven.core.state.incidents] == ["conservation"]
    state = driven.send(ev.PlayCorrected, play=1, cards=("5S", "5S", "5C"), by="referee").state
    assert [i.status for i in state.incidents] == ["resolved"]


def test_a_missed_report_is_raised_at_the_seats_next_action() -> None:
    for seed in range(40):
        table = EventTable(seed)
        table.open()
        table.deal()
        table.sort_and_exchange()
        owing = ""
        while table.core.state.phase in ("playing", "trick_over"):
            deal = table.core.state.deal
            assert deal is not None
            seat = deal.turn
            assert seat is not None
            brain = table.brains[seat]
            if deal.to_beat is None:
                choice = brain.lead("2")
            else:
                assert deal.trick.last_seat is not None
                choice = brain.follow(deal.to_beat, deal.trick.last_seat, "2", deal.counts)
            if choice is None:
                table.send(ev.PassPressed, seat=seat)
            else:
                for card in choice.cards:
                    brain.hand.remove(card)
                table.send(ev.CardsSeen, seat=seat, cards=choice.cards)
            kinds = [(i.kind, i.seat) for i in table.core.state.incidents]
            if kinds:
                assert kinds[0] == ("missed_report", owing)
                reported = table.core.state.deal.reported  # type: ignore[union-attr]
                assert owing in reported, "it is missed once, and not again at every play that follows"
                return
            deal = table.core.state.deal
            assert deal is not None
            owing = owing or next(iter(deal.owes_report), "")
    raise AssertionError("nobody ever had to report twice")


def test_start_is_refused_with_the_place_named(driven: EventTable) -> None:
    driven.open()
    driven.send(ev.PromptLaid, seat="W", kind="PASS")
    outcome = driven.send(ev.DealRequested, by="test")
    assert outcome.refusal is not None
    assert "W" in outcome.refusal.message
    driven.send(ev.PromptCircleCleared, seat="W")
    assert driven.send(ev.DealRequested, by="test").refusal is None


def test_hands_that_are_not_27_each_never_begin_a_deal(driven: EventTable) -> None:
    driven.open()
    driven.send(ev.DealRequested, by="test", leader="N")
    driven.send(ev.DealPlanned, job=1, pack="A", plan="ENWS" * 27, nonce="0", commitment="c")
    outcome = driven.send(ev.DealDone, job=1, counts=(26, 28, 27, 27, 0))
    assert outcome.refusal is not None
    assert (outcome.refusal.code, outcome.state.phase, outcome.state.deal_number) == ("COUNT", "dealing", 0)


def test_a_failed_deal_is_shown_and_dealt_anew(driven: EventTable) -> None:
    driven.open()
    driven.send(ev.DealRequested, by="test", leader="N")
    driven.send(ev.DealFailed, job=1, code="JAM", place="feeder", message="A card is stuck.", void=True)
    assert driven.core.state.phase == "fault"
    assert Lamp(None, "fast") in driven.effects
    driven.send(ev.DealerCleared)
    assert driven.core.state.phase == "standby"
    driven.deal()
    assert driven.core.state.deal_number == 1
    assert driven.core.state.dealer.job == 2


def test_a_deal_that_is_not_void_goes_on_by_the_same_plan(driven: EventTable) -> None:
    driven.open()
    driven.send(ev.DealRequested, by="test", leader="N")
    driven.send(ev.DealPlanned, job=1, pack="A", plan="ENWS" * 27, nonce="0", commitment="c")
    driven.send(ev.DealFailed, job=1, code="JAM", place="feeder", message="stuck", void=False, counts=(5, 5, 5, 5, 0))
    outcome = driven.send(ev.DealerCleared)
    assert outcome.state.phase == "dealing"
    assert RunDeal(1, "A", "ENWS" * 27) in outcome.effects
    assert driven.send(ev.DealDone, job=1, counts=(27, 27, 27, 27, 0)).state.deal_number == 1


def test_resync_recovers_a_table_that_lost_the_thread(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    for _ in range(3):
        driven.act()
    outcome = driven.send(ev.Resync, by="referee", turn="S", counts=(20, 21, 22, 23), last_seat="W", last_cards=("9S",))
    assert outcome.refusal is None
    deal = outcome.state.deal
    assert deal is not None
    assert (deal.turn, deal.counts["E"], deal.trick.last_seat) == ("S", 20, "W")
    assert deal.to_beat is not None
