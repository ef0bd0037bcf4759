"""What was said and not yet acknowledged by the broker, on disk: nothing is lost while the broker is away.

paho's own offline queue is unbounded memory and gone at a restart, so messages wait here and are handed over only while
connected. Retained documents are not queued: only their newest version matters (``client.py`` keeps it).

A disk that fails here stops nobody: what it does not take waits in memory and is written, in its order, as soon as it
takes something again. What a restart or a power cut loses of that is made again from the journal (``refill.py``).
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.errors import DeviceError

log = logging.getLogger(__name__)
LIMIT = 200_000
"""Messages kept at most, and events kept for readers that missed some; the oldest go first. A day is about 20,000."""
MOST_OWED = 10_000
"""Messages kept in memory while the disk takes none, half a day's; the journal has them too."""
CACHE_KB = 256
"""SQLite would keep 2 MB of pages, and fill them in the first hours; a queue reads few pages twice."""
MOST_AT_ONCE = 500
"""Events given out in one answer."""


@dataclass(frozen=True)
class _Owed:
    """A message on its way to the disk; ``event``: its boot and number, if it is one."""

    topic: str
    payload: bytes
    retain: bool
    event: tuple[str, int] | None


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
        """Open or create the file; None keeps it in memory (virtual-time runs). Raises DeviceError."""
        self.problem = ""
        """Why the disk does not take messages now; empty: it does."""
        self._owed: deque[_Owed] = deque(maxlen=MOST_OWED)
        self._length = 0
        self._lock = threading.Lock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(str(path) if path else ":memory:", check_same_thread=False, isolation_level=None)
        except (sqlite3.Error, OSError) as error:
            raise _cannot_open(path, error) from error
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(f"PRAGMA cache_size=-{CACHE_KB}")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS message "
                "(number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT, payload BLOB, retain INTEGER)"
            )
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS event "
                "(number INTEGER PRIMARY KEY AUTOINCREMENT, boot TEXT, seq INTEGER, payload BLOB, UNIQUE (boot, seq))"
            )
        except sqlite3.Error as error:
            self._db.close()
            raise _cannot_open(path, error) from error

    def put(self, topic: str, payload: bytes, *, retain: bool = False, event: tuple[str, int] | None = None) -> None:
        """Queue a message; an event (its boot and seq) is also kept for ``events``. Never raises: see ``settle``."""
        with self._lock:
            self._owed.append(_Owed(topic, payload, retain, event))
            self._settle()

    def settle(self) -> bool:
        """Write what the disk has not taken yet, oldest first; whether it has taken everything."""
        with self._lock:
            return self._settle()

    def _settle(self) -> bool:
        try:
            while self._owed:
                self._write(self._owed[0])
                self._owed.popleft()
        except sqlite3.Error as error:
            if not self.problem:
                log.warning("The outbox cannot be written (%s): events wait in memory.", error)
            self.problem = str(error)
            return False
        if self.problem:
            log.warning("The outbox can be written again.")
        self.problem = ""
        return True

    def _write(self, owed: _Owed) -> None:
        with self._whole():
            if owed.event is not None:
                self._keep(*owed.event, owed.payload)
            cursor = self._db.execute(
                "INSERT INTO message (topic, payload, retain) VALUES (?, ?, ?)",
                (owed.topic, owed.payload, owed.retain),
            )
            self._db.execute("DELETE FROM message WHERE number <= ?", (int(cursor.lastrowid or 0) - LIMIT,))

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """All of it or nothing, in one write to the disk."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
            raise

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

    def numbers(self, boot: str) -> set[int]:
        """Which events of a boot are kept. Raises sqlite3.Error."""
        with self._lock:
            rows = self._db.execute("SELECT seq FROM event WHERE boot = ?", (boot,)).fetchall()
        return {int(row[0]) for row in rows}

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
        """How many messages wait; as of the last time that the disk could be asked."""
        with self._lock:
            with contextlib.suppress(sqlite3.Error):
                self._length = int(self._db.execute("SELECT count(*) FROM message").fetchone()[0])
            return self._length + len(self._owed)

    def close(self) -> None:
        """Close the file, after a last try to write what it has not taken."""
        with self._lock:
            self._settle()
            self._db.close()


def open_outbox(path: Path | None) -> Outbox:
    """The outbox of a file; one that is no longer a database is set aside, and a new one filled from the journal."""
    try:
        return Outbox(path)
    except DeviceError as error:
        if path is None or not isinstance(error.__cause__, sqlite3.DatabaseError) or not _broken(error.__cause__):
            raise
        kept = path.with_name(f"{path.name}.damaged")
        log.warning("The outbox %s is damaged (%s): it is kept as %s.", path, error.__cause__, kept.name)
        for end in ("-wal", "-shm"):
            path.with_name(f"{path.name}{end}").unlink(missing_ok=True)
        path.replace(kept)
        return Outbox(path)


def _cannot_open(path: Path | None, error: Exception) -> DeviceError:
    return DeviceError(f"The outbox {path} cannot be opened: {error}.", way_out="Check the state folder.")


def _broken(error: sqlite3.DatabaseError) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
