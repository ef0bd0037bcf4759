"""Opening a table again: from a snapshot and the journal's end where there is one, else from the whole journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.errors import JournalError
from table_controller.feed.refill import told_since
from table_controller.journal.program import program
from table_controller.journal.reader import Records, check_header, read_end
from table_controller.journal.replay import replay
from table_controller.journal.snapshot import Place, Snapshot, claimed, load, save, snapshot_path
from table_controller.journal.writer import NO_FIRST, JournalWriter, check_own, damaged
from table_controller.runtime.clock import Clock
from table_controller.table.codec import from_data
from table_controller.table.core import TableCore
from table_controller.table.effects import Effect, Publish
from table_controller.table.events import Event
from table_controller.table.state import TableState

EVERY = 200
"""A snapshot is written after so many events: a start then replays at most those, a tenth of a second's work."""

Tell = Callable[[float], None]
"""Given the part of a long journal that has been read, 0 to 1."""


def silent(part: float) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Reopened:
    """What a journal leads to. ``since``: a place up to which it is whole; ``wall``, ``at_ms``: of the last event."""

    core: TableCore
    wall: str = ""
    at_ms: int = 0
    told: tuple[str, int] = ("", 0)
    written_by: str = ""
    recovered: str = ""
    since: Place | None = None


def reopen(journal: Path, tell: Tell = silent) -> Reopened:
    """The table as it was, or a new one; raises InputError, JournalError. ``tell`` hears how far a long journal is."""
    check_own(journal)
    if not os.path.lexists(journal):
        _check_end(journal, 0)
        return Reopened(TableCore())
    snapshot = load(snapshot_path(journal), journal)
    found = _from_snapshot(snapshot, journal) if snapshot is not None else None
    return found if found is not None else _from_the_whole(journal, tell)


def _check_end(journal: Path, number: int) -> None:
    """Raises JournalError where a journal ends before its snapshot was written: acknowledged records are gone."""
    claim = claimed(snapshot_path(journal))
    if claim is not None and claim.number > number:
        raise damaged(journal, f"it ends after {number} records, its snapshot was written after {claim.number}")


def _from_the_whole(journal: Path, tell: Tell) -> Reopened:
    """Record by record: after a season they would not fit into memory."""
    records, last = Records(journal, tell), _Last()
    try:
        replayed = replay(_heard(records, last, journal))
    except JournalError as error:
        raise _of_another_program(error, last.program) from error
    reading = records.reading
    if reading.damage and not reading.torn:
        raise damaged(journal, reading.damage if reading.number else NO_FIRST)
    _check_end(journal, reading.number)
    place = Place(reading.number, reading.offset, reading.last_hash, reading.before) if reading.number else None
    recovered = "" if replayed.same else replayed.words()
    return Reopened(replayed.core, last.wall, last.at_ms, last.told, last.program, recovered, place)


@dataclass
class _Last:
    """What the end of a journal says: the last event's wall label and stamp, what its boot told, who wrote it."""

    wall: str = ""
    at_ms: int = 0
    told: tuple[str, int] = ("", 0)
    program: str = ""


def _of_another_program(error: JournalError, wrote: str) -> JournalError:
    """An event that this program does not know: another one wrote it."""
    if wrote in ("", program()):
        return error
    words = "Install that one again: systemd/install.sh rollback returns to the version before."
    return JournalError(f"The journal was written by {wrote}; this is {program()}. {error.message}", way_out=words)


def _heard(records: Iterable[dict[str, Any]], last: _Last, journal: Path) -> Iterator[dict[str, Any]]:
    for record in records:
        if record["n"] == 0:
            check_header(record, journal)
        boot, told = last.told
        last.told = told_since([{"kind": "boot", "boot": boot}, {"told": told}, record])
        if record.get("kind") == "event":
            last.wall, last.at_ms = last_stamp([record])
        elif record.get("kind") in ("header", "program"):
            last.program = str(record.get("program", ""))
        yield record


def _from_snapshot(snapshot: Snapshot, journal: Path) -> Reopened | None:
    """None where the journal's end does not come out as it was written: then the whole of it is looked at."""
    place = snapshot.place
    records = read_end(journal, place.number, place.offset, place.previous).records
    core = TableCore(snapshot.state)
    for record in records:
        if record.get("kind") not in ("event", "boot"):
            return None
        if record["kind"] == "event":
            outcome = core.handle(from_data(record["event"]))
            core.commit(outcome)
            if core.state.digest()[:16] != record["state"]:
                return None
    wall, at_ms = last_stamp(records) if any(r["kind"] == "event" for r in records) else (snapshot.wall, snapshot.at_ms)
    told = told_since([{"kind": "boot", "boot": snapshot.boot}, {"told": snapshot.told}, *records])
    return Reopened(core, wall, at_ms, told, program(), "", place)


def last_stamp(records: list[dict[str, Any]]) -> tuple[str, int]:
    """The wall label and the stamp of the last event in a journal."""
    for record in reversed(records):
        if record.get("kind") == "event":
            return str(record.get("wall", "")), int(record["event"]["at_ms"])
    return "", 0


class Snapshots:
    """Writes one with the first event of a run, as a start may just have read a whole season, and then now and then.

    ``committed`` is a watcher of the runtime: the journal then stands just behind it.
    """

    def __init__(self, journal: JournalWriter, clock: Clock, boot: str, every: int = EVERY) -> None:
        self._journal, self._clock, self._boot, self._every = journal, clock, boot, every
        self._told, self._since = 0, every

    def committed(self, event: Event, state: TableState, effects: tuple[Effect, ...]) -> None:
        """Count, and write when it is time."""
        self._told += sum(isinstance(effect, Publish) for effect in effects)
        self._since += 1
        if self._since >= self._every:
            self._since = 0
            snapshot = Snapshot(self._journal.place, state, self._clock.wall(), event.at_ms, self._boot, self._told)
            save(snapshot_path(self._journal.path), snapshot)
