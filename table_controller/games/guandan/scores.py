"""Games, rounds and their points: when a game is over, who won, 场分 and 级分, ties, and what may be corrected.

Sources: seed 000 L177-L203; 003 L35, L83, L115, L125-L127, L139-L149. Tables of points are data (``POINT_TABLES``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from table_controller.cards import PAIRS, RANKS, Pair, other_pair
from table_controller.games.guandan.profile import Profile

SYSTEMS = ("计局", "计副", "计时", "计时计副")
FORMATS = ("round_robin", "swiss", "knockout")
MOST_DIFFERENCE = 13
POINT_TABLES: dict[str, tuple[tuple[float, float], ...]] = {
    "26": tuple((13.0 + d, 13.0 - d) for d in range(MOST_DIFFERENCE + 1)),
}
"""Level points of winner and loser by the difference of levels, 0 to 13 (过A counts as one more than A).

The official tables are not in the texts: 13+d : 13-d is a choice, and another table takes its name here.
"""


@dataclass(frozen=True)
class GameState:
    """What decides whether a game is over."""

    system: str
    levels: Mapping[Pair, str]
    deals_played: int = 0
    deals: int = 0
    time_up: bool = False
    passed_a: Pair | None = None
    format: str = "swiss"
    called: bool = False
    """The round was ended by a person."""


@dataclass(frozen=True)
class GameResult:
    """``winner`` None: over and level. ``go_on``: a winner is needed, one more deal is played (seed 000 L203)."""

    over: bool
    winner: Pair | None = None
    level_difference: int = 0
    points: dict[Pair, float] = field(default_factory=dict)
    level_points: dict[Pair, float] = field(default_factory=dict)
    go_on: bool = False


def level_steps(level: str, *, passed_a: bool = False) -> int:
    """Steps above 2; 过A is one above A (seed 000 L47)."""
    return RANKS.index(level) + (1 if passed_a else 0)


def game_over(game: GameState) -> bool:
    """Whether a game has reached its end by its system (seed 000 L187-L195; 003 L35)."""
    if game.passed_a is not None or game.called:
        return True
    by_deals = game.deals > 0 and game.deals_played >= game.deals
    return (game.system in ("计副", "计时计副") and by_deals) or (game.system in ("计时", "计时计副") and game.time_up)


def game_result(game: GameState, profile: Profile) -> GameResult:
    """The winner and the points of a game (seed 000 L181, L187-L203)."""
    if not game_over(game):
        return GameResult(False)
    steps = {p: level_steps(game.levels.get(p, "2"), passed_a=game.passed_a == p) for p in PAIRS}
    winner = game.passed_a
    if winner is None and steps["EW"] != steps["NS"]:
        winner = "EW" if steps["EW"] > steps["NS"] else "NS"
    if winner is None and game.format == "knockout":
        return GameResult(False, go_on=True)
    difference = abs(steps["EW"] - steps["NS"])
    return GameResult(
        True, winner, difference, points_of(winner, profile), level_points_of(winner, difference, profile)
    )


def points_of(winner: Pair | None, profile: Profile) -> dict[Pair, float]:
    """场分: 2 and 0, or 1 each (seed 000 L181)."""
    if winner is None:
        return dict.fromkeys(PAIRS, profile.scores.draw_points)
    return {winner: profile.scores.win_points, other_pair(winner): 0.0}


def level_points_of(winner: Pair | None, difference: int, profile: Profile) -> dict[Pair, float]:
    """级分 by the profile's table; a winner by 过A at a lower level still has the larger share."""
    table = POINT_TABLES[profile.scores.table]
    more, less = table[min(difference, len(table) - 1)]
    if winner is None:
        return {"EW": more, "NS": less}
    return {winner: more, other_pair(winner): less}


def extra_deal_allowed(round_from_end: int, *, level: bool) -> bool:
    """In the last two rounds the regulations may ask one deal more after a draw (seed 000 art. 27.3)."""
    return level and round_from_end <= 2


def best_of(games_won: Mapping[Pair, int], games: int) -> Pair | None:
    """The winner of a best of ``games`` by games won, None while it goes on (seed 000 L199)."""
    return next((pair for pair in PAIRS if games_won.get(pair, 0) > games // 2), None)


def summed(games: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], Pair | None]:
    """Level points of EW and NS summed over the games of a round, and who is ahead (seed 000 art. 29.3.1)."""
    ew, ns = sum(game[0] for game in games), sum(game[1] for game in games)
    return (ew, ns), None if ew == ns else "EW" if ew > ns else "NS"


def ahead(played: Sequence[Mapping[str, object]]) -> Pair | None:
    """Who leads a match that ends before its games are played: by games won, then level points; None: level."""
    won = {pair: sum(game["winner"] == pair for game in played) for pair in PAIRS}
    if won["EW"] != won["NS"]:
        return "EW" if won["EW"] > won["NS"] else "NS"
    points = [dict(game["level_points"]) for game in played]  # type: ignore[call-overload]
    return summed([(game["EW"], game["NS"]) for game in points])[1]


def rounded(points: float) -> float:
    """Carried points: two places, half up (003 L149)."""
    return float(Decimal(str(points)).quantize(Decimal("0.01"), ROUND_HALF_UP))


@dataclass(frozen=True)
class Standing:
    """What breaks ties for one team; ``between`` holds level points against those it is tied with."""

    name: str
    points: float = 0.0
    levels: float = 0.0
    between: Mapping[str, float] = field(default_factory=dict)
    levels_opponents: float = 0.0
    points_opponents: float = 0.0


def tie_criteria(profile: Profile, format_: str) -> tuple[str, ...]:
    """The criteria in order; opponents' points do not count where everybody meets everybody (003 L148)."""
    skip = "points_opponents" if format_ == "round_robin" else ""
    return tuple(name for name in profile.scores.tie_order if name != skip)


def ranking(teams: Sequence[Standing], profile: Profile, format_: str = "swiss") -> list[list[str]]:
    """Places, best first; a place with several names is tied to the end: shared, or drawn by lot."""
    groups = [list(teams)]
    for criterion in tie_criteria(profile, format_):
        if criterion != "lot":
            groups = [part for group in groups for part in _split(group, criterion)]
    return [[team.name for team in group] for group in groups]


def _split(group: list[Standing], criterion: str) -> list[list[Standing]]:
    if len(group) == 1:
        return [group]
    names = {team.name for team in group}
    met = all(set(team.between) >= names - {team.name} for team in group)
    if criterion == "levels_between" and not met:
        return [group]  # teams that never met are told apart by the next criterion

    def value(team: Standing) -> float:
        if criterion == "levels_between":
            return sum(points for name, points in team.between.items() if name in names)
        return float(getattr(team, criterion))

    values = sorted({value(team) for team in group}, reverse=True)
    return [[team for team in group if value(team) == wanted] for wanted in values]


@dataclass(frozen=True)
class Correction:
    """Whether a result may still be corrected, and by whom."""

    allowed: bool
    needs: str = ""


def correctable(minutes_after_end: float, *, agreed: bool, kind: str, profile: Profile) -> Correction:
    """An entry error that both pairs agree on, within 30 minutes of the round's end (003 L126, L143-L145)."""
    in_time = minutes_after_end <= profile.record.correction_minutes
    allowed = in_time and agreed and kind == "entry_error"
    return Correction(allowed, "head_referee" if allowed else "")
