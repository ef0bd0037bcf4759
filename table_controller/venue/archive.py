"""The archive: every event is kept as published, and incidents, results and games are made from them in order.

Events of one boot are taken in the order of their numbers. Where one is missing the later ones are kept and wait, until
the table gives it again or says that it no longer can.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Engine, desc, func, select
from sqlalchemy.exc import DBAPIError, OperationalError

from table_controller.runtime import measure
from table_controller.venue.archived import apply_event
from table_controller.venue.store import tables as t
from table_controller.venue.store.database import add_new, put, put_all
from table_controller.venue.wire import Batch, Heard, envelope_fits

log = logging.getLogger(__name__)
Key = tuple[str, str]
"""Table and boot."""
MOST_AT_ONCE = 2000


@dataclass
class Cursor:
    """How far one boot was taken."""

    seq: int = 0
    lost: int = 0
    round: int = 1
    order: int = 0
    highest: int = 0
    """The highest number that is known of, from an event or a document."""
    waiting: bool = True
    """Whether the database may hold events behind a gap."""


@dataclass
class Archive:
    """``ingest`` keeps a batch in one transaction; ``gaps`` names what is missing. Used by one thread at a time."""

    engine: Engine
    venue: str
    roster: Callable[[], dict[str, Any]] = dict
    cursors: dict[Key, Cursor] = field(default_factory=dict)
    events: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        with self.engine.begin() as connection:
            for row in connection.execute(select(t.cursor)).mappings():
                made = Cursor(row["seq"], row["lost"], row["round"], row["order_"], row["seq"])
                self.cursors[row["tbl"], row["boot"]] = made
            highest = select(t.event.c.tbl, t.event.c.boot, func.max(t.event.c.seq)).group_by(
                t.event.c.tbl, t.event.c.boot
            )
            for table, boot, seq in connection.execute(highest):
                known = self.cursors.setdefault((table, boot), Cursor())
                known.highest = max(known.highest, seq)
            self.events = connection.execute(select(func.count()).select_from(t.event)).scalar_one()

    def ingest(self, batch: Batch) -> None:
        """Keep a batch; one message that no database takes is put aside, and does not hold up the others."""
        try:
            self._transaction(batch)
        except OperationalError:
            raise
        except (DBAPIError, ValueError, TypeError, KeyError, AttributeError):
            if len(batch) > 1:
                for heard in batch:
                    self.ingest([heard])
            else:
                self.refused += 1
                log.exception("A message on %s cannot be kept.", batch[0].topic[:200])

    def _transaction(self, batch: Batch) -> None:
        copies = {key: replace(self.cursors[key]) for key in _keys(batch) if key in self.cursors}
        try:
            with self.engine.begin() as connection:
                self._keep(connection, [h for h in batch if h.said is not None and envelope_fits(h.said, h.table)])
        except BaseException:
            for key in _keys(batch):
                self.cursors.pop(key, None)
            self.cursors.update(copies)
            raise

    def _keep(self, connection: Connection, heard: Batch) -> None:
        events = [h for h in heard if h.plane == "live" and h.rest == "event"]
        if events:
            rows = [_event_row(h) for h in events]
            add_new(connection, t.event, rows)
            self.events += len(rows)
        for h in heard:
            assert h.said is not None
            if h.plane == "live" and h.rest in ("event", "state", "info"):
                known = self._cursor(connection, h.table, h.said["boot"])
                known.highest = max(known.highest, h.said["seq"])
            elif h.plane == "seal" and h.rest in ("commit", "reveal"):
                add_new(connection, t.seal, [_seal_row(h)])
        by_boot: dict[Key, list[dict[str, Any]]] = {}
        for said in (h.said for h in events if h.said is not None):
            by_boot.setdefault((said["table"], said["boot"]), []).append(said)
        before = {key: self.cursors[key].seq for key in by_boot}
        for key, told in by_boot.items():
            self._follow(connection, key, told)
        moved = [key for key, seq in before.items() if self.cursors[key].seq != seq]
        put_all(connection, t.cursor, [self._noted(key) for key in moved])

    def _cursor(self, connection: Connection, table: str, boot: str) -> Cursor:
        """Of a boot that is new: a restart goes on with the round that the table was in."""
        if (table, boot) not in self.cursors:
            others = select(t.event.c.boot).where(t.event.c.tbl == table, t.event.c.boot != boot)
            last = connection.execute(others.order_by(desc(t.event.c.id)).limit(1)).scalar_one_or_none()
            before = self.cursors.get((table, last), Cursor()) if last is not None else Cursor()
            self.cursors[table, boot] = Cursor(round=before.round)
        return self.cursors[table, boot]

    def _follow(self, connection: Connection, key: Key, told: list[dict[str, Any]]) -> None:
        """Take events that were just kept; only where some waited for them are those asked of the database."""
        known = self.cursors[key]
        if known.waiting or [said["seq"] for said in told] != list(range(known.seq + 1, known.seq + 1 + len(told))):
            self._apply(connection, key)
            return
        for said in told:
            known.seq = said["seq"]
            apply_event(connection, said, known, self.roster)

    def _apply(self, connection: Connection, key: Key) -> None:
        """Take the kept events of one boot that are next in order."""
        known = self.cursors[key]
        table, boot = key
        wanted = select(t.event.c.seq, t.event.c.payload).where(
            t.event.c.tbl == table, t.event.c.boot == boot, t.event.c.seq > known.seq
        )
        rows = connection.execute(wanted.order_by(t.event.c.seq).limit(MOST_AT_ONCE)).all()
        known.waiting = len(rows) >= MOST_AT_ONCE
        for seq, payload in rows:
            if seq != known.seq + 1:
                known.waiting = True
                break
            known.seq = seq
            apply_event(connection, json.loads(payload), known, self.roster)

    def _noted(self, key: Key) -> dict[str, Any]:
        known = self.cursors[key]
        row = {"tbl": key[0], "boot": key[1], "seq": known.seq, "lost": known.lost}
        return {**row, "round": known.round, "order_": known.order}

    def gaps(self) -> dict[Key, int]:
        """Boots of which something is missing, with the last number that was taken in order."""
        return {key: known.seq for key, known in list(self.cursors.items()) if known.seq < known.highest}

    def fill(self, key: Key, messages: list[dict[str, Any]]) -> None:
        """Events that a table gave again."""
        made = [_given(key[0], message) for message in messages]
        self.ingest([h for h in made if h.said is not None and h.said.get("boot") == key[1]])

    def give_up(self, key: Key) -> None:
        """Nobody has what comes next: note how many are lost, and go on from the next that is kept."""
        table, boot = key
        known = self.cursors[key]
        with self.engine.begin() as connection:
            first = select(func.min(t.event.c.seq)).where(
                t.event.c.tbl == table, t.event.c.boot == boot, t.event.c.seq > known.seq
            )
            following = connection.execute(first).scalar_one()
            until = known.highest if following is None else following - 1
            known.lost += max(0, until - known.seq)
            known.seq = max(known.seq, until)
            self._apply(connection, key)
            put(connection, t.cursor, self._noted(key))

    def missed(self, table: str, boot: str, after: int, limit: int) -> list[str]:
        """Payloads of a boot's events after a number, oldest first."""
        wanted = select(t.event.c.payload).where(t.event.c.tbl == table, t.event.c.boot == boot, t.event.c.seq > after)
        with self.engine.begin() as connection:
            return list(connection.execute(wanted.order_by(t.event.c.seq).limit(limit)).scalars())


def _keys(batch: Batch) -> set[Key]:
    return {(h.table, str(h.said.get("boot"))) for h in batch if h.said is not None}


def _event_row(heard: Heard) -> dict[str, Any]:
    said = heard.said
    assert said is not None
    return {
        "tbl": heard.table,
        "boot": said["boot"],
        "seq": said["seq"],
        "kind": said["schema"].removeprefix("event/")[:100],
        "deal": min(said["deal"], 2**31 - 1),
        "at": said["ts"][:60],
        "received_ms": measure.epoch_ms(),
        "payload": json.dumps(said, ensure_ascii=True, separators=(",", ":")),
    }


def _seal_row(heard: Heard) -> dict[str, Any]:
    said = heard.said
    assert said is not None
    row = {"tbl": heard.table, "boot": said["boot"], "rev": said["rev"], "stage": heard.rest, "at": said["ts"][:60]}
    return {**row, "payload": json.dumps(said, ensure_ascii=True)}


def _given(table: str, message: Any) -> Heard:
    said = message if isinstance(message, dict) and envelope_fits(message, table) else None
    return Heard(f"missed/{table}", "live", table, "event", b"", False, 0, said)
