"""How fast simulated people are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """How fast people are, in ms: a whole turn from ... to ..., and the sorting of 27 cards."""

    turn_ms: tuple[int, int]
    sort_ms: tuple[int, int]
    clear_ms: tuple[int, int]


HURRIED = Pace((1500, 2500), (1500, 4000), (300, 2600))
HUMAN = Pace((3000, 8000), (8000, 16_000), (800, 3500))
