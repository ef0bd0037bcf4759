"""One table of the relay in memory: what waits, what is on its way to the air, and what must be put right in it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from table_controller.venue.relay.corrections import amended, encoded
from table_controller.venue.relay.spool import Kept, Lane, Token
from table_controller.venue.wire import Heard

CORRECTIONS_KEPT = 20


@dataclass
class Track:
    """One table in memory."""

    lane: Lane
    waiting: deque[Kept] = field(default_factory=deque)
    out: dict[Token, Kept] = field(default_factory=dict)
    """Handed to the broker, and not yet known to be on air."""
    revs: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Boot and version of the newest document of each name: an older one that comes again is let go."""
    newest: dict[str, bytes] = field(default_factory=dict)
    """The last document of each name: a retained copy of it is not aired again."""
    http: str = ""
    level: str = "2"
    parked: list[Heard] = field(default_factory=list)
    parked_until_ms: int = 0
    asked: int = 0
    """Counts what was asked for: an answer that comes too late belongs to an earlier question."""
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

    def take_due(self, now_ms: int, most: int) -> list[Kept]:
        """What goes on air now, at most so many."""
        due: list[Kept] = []
        while len(due) < most and self.is_due(now_ms):
            due.append(self.waiting.popleft())
        return due

    def thin(self) -> list[int]:
        """The air is behind: let go of all states that wait but the newest; returns their numbers."""
        kept = without_replaced(list(self.waiting))
        numbers = {one.number for one in kept}
        gone = [one.number for one in self.waiting if one.number not in numbers]
        self.waiting = deque(kept)
        return gone

    def put_back(self, due: list[Kept]) -> None:
        """They did not go out: they come first again."""
        self.waiting.extendleft(reversed(due))

    def is_old(self, rest: str, boot: str, rev: int) -> bool:
        """Whether a document is older than one that was taken: a broker gives again what was not acknowledged."""
        known = self.revs.get(rest)
        if known is not None and known[0] == boot and rev < known[1]:
            return True
        self.revs[rest] = (boot, rev)
        return False

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


def without_replaced(due: list[Kept]) -> list[Kept]:
    """Of one table's messages that go out together only the newest state: the others nobody could see."""
    last = next((kept for kept in reversed(due) if kept.rest == "state"), None)
    return [kept for kept in due if kept.rest != "state" or kept is last]


def said_again(table: str, said: dict[str, Any], at_ms: int) -> Heard:
    """An event that its table gave over HTTP, as if it had been heard."""
    return Heard("", "live", table, "event", encoded(said), False, at_ms, said)
