"""Schedule, roster and announcement: kept in the database, published retained. Blocking; reads come from memory."""

from __future__ import annotations

import json
import threading
from typing import Any

from sqlalchemy import Engine, delete, select

from table_controller.venue.store import tables as t
from table_controller.venue.store.database import put

NAMES = ("schedule", "roster", "announcement")


class Documents:
    """Safe to read from any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._lock = engine, threading.Lock()
        with engine.begin() as connection:
            self._kept = {row.name: bytes(row.payload) for row in connection.execute(select(t.document))}

    def put(self, name: str, payload: bytes) -> None:
        """Keep one; empty: forget it."""
        with self._lock, self._engine.begin() as connection:
            if payload:
                put(connection, t.document, {"name": name, "payload": payload})
                self._kept[name] = payload
            else:
                connection.execute(delete(t.document).where(t.document.c.name == name))
                self._kept.pop(name, None)

    def get(self, name: str) -> dict[str, Any] | None:
        """One, or None."""
        payload = self._kept.get(name)
        found: dict[str, Any] | None = json.loads(payload) if payload else None
        return found

    def roster(self) -> dict[str, Any]:
        """The roster, empty where there is none."""
        return self.get("roster") or {}

    def everything(self) -> list[tuple[str, bytes]]:
        """Name and payload of each; those that were never set are left alone."""
        return list(self._kept.items())
