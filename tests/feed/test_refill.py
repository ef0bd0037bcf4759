"""A disk that fails under the outbox loses nothing from the feed: it waits, or is made again from the journal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_controller.app.table import Table, add_feed, open_table
from table_controller.feed.client import Broker
from table_controller.feed.outbox import Outbox
from table_controller.feed.refill import missing, refill, told_since
from table_controller.feed.topics import Topics
from table_controller.journal.reader import read_journal
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.event_table import EventTable

NOBODY = Broker("127.0.0.1", 1)
TOPICS = Topics("hall", "t1")


class FailingDisk:
    """A connection whose ``k``-th statement from now on fails, and every later one until it is ``mended``."""

    def __init__(self, db: sqlite3.Connection, k: int) -> None:
        self._db, self._left, self.mended = db, k, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        self._left -= 1
        if self._left < 0 and not self.mended and sql != "ROLLBACK":
            raise sqlite3.OperationalError("disk I/O error")
        return self._db.execute(sql, *values)


def said(outbox: Outbox, boot: str) -> list[dict[str, Any]]:
    """The events that are kept, all of them."""
    found: list[bytes] = []
    while more := outbox.events(boot, json.loads(found[-1])["seq"] if found else 0):
        found += more
    return [json.loads(payload) for payload in found]


@pytest.mark.parametrize("k", range(14))
def test_a_disk_that_fails_at_any_statement_only_makes_messages_wait(tmp_path: Path, k: int) -> None:
    path = tmp_path / "outbox"
    outbox = Outbox(path)
    db = outbox._db
    disk = outbox._db = FailingDisk(db, k)  # type: ignore[assignment]
    for number in range(1, 7):
        outbox.put("event", b'{"seq": %d}' % number, event=("b", number))
    assert outbox.problem == "disk I/O error"
    assert len(outbox) > 0
    assert not outbox.settle()
    disk.mended = True
    outbox.put("event", b'{"seq": 7}', event=("b", 7))
    assert outbox.problem == ""
    outbox.close()
    again = Outbox(path)
    assert [json.loads(message.payload)["seq"] for message in again.after(0, 100)] == list(range(1, 8))
    assert again.numbers("b") == set(range(1, 8))
    again.close()


def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    """SQLite itself says that it is full."""
    outbox = Outbox(tmp_path / "outbox")
    pages = outbox._db.execute("PRAGMA page_count").fetchone()[0]
    outbox._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    for number in range(1, 41):
        outbox.put("event", b'{"seq": %d, "long": "%s"}' % (number, b"x" * 500), event=("b", number))
    assert "full" in outbox.problem
    outbox._db.execute("PRAGMA max_page_count = 100000")
    assert outbox.settle()
    assert [event["seq"] for event in said(outbox, "b")] == list(range(1, 41))
    outbox.close()


def opened(folder: Path, boot: str) -> Table:
    """A table as ``run`` opens it, whose broker is away."""
    table = open_table(VirtualClock(), folder / "journal", table="t1", venue="hall", profile="default", sync=False)
    add_feed(table, NOBODY, folder / "outbox", boot=boot, simulated=True)
    return table


def played(folder: Path, spoil: Callable[[Outbox, int], None] = lambda outbox, number: None) -> int:
    """A first run that ends as a power cut would end it; ``spoil`` is called before each event. How many it told."""
    table = opened(folder, "b1")
    script = EventTable(7)
    script.open()
    script.play_deal()
    assert table.outbox is not None
    for number, event in enumerate(script.events):
        spoil(table.outbox, number)
        table.runtime.post(event)
    table.outbox._owed.clear()
    table.close()
    return told_since(read_journal(folder / "journal").records)[1]


def plain(events: list[dict[str, Any]]) -> list[Any]:
    """What readers go by: all but when it was said, and the count of states."""
    return [{key: value for key, value in event.items() if key not in ("ts", "mono_ms", "rev")} for event in events]


def test_what_the_outbox_lost_is_made_again_at_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "well").mkdir()
    told = played(tmp_path / "well")
    whole = opened(tmp_path / "well", "b2").outbox
    assert whole is not None
    expected = plain(said(whole, "b1"))
    assert len(expected) == told > 40

    def spoil(outbox: Outbox, number: int) -> None:
        if number == 60:
            outbox._db = FailingDisk(outbox._db, 2)  # type: ignore[assignment]

    assert played(tmp_path, spoil) == told
    kept = Outbox(tmp_path / "outbox")
    lost = missing(kept, "b1", told)
    assert len(lost) > 10
    kept.close()
    table = opened(tmp_path, "b2")
    assert table.outbox is not None
    assert plain(said(table.outbox, "b1")) == expected
    waiting = [json.loads(m.payload) for m in table.outbox.after(0, 10_000) if m.topic == TOPICS.event]
    assert [event["seq"] for event in waiting] == list(range(1, told + 1))
    assert told_since(read_journal(tmp_path / "journal").records) == ("b2", 0)
    table.close()
    third = opened(tmp_path, "b3")
    assert third.outbox is not None
    assert len(said(third.outbox, "b1")) == told
    third.close()


def test_a_damaged_outbox_is_set_aside_and_filled_anew(tmp_path: Path) -> None:
    told = played(tmp_path)
    (tmp_path / "outbox").write_bytes(b"no database " * 500)
    table = opened(tmp_path, "b2")
    assert table.outbox is not None
    assert [event["seq"] for event in said(table.outbox, "b1")] == list(range(1, told + 1))
    assert (tmp_path / "outbox.damaged").read_bytes().startswith(b"no database")
    table.close()


def test_a_version_that_judges_differently_makes_nothing_up(tmp_path: Path) -> None:
    played(tmp_path)
    records = read_journal(tmp_path / "journal").records
    told = [place for place, record in enumerate(records) if record.get("told")]
    records[told[20]]["told"] += 1
    outbox = Outbox()
    filled = refill(outbox, records, TOPICS, simulated=True)
    assert 0 < filled == sum(records[place]["told"] for place in told[:20])
    outbox.close()
