"""How long things take, for people: never for logic."""

from __future__ import annotations

import time


def wall_seconds() -> float:
    """Monotonic seconds, for the duration of a run."""
    return time.perf_counter()
