"""The sections of a profile that hold more than a line: each value is described in ``settings.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from table_controller.cards import SEATS

STEPS = ("warning", "violation", "violation+stop", "foul", "game_lost")
"""What a step of an escalation may be (seed 000 L217-L233)."""
TIE_BREAKS = ("points", "levels", "levels_between", "levels_opponents", "points_opponents", "lot")


def _one_of(value: Any, allowed: tuple[Any, ...], name: str) -> None:
    if value not in allowed:
        raise ValueError(f"'{name}' is {value!r}; it may be {', '.join(map(str, allowed))}.")


@dataclass(frozen=True)
class Before:
    """Before the first card: shuffling, cutting, drawing, lateness."""

    shuffles_first: tuple[int, int]
    shuffles_later: tuple[int, int]
    first_shuffler: str
    first_cutter: str
    cut_again: tuple[str, ...]
    later_shuffler: str
    cut_margin: int
    machine_replaces_drawing: bool
    seated_before_minutes: int
    late_minutes: tuple[float, ...]
    late_rises: tuple[int, ...]
    forfeit_after_minutes: int

    def __post_init__(self) -> None:
        _one_of(self.first_shuffler, (*SEATS, "any"), "first_shuffler")
        _one_of(self.first_cutter, (*SEATS, "opponent"), "first_cutter")
        _one_of(self.later_shuffler, ("before_first", "last"), "later_shuffler")
        if len(self.late_minutes) != len(self.late_rises) or list(self.late_minutes) != sorted(self.late_minutes):
            raise ValueError("'late_minutes' must ascend, with a rise in 'late_rises' for each.")


@dataclass(frozen=True)
class Report:
    """Reporting few cards."""

    report_limit: int
    report_by: str
    report_card_stays: bool
    report_watched: bool
    missed_report_steps: tuple[str, ...]

    def __post_init__(self) -> None:
        _one_of(self.report_by, ("card", "word"), "report_by")
        for step in self.missed_report_steps:
            _one_of(step, STEPS, "missed_report_steps")


@dataclass(frozen=True)
class Round:
    """A round's limits of time."""

    minutes_a_deal_screens: int
    minutes_a_deal: int
    minutes_a_copied_deck: int
    game_minutes: int
    least_share_used: tuple[int, int]
    finish_begun_deal: bool


@dataclass(frozen=True)
class Penalties:
    """How penalties escalate."""

    manner_steps: tuple[str, ...]
    signal_steps: tuple[str, ...]
    asking_steps: tuple[str, ...]
    pass_manner_steps: tuple[str, ...]
    violations_for_foul: int
    each_further_violation_fouls: bool
    fouls_for_lost_game: int
    lost_games_for_out: int
    reminder_counts_as_first: bool
    classes: bool

    def __post_init__(self) -> None:
        for steps in (self.manner_steps, self.signal_steps, self.asking_steps, self.pass_manner_steps):
            for step in steps:
                _one_of(step, STEPS, "steps")
        if min(self.violations_for_foul, self.fouls_for_lost_game, self.lost_games_for_out) < 1:
            raise ValueError("counts of penalties must be at least 1.")


@dataclass(frozen=True)
class Scores:
    """Points: pairs of 场分 and 级分 where two stand."""

    table: str
    win_points: float
    draw_points: float
    bye: tuple[float, float]
    withdrawal: tuple[float, float]
    lost_by_penalty: tuple[float, float]
    class_1_points: float
    tie_order: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in self.tie_order:
            _one_of(name, TIE_BREAKS, "tie_order")


@dataclass(frozen=True)
class Record:
    """Who writes and checks a result, and until when it may be corrected."""

    enters: tuple[str, ...]
    checks: tuple[str, ...]
    correction_minutes: int
    slip_writer: str
    slip_copies: int
