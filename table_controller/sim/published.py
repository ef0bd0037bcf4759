"""A simulated table that publishes as it plays, in virtual time: for tests of the feed, and for benches."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from table_controller.feed.envelope import Enveloper
from table_controller.feed.publisher import MIN_STATE_GAP_MS, FeedPublisher, Sink
from table_controller.feed.topics import Topics
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.core import Outcome


class Kept:
    """A sink that keeps what was published, in order."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes]] = []

    def document(self, topic: str, payload: bytes, *, qos: int = 1) -> None:
        """Keep a retained document."""
        self.messages.append((topic, payload))

    def send(self, topic: str, payload: bytes, *, retain: bool = False, seq: int = 0) -> None:
        """Keep an event, alert or seal."""
        self.messages.append((topic, payload))

    def remember(self, topic: str, payload: bytes) -> None:
        """Nothing is said again here."""

    def said(self) -> list[tuple[str, dict[str, Any]]]:
        """Topic and message of each, emptied ones left out."""
        return [(topic, json.loads(payload)) for topic, payload in self.messages if payload]


class PublishingTable(EventTable):
    """An event table whose effects and states are published as they come; call ``attach`` before ``open``."""

    publisher: FeedPublisher
    clock: VirtualClock

    def attach(self, sink: Sink, topics: Topics, boot: str = "boot-1") -> FeedPublisher:
        """Publish to ``sink`` from now on."""
        self.clock = VirtualClock(self.now)
        self.publisher = FeedPublisher(sink, topics, Enveloper(topics.venue, topics.table, boot), self.clock)
        return self.publisher

    def send(self, make: Callable[..., ev.Event], **fields: object) -> Outcome:
        """Post one event, publish what it brings, and let the clock reach the next state."""
        outcome = super().send(make, **fields)
        for effect in outcome.effects:
            self.publisher.perform(effect)
        self.publisher.committed(self.events[-1], self.core.state, outcome.effects)
        self.clock.call_at(self.now + 2 * MIN_STATE_GAP_MS, lambda: None)
        while self.clock.now_ms() < self.now + 2 * MIN_STATE_GAP_MS and self.clock.run_next():
            continue
        return outcome
