"""How long things take, for people: never for logic."""

from __future__ import annotations

import time
import uuid


def wall_seconds() -> float:
    """Monotonic seconds, for the duration of a run."""
    return time.perf_counter()


def boot_id() -> str:
    """A name for this run of the program: readers of the feed tell runs apart by it."""
    return uuid.uuid4().hex[:12]
