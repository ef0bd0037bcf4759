"""Games and deals with more than one word on them: lost after their end, given up in the exchange, tries at A."""

from __future__ import annotations

import pytest

from table_controller.games.guandan.profile import load_profile
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from tests.rules.case_table import CaseTable, in_tribute, table

DEFAULT = load_profile("default")
HEAD = {"by": "h", "role": "head_referee"}


def played(made: CaseTable) -> list[tuple[object, object, object]]:
    return [(g["game"], g["winner"], g["by"]) for g in made.core.state.match.played]


def one_game_over(games: int = 3) -> CaseTable:
    """NS have won the first game by play."""
    made = table(DEFAULT)
    made.send(rv.MatchSet, by="x", system="计副", deals=1, games=games)
    made.ready()
    made.finish(list("NEWS"))
    assert played(made) == [(1, "NS", "play")]
    return made


@pytest.mark.parametrize("games", [1, 3])
def test_a_game_lost_by_penalty_after_its_end_is_entered_once(games: int) -> None:
    made = one_game_over(games)
    number = made.rule("game_lost", "N")
    assert (played(made), made.core.state.match.over) == ([(1, "EW", "game_lost")], games == 1)
    made.overturn(number)
    assert (played(made), made.core.state.match.over) == ([(1, "NS", "play")], games == 1)


def test_overturned_when_the_next_game_is_on_it_is_as_it_was_played() -> None:
    made = one_game_over()
    points = made.core.state.match.played[0]["level_points"]
    number = made.rule("game_lost", "N")
    made.ready()
    made.overturn(number)
    assert played(made) == [(1, "NS", "play")]
    assert made.core.state.match.played[0]["level_points"] == points
    made.finish(list("NEWS"))
    assert (made.core.state.match.winner, made.core.state.match.over) == ("NS", True)


def test_a_game_broken_off_by_it_has_no_other_result() -> None:
    made = table(DEFAULT)
    made.send(rv.MatchSet, by="x", system="计副", deals=1, games=3)
    made.ready()
    number = made.rule("game_lost", "N")
    made.ready()
    made.overturn(number)
    assert played(made) == [(1, None, "annulled")]


def test_places_are_not_entered_for_a_deal_lost_by_a_foul() -> None:
    made = table(DEFAULT)
    made.ready()
    number = made.rule("foul", "N", "hidden_card")
    right = {"order": ("N", "W", "S", "E"), "agreed": ("EW", "NS"), **HEAD}
    refusal = made.send(rv.ResultCorrected, deal=1, **right).refusal
    assert refusal is not None
    assert (refusal.code, "overturns" in refusal.way_out) == ("RESULT", True)
    made.send(rv.LeaderNamed, leader="E", by="x")
    made.ready()
    made.overturn(number)
    annulled = made.send(rv.ResultCorrected, deal=1, **right).refusal
    assert annulled is not None
    assert "levels" in annulled.way_out


def test_a_hand_is_not_void_for_a_tribute_of_the_deal_before() -> None:
    made = in_tribute(DEFAULT)
    made.send(ev.CardsSeen, seat="S", cards=("KS",))
    made.send(ev.CardsSeen, seat="E", cards=("3D",))
    made.send(ev.CardsSeen, seat="S", cards=("AS",))
    assert [i.kind for i in made.core.state.incidents] == ["wrong_tribute"]
    made.finish(list("EW"))
    made.ready()
    for seat, card in (("N", "KS"), ("S", "QS"), ("E", "3D"), ("W", "3C")):
        assert made.send(ev.CardsSeen, seat=seat, cards=(card,)).refusal is None
    refusal = made.send(rv.Ruled, incident=1, penalty="void_hand", by="r").refusal
    assert refusal is not None
    assert "next_deal" in refusal.way_out
    assert made.core.state.deal is not None
    assert made.core.state.deal.void is None
    assert made.send(rv.Ruled, incident=1, penalty="", by="r", lapsed="next_deal").refusal is None


def test_a_result_put_right_after_it_was_checked_is_checked_anew() -> None:
    made = table(DEFAULT)
    made.ready()
    made.finish(list("ENWS"))
    made.send(rv.ResultEntered, seat="S")
    made.send(rv.ResultChecked, seat="E")
    right = {"order": ("N", "W", "S", "E"), "agreed": ("EW", "NS"), **HEAD}
    assert made.send(rv.ResultCorrected, deal=1, **right).refusal is None
    line = made.core.state.results[-1]
    assert (line.get("entered_by"), line.get("checked_by")) == ("S", None)
    assert made.send(rv.ResultChecked, seat="W").refusal is None
    assert made.core.state.results[-1]["checked_by"] == "W"


def tries(limit: int) -> CaseTable:
    made = CaseTable(5)
    rules = f'inherits = "default"\n[levels]\npass_a_failures = {limit}\n'
    made.send(ev.TableOpened, table="t1", venue="v", profile="ours", rules=rules)
    made.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
    made.send(rv.LevelsSet, ew="A", ns="K", owner="EW", by="x")
    made.ready()
    return made


@pytest.mark.parametrize(("offender", "level"), [("N", "A"), ("E", "2")])
def test_a_deal_at_ones_a_that_the_others_foul_ended_is_no_failed_try(offender: str, level: str) -> None:
    made = tries(1)
    made.rule("foul", offender, "hidden_card")
    assert made.core.state.levels["EW"] == level


@pytest.mark.parametrize("how", ["forfeit", "withdrawal"])
def test_given_up_in_a_paused_exchange_nothing_of_the_pause_is_left(how: str) -> None:
    made = in_tribute(DEFAULT)
    made.send(ev.PauseRequested, by="r", reason="why")
    assert made.send(rv.GameConceded, pair="NS", how=how, **HEAD).refusal is None
    state = made.core.state
    assert (state.phase, state.pause_reason, state.clock.kind) == ("game_over", "", "none")
    made.ready()
    assert (made.core.state.phase, made.core.state.deal_number) == ("playing", 1)
