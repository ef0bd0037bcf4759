"""What was said and not yet acknowledged by the broker, on disk: nothing is lost while the broker is away.

paho's own offline queue is unbounded memory and gone at a restart, so messages wait here and are handed over only while
connected. Retained documents are not queued: only their newest version matters (``client.py`` keeps it).
"""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path

from table_controller.errors import DeviceError

LIMIT = 200_000
"""Messages kept at most; the oldest go first. A day of play is about 20,000."""


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
        except (sqlite3.Error, OSError) as error:
            raise DeviceError(
                f"The outbox {path} cannot be opened: {error}.", way_out="Check the state folder."
            ) from error
        self._lock = threading.Lock()

    def put(self, topic: str, payload: bytes, *, retain: bool = False) -> int:
        """Queue a message and return its number."""
        with self._lock:
            cursor = self._db.execute(
                "INSERT INTO message (topic, payload, retain) VALUES (?, ?, ?)", (topic, payload, retain)
            )
            number = int(cursor.lastrowid or 0)
            self._db.execute("DELETE FROM message WHERE number <= ?", (number - LIMIT,))
        return number

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
