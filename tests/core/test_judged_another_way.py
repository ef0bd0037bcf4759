"""Deals, games and matches that are judged another way afterwards: records put right, fouls and games overturned."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.cards import SEATS
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.carry import document
from table_controller.table.codec import to_data
from table_controller.table.effects import SetTimer, WatchMode

HEAD: dict[str, Any] = {"by": "head", "role": "head_referee"}
BOTH = ("EW", "NS")


def test_two_fouls_of_one_deal_are_overturned_one_by_one(table: Any) -> None:
    table.begin()
    table.deal_of("ENWS")
    before = dict(table.core.state.levels)
    first = table.give("foul", "E")
    second = table.give("foul", "N")
    assert table.core.state.results[-1]["winner"] == "EW"
    table.overturn(first)
    assert table.core.state.results[-1]["winner"] == "EW", "the other pair's foul still stands"
    table.overturn(second)
    assert (table.core.state.levels, table.core.state.results[-1].get("foul")) == (before, None)


def test_a_foul_of_two_on_a_deal_is_overturned_when_the_next_is_on(table: Any) -> None:
    table.begin()
    table.deal_of("ENWS")
    first, second = table.give("foul", "E"), table.give("foul", "N")
    table.ready()
    table.overturn(second)
    line = table.core.state.results[0]
    assert (line["foul"], line["winner"], table.core.state.levels) == ("EW", "NS", {"EW": "2", "NS": "5"})
    table.overturn(first)
    assert table.core.state.levels == {"EW": "2", "NS": "2"}


def test_a_foul_for_an_older_incident_takes_the_deal_it_was_given_in(table: Any) -> None:
    table.begin()
    table.ready()
    table.send(rv.IrregularityNoted, kind="serious", seat="E", by="x")
    number = table.core.state.incidents[-1].number
    table.finish("ENWS")
    table.ready()
    table.send(rv.Ruled, incident=number, penalty="foul", **HEAD)
    assert [line.get("foul") for line in table.core.state.results] == [None, "EW"]
    table.ready()
    table.overturn(number)
    assert [line.get("annulled") for line in table.core.state.results] == [None, True]
    assert table.core.state.levels == {"EW": "4", "NS": "2"}


def test_deals_of_two_games_are_not_mixed(table: Any) -> None:
    """Numbers of deals begin anew with each game: an old incident is not this deal's, and hides nothing in it."""
    table.begin(system="计副", deals=2, games=3)
    for _ in range(2):
        table.deal_of("ENWS")
        table.ready()
        table.send(ev.CardsSeen, seat="S", cards=("AS",))  # paid KS and held an ace: 000 L285
        table.finish("ENWS")
    wrong = [i for i in table.core.state.incidents if i.kind == "wrong_tribute"]
    assert [(i.deal, i.seat, i.session_game) for i in wrong] == [(2, "S", 1), (2, "S", 2)]
    table.overturn(wrong[0].number)
    assert wrong[1].is_open


def test_a_deal_that_ended_by_a_misreading_goes_on(table: Any) -> None:
    table.begin(system="计时", minutes=60)
    table.ready()
    table.send(ev.Resync, by="x", turn="E", counts=(2, 1, 1, 1))
    for seat, cards in (("E", ("3S", "3D")), ("N", ()), ("W", ()), ("S", ())):
        table.send(ev.CardsSeen, seat=seat, cards=cards) if cards else table.send(ev.PassPressed, seat=seat)
    table.send(ev.CardsSeen, seat="W", cards=("4S",))
    state = table.core.state
    assert (state.phase, state.levels["EW"], state.results[-1]["double_down"]) == ("deal_over", "5", True)
    play = state.actions[0].number
    outcome = table.send(ev.PlayCorrected, play=play, cards=("3S",), by="ref")
    assert outcome.refusal is None
    assert WatchMode("play") in outcome.effects
    state = table.core.state
    assert (state.phase, state.under, state.levels, state.results) == ("paused", "playing", {"EW": "2", "NS": "2"}, [])
    assert state.deal is not None
    assert state.deal.counts["E"] == 1
    assert (state.clock.running, state.clock.seat) == (False, state.deal.turn)
    assert table.send(ev.ResumeRequested, by="ref").refusal is None
    assert table.core.state.clock.running


