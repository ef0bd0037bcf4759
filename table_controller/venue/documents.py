"""Schedule, roster and announcement: kept in the database, published retained. Blocking; reads come from memory."""

from __future__ import annotations

import json
import threading
from typing import Any

from sqlalchemy import Engine, delete, select

from table_controller.venue.store import tables as t
from table_controller.venue.store.database import put

NAMES = ("schedule", "roster", "announcement")
ROSTER_OF = "roster of round "
"""A round's seats are kept under this and its number: the next round's may be written while it is played."""


def seats_of(book: dict[str, Any], round_: int, table: str) -> dict[str, Any]:
    """Who sits (or sat) at a table in a round: by that round's roster, else the last one before it, else the newest."""
    rounds = book.get("rounds", {})
    before = [number for number in rounds if number <= round_]
    found: dict[str, Any] = (rounds[max(before)] if before else book).get("tables", {}).get(table) or {}
    return found


class Documents:
    """Safe to read from any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._lock = engine, threading.Lock()
        with engine.begin() as connection:
            self._kept = {row.name: bytes(row.payload) for row in connection.execute(select(t.document))}

    def put(self, name: str, payload: bytes) -> None:
        """Keep one; empty: forget it."""
        names = [name]
        if name == "roster" and payload:
            names.append(f"{ROSTER_OF}{json.loads(payload).get('round', 1)}")
        with self._lock, self._engine.begin() as connection:
            if payload:
                for kept in names:
                    put(connection, t.document, {"name": kept, "payload": payload})
                self._kept.update(dict.fromkeys(names, payload))
            else:
                connection.execute(delete(t.document).where(t.document.c.name == name))
                self._kept.pop(name, None)

    def get(self, name: str) -> dict[str, Any] | None:
        """One, or None."""
        payload = self._kept.get(name)
        found: dict[str, Any] | None = json.loads(payload) if payload else None
        return found

    def roster(self) -> dict[str, Any]:
        """The roster that was written last, empty where there is none."""
        return self.get("roster") or {}

    def book(self) -> dict[str, Any]:
        """The roster with those of all rounds by their number under ``rounds``; ``seats_of`` looks it up."""
        kept = {name: payload for name, payload in list(self._kept.items()) if name.startswith(ROSTER_OF)}
        rounds = {int(name.removeprefix(ROSTER_OF)): json.loads(payload) for name, payload in kept.items()}
        return {**self.roster(), "rounds": rounds}

    def everything(self) -> list[tuple[str, bytes]]:
        """Name and payload of each that is published; those that were never set are left alone."""
        return [(name, payload) for name, payload in self._kept.items() if name in NAMES]
