"""One table of the relay in memory: what waits, what is on its way to the air, and what must be put right in it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from table_controller.venue.relay.corrections import amended, encoded
from table_controller.venue.relay.spool import Kept, Lane
from table_controller.venue.wire import Heard

CORRECTIONS_KEPT = 20


@dataclass
class Track:
    """One table in memory."""

    lane: Lane
    waiting: deque[Kept] = field(default_factory=deque)
    out: dict[int, Kept] = field(default_factory=dict)
    """Handed to the broker, and not yet known to be on air."""
    newest: dict[str, bytes] = field(default_factory=dict)
    """The last document of each name: a retained copy of it is not aired again."""
    http: str = ""
    level: str = "2"
    parked: list[Heard] = field(default_factory=list)
    parked_until_ms: int = 0
    behind: tuple[str, int, int] = ("", 0, 0)
    """A boot and the number of its last event as its state tells it, not heard itself; and since when (ms)."""
    made: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=CORRECTIONS_KEPT))
    """Corrections that were made: a state of before one of them may still be on its way."""
    status: tuple[Any, ...] = ()

    def is_due(self, now_ms: int) -> bool:
        """Whether the first of what waits goes on air now."""
        lane = self.lane
        if lane.mode != "go" or not self.waiting:
            return False
        return self.waiting[0].at_ms + lane.delay_ms + lane.late_ms <= now_ms

    def put_right(self, said: dict[str, Any], payload: bytes) -> bytes | None:
        """A state that comes after a correction, but tells of before it; None where it is left out."""
        made: dict[str, Any] | None = said
        for correction in self.made:
            if made is not None and correction["boot"] == said["boot"] and said["seq"] < correction["seq"]:
                try:
                    made = amended(correction, made, self.level)
                except (KeyError, TypeError, ValueError, AttributeError):
                    return None
        return payload if made is said else None if made is None else encoded(made)

    def news(self, now_ms: int) -> dict[str, Any] | None:
        """How it stands, for the director's page; None where he knows already."""
        lane, waiting = self.lane, self.waiting
        oldest_ms = now_ms - waiting[0].at_ms if waiting else 0
        told = (lane.mode, lane.delay_ms, lane.late_ms, len(waiting), oldest_ms // 1000)
        if told == self.status or (not waiting and told[:3] == self.status[:3] and not self.status[3]):
            return None
        self.status = told
        return {
            "table": lane.table,
            "mode": lane.mode,
            "delay_ms": lane.delay_ms,
            "late_ms": lane.late_ms,
            "queued": len(waiting),
            "oldest_ms": oldest_ms,
        }


def said_again(table: str, said: dict[str, Any], at_ms: int) -> Heard:
    """An event that its table gave over HTTP, as if it had been heard."""
    return Heard("", "live", table, "event", encoded(said), False, at_ms, said)
