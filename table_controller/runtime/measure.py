"""How long things take, for people: never for logic."""

from __future__ import annotations

import time
import uuid
from pathlib import Path


def wall_seconds() -> float:
    """Monotonic seconds, for the duration of a run."""
    return time.perf_counter()


def boot_id() -> str:
    """A name for this run of the program: readers of the feed tell runs apart by it."""
    return uuid.uuid4().hex[:12]


def monotonic_ms() -> int:
    """The machine's monotonic clock, in ms: common to all programs of one start of the machine."""
    return time.monotonic_ns() // 1_000_000


def epoch_ms() -> int:
    """The wall clock as ms since 1970: a label, and what outlives a restart of the machine."""
    return time.time_ns() // 1_000_000


def machine_boot() -> str:
    """Names this start of the machine: monotonic times of another one mean nothing."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
