"""From the core's effects to messages: events are numbered, the state is published on change and kept fresh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from table_controller.feed.client import FeedClient
from table_controller.feed.envelope import Enveloper
from table_controller.feed.topics import Topics
from table_controller.runtime.clock import Clock
from table_controller.table.effects import Effect, Publish, Seal
from table_controller.table.events import (
    CardsSeen,
    Event,
    PromptCircleCleared,
    PromptLaid,
    PromptLifted,
    PromptTouched,
)
from table_controller.table.snapshot import snapshot
from table_controller.table.state import TableState

MIN_STATE_GAP_MS = 100
CONFIDENCES = 64
REFRESH_MS = 5000
"""The clock in the state is published at least this often; viewers count locally in between."""


class Sink(Protocol):
    """What the publisher needs of a client."""

    def document(self, topic: str, payload: bytes, *, qos: int = 1) -> None:
        """Publish a retained document."""

    def send(self, topic: str, payload: bytes, *, retain: bool = False, seq: int = 0) -> None:
        """Queue a message durably; ``seq`` above 0: an event that is also kept for who missed it."""

    def remember(self, topic: str, payload: bytes) -> None:
        """Say a retained document again from time to time, or (empty) no longer."""


WITH_CIRCLE = ("play", "pass", "report", "incident")
"""Events that name the picture of their seat's prompt circle."""
NEWEST = -1
Digest = Callable[[str], str]
"""The sha256 of a kept picture by its name, or empty."""


def _at_most(kept: dict[tuple[str, int], Any]) -> None:
    while len(kept) > CONFIDENCES:
        del kept[next(iter(kept))]


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


class FeedPublisher:
    """An adapter of the runtime: give ``perform`` and ``committed`` to it."""

    def __init__(self, sink: Sink | FeedClient, topics: Topics, enveloper: Enveloper, clock: Clock) -> None:
        self._sink, self._topics, self._envelope, self._clock = sink, topics, enveloper, clock
        self._state: TableState | None = None
        self._deal = 0
        self._last_state_ms = -MIN_STATE_GAP_MS
        self._scheduled = False
        self.events_sent = 0
        self.digest: Digest | None = None
        self._confidences: dict[tuple[str, int], float] = {}
        self._circles: dict[tuple[str, int], str] = {}

    def info(self, data: dict[str, Any]) -> None:
        """Versions and capabilities, once at the start."""
        now = self._clock.now_ms()
        payload = self._envelope.state("info", data, deal=0, mono_ms=now, wall=self._clock.wall())
        self._sink.document(self._topics.info, payload)

    def health(self, data: dict[str, Any]) -> None:
        """The adapters' health: retained, QoS 0."""
        now = self._clock.now_ms()
        payload = self._envelope.state("health", data, deal=self._deal, mono_ms=now, wall=self._clock.wall())
        self._sink.document(self._topics.health, payload, qos=0)

    def perform(self, effect: Effect) -> None:
        """Send public events and seals."""
        if isinstance(effect, Publish):
            self._event(effect.kind, {key: _plain(value) for key, value in effect.data})
        elif isinstance(effect, Seal):
            data = {key: _plain(value) for key, value in effect.data}
            payload = self._envelope.state(f"seal/{effect.stage}", data, **self._labels())
            self._sink.send(self._topics.seal(effect.stage), payload, retain=True)

    def seen(self, event: Event) -> None:
        """Remember how sure a reading was: its play may stand only later."""
        if isinstance(event, CardsSeen):
            self._confidences[event.seat, event.at_ms] = event.confidence
            _at_most(self._confidences)
        if isinstance(event, CardsSeen):
            self._circle(event.seat, event.at_ms, event.circle)
        elif isinstance(event, PromptLaid | PromptLifted | PromptTouched | PromptCircleCleared):
            self._circle(event.seat, event.at_ms, event.evidence)

    def _circle(self, seat: str, at_ms: int, name: str) -> None:
        """Remember the picture of a prompt circle: by its time for the act that is stamped so, and as the newest."""
        if name:
            self._circles.pop((seat, NEWEST), None)
            self._circles[seat, at_ms] = self._circles[seat, NEWEST] = name
            _at_most(self._circles)

    def _circle_of(self, data: dict[str, Any]) -> dict[str, Any]:
        """What an event says of the picture of its seat's prompt circle."""
        seat = data.get("seat")
        newest = self._circles.get((seat, NEWEST), "") if isinstance(seat, str) else ""
        name = self._circles.get((str(seat), data.get("stamp_ms", NEWEST)), newest)
        if not name or self.digest is None:
            return {}
        digest = self.digest(name)
        return {"prompt_evidence": name, "prompt_sha256": digest} if digest else {}

    def _labels(self) -> dict[str, Any]:
        return {"deal": self._deal, "mono_ms": self._clock.now_ms(), "wall": self._clock.wall()}

    def _event(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "dealt":
            self._deal = data["deal"]
        if kind == "incident":
            data = {"what": data["kind"], **{key: value for key, value in data.items() if key != "kind"}}
        if kind == "play" and data["evidence"] and self.digest is not None:
            data = {**data, "evidence_sha256": self.digest(data["evidence"])}
        sure = self._confidences.get((data["seat"], data["stamp_ms"])) if kind == "play" else None
        if sure is not None:
            data = {**data, "confidence": sure}
        if kind in WITH_CIRCLE:
            data = {**data, **self._circle_of(data)}
        seq, payload = self._envelope.event(kind, data, **self._labels())
        self._sink.send(self._topics.event, payload, seq=seq)
        self.events_sent += 1
        if kind == "incident":
            alert = self._envelope.state("alert", data, **self._labels())
            self._alert(data["number"], alert)
        elif kind == "incident_updated" and data["status"] in ("resolved", "overturned"):
            self._alert(data["number"], b"")

    def _alert(self, number: int, payload: bytes) -> None:
        topic = self._topics.alert(number)
        self._sink.send(topic, payload, retain=True)
        self._sink.remember(topic, payload)

    def committed(self, event: Event, state: TableState, effects: tuple[Effect, ...]) -> None:
        """Publish the state soon after each change."""
        self._state, self._deal = state, state.deal_number
        if not self._scheduled:
            self._scheduled = True
            self._clock.call_at(max(self._clock.now_ms(), self._last_state_ms + MIN_STATE_GAP_MS), self._flush)

    def _flush(self) -> None:
        self._scheduled = False
        if self._state is None:
            return
        self._last_state_ms = now = self._clock.now_ms()
        data = snapshot(self._state, now)
        self._sink.document(self._topics.state, self._envelope.state("state", data, **self._labels()))

    def refresh(self) -> None:
        """Publish the state again now and every ``REFRESH_MS`` (real time only)."""
        self._flush()
        self._clock.call_at(self._clock.now_ms() + REFRESH_MS, self.refresh)
