"""Matches: systems, the round's time, lateness, games given up, results checked, a match carried to another table."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest

from table_controller.cards import SEATS
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.carry import document
from table_controller.table.codec import to_data
from table_controller.table.effects import SetTimer
from table_controller.table.snapshot import snapshot


def test_a_game_by_deals_ends_after_its_number_of_deals(driven: EventTable) -> None:
    driven.open()
    assert driven.send(rv.MatchSet, by="director", system="计副", deals=2).refusal is None
    driven.play_deal()
    assert driven.core.state.phase == "deal_over"
    driven.play_deal()
    state = driven.core.state
    assert (state.phase, state.match.over, len(state.match.played)) == ("game_over", True, 1)
    game = state.match.played[0]
    levels = dict(game["levels"])  # type: ignore[call-overload]
    ahead = max(levels, key=lambda pair: "23456789TJQKA".index(levels[pair]))
    assert game["winner"] == (ahead if levels["EW"] != levels["NS"] else None)
    assert sum(points for _, points in game["points"]) == 2  # type: ignore[attr-defined]
    assert sum(points for _, points in game["level_points"]) == 26  # type: ignore[attr-defined]
    json.dumps(snapshot(state, driven.now))


def test_when_time_is_up_a_begun_deal_is_played_out_and_the_next_is_not_begun(driven: EventTable) -> None:
    driven.open()
    driven.send(rv.MatchSet, by="director", system="计时", minutes=20)
    ends = [e.at_ms for e in driven.effects if isinstance(e, SetTimer) and e.name == "round"][-1]
    driven.deal()
    driven.sort_and_exchange()
    driven.core.commit(driven.core.handle(ev.TimerFired(ends, "round")))
    assert driven.core.state.phase == "playing"
    driven.now = ends
    while driven.core.state.phase in ("playing", "trick_over"):
        driven.act()
    assert driven.core.state.phase == "game_over"


def test_between_deals_the_end_of_the_time_ends_the_game(driven: EventTable) -> None:
    driven.open()
    driven.send(rv.MatchSet, by="director", system="计时")
    driven.play_deal()
    driven.send(rv.RoundExtended, minutes=5, by="head")
    state = driven.core.state
    assert state.match.ends_ms - state.match.begun_ms == 65 * 60_000
    outcome = driven.core.handle(ev.TimerFired(state.match.ends_ms, "round"))
    assert (outcome.state.phase, outcome.state.match.over) == ("game_over", True)


def start(table: EventTable) -> None:
    """The machine begins to deal."""
    for seat in SEATS:
        table.send(ev.PromptCircleCleared, seat=seat)
    assert table.send(ev.DealRequested, by="x", leader="E").refusal is None


def test_a_round_that_a_person_ends_plays_out_the_deal_under_way_in_any_system(driven: EventTable) -> None:
    driven.open()
    assert driven.send(rv.RoundEnded, by="director").refusal is not None  # nothing was played
    driven.play_deal()
    driven.deal()
    driven.sort_and_exchange()
    assert driven.send(rv.RoundEnded, by="director").refusal is None
    assert driven.send(rv.RoundEnded, by="director").refusal is not None
    assert driven.core.state.phase == "playing"
    while driven.core.state.phase in ("playing", "trick_over"):
        driven.act()
    state = driven.core.state
    assert (state.phase, state.match.over, len(state.results)) == ("game_over", True, 2)
    assert state.match.winner == ("EW" if state.levels["EW"] > state.levels["NS"] else "NS")
    driven.deal()  # the next match begins anew
    assert (driven.core.state.match.called, driven.core.state.levels) == (False, {"EW": "2", "NS": "2"})


def test_a_round_ended_between_deals_or_while_the_machine_deals(driven: EventTable) -> None:
    driven.open()
    driven.play_deal()
    between = driven.core.handle(rv.RoundEnded(driven.now, "director"))
    assert (between.state.phase, between.state.match.over) == ("game_over", True)
    start(driven)
    driven.send(rv.RoundEnded, by="director")
    job = driven.core.state.dealer.job
    driven.send(ev.DealPlanned, job=job, pack="A", plan="ENWS" * 27, nonce="00", commitment="c")
    failed = {"job": job, "code": "JAM", "place": "feeder", "message": "stuck"}
    void = copy.deepcopy(driven)
    void.send(ev.DealFailed, **failed, void=True)
    void.send(ev.DealerCleared)
    assert void.core.state.phase == "game_over"
    driven.send(ev.DealFailed, **failed, void=False)
    driven.send(ev.DealerCleared)
    driven.send(ev.DealDone, job=job, counts=(27, 27, 27, 27, 0))
    assert driven.core.state.phase == "sorting"


def test_a_profile_that_cuts_off_lets_no_deal_go_on() -> None:
    table = EventTable()
    rules = 'inherits = "default"\n[round]\nfinish_begun_deal = false\n'
    table.send(ev.TableOpened, table="t", venue="v", profile="ours", rules=rules)
    table.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
    table.play_deal()
    start(table)
    table.send(rv.RoundEnded, by="director")
    assert table.core.state.phase == "dealing"
    job = table.core.state.dealer.job
    table.send(ev.DealPlanned, job=job, pack="A", plan="ENWS" * 27, nonce="00", commitment="c")
    table.send(ev.DealDone, job=job, counts=(27, 27, 27, 27, 0))
    state = table.core.state
    assert (state.phase, len(state.results), state.match.over) == ("game_over", 1, True)


def test_a_round_ended_between_two_games_adds_no_game(driven: EventTable) -> None:
    driven.open()
    driven.send(rv.MatchSet, by="director", system="计局", games=3)
    driven.send(rv.GameConceded, pair="NS", how="forfeit", by="head", role="head_referee")
    driven.send(rv.RoundEnded, by="director")
    match = driven.core.state.match
    assert (len(match.played), match.over, match.winner) == (1, True, "EW")


def test_best_of_three_ends_with_the_second_game_won(driven: EventTable) -> None:
    driven.open()
    driven.send(rv.MatchSet, by="director", system="计局", games=3)
    for game in (1, 2):
        assert driven.core.state.match.game == game
        driven.send(rv.GameConceded, pair="NS", how="forfeit", by="head", role="head_referee")
        assert driven.core.state.phase == "game_over"
        assert driven.core.state.match.over is (game == 2)
        if game == 1:
            driven.play_deal()
    assert driven.core.state.match.winner == "EW"


def test_a_late_pair_gives_the_other_a_higher_level_and_the_lead(driven: EventTable) -> None:
    driven.open()
    assert driven.send(rv.LateArrived, seat="E", minutes=6.0, by="ref").refusal is None
    state = driven.core.state
    assert (state.levels, state.deal_level, state.owner) == ({"NS": "4", "EW": "2"}, "4", "NS")
    driven.deal()
    assert driven.core.state.leader == "S", "the offender's 上家 leads (003 L104)"
    for seat in ("E", "N", "W", "S"):
        driven.send(ev.ReadyPressed, seat=seat)
    assert driven.core.state.deal is not None
    assert driven.core.state.deal.turn == "S"


def test_beyond_the_last_step_of_lateness_the_referee_decides(driven: EventTable) -> None:
    driven.open()
    driven.send(rv.LateArrived, seat="E", minutes=11.0, by="ref")
    assert driven.core.state.levels == {"EW": "2", "NS": "2"}
    assert [i.kind for i in driven.core.state.incidents] == ["late_arrival"]
    driven.send(rv.LevelsSet, ew="2", ns="6", owner="NS", by="head")
    assert (driven.core.state.levels, driven.core.state.deal_level) == ({"EW": "2", "NS": "6"}, "6")


def test_s_and_n_enter_and_e_and_w_check(driven: EventTable) -> None:
    driven.open()
    assert driven.send(rv.ResultEntered, seat="S").refusal is not None, "nothing has been played"
    driven.play_deal()
    assert driven.send(rv.ResultEntered, seat="E").refusal is not None
    driven.send(rv.ResultEntered, seat="S")
    driven.send(rv.ResultChecked, seat="W")
    line = driven.core.state.results[0]
    assert (line["entered_by"], line["checked_by"]) == ("S", "W")
    driven.send(rv.ResultChecked, seat="E", agrees=False, reason="we were second")
    assert driven.core.state.incidents[-1].kind == "result_disputed"


def test_thinking_time_is_kept_by_seat_and_pauses_are_nobodys(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    start = driven.core.state.clock.anchor_ms
    handle = driven.core.handle
    driven.core.commit(handle(ev.PauseRequested(start + 4_000, "ref")))
    driven.core.commit(driven.core.handle(ev.ResumeRequested(start + 60_000, "ref")))
    driven.core.commit(driven.core.handle(ev.CardsSeen(start + 63_000, "E", ("5S",))))
    assert driven.core.state.thinking.used["E"] == 7_000
    told = snapshot(driven.core.state, driven.now)["match"]
    assert (told["thinking_ms"]["E"], told["delay_share"]["EW"]) == (7_000, 1.0)


def test_the_referee_extends_and_sets_a_clock(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    start = driven.core.state.clock.anchor_ms
    driven.core.commit(driven.core.handle(rv.ClockExtended(start + 5_000, 10_000, "ref")))
    assert driven.core.state.clock.limit_ms == 40_000
    outcome = driven.core.handle(rv.ClockSet(start + 6_000, 29_000, "ref"))
    assert SetTimer("warning", start + 6_000 + 1_000) in outcome.effects


@pytest.mark.parametrize("actions", [0, 9])
def test_a_match_moves_to_a_spare_table_with_levels_incidents_and_clocks(actions: int) -> None:
    first = EventTable(5)
    first.open()
    first.send(rv.MatchSet, by="director", system="计副", deals=4, names=("a", "b", "c", "d"))
    first.play_deal()
    if actions:
        first.deal()
        first.sort_and_exchange()
        for _ in range(actions):
            first.act()
    first.send(ev.TdPressed, seat="W")
    text = document("t1", [to_data(event) for event in first.events])
    spare = EventTable(6)
    spare.send(ev.TableOpened, table="spare", venue="v", profile="huaian")
    outcome = spare.send(rv.MatchCarried, document=text, by="ref")
    assert outcome.refusal is None, outcome.refusal
    old, new = first.core.state, spare.core.state
    assert (new.table, new.profile, new.phase) == ("spare", "default", "paused" if actions else "deal_over")
    for name in ("levels", "incidents", "results", "given", "deal", "actions"):
        assert getattr(new, name) == getattr(old, name), name
    assert replace(new.match, begun_ms=0) == replace(old.match, begun_ms=0)
    assert new.clock.elapsed(spare.now + 99_000) == old.clock.elapsed(first.now + 99_000)
    if actions:
        assert spare.send(ev.ResumeRequested, by="ref").refusal is None
        spare.brains = first.brains
        while spare.core.state.phase in ("playing", "trick_over"):
            spare.act()
        assert len(spare.core.state.results) == 2


def test_a_document_that_is_no_match_is_refused(driven: EventTable) -> None:
    driven.open()
    for text in ("", "[]", '{"carry": 9, "events": []}', '{"carry": 1, "events": [{"type": "Nonsense"}]}'):
        refusal = driven.send(rv.MatchCarried, document=text, by="ref").refusal
        assert refusal is not None
        assert refusal.code == "CARRY"


def test_a_venues_own_profile_travels_in_the_journal() -> None:
    table = EventTable(2)
    own = 'inherits = "default"\n[report]\nreport_limit = 5\n[levels]\npass_a_failures = 3\n'
    table.send(ev.TableOpened, table="t", venue="v", profile="ours", rules=own)
    table.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
    table.deal()
    table.sort_and_exchange()
    assert table.core.state.deal is not None
    assert table.core.state.deal.report_limit == 5


def test_what_is_left_of_the_sorting_allowance_waits_with_a_pause(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    begun = driven.core.state.sorting_ends_ms - 60_000
    handle = driven.core.handle
    driven.core.commit(handle(ev.PauseRequested(begun + 20_000, "ref")))
    outcome = driven.core.handle(ev.ResumeRequested(begun + 500_000, "ref"))
    assert SetTimer("sorting", begun + 500_000 + 40_000) in outcome.effects


def test_after_a_restart_the_round_ends_when_it_would_have(driven: EventTable) -> None:
    driven.open()
    driven.send(rv.MatchSet, by="director", system="计时", minutes=60)
    outcome = driven.core.handle(rv.RoundLeft(5_000, 600_000))
    assert SetTimer("round", 605_000) in outcome.effects
    match = outcome.state.match
    assert (match.ends_ms, match.ends_ms - match.begun_ms) == (605_000, 60 * 60_000)
