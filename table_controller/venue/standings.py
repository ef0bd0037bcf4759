"""Standings of teams over the games of a venue, by the profile's tie-breaks (003 L146-L149; 000 art. 26-29)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from table_controller.cards import PAIRS, other_pair
from table_controller.games.guandan.profile import Profile
from table_controller.games.guandan.scores import Standing, ranking, rounded


def standings(
    games: Iterable[dict[str, Any]], profile: Profile, format_: str = "swiss", byes: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """Places, best first; a place with several teams is tied to the end. ``byes``: a team's name for each bye it had.

    A bye is worth the profile's points and level points (003 L83); against nobody, so it breaks no tie between two.
    """
    teams: dict[str, dict[str, Any]] = {}
    for name in byes:
        own = teams.setdefault(name, _nothing())
        points, levels = profile.scores.bye
        own["points"] += points
        own["levels"] += levels
    for game in games:
        for pair in PAIRS:
            own = teams.setdefault(game[pair], _nothing())
            other = game[other_pair(pair)]
            own["points"] += float(game["points"].get(pair, 0.0))
            levels = float(game["level_points"].get(pair, 0.0))
            own["levels"] += levels
            own["met"][other] = own["met"].get(other, 0.0) + levels
            own["played"] += 1
            own["won"] += game["winner"] == pair
    places = ranking([_standing(name, team, teams) for name, team in teams.items()], profile, format_)
    made, place = [], 1
    for names in places:
        made.append({"place": place, "teams": [_told(name, teams[name]) for name in names]})
        place += len(names)
    return made


def _nothing() -> dict[str, Any]:
    return {"points": 0.0, "levels": 0.0, "played": 0, "won": 0, "met": {}}


def _standing(name: str, team: dict[str, Any], teams: dict[str, dict[str, Any]]) -> Standing:
    met = team["met"]
    return Standing(
        name,
        team["points"],
        rounded(team["levels"]),
        met,
        sum(teams[other]["levels"] for other in met),
        sum(teams[other]["points"] for other in met),
    )


def _told(name: str, team: dict[str, Any]) -> dict[str, Any]:
    kept = {key: team[key] for key in ("points", "played", "won")}
    return {"name": name, **kept, "levels": rounded(team["levels"])}
