"""Clocks: monotonic milliseconds and timers, real (asyncio) or virtual (a heap that a simulation advances)."""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

Callback = Callable[[], None]


class Timer(Protocol):
    """A pending call."""

    def cancel(self) -> None:
        """Forget it."""


class Clock(Protocol):
    """Monotonic milliseconds, timers, and a wall label for people."""

    def now_ms(self) -> int:
        """Monotonic time in ms."""

    def call_at(self, at_ms: int, callback: Callback) -> Timer:
        """Call once at ``at_ms`` (at once if past)."""

    def wall(self) -> str:
        """The wall clock, ISO 8601 in UTC: for labels only."""


class RealClock:
    """Timers on the running asyncio loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def now_ms(self) -> int:
        """Monotonic time in ms."""
        return time.monotonic_ns() // 1_000_000

    def call_at(self, at_ms: int, callback: Callback) -> Timer:
        """Call on the loop."""
        return self._loop.call_later(max(0, at_ms - self.now_ms()) / 1000, callback)

    def wall(self) -> str:
        """UTC now."""
        return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(order=True)
class _Entry:
    at_ms: int
    order: int
    callback: Callback = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.cancelled = True


class VirtualClock:
    """Time that moves only when it is told to: deterministic, in order of time and then of arming."""

    def __init__(self, start_ms: int = 0) -> None:
        self._now_ms = start_ms
        self._heap: list[_Entry] = []
        self._order = 0

    def now_ms(self) -> int:
        """Virtual time in ms."""
        return self._now_ms

    def call_at(self, at_ms: int, callback: Callback) -> _Entry:
        """Call when time gets there."""
        self._order += 1
        entry = _Entry(max(at_ms, self._now_ms), self._order, callback)
        heapq.heappush(self._heap, entry)
        return entry

    def wall(self) -> str:
        """A label without a wall clock: virtual seconds."""
        return f"virtual {self._now_ms / 1000:.3f} s"

    def next_ms(self) -> int | None:
        """When the next call is due."""
        while self._heap and self._heap[0].cancelled:
            heapq.heappop(self._heap)
        return self._heap[0].at_ms if self._heap else None

    def run_next(self) -> bool:
        """Advance to the next call and make it; False when nothing is pending."""
        if self.next_ms() is None:
            return False
        entry = heapq.heappop(self._heap)
        self._now_ms = max(self._now_ms, entry.at_ms)
        entry.callback()
        return True
