"""What elapsed time means for a player (seed 000 L315-L321; 003 has no clock a play).

Times in milliseconds; a tie goes to the player.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClockVerdict:
    """``state`` normal, warned or violation; ``violations`` counts the steps of a clock that goes on (以下类推)."""

    state: str
    penalty: str | None
    violations: int = 0


def play_clock(elapsed_ms: int, *, warning_ms: int, grace_ms: int, warned_at_ms: int | None = None) -> ClockVerdict:
    """The shot clock: warned after ``warning_ms``, a violation ``grace_ms`` after the warning (20 s, 10 s: 000 L317).

    A ``warning_ms`` of 0 is no clock: a play takes as long as it takes (003 limits the round alone, L99).
    """
    if warning_ms == 0:
        return ClockVerdict("normal", None)
    warned_at = warning_ms if warned_at_ms is None else warned_at_ms
    if elapsed_ms > warned_at + grace_ms:
        return ClockVerdict("violation", "violation", 1)
    if elapsed_ms > warned_at:
        return ClockVerdict("warned", "verbal_warning")
    return ClockVerdict("normal", None)


def tribute_clock(elapsed_ms: int, *, limit_ms: int, step_ms: int) -> ClockVerdict:
    """The tribute (15 s) and return (30 s) clocks: a warning at the limit, then a violation each 15 s (000 L319)."""
    if limit_ms == 0 or elapsed_ms <= limit_ms:
        return ClockVerdict("normal", None)
    over = elapsed_ms - limit_ms
    steps = -(-over // step_ms) - 1
    if steps < 1:
        return ClockVerdict("warned", "verbal_warning")
    return ClockVerdict("violation", "violation", steps)
