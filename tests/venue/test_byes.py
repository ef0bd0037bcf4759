"""A bye in the standings: the profile's points, against nobody."""

from __future__ import annotations

from typing import Any

from table_controller.games.guandan.profile import load_profile
from table_controller.venue.standings import standings


def game(ew: str, ns: str) -> dict[str, Any]:
    return {
        "EW": ew,
        "NS": ns,
        "winner": "EW",
        "points": {"EW": 2.0, "NS": 0.0},
        "level_points": {"EW": 15.0, "NS": 11.0},
    }


def test_a_bye_counts_as_the_profile_says() -> None:
    places = standings([game("a", "b")], load_profile("national"), byes=["c"])  # 003 L83
    told = {team["name"]: (team["points"], team["levels"], team["played"]) for p in places for team in p["teams"]}
    assert told == {"a": (2.0, 15.0, 1), "c": (1.5, 17.0, 0), "b": (0.0, 11.0, 1)}
    assert [p["teams"][0]["name"] for p in places] == ["a", "c", "b"]
