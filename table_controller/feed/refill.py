"""Events that the journal has and the outbox lost (a disk that failed, a power cut) are made again from the journal.

A journal names with a ``boot`` record who publishes from there on, and with every event how many messages it published
(``told``). What is missing is published again under the same boot, number and words, with the journal's time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from table_controller.feed.envelope import Enveloper
from table_controller.feed.outbox import LIMIT, Outbox
from table_controller.feed.publisher import Digest, FeedPublisher
from table_controller.feed.topics import Topics
from table_controller.runtime.clock import Timer
from table_controller.table.codec import from_data
from table_controller.table.core import TableCore
from table_controller.table.effects import Publish

log = logging.getLogger(__name__)
Records = Iterable[dict[str, Any]]


def told_since(records: Records) -> tuple[str, int]:
    """The last boot that a journal names, and how many events it published; an empty name where none is."""
    boot, told = "", 0
    for record in records:
        if record.get("kind") == "boot":
            boot, told = str(record["boot"]), 0
        else:
            told += int(record.get("told", 0))
    return boot, told


def missing(outbox: Outbox, boot: str, told: int) -> set[int]:
    """Which of a boot's events the outbox does not keep; what it has dropped for its age is not missing."""
    kept = outbox.numbers(boot)
    oldest = min(kept, default=1) if len(kept) >= LIMIT else 1
    return set(range(oldest, told + 1)) - kept


class _Then:
    """The clock of a record: its event's stamp and its wall label; timers are the past's."""

    now, label = 0, ""

    def now_ms(self) -> int:
        """The event's own time."""
        return self.now

    def wall(self) -> str:
        """The record's wall clock."""
        return self.label

    def call_at(self, at_ms: int, callback: Callable[[], None]) -> Timer:
        """Nothing is called."""
        return self

    def cancel(self) -> None:
        """There is nothing to forget."""


class _Gaps:
    """The publisher's sink: takes what is missing, and the retained message that goes with a missing event."""

    def __init__(self, outbox: Outbox, boot: str, wanted: set[int]) -> None:
        self._outbox, self._boot, self._wanted = outbox, boot, wanted
        self._lacked = False
        self.filled = 0

    def document(self, topic: str, payload: bytes, *, qos: int = 1) -> None:
        """The state of then is no news."""

    def remember(self, topic: str, payload: bytes) -> None:
        """Nor are its alerts, but for those in the outbox."""

    def send(self, topic: str, payload: bytes, *, retain: bool = False, seq: int = 0) -> None:
        """Queue it if it is missing."""
        if seq:
            self._lacked = seq in self._wanted
            self.filled += self._lacked
        if self._lacked:
            self._outbox.put(topic, payload, retain=retain, event=(self._boot, seq) if seq else None)


def refill(
    outbox: Outbox, records: Records, topics: Topics, *, simulated: bool = False, digest: Digest | None = None
) -> int:
    """Queue what the last boot in a journal published and the outbox does not keep; returns how many events.

    Where this program judges the record differently than its writer did, it stops: nothing is made up. ``records``
    is gone through three times: a season's do not fit into memory.
    """
    boot, told = told_since(records)
    wanted = missing(outbox, boot, told) if boot else set()
    if not wanted:
        return 0
    began = max(place for place, record in enumerate(records) if record.get("kind") == "boot")
    core, clock, gaps = TableCore(), _Then(), _Gaps(outbox, boot, wanted)
    publisher = FeedPublisher(gaps, topics, Enveloper(topics.venue, topics.table, boot, sync=not simulated), clock)
    publisher.digest = digest
    for place, record in enumerate(records):
        if record.get("kind") != "event":
            continue
        event = from_data(record["event"])
        outcome = core.handle(event)
        core.commit(outcome)
        if place < began:
            continue
        if sum(isinstance(effect, Publish) for effect in outcome.effects) != record.get("told", 0):
            log.warning("Record %s comes out differently: the feed's later gaps are not filled.", record["n"])
            break
        clock.now, clock.label = event.at_ms, str(record.get("wall", ""))
        publisher.seen(event)
        for effect in outcome.effects:
            publisher.perform(effect)
        publisher.committed(event, core.state, outcome.effects)
    return gaps.filled