def test_an_earlier_deal_that_would_not_have_ended_needs_the_head_referee(table: Any) -> None:
    table.begin()
    table.ready()
    table.send(ev.Resync, by="x", turn="E", counts=(2, 1, 1, 1))
    table.send(ev.CardsSeen, seat="E", cards=("3S", "3D"))
    for seat in ("N", "W", "S"):
        table.send(ev.PassPressed, seat=seat)
    table.send(ev.CardsSeen, seat="W", cards=("4S",))
    play = table.core.state.actions[0].number
    table.ready()
    refusal = table.send(ev.PlayCorrected, play=play, cards=("3S",), by="ref", deal=1).refusal
    assert refusal is not None
    assert refusal.code == "ILLEGAL"


def test_a_play_of_an_earlier_deal_is_read_anew_and_its_incident_goes(table: Any) -> None:
    table.begin()
    table.ready()
    table.send(ev.CardsSeen, seat="E", cards=("7S", "3S", "4S", "5S", "6D"))  # laid in disorder, or so it was read
    assert [i.kind for i in table.core.state.incidents] == ["irregular_layout"]
    play = table.core.state.actions[0].number
    for seat in ("N", "W", "S"):
        table.send(ev.PassPressed, seat=seat)
    counts = {seat: table.core.state.deal.counts[seat] for seat in SEATS}  # type: ignore[union-attr]
    assert counts == {"E": 22, "N": 27, "W": 27, "S": 27}
    play_out(table)
    assert table.core.state.phase == "deal_over"
    table.ready()
    outcome = table.send(ev.PlayCorrected, play=play, cards=("3S", "4S", "5S", "6D", "7S"), by="ref", deal=1)
    assert outcome.refusal is None, outcome.refusal
    state = table.core.state
    assert state.past[0].actions[0].reading == "straight:7"
    assert [i.status for i in state.incidents if i.kind == "irregular_layout"] == ["overturned"]
    table.send(ev.PlayCorrected, play=play, cards=("7S", "3S", "4S", "5S", "6D"), by="ref", deal=1)
    raised = table.core.state.incidents[-1]
    assert (raised.kind, raised.deal, raised.is_open) == ("irregular_layout", 1, True)


def play_out(table: Any) -> None:
    """E and W play their hands out in singles nobody beats, faces unknown."""
    for _ in range(400):
        state = table.core.state
        if state.phase not in ("playing", "trick_over") or state.deal is None or state.deal.turn is None:
            return
        seat = state.deal.turn
        if state.deal.leading or (seat in "EW" and state.deal.trick.last_seat in ("N", "S")):
            size = min(10, state.deal.counts[seat])
            table.send(ev.PlayEntered, seat=seat, cards=("??",) * size, by="ref")
        else:
            table.send(ev.PassPressed, seat=seat)


def test_a_wrong_tribute_shows_in_a_record_put_right_a_deal_later(table: Any) -> None:
    table.begin()
    table.deal_of("ENWS")
    table.ready()
    table.send(ev.CardsSeen, seat="S", cards=("9S",))
    play = table.core.state.actions[0].number
    table.finish("ENWS")
    table.ready()
    outcome = table.send(ev.PlayCorrected, play=play, cards=("AS",), by="ref", deal=2)
    assert outcome.refusal is None, outcome.refusal
    proof = table.core.state.incidents[-1]
    assert (proof.kind, proof.deal, proof.seat, proof.play) == ("wrong_tribute", 2, "S", play)
    table.send(ev.PlayCorrected, play=play, cards=("9S",), by="ref", deal=2)
    assert table.core.state.incidents[-1].status == "overturned"


def at_a(table: Any, system: str = "计局") -> None:
    table.begin(system=system, deals=9)
    table.send(rv.LevelsSet, ew="A", ns="2", owner="EW", by="x")


def test_a_corrected_result_opens_a_game_that_passed_a(table: Any) -> None:
    at_a(table)
    table.deal_of("ENWS")
    assert (table.core.state.phase, table.core.state.match.over) == ("game_over", True)
    told = {"deal": 1, "agreed": BOTH, **HEAD}
    assert table.send(rv.ResultCorrected, order=("E", "N", "S", "W"), **told).refusal is None
    state = table.core.state
    assert (state.phase, state.match.over, state.match.played) == ("deal_over", False, [])
    assert (state.results[-1]["passes_a"], state.levels["EW"]) == (False, "A")
    assert table.send(rv.ResultCorrected, order=("E", "W"), **told).refusal is None
    state = table.core.state
    assert (state.phase, state.match.winner, len(state.match.played)) == ("game_over", "EW", 1)


def test_whether_an_earlier_deal_ended_the_game_is_not_changed_any_more(table: Any) -> None:
    at_a(table)
    table.deal_of("ENSW")
    table.deal_of("ENSW")
    refusal = table.send(rv.ResultCorrected, deal=1, order=("E", "N", "W", "S"), agreed=BOTH, **HEAD).refusal
    assert refusal is not None
    assert refusal.code == "RESULT"


