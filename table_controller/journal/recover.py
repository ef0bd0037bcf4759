"""A damaged journal explained and mended, without dropping an acknowledged event silently.

What can be trusted is the exact prefix of good records: a state is rebuilt from these alone. Whole records after the
damage are applied only where every one of them then leads to the state that it names: what was damaged changed
nothing. Else they are kept apart and named, for people.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from table_controller.errors import JournalError, TableError
from table_controller.files import like, sync_folder
from table_controller.journal.program import program
from table_controller.journal.reader import Reading, Records, check_header, lines_of, no_journal, opened
from table_controller.journal.record import decode
from table_controller.journal.replay import replay
from table_controller.journal.snapshot import claimed, load, snapshot_path
from table_controller.journal.writer import JournalWriter

_LIKE_A_RECORD = re.compile(rb'[0-9a-f]{8} \{"')


@dataclass(frozen=True)
class Diagnosis:
    """What a journal is worth: its whole records from the first on, and why they end.

    ``later``: whole records after the damage, counted by kind; ``missing``: how many records the snapshot beside it
    tells of that it no longer has; ``plays_on``: the record behind the damage from whose snapshot a table starts (0:
    none); ``header``: the first record, else what later ones say of the table.
    """

    records: int
    good_bytes: int
    damage: str = ""
    torn: bool = False
    later: Counter[str] = field(default_factory=Counter)
    lost_bytes: int = 0
    missing: int = 0
    plays_on: int = 0
    header: dict[str, Any] = field(default_factory=dict)

    @property
    def healthy(self) -> bool:
        """Nothing was lost that had been acknowledged."""
        return not self.missing and (not self.damage or self.torn)

    def words(self) -> list[str]:
        """The findings in plain sentences."""
        known = f"{self.records} whole records, the last number {self.records - 1}."
        said = [known if self.records else "No whole record."]
        if self.header.get("table"):
            said.append(f"It is of the table '{self.header['table']}'.")
        if self.torn:
            end = " Nothing is lost." if self.healthy else ""
            said.append(f"The last record is cut off, as a power cut leaves it: it was never acknowledged.{end}")
        elif self.damage:
            said += [f"Damage: {self.damage}; {self.lost_bytes} bytes cannot be read.", self._after()]
        elif self.healthy:
            said.append("The journal is whole." if self.records else "It is empty: a table begins anew in it.")
        if self.missing:
            said.append(f"The snapshot beside it was written {self.missing} records later: these are gone.")
        return said

    def _after(self) -> str:
        if not self.later:
            return "No whole record stands after it."
        names = ", ".join(f"{count} {name}" for name, count in sorted(self.later.items()))
        return f"After the damage {self.later.total()} whole records stand: {names}."


@dataclass(frozen=True)
class Repaired:
    """What a repair left: the damaged file, the file of later records, and whether these could be applied instead."""

    kept: Path | None
    later: Path | None
    applied: bool


def diagnose(path: Path) -> Diagnosis:
    """Look at a journal without touching it; raises InputError when there is none, JournalError for another file."""
    claim = claimed(snapshot_path(path))
    if claim is not None and not os.path.lexists(path):
        return Diagnosis(0, 0, missing=claim.number)
    with opened(path) as file:
        reading, header = Reading(lines_of(file)), dict[str, Any]()
        for record in reading:
            if record["n"] == 0:
                check_header(record, path)
                header = record
    number, whole = reading.number, not reading.damage or reading.torn
    if whole:
        gone = max(0, claim.number - number) if claim is not None else 0
        return Diagnosis(number, reading.offset, reading.damage, reading.torn, missing=gone, header=header)
    rest = _rest(path, reading.offset)
    if not number and not rest.of_a_journal:
        raise no_journal(path)
    snapshot = load(snapshot_path(path), path)
    behind = snapshot.place.number if snapshot is not None and snapshot.place.number > number else 0
    known = header or rest.header
    return Diagnosis(number, reading.offset, reading.damage, False, rest.kinds, rest.lost, 0, behind, known)


@dataclass
class _Rest:
    """What stands behind the good records."""

    kinds: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    of_a_journal: bool = True
    header: dict[str, Any] = field(default_factory=dict)


def _rest(path: Path, offset: int) -> _Rest:
    found, zeros, begun = _Rest(), True, False
    with opened(path) as file:
        file.seek(offset)
        for line in lines_of(file):
            begun = begun or _LIKE_A_RECORD.match(line) is not None
            record = decode(line)
            if record is None:
                found.lost += len(line)
                zeros = zeros and not line.strip(b"\0\n")
                continue
            event = record.get("event", {})
            found.kinds[str(event.get("type", record.get("kind")))] += 1
            if event.get("type") == "TableOpened":
                found.header = found.header or {name: event.get(name) for name in ("table", "venue")}
    found.of_a_journal = bool(found.kinds) or zeros or begun
    return found


def _later(path: Path, found: Diagnosis) -> Iterator[dict[str, Any]]:
    """The whole records after the damage."""
    with opened(path) as file:
        file.seek(found.good_bytes)
        for line in lines_of(file):
            record = decode(line)
            if record is not None:
                yield record


def _can_be_applied(path: Path, found: Diagnosis) -> bool:
    """Whether the later records lead, each of them, to the state that it names: what was damaged changed nothing."""
    events = found.later.total() - sum(found.later[kind] for kind in ("boot", "program", "recovered"))
    if not events or found.later["header"]:
        return False
    try:
        return replay(chain(Records(path), _later(path, found))).mismatch is None
    except (TableError, LookupError, TypeError, ValueError):
        return False


def _free_name(path: Path, kind: str) -> Path:
    number = 1
    while os.path.lexists(name := path.with_name(f"{path.name}.{kind}-{number}")):
        number += 1
    return name


def repair(path: Path, found: Diagnosis) -> Repaired:
    """Set the damaged file aside and go on from its good records, or anew. Nothing is deleted.

    The new journal ends with a record that says what was done. Whenever it is interrupted, the journal that was, or the
    new one, stands in its place; raises JournalError and leaves it as it was.
    """
    if path.suffix == ".gz":
        raise JournalError(f"{path} is packed.", way_out="Unpack it first (gunzip -k) and mend that.")
    there = os.path.lexists(path)
    kept = _free_name(path, "damaged") if there else None
    applied = _can_be_applied(path, found)
    later = _free_name(path, "later") if found.later and not applied else None
    fresh = path.with_name(f"{path.name}.new")
    made = [fresh, *([later] if later else []), *([kept] if kept else [])]
    try:
        _write_anew(path, fresh, found, applied=applied, kept=kept.name if kept else "")
        if later is not None:
            _save(path, found, later)
        _set_snapshot_aside(path)
        if kept is not None:
            _keep(path, kept)
        sync_folder(path.parent)
        fresh.replace(path)
        sync_folder(path.parent)
    except (OSError, JournalError) as error:
        for name in made:
            with suppress(OSError):
                name.unlink(missing_ok=True)
        why = error.strerror if isinstance(error, OSError) else error.message
        raise JournalError(
            f"{path.absolute()} cannot be mended: {why} It was left as it is.",
            way_out="Free some space (df -h), mind its rights (sudo), and run it again.",
        ) from error
    return Repaired(kept, later, applied)


def _write_anew(path: Path, fresh: Path, found: Diagnosis, *, applied: bool, kept: str) -> None:
    fresh.unlink(missing_ok=True)
    with fresh.open("xb") as file:
        like(path, file.fileno())
        if found.good_bytes:
            with path.open("rb") as source:
                _copy(source.read, file.write, found.good_bytes)
    table = {name: found.header[name] for name in ("table", "venue") if found.header.get(name)}
    writer = JournalWriter(fresh, header={"program": program(), **table}, sync=False)
    try:
        for record in _later(path, found) if applied else ():
            writer.append({name: value for name, value in record.items() if name not in ("n", "prev")})
        told = {"lost_bytes": found.lost_bytes, "later": found.later.total(), "missing": found.missing}
        writer.append({"kind": "recovered", "damage": found.damage, **told, "applied": applied, "kept": kept})
    finally:
        writer.close()


def _copy(read: Callable[[int], bytes], write: Callable[[bytes], object], size: int) -> None:
    while size > 0 and (piece := read(min(size, 2**20))):
        write(piece)
        size -= len(piece)


def _save(path: Path, found: Diagnosis, later: Path) -> None:
    with later.open("x", encoding="utf-8") as file:
        like(path, file.fileno())
        for record in _later(path, found):
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _keep(path: Path, kept: Path) -> None:
    """A second name, so that there is no moment without a journal; a copy where a disk has no second names."""
    try:
        os.link(path, kept)
    except OSError:
        shutil.copyfile(path, kept)
        with kept.open("rb") as file:
            like(path, file.fileno())
            os.fsync(file.fileno())


def _set_snapshot_aside(path: Path) -> None:
    """It tells of records that the new journal no longer has in their places."""
    snapshot = snapshot_path(path)
    if snapshot.exists():
        snapshot.replace(_free_name(snapshot, "kept"))
