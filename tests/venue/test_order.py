"""Order under every trouble at once: links lost with half a batch taken, echoes late, batches given again, a disk that
refuses, events lost on the way in and answers that come late. By random walks: what is aired of a table is 1, 2, 3 …"""

from __future__ import annotations

import json
import random
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from table_controller.feed.client import Broker
from table_controller.feed.topics import split_topic
from table_controller.venue.relay import relay as relays
from table_controller.venue.relay.relay import Relay
from table_controller.venue.wire import Heard, decoded

TABLES = ("t1", "t2", "t3")
STEPS = 160
AT_ONCE = 12


def message(rest: str, table: str, seq: int, rev: int) -> Heard:
    data = {"http": "http://here"} if rest == "info" else {"kind": "pass"} if rest == "event" else {"level": "2"}
    said = {"v": 1, "schema": "event/pass" if rest == "event" else rest, "venue": "hall", "table": table, "boot": "b",
            "seq": seq, "rev": rev, "ts": "", "mono_ms": 0, "sync": True, "deal": 1, "data": data}  # fmt: skip
    return Heard(f"guandan/v1/hall/live/{table}/{rest}", "live", table, rest, json.dumps(said).encode(), False, 0, said)


class World:
    """A relay, its disk and a broker of two halves: what it holds for the relay, and what the relay gave it."""

    def __init__(self, folder: Path, seed: int, how: str) -> None:
        """``how``: no event is lost on the way in, or lost ones are answered at once, or whenever."""
        asks, self.at_once = how != "none is lost", how == "answered at once"
        self.rng, self.now_ms = random.Random(seed), 0
        self.calls: deque[Any] = deque()
        self.answers: deque[Any] = deque()
        self.relay = Relay(Broker("127.0.0.1", 1), "hall", folder, 0, self._missed if asks else None)
        self.relay._catch_up._pool.shutdown()
        self.relay._catch_up._pool = SimpleNamespace(submit=self.answers.append, shutdown=lambda **rest: None)  # type: ignore[assignment]
        wire: Any = self.relay.wire
        wire.publish, wire.call, wire.online, wire.session_kept = self._publish, self.calls.append, True, True
        self.asks = asks
        self.count = dict.fromkeys(TABLES, 0)
        self.rev = 0
        self.held: deque[Heard] = deque()
        """What the broker has for the relay and the relay has not acknowledged, in order."""
        self.given: deque[tuple[int, str, bytes]] = deque()
        self.echoes: deque[Heard] = deque()
        self.mid = 0
        self.aired: dict[str, list[int]] = defaultdict(list)
        self.states: dict[str, list[int]] = defaultdict(list)
        self.refuses = 0
        commit = self.relay.spool.commit

        @contextmanager
        def refusing() -> Iterator[None]:
            with commit():
                yield
                if self.refuses:
                    self.refuses -= 1
                    raise OSError("full")

        self.relay.spool.commit = refusing  # type: ignore[method-assign]
        for table in TABLES if asks else ():
            self.held.append(message("info", table, 0, 1))
        self.connect()

    def _missed(self, http: str, boot: str, after: int) -> list[Any]:
        # the relay knows which table it asks; here all say the same, and the envelope tells them apart
        return [message("event", table, n, 0).said for table in TABLES for n in range(after + 1, self.count[table] + 1)]

    def _publish(self, topic: str, payload: bytes, **more: Any) -> Any:
        self.mid += 1
        self.given.append((self.mid, topic, payload))
        return SimpleNamespace(mid=self.mid)

    # --- what happens ---------------------------------------------------------------------------------------------

    def connect(self) -> None:
        """A new link: of what the old one was given the broker has a part, from the beginning."""
        self.take(self.rng.randrange(len(self.given) + 1))
        self.given.clear()
        self.relay._connected()

    def take(self, many: int) -> None:
        """The broker takes what it was given, tells the viewers, and keeps the echo."""
        for _ in range(min(many, len(self.given))):
            mid, topic, payload = self.given.popleft()
            self.relay.wire.acknowledged.append(mid)
            place = split_topic(topic)
            assert place is not None
            heard = Heard(topic, *place[1:], payload, False, self.now_ms, decoded(payload))
            if topic.endswith("/event"):
                self.aired[heard.table].append(json.loads(payload)["seq"])
                self.echoes.append(heard)
            elif heard.plane == "relay" and heard.rest == "marker":
                self.echoes.append(heard)
            elif topic.endswith("/state"):
                self.states[heard.table].append(json.loads(payload)["rev"])

    def say(self, *, loses: bool) -> None:
        """A table says something; a broker that was killed may lose it."""
        table = self.rng.choice(TABLES)
        self.rev += 1
        if self.rng.random() < 0.3:
            self.held.append(message("state", table, self.count[table], self.rev))
            return
        self.count[table] += 1
        if not (loses and self.rng.random() < 0.15):
            self.held.append(message("event", table, self.count[table], self.rev))

    def hear(self, source: deque[Heard]) -> None:
        """A batch is worked on, and acknowledged when it is kept. If not, or if the acknowledgement is lost with the
        link, it comes again by the next link."""
        batch = [replace(heard, at_ms=self.now_ms) for heard in list(source)[: self.rng.randint(1, AT_ONCE)]]
        try:
            self.relay._work(batch)
            kept = self.rng.random() < 0.9
        except OSError:
            kept = False
        if not kept:
            self.connect()
            return
        for _ in batch:
            source.popleft()

    def step(self) -> None:
        what = self.rng.random()
        self.now_ms += self.rng.choice((5, 60, 60, 300))
        if what < 0.35:
            self.say(loses=self.asks)
        elif what < 0.55 and self.held:
            self.hear(self.held)
        elif what < 0.7:
            self.take(self.rng.randint(0, 6))
        elif what < 0.8 and self.echoes:
            self.hear(self.echoes)
        elif what < 0.84:
            self.connect()
        elif what < 0.88:
            self.refuses += 1
        elif what < 0.93 and self.answers:
            self.answers.popleft()()
        elif self.calls:
            self.safely(self.calls.popleft())
        if self.at_once:
            self.answer()
        self.safely(self.relay._tick)

    def answer(self) -> None:
        """Tables answer, and the relay hears it."""
        while self.answers:
            self.answers.popleft()()
        while self.calls:
            self.safely(self.calls.popleft())

    def safely(self, act: Any) -> None:
        """As the wire does: what stumbles is done again later."""
        with suppress(OSError):
            act()

    def settle(self) -> None:
        """Everything is well again, and what waits comes."""
        self.refuses = 0
        for turn in range(80):
            self.now_ms += 700
            for table in (
                TABLES if turn in range(0, 50, 7) else ()
            ):  # the last event may have been lost: only the state tells
                self.rev += 1
                self.held.append(message("state", table, self.count[table], self.rev))
            self.answer()
            for source in (self.held, self.echoes):
                if source:
                    self.hear(source)
            self.safely(self.relay._tick)
            self.take(len(self.given))


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    seed, how = request.param
    clock = SimpleNamespace(ms=0)
    monkeypatch.setattr(relays.measure, "monotonic_ms", lambda: clock.ms)
    made = World(tmp_path, seed, how)
    monkeypatch.setattr(relays.measure, "monotonic_ms", lambda: made.now_ms)
    yield made
    made.relay.spool.close()


HOWS = ("none is lost", "answered at once", "answered whenever")


@pytest.mark.parametrize("world", [(seed, HOWS[seed % 3]) for seed in range(60)], indirect=True, ids=str)
def test_whatever_happens_events_are_aired_whole_and_in_order(world: World) -> None:
    for _ in range(STEPS):
        world.step()
    world.settle()
    for table in TABLES:
        aired = world.aired[table]
        assert aired == sorted(set(aired)), table
        assert aired[-1:] == [world.count[table]] or not world.count[table]
        first = aired[0] if world.asks and aired else 1  # a table is followed from the first that is heard of it
        if world.at_once or not world.asks:
            assert aired == list(range(first, world.count[table] + 1)), table
        assert world.states[table] == sorted(world.states[table]), table
    assert not any(track.out or track.waiting for track in world.relay._tracks.values())
