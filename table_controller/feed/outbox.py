"""What was said and not yet acknowledged by the broker, on disk: nothing is lost while the broker is away.

paho's own offline queue is unbounded memory and gone at a restart, so messages wait here and are handed over only while
connected. Retained documents are not queued: only their newest version matters (``client.py`` keeps it).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.errors import DeviceError

LIMIT = 200_000
"""Messages kept at most, and events kept for readers that missed some; the oldest go first. A day is about 20,000."""
MOST_AT_ONCE = 500
"""Events given out in one answer."""


@dataclass(frozen=True)
class Message:
    """A queued message."""

    number: int
    topic: str
    payload: bytes
    retain: bool


class Outbox:
    """A durable first-in-first-out queue, safe to use from the loop's and the client's thread."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or create the file; None keeps it in memory (virtual-time runs)."""
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(str(path) if path else ":memory:", check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS message "
                "(number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT, payload BLOB, retain INTEGER)"
            )
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS event "
                "(number INTEGER PRIMARY KEY AUTOINCREMENT, boot TEXT, seq INTEGER, payload BLOB, UNIQUE (boot, seq))"
            )
        except (sqlite3.Error, OSError) as error:
            raise DeviceError(
                f"The outbox {path} cannot be opened: {error}.", way_out="Check the state folder."
            ) from error
        self._lock = threading.Lock()

    def put(self, topic: str, payload: bytes, *, retain: bool = False, event: tuple[str, int] | None = None) -> int:
        """Queue a message and return its number; an event (its boot and seq) is also kept for ``events``."""
        with self._lock, self._whole():
            if event is not None:
                self._keep(*event, payload)
            cursor = self._db.execute(
                "INSERT INTO message (topic, payload, retain) VALUES (?, ?, ?)", (topic, payload, retain)
            )
            number = int(cursor.lastrowid or 0)
            self._db.execute("DELETE FROM message WHERE number <= ?", (number - LIMIT,))
        return number

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """All of it or nothing, in one write to the disk."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _keep(self, boot: str, seq: int, payload: bytes) -> None:
        kept = self._db.execute(
            "INSERT OR REPLACE INTO event (boot, seq, payload) VALUES (?, ?, ?)", (boot, seq, payload)
        )
        self._db.execute("DELETE FROM event WHERE number <= ?", (int(kept.lastrowid or 0) - LIMIT,))

    def events(self, boot: str, after: int, limit: int = MOST_AT_ONCE) -> list[bytes]:
        """Events of one boot with a higher number, oldest first, whether or not the broker has them."""
        with self._lock:
            rows = self._db.execute(
                "SELECT payload FROM event WHERE boot = ? AND seq > ? ORDER BY seq LIMIT ?",
                (boot, after, min(max(limit, 0), MOST_AT_ONCE)),
            ).fetchall()
        return [bytes(row[0]) for row in rows]

    def boots(self) -> list[dict[str, Any]]:
        """The boots whose events are kept, oldest first, each with its first and last number."""
        with self._lock:
            rows = self._db.execute(
                "SELECT boot, min(seq), max(seq) FROM event GROUP BY boot ORDER BY min(number)"
            ).fetchall()
        return [{"boot": row[0], "first": row[1], "last": row[2]} for row in rows]

    def after(self, number: int, count: int) -> list[Message]:
        """The next ``count`` unacknowledged messages after ``number``, oldest first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT number, topic, payload, retain FROM message WHERE number > ? ORDER BY number LIMIT ?",
                (number, count),
            ).fetchall()
        return [Message(row[0], row[1], row[2], bool(row[3])) for row in rows]

    def acknowledge(self, number: int) -> None:
        """The broker has it."""
        with self._lock:
            self._db.execute("DELETE FROM message WHERE number = ?", (number,))

    def __len__(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM message").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
