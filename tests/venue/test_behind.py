"""Where something is behind, away or fails, order is kept and memory is bounded: counted, not timed."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from table_controller.feed.client import Broker
from table_controller.feed.topics import split_topic
from table_controller.venue import wire as wires
from table_controller.venue.archive import Archive
from table_controller.venue.relay import airing, incoming
from table_controller.venue.relay import relay as relays
from table_controller.venue.relay.airing import MOST_OUT
from table_controller.venue.relay.catching_up import FETCH_MS
from table_controller.venue.relay.incoming import FEW, THIN_AT
from table_controller.venue.relay.relay import Relay
from table_controller.venue.service import BATCHES, Service
from table_controller.venue.settings import ArchiveSettings, VenueConfig, VenueSettings
from table_controller.venue.store.database import migrate, open_database
from table_controller.venue.wire import MOST_IN_FLIGHT, Heard, Wire, decoded

NOWHERE = Broker("127.0.0.1", 1)


def heard(rest: str, seq: int, *, table: str = "t1", rev: int = 0, link: int = 1, **data: Any) -> Heard:
    said = {"v": 1, "schema": rest if rest != "event" else "event/pass", "venue": "hall", "table": table, "boot": "b1",
            "seq": seq, "rev": rev or 2 * seq + (rest == "state"), "ts": "", "mono_ms": 0, "sync": True, "deal": 1,
            "data": {"kind": "pass", **data}}  # fmt: skip
    payload = json.dumps(said).encode()
    return Heard(f"guandan/v1/hall/live/{table}/{rest}", "live", table, rest, payload, False, 0, said, seq, 1, link)


class Alone:
    """A relay without a broker, worked by hand on one thread: what it says is taken down, echoes are given by hand."""

    def __init__(self, folder: Path, missed: Any = None) -> None:
        self.now_ms = 0
        self.relay = Relay(NOWHERE, "hall", folder, 0, missed)
        self.said: list[tuple[str, bytes]] = []
        self.calls: list[Any] = []
        wire: Any = self.relay.wire
        wire.publish = self._publish
        wire.call = self.calls.append
        wire.online = self.relay._clear = True

    def _publish(self, topic: str, payload: bytes, **more: Any) -> Any:
        self.said.append((topic, payload))
        return SimpleNamespace(mid=len(self.said))

    def take(self, *messages: Heard) -> None:
        self.relay._work(list(messages))

    def tick(self) -> None:
        self.now_ms += 100
        self.relay._tick()

    def echo(self) -> None:
        """All that was published comes back, and the documents are acknowledged."""
        self.relay.wire.acknowledged.extend(range(1, len(self.said) + 1))
        came = []
        for topic, payload in self.said:
            place = split_topic(topic)
            if place is not None and place[1:][0] == "air" and topic.endswith("/event"):
                came.append(Heard(topic, *place[1:], payload, False, 0, decoded(payload)))
        self.relay._work(came)

    def aired(self, rest: str = "event", table: str = "t1") -> list[int]:
        return [json.loads(payload)["seq"] for topic, payload in self.said if topic.endswith(f"air/{table}/{rest}")]

    def in_memory(self) -> int:
        """Messages whose payloads are in memory and not on the disk alone."""
        return sum(bool(kept.payload) for track in self.relay._tracks.values() for kept in track.waiting)


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Alone]:
    made = Alone(tmp_path)
    monkeypatch.setattr(relays.measure, "monotonic_ms", lambda: made.now_ms)
    yield made
    made.relay._catch_up.stop()
    made.relay.spool.close()


def test_what_a_disk_refused_is_aired_before_what_came_after_it(alone: Alone, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(numbers: list[int]) -> None:
        raise OSError("full")

    alone.take(heard("event", 1))
    alone.tick()
    with monkeypatch.context() as patch:
        patch.setattr(alone.relay.spool, "hand", refuse)
        alone.take(heard("event", 2))
        with pytest.raises(OSError, match="full"):
            alone.tick()
    alone.take(heard("event", 3))
    alone.tick()
    assert alone.aired() == [1, 2, 3]


def test_a_batch_that_could_not_be_kept_is_given_again_before_what_lay_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The broker gives all of it again, in order; what lay in the queue is not worked on in between."""
    monkeypatch.setattr(wires, "MOST_AT_ONCE", 2)
    monkeypatch.setattr(wires, "RETRY_S", 0.0)
    done: list[int] = []
    refused: list[int] = []

    def work(batch: list[Heard]) -> None:
        if 3 in [one.mid for one in batch] and not refused:
            refused.append(3)
            raise OSError("full")
        done.extend(one.mid for one in batch)

    wire = Wire(NOWHERE, "w", (), lambda: 0, work)
    monkeypatch.setattr(wire, "_connect", lambda: None)
    wire.online = True
    for number in range(1, 9):
        wire._queue.put(heard("event", number))
    for number in range(3, 11):
        wire._queue.put(heard("event", number, link=2))
    wire._queue.put(None)
    wire._run()
    assert done == list(range(1, 11))
    assert not wire.online, "until the new connection stands"