@pytest.mark.parametrize(
    ("more", "minutes", "allowed"),
    [
        ({"agreed": BOTH, "role": "head_referee"}, 29, True),
        ({"agreed": BOTH, "role": "referee"}, 29, False),
        ({"agreed": ("EW",), "role": "head_referee"}, 29, False),
        ({}, 29, False),
        ({"agreed": BOTH, "role": "head_referee"}, 31, False),
    ],
)
def test_after_the_round_a_record_changes_the_places_only_by_agreement(
    table: Any, more: dict[str, Any], minutes: int, allowed: bool
) -> None:
    table.begin(system="计副", deals=1)
    table.ready()
    table.send(ev.Resync, by="x", turn="E", counts=(1, 1, 1, 1))
    table.send(ev.CardsSeen, seat="E", cards=("3S",))
    for seat, card in (("N", "4S"), ("W", "5S")):
        table.send(ev.CardsSeen, seat=seat, cards=(card,))
    state = table.core.state
    assert (state.match.over, state.results[0]["order"]) == (True, ("E", "N", "W", "S"))
    play = state.actions[1].number
    table.now += minutes * 60_000
    outcome = table.send(rv.PlayMoved, play=play, seat="S", by="ref", deal=1, **more)
    assert (outcome.refusal is None) is allowed, outcome.refusal
    order = ("E", "S", "W", "N") if allowed else ("E", "N", "W", "S")
    assert table.core.state.results[0]["order"] == order


def test_a_second_stop_takes_the_right_of_another_trick(table: Any) -> None:
    table.begin()
    table.ready()
    table.give("violation+stop", "N")
    table.give("violation+stop", "N", "impolite")
    assert [(s.seat, s.trick) for s in table.core.state.stops] == [("N", 1), ("N", 2)]


def test_levels_that_were_set_leave_the_number_of_deals(table: Any) -> None:
    table.begin(system="计副", deals=2)
    table.deal_of("ENWS")
    table.send(rv.LevelsSet, ew="5", ns="6", owner="NS", by="x")
    table.deal_of("NESW")
    state = table.core.state
    assert (state.phase, state.levels) == ("game_over", {"EW": "5", "NS": "8"})


@pytest.mark.parametrize("overturned", [True, False])
def test_failed_attempts_at_a_count_as_the_deal_is_judged_now(table: Any, overturned: bool) -> None:
    table.begin("[levels]\npass_a_failures = 2\n")
    table.send(rv.LevelsSet, ew="A", ns="2", owner="EW", by="x")
    table.deal_of("ENSW")
    assert table.core.state.a_failures["EW"] == 1
    number = table.give("foul", "E")
    assert (table.core.state.a_failures["EW"], table.core.state.levels["EW"]) == (1, "A"), "one deal is one attempt"
    if overturned:
        table.overturn(number)
        assert table.core.state.a_failures["EW"] == 1
        table.deal_of("NEWS")
        assert table.core.state.levels == {"EW": "2", "NS": "3"}, "the second failed attempt"


def test_a_game_lost_by_a_penalty_that_is_overturned_counts_no_more(table: Any) -> None:
    table.begin(system="计局", games=3)
    table.ready()
    number = table.give("game_lost", "E")
    assert table.core.state.match.played[0]["winner"] == "NS"
    table.ready()
    table.overturn(number)
    game = table.core.state.match.played[0]
    assert (game["winner"], game["by"], game["points"]) == (None, "annulled", (("EW", 0.0), ("NS", 0.0)))
    assert table.core.state.given == []
    table.give("game_lost", "N")
    assert (table.core.state.match.winner, table.core.state.match.over) == (None, False)


def test_a_round_carried_to_a_spare_table_has_as_much_left(table: Any, spare: Any) -> None:
    table.begin(system="计时", minutes=60)
    table.ready()
    table.send(rv.IrregularityNoted, kind="serious", seat="N", by="x")
    left = table.core.state.match.ends_ms - table.now
    spare.now = 50_000_000
    spare.send(ev.TableOpened, table="spare", venue="v", profile="default")
    text = document("t1", [to_data(event) for event in table.events])
    outcome = spare.send(rv.MatchCarried, document=text, by="x")
    assert outcome.refusal is None
    assert SetTimer("round", spare.now + left) in outcome.effects
    assert WatchMode("play") in outcome.effects
    assert spare.core.state.incidents[-1].is_open
    penalty = spare.send(rv.Ruled, incident=1, penalty="foul", **HEAD)
    assert penalty.refusal is None
    assert spare.core.state.results[-1]["foul"] == "NS"
