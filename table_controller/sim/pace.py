"""How fast simulated people are, and what they can do wrong."""

from __future__ import annotations

from dataclasses import dataclass

MISTAKES = {
    "slow": "a player thinks for half a minute",
    "silent": "a player does not report ten cards or fewer",
    "disorder": "a player lays a run from large to small",
    "illegal": "a player lays cards that do not beat, and takes them back",
    "td": "a player lays the TD card",
    "stop": "a player lays the STOP card, and lifts it",
}
"""Errors that a scenario can make somebody commit, once each."""


@dataclass(frozen=True)
class Pace:
    """How fast people are, in ms: a whole turn from ... to ..., and the sorting of 27 cards."""

    turn_ms: tuple[int, int]
    sort_ms: tuple[int, int]
    clear_ms: tuple[int, int]


HURRIED = Pace((1500, 2500), (1500, 4000), (300, 2600))
HUMAN = Pace((3000, 8000), (8000, 16_000), (800, 3500))