def test_an_answer_that_comes_too_late_is_no_answer_to_the_next_question(alone: Alone) -> None:
    """Numbers 2 and 5 are missing; the answer for 2 comes when the table is asked for 5 already."""
    asked: list[int] = []
    alone.relay._catch_up._missed = lambda http, boot, after: asked.append(after) or [said(after + 1)]

    def said(seq: int) -> dict[str, Any]:
        made = heard("event", seq).said
        assert made is not None
        return made

    def answered(count: int) -> None:
        alone.relay._catch_up._pool.submit(lambda: None).result(10)
        assert len(alone.calls) == count

    alone.take(heard("info", 0, http="http://here"), heard("event", 1), heard("event", 3))
    answered(1)
    alone.now_ms += FETCH_MS + 1
    alone.tick()
    assert alone.aired() == [1, 3], "it went on without"
    alone.take(heard("event", 4), heard("event", 6), heard("event", 7))
    answered(2)
    alone.calls[0]()
    alone.tick()
    assert alone.aired() == [1, 3, 4], "6 and 7 still wait for 5"
    alone.calls[1]()
    alone.tick()
    assert alone.aired() == [1, 3, 4, 5, 6, 7]
    assert asked == [1, 4]


def test_a_backlog_is_aired_in_order_while_a_gap_is_filled_and_the_link_breaks(alone: Alone) -> None:
    alone.relay._catch_up._missed = lambda http, boot, after: [heard("event", n).said for n in range(after + 1, 41)]
    alone.relay.wire.online = False
    alone.take(heard("info", 0, http="http://here"), *(heard("event", n) for n in range(1, 31)))
    alone.take(*(heard("event", n) for n in range(41, 61)))
    alone.relay.wire.online = True
    for _ in range(3):
        alone.tick()
    assert alone.aired() == list(range(1, 31)), "what came after the gap waits"
    before = len(alone.said)
    alone.relay._sure()  # a new link: none of them came back
    alone.relay._catch_up._pool.submit(lambda: None).result(10)
    [answer] = alone.calls
    answer()
    alone.take(heard("event", 61))
    for _ in range(3):
        alone.tick()
    again = [json.loads(payload)["seq"] for topic, payload in alone.said[before:] if topic.endswith("/event")]
    assert again == list(range(1, 62))


