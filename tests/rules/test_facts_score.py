"""Facts on levels, the end of a game, points, ties and the record (ids FI, ME, TB)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_controller.games.guandan import match, scores
from table_controller.games.guandan.profile import Profile, load_profile
from tests.rules import at_the_table

PREFIXES = ("FI", "ME", "TB")
Given = dict[str, Any]
Check = Callable[[Given, Given, Profile], None]


def pass_a(given: Given, expect: Given, profile: Profile) -> None:
    answers = {
        own: match.settle(
            [*given["finish_order"], None, None],
            given["levels"],
            given["deal_level"],
            given["deal_level_owner"],
            pass_a_on_own_level_only=own,
        ).passes_a
        for own in (True, False)
    }
    # The setting decides what the texts leave open: at the others' A nobody passes by default.
    assert answers == {True: False, False: True}
    assert profile.pass_a_on_own_level_only is True


def pass_a_national(given: Given, expect: Given, profile: Profile) -> None:
    levels = {"EW": "A", "NS": "5"}
    assert match.settle(["E", "N", "W", "S"], levels, "A", "EW").passes_a is expect["game_over"]
    assert match.settle(["E", "N", "S", "W"], levels, "A", "EW").passes_a is False  # partner 下游


def state(given: Given) -> scores.GameState:
    known = ("system", "deals", "deals_played", "time_up", "format")
    values = {key: given[key] for key in known if key in given}
    return scores.GameState(
        **{"system": "计局", **values}, levels=given.get("levels", {}), passed_a=given.get("passed_A")
    )


def game(given: Given, expect: Given, profile: Profile) -> None:
    result = scores.game_result(state(given), profile)
    assert result.over is expect.get("over", True)
    if "winner" in expect:
        assert result.winner == expect["winner"]
    if "changfen" in expect:
        assert result.points == expect["changfen"]
    if "level_diff" in expect:
        assert result.level_difference == expect["level_diff"]
    assert result.go_on is ("continue" in expect)


def default_minutes(given: Given, expect: Given, profile: Profile) -> None:
    assert profile.round.game_minutes == expect["default_minutes"]


def extra_deal(given: Given, expect: Given, profile: Profile) -> None:
    assert scores.extra_deal_allowed(given["round_from_end"], level=given["levels_equal"])
    assert not scores.extra_deal_allowed(3, level=True)


def sum_of_games(given: Given, expect: Given, profile: Profile) -> None:
    total, winner = scores.summed([tuple(line) for line in given["games"]])
    assert (list(total), winner) == (expect["total"], expect["winner"])


def best_of_three(given: Given, expect: Given, profile: Profile) -> None:
    winner = scores.best_of(given["games_won"], 3)
    assert (winner is not None) is expect["over"]
    assert winner == expect.get("winner")


def bye(given: Given, expect: Given, profile: Profile) -> None:
    assert profile.scores.bye == (expect["changfen"], expect["jichafen"])


def who_records(given: Given, expect: Given, profile: Profile) -> None:
    assert (sorted(profile.record.enters), sorted(profile.record.checks)) == (sorted(expect["enter"]), expect["check"])


def correction(given: Given, expect: Given, profile: Profile) -> None:
    kind = given.get("kind", "entry_error")
    answer = scores.correctable(given["minutes_after"], agreed=given["agreed"], kind=kind, profile=profile)
    assert answer.allowed is expect["correctable"]
    if expect.get("needs"):
        assert answer.needs == "head_referee"


def slip(given: Given, expect: Given, profile: Profile) -> None:
    assert (profile.record.slip_writer, profile.record.slip_copies) == (expect["writer"], expect["copies"])


def standing(name: str, team: Given) -> scores.Standing:
    return scores.Standing(
        name, team.get("cf", 0), team.get("jf", 0), team.get("h2h", {}), team.get("opp", 0), team.get("opp_cf", 0)
    )


def ties(given: Given, expect: Given, profile: Profile) -> None:
    teams = [standing(name, team) for name, team in given["teams"].items()]
    places = scores.ranking(teams, profile, given.get("format", "swiss"))
    if expect["order"] == "tie_or_lot":
        assert [sorted(place) for place in places] == [["A", "B"]]
    else:
        assert places == [[name] for name in expect["order"]]


def opponents_points(given: Given, expect: Given, profile: Profile) -> None:
    assert ("points_opponents" in scores.tie_criteria(profile, given["format"])) is expect["opp_cf_used"]
    assert "points_opponents" in scores.tie_criteria(profile, "swiss")


def carried(given: Given, expect: Given, profile: Profile) -> None:
    assert scores.rounded(given["carry"]) == expect["rounded"]


CHECKS: dict[str, Check] = {
    "FI-026": pass_a,
    "FI-027": at_the_table.attempts,
    "FI-028": pass_a_national,
    "FI-029": at_the_table.levels_of,
    **{f"FI-{n:03}": at_the_table.foul_deal for n in (40, 41, 42)},
    **{f"ME-{n:03}": game for n in (*range(1, 8), *range(9, 15), 20)},
    "ME-008": default_minutes,
    "ME-015": extra_deal,
    "ME-016": sum_of_games,
    "ME-017": best_of_three,
    "ME-018": best_of_three,
    "ME-019": bye,
    "ME-026": who_records,
    **{f"ME-{n:03}": correction for n in (27, 28, 29)},
    "ME-030": slip,
    **{f"TB-{n:03}": ties for n in range(1, 9)},
    "TB-009": opponents_points,
    "TB-010": carried,
}


def test_fact(fact: dict[str, Any], profile: str) -> None:
    CHECKS[fact["id"]](fact["given"], fact["expect"], load_profile(profile))


@pytest.mark.parametrize("difference", range(14))
def test_the_26_point_table_shares_26(difference: int) -> None:
    points = scores.level_points_of("EW", difference, load_profile("national"))
    assert (points["EW"], points["NS"]) == (13 + difference, 13 - difference)


def test_passing_a_counts_one_above_a() -> None:
    result = scores.game_result(scores.GameState("计局", {"EW": "A", "NS": "2"}, passed_a="EW"), load_profile("huaian"))
    assert (result.level_difference, result.level_points) == (13, {"EW": 26.0, "NS": 0.0})
