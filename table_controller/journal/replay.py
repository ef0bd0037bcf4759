"""Replaying a journal: the same events through a fresh core give the same state, step by step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from table_controller.journal.record import canonical
from table_controller.table.codec import from_data, hashed_data, to_data
from table_controller.table.core import Outcome, TableCore
from table_controller.table.events import Event


@dataclass(frozen=True)
class Replay:
    """The core after a replay. ``mismatch`` is the number of the first record that came out differently, or None."""

    core: TableCore
    events: int
    refused: int
    mismatch: int | None


def event_record(event: Event, outcome: Outcome, wall: str) -> dict[str, Any]:
    """What the journal keeps of one event: the event, the state's digest after it, and a refusal's code."""
    record: dict[str, Any] = {
        "kind": "event",
        "event": to_data(event),
        "state": outcome.state.digest()[:16],
        "wall": wall,
    }
    if outcome.refusal is not None:
        record["refused"] = outcome.refusal.code
    return record


def replay(records: Iterable[dict[str, Any]]) -> Replay:
    """Handle every event record anew and compare digests and refusals."""
    core, events, refused, mismatch = TableCore(), 0, 0, None
    for record in records:
        if record.get("kind") != "event":
            continue
        outcome = core.handle(from_data(record["event"]))
        core.commit(outcome)
        events += 1
        code = outcome.refusal.code if outcome.refusal else None
        refused += code is not None
        same = core.state.digest()[:16] == record["state"] and code == record.get("refused")
        if not same and mismatch is None:
            mismatch = int(record["n"])
    return Replay(core, events, refused, mismatch)


def journal_hash(records: Iterable[dict[str, Any]]) -> str:
    """A hash over the core's events with their stamps: same seed, same machine, same weights, same hash."""
    digest = hashlib.sha256()
    for record in records:
        if record.get("kind") == "event":
            digest.update(canonical(hashed_data(from_data(record["event"]))))
    return digest.hexdigest()