def test_where_the_air_is_behind_memory_is_bounded_and_old_states_are_left_out(
    alone: Alone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(airing, "MOST_OUT", 900)
    monkeypatch.setattr(incoming, "BEHIND_MS", 0)
    tables, each = 40, 100
    for n in range(1, each + 1):
        for place in range(tables):
            name = f"t{place}"
            alone.take(heard("state", n - 1, table=name), heard("event", n, table=name), heard("state", n, table=name))
        if n % 10 == 0:
            alone.tick()
            track = alone.relay._tracks["t1"]
            assert alone.in_memory() <= FEW * tables
            assert len(alone.relay._airing.sent) <= MOST_OUT
            assert len(track.waiting) <= n + THIN_AT + 1, "the events, and states since it was thinned"
    assert len(track.waiting) > FEW, "nothing came back: the rest waits on the disk"
    for _ in range(60):
        alone.echo()
        alone.tick()
    for place in range(tables):
        assert alone.aired(table=f"t{place}") == list(range(1, each + 1))
        states = alone.aired("state", f"t{place}")
        assert states == sorted(states)
        assert states[-1] == each
        assert len(states) < 2 * each


def test_a_state_that_a_broker_gives_again_does_not_take_the_air_back(alone: Alone) -> None:
    for message in (heard("state", 1), heard("state", 2), heard("state", 1), heard("state", 2)):
        alone.take(message)
        alone.tick()
    assert alone.aired("state") == [1, 2, 2]


def test_what_was_aired_is_forgotten_in_parts(alone: Alone) -> None:
    spool = alone.relay.spool
    with spool.commit():
        kept = [spool.add("t1", "event", "b1", n, b"x", 0) for n in range(1, 26)]
        spool.keep_aired([(n, one.number) for n, one in enumerate(kept)])
    with spool.commit():
        assert spool.forget_aired(100, most=10)
        assert [len(spool.aired("t1", "b1", 0, 99)), spool.forget_aired(100, most=10)] == [15, True]
        assert not spool.forget_aired(100, most=10)
    assert spool.aired("t1", "b1", 0, 99) == []


def test_where_the_loop_is_behind_the_wire_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(_behind(tmp_path, monkeypatch))


async def _behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_controller.venue.service.BEHIND_S", 0.01)
    service = Service(VenueConfig(venue=VenueSettings(state=str(tmp_path)), archive=ArchiveSettings(enabled=False)))
    taken: list[int] = []
    monkeypatch.setattr(service.hall, "take", lambda batch: taken.append(len(batch)))
    worked: list[int] = []
    worker = threading.Thread(
        target=lambda: [(service._work([heard("event", n)]), worked.append(n)) for n in range(60)]
    )
    worker.start()
    worker.join(0.3)  # the loop does nothing meanwhile
    assert len(worked) == BATCHES
    while worker.is_alive():
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (len(worked), len(taken)) == (60, 60)
    assert service._room._value == BATCHES
    service.engine.dispose()


@pytest.mark.broker
def test_a_slow_reader_is_given_so_much_and_no_more(hall: Any, kit: Any) -> None:
    """The broker keeps what the program has no room for, and gives it in order afterwards."""
    go, done = threading.Event(), list[int]()

    def work(batch: list[Heard]) -> None:
        go.wait(30)
        done.extend(int(one.payload) for one in batch)

    topics = (("guandan/v1/hall/live/t1/event", 1),)
    reader = Wire(hall.login("venue"), "slow", topics, lambda: 0, work)
    reader.start()
    kit.wait_for(lambda: reader.online)
    table = kit.Client(hall.login("table-t1"), "table")
    count = MOST_IN_FLIGHT + 1000
    for number in range(count):
        info = table.client.publish("guandan/v1/hall/live/t1/event", str(number), qos=1)
    info.wait_for_publish(20)
    kit.wait_for(lambda: reader._queue.qsize() >= MOST_IN_FLIGHT - wires.MOST_AT_ONCE)
    assert reader._queue.qsize() <= MOST_IN_FLIGHT
    go.set()
    kit.wait_for(lambda: len(done) >= count)
    assert done == list(range(count))
    reader.stop()
    table.close()


def test_the_archive_asks_the_database_only_behind_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'a.sqlite'}")
    migrate(engine)
    archive, asked = Archive(engine, "hall"), list[int]()
    apply = Archive._apply
    monkeypatch.setattr(Archive, "_apply", lambda self, *rest: (asked.append(1), apply(self, *rest))[1])
    archive.ingest([heard("event", n) for n in (1, 2)])
    archive.ingest([heard("event", n) for n in (3, 4)])
    assert len(asked) == 1, "at first it does not know what the database has"
    archive.ingest([heard("event", 6)])
    archive.ingest([heard("event", 5)])
    assert archive.cursors["t1", "b1"].seq == 6
    asked.clear()
    archive.ingest([heard("event", n) for n in (7, 8)])
    assert (archive.cursors["t1", "b1"].seq, asked) == (8, [])
    assert Archive(engine, "hall").cursors["t1", "b1"].seq == 8
    engine.dispose()


def test_no_more_is_read_than_the_worker_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a broker gives more than it was allowed; a link that was given back does not wait."""
    monkeypatch.setattr(wires, "MOST_IN_FLIGHT", 5)
    monkeypatch.setattr(wires, "ROOM_TRIES", 10**6)
    wire = Wire(NOWHERE, "w", (), lambda: 0, lambda batch: None)
    message: Any = SimpleNamespace(topic="guandan/v1/hall/live/t1/event", payload=b"{}", retain=False, mid=1, qos=1)
    reader = threading.Thread(target=lambda: [wire._received(wire.client, 1, message) for _ in range(9)])
    reader.start()
    reader.join(0.2)
    assert wire._queue.qsize() == 5
    for _ in range(4):
        wire._queue.get()
    reader.join(10)
    assert (reader.is_alive(), wire._queue.qsize()) == (False, 5)
    wire._given_back = 1
    wire._received(wire.client, 1, message)
    assert wire._queue.qsize() == 6
