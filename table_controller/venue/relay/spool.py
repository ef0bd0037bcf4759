"""What waits for its time to go on air, on disk. One thread uses it; a change is kept when ``commit`` returns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from sys import intern

from table_controller.errors import DeviceError

WAITING, HANDED, AIRED = 0, 1, 2
Token = tuple[str, int] | int
"""By what it is known that a message is on air: an event's boot and number, a document's own number."""
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Kept:
    """One message: ``at_ms`` is the machine's monotonic clock, ``handed`` once it may be at the broker.

    An empty payload lies on the disk alone: a quarter of an hour of a large hall is gigabytes.
    """

    number: int
    table: str
    rest: str
    boot: str
    seq: int
    payload: bytes
    at_ms: int
    handed: bool = False

    @property
    def token(self) -> Token:
        """Under what it is looked for when its echo comes."""
        return (self.boot, self.seq) if self.rest == "event" else self.number


@dataclass
class Lane:
    """How one table is relayed. ``late_ms``: how much later than its delay it runs, after it was held."""

    table: str
    mode: str = "go"
    delay_ms: int = 0
    late_ms: int = 0
    held_ms: int = 0
    info: bytes = b""


class Spool:
    """A queue a table; numbers go up over all."""

    def __init__(self, path: Path | None, *, machine: str, now_ms: int, wall_ms: int) -> None:
        """Open or create it; after a restart of the machine times are set by the wall clock."""
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(str(path) if path else ":memory:", check_same_thread=False, isolation_level=None)
            for words in (
                "PRAGMA journal_mode=WAL",
                "PRAGMA synchronous=NORMAL",
                "CREATE TABLE IF NOT EXISTS message (number INTEGER PRIMARY KEY AUTOINCREMENT, tbl TEXT, rest TEXT, "
                "boot TEXT, seq INTEGER, payload BLOB, at_ms INTEGER, state INTEGER DEFAULT 0)",
                "CREATE INDEX IF NOT EXISTS by_event ON message (tbl, boot, seq)",
                f"CREATE INDEX IF NOT EXISTS by_time ON message (at_ms) WHERE state = {AIRED}",
                "CREATE TABLE IF NOT EXISTS lane (tbl TEXT PRIMARY KEY, mode TEXT, delay_ms INTEGER, late_ms INTEGER, "
                "held_ms INTEGER, info BLOB)",
                "CREATE TABLE IF NOT EXISTS seen (tbl TEXT, boot TEXT, seq INTEGER, PRIMARY KEY (tbl, boot))",
                "CREATE TABLE IF NOT EXISTS machine (boot TEXT, now_ms INTEGER, wall_ms INTEGER)",
            ):
                self._db.execute(words)
            self._same_clock(machine, now_ms, wall_ms)
        except (sqlite3.Error, OSError) as error:
            raise DeviceError(f"The spool {path} cannot be opened: {error}.", way_out="Check venue.state.") from error

    def _same_clock(self, machine: str, now_ms: int, wall_ms: int) -> None:
        known = self._db.execute("SELECT boot, now_ms, wall_ms FROM machine").fetchone()
        if known is not None and known[0] != machine:
            shift = (now_ms - wall_ms) - (known[1] - known[2])
            self._db.execute("UPDATE message SET at_ms = at_ms + ?", (shift,))
            self._db.execute("UPDATE lane SET held_ms = held_ms + ?", (shift,))
        self._db.execute("DELETE FROM machine")
        self._db.execute("INSERT INTO machine VALUES (?, ?, ?)", (machine, now_ms, wall_ms))

    @contextmanager
    def commit(self) -> Iterator[None]:
        """All of it or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def add(self, table: str, rest: str, boot: str, seq: int, payload: bytes, at_ms: int) -> Kept:
        """Put one at the end."""
        made = self._db.execute(
            "INSERT INTO message (tbl, rest, boot, seq, payload, at_ms) VALUES (?, ?, ?, ?, ?, ?)",
            (table, rest, boot, seq, payload, at_ms),
        )
        # The same words again and again: kept once.
        return Kept(int(made.lastrowid or 0), intern(table), intern(rest), intern(boot), seq, payload, at_ms)

    def everything(self) -> list[Kept]:
        """All that is not known to be on air, in order, without their payloads."""
        rows = self._db.execute(
            "SELECT number, tbl, rest, boot, seq, at_ms, state FROM message WHERE state < ? ORDER BY number", (AIRED,)
        ).fetchall()
        return [Kept(r[0], r[1], r[2], r[3], r[4], b"", r[5], r[6] == HANDED) for r in rows]

    def filled(self, found: Iterable[Kept]) -> list[Kept]:
        """The same with their payloads."""
        kept = list(found)
        blank = [one.number for one in kept if not one.payload]
        payloads: dict[int, bytes] = {}
        for start in range(0, len(blank), AT_ONCE):
            part = blank[start : start + AT_ONCE]
            wanted = f"SELECT number, payload FROM message WHERE number IN ({','.join('?' * len(part))})"
            payloads |= {number: bytes(payload) for number, payload in self._db.execute(wanted, part)}
        return [one if one.payload else replace(one, payload=payloads.get(one.number, b"")) for one in kept]

    def hand(self, numbers: list[int]) -> None:
        """They are about to be given to the broker."""
        self._db.executemany("UPDATE message SET state = 1 WHERE number = ?", [(number,) for number in numbers])

    def rewrite(self, number: int, payload: bytes) -> None:
        """Another text in its place."""
        self._db.execute("UPDATE message SET payload = ? WHERE number = ?", (payload, number))

    def drop(self, numbers: list[int]) -> None:
        """Documents that are on air, and what never will be."""
        self._db.executemany("DELETE FROM message WHERE number = ?", [(number,) for number in numbers])

    def keep_aired(self, found: list[tuple[int, int]]) -> None:
        """Events (their times on air, ms, and numbers) that are kept a while for who missed them."""
        self._db.executemany(f"UPDATE message SET state = {AIRED}, at_ms = ? WHERE number = ?", found)

    def forget_aired(self, before_ms: int, most: int = AT_ONCE) -> bool:
        """What was aired before then, so much at once that nobody waits for it; whether there may be more."""
        old = f"SELECT number FROM message WHERE state = {AIRED} AND at_ms < ? ORDER BY at_ms LIMIT ?"
        gone = self._db.execute(f"DELETE FROM message WHERE number IN ({old})", (before_ms, most))
        return gone.rowcount >= most

    def aired(self, table: str, boot: str, after: int, most: int) -> list[bytes]:
        """Events of a boot after a number, as they were aired."""
        rows = self._db.execute(
            "SELECT payload FROM message WHERE tbl = ? AND boot = ? AND seq > ? AND state = ? ORDER BY seq LIMIT ?",
            (table, boot, after, AIRED, most),
        )
        return [bytes(row[0]) for row in rows]

    def see(self, table: str, boot: str, seq: int) -> None:
        """The last event of a boot that was taken."""
        self._db.execute("INSERT OR REPLACE INTO seen VALUES (?, ?, ?)", (table, boot, seq))

    def seen(self) -> dict[tuple[str, str], int]:
        """The last event of every boot."""
        return {(row[0], row[1]): row[2] for row in self._db.execute("SELECT tbl, boot, seq FROM seen")}

    def keep_lane(self, lane: Lane) -> None:
        """How a table is relayed."""
        row = (lane.table, lane.mode, lane.delay_ms, lane.late_ms, lane.held_ms, lane.info)
        self._db.execute("INSERT OR REPLACE INTO lane VALUES (?, ?, ?, ?, ?, ?)", row)

    def lanes(self) -> dict[str, Lane]:
        """Every table's."""
        rows = self._db.execute("SELECT tbl, mode, delay_ms, late_ms, held_ms, info FROM lane").fetchall()
        return {r[0]: Lane(r[0], r[1], r[2], r[3], r[4], bytes(r[5])) for r in rows}

    def close(self) -> None:
        """Close the file."""
        self._db.close()
