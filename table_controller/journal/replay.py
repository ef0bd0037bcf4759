"""Replaying a journal: the same events through a fresh core give the same state, step by step."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from table_controller.journal.program import essence, program
from table_controller.journal.record import canonical
from table_controller.table.codec import from_data, hashed_part, to_data
from table_controller.table.core import Outcome, TableCore
from table_controller.table.events import Event
from table_controller.table.state import TableState


@dataclass(frozen=True)
class Replay:
    """The core after a replay. ``mismatch``: the number of the first record whose whole state came out differently.

    ``differs``: of the first record after which people would have seen something else (None: never, or not known for a
    journal that kept no essence); ``writer``: the program that wrote the first difference, else the journal's.
    """

    core: TableCore
    events: int
    refused: int
    mismatch: int | None
    differs: int | None = None
    writer: str = ""
    told: bool = True
    """Whether the journal kept what people saw, so that ``differs`` is known."""

    @property
    def same(self) -> bool:
        """People would have seen the same, whatever else a version keeps in its state."""
        return self.mismatch is None or (self.told and self.differs is None)

    def words(self) -> str:
        """What came of it, in a sentence."""
        if self.mismatch is None:
            return "The replay reproduces the state."
        who = f"Written by {self.writer or 'an unnamed version'}; this is {program()}."
        if self.writer == program():
            return f"The replay DIFFERS from record {self.mismatch} on, though this very program wrote it: report it."
        if not self.told:
            return f"{who} Record {self.mismatch} comes out differently; whether people saw the same is not recorded."
        if self.differs is None:
            return f"{who} It replays to the same public state; only what the versions keep besides is different."
        return f"{who} From record {self.differs} on this version judges differently: the record stands as written."


def event_record(event: Event, outcome: Outcome, wall: str) -> dict[str, Any]:
    """What the journal keeps of one event: the event, digest and essence of the state after it, a refusal's code."""
    record: dict[str, Any] = {
        "kind": "event",
        "event": to_data(event),
        "state": outcome.state.digest()[:16],
        "seen": essence(outcome.state),
        "wall": wall,
    }
    if outcome.refusal is not None:
        record["refused"] = outcome.refusal.code
    return record


def replay(records: Iterable[dict[str, Any]], *, each: Callable[[TableState], None] | None = None) -> Replay:
    """Handle every event record anew and compare digests, essences and refusals; ``each`` is shown every state."""
    core, events, refused = TableCore(), 0, 0
    mismatch: int | None = None
    differs: int | None = None
    writer, wrote, told = "", "", True
    for record in records:
        if record.get("kind") in ("header", "program"):
            wrote = str(record.get("program", ""))
            writer = wrote if mismatch is None else writer
        if record.get("kind") != "event":
            continue
        outcome = core.handle(from_data(record["event"]))
        core.commit(outcome)
        if each is not None:
            each(core.state)
        events += 1
        code = outcome.refusal.code if outcome.refusal else None
        refused += code is not None
        same = core.state.digest()[:16] == record["state"] and code == record.get("refused")
        if not same and mismatch is None:
            mismatch, writer = int(record["n"]), wrote
        if not same and differs is None:
            told = told and "seen" in record
            seen = record.get("seen", "") == essence(core.state) and code == record.get("refused")
            differs = None if seen or "seen" not in record else int(record["n"])
    return Replay(core, events, refused, mismatch, differs, writer, told)


def journal_hash(records: Iterable[dict[str, Any]]) -> str:
    """A hash over the core's events with their stamps: same seed, same machine, same weights, same hash."""
    digest = hashlib.sha256()
    for record in records:
        if record.get("kind") == "event":
            digest.update(canonical(hashed_part(record["event"])))
    return digest.hexdigest()
