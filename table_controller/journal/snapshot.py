"""The state at a place of the journal, so that a start replays only what came after it: 1,600 records take a second.

A snapshot is a shortcut and never evidence. It counts only when the same program wrote it, its own hash is right, and
the journal's record before its place has the hash and the state's digest that it names; else the journal is replayed
whole.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.files import write_whole
from table_controller.journal.program import program
from table_controller.journal.record import decode, line_hash
from table_controller.table.state import TableState

_MAGIC = b"TCSNAP1\n"
_OURS = ("table_controller.table.", "table_controller.games.")


@dataclass(frozen=True)
class Place:
    """Where a journal goes on: the next record's number and byte; the hash of the record before it, its first byte."""

    number: int
    offset: int
    previous: str
    before: int


@dataclass(frozen=True)
class Snapshot:
    """A committed state, where the journal stood, the last event's wall label and stamp, and what its boot had told."""

    place: Place
    state: TableState
    wall: str
    at_ms: int
    boot: str
    told: int


def snapshot_path(journal: Path) -> Path:
    """Where the snapshot of a journal lies."""
    return journal.with_name(f"{journal.stem}.snapshot")


def save(path: Path, snapshot: Snapshot) -> None:
    """Replace the snapshot of a table; one that cannot be written costs time at the next start and nothing else."""
    body = pickle.dumps((program(), snapshot), protocol=5)
    with suppress(OSError):
        # not waited for: one that a power cut spoils is known by its hash
        write_whole(path, _MAGIC + hashlib.sha256(body).digest() + body, mode=0o640, durable=False)


def load(path: Path, journal: Path) -> Snapshot | None:
    """The snapshot, if it is whole, of this program and of this journal; None whenever there is a doubt."""
    try:
        wrote, snapshot = _read(path)
        return snapshot if wrote == program() and _fits(snapshot, journal) else None
    except Exception:  # whatever is wrong with a shortcut, the long way is right
        return None


def claimed(path: Path) -> Place | None:
    """How far the journal had come when a snapshot was written, whoever wrote it; None where it is in doubt.

    A snapshot is written after the journal is durable: one that ends before this has lost records.
    """
    try:
        return _read(path)[1].place
    except Exception:  # as above
        return None


def _read(path: Path) -> tuple[str, Snapshot]:
    data = path.read_bytes()
    body = data[len(_MAGIC) + 32 :]
    if data[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != data[len(_MAGIC) : len(_MAGIC) + 32]:
        raise ValueError("not a whole snapshot")
    wrote, snapshot = _Plain(io.BytesIO(body)).load()
    return wrote, snapshot


def _fits(snapshot: Snapshot, journal: Path) -> bool:
    place = snapshot.place
    with journal.open("rb") as file:
        file.seek(place.before)
        line = file.read(place.offset - place.before)
    record: dict[str, Any] = decode(line) or {}
    return (
        line_hash(line) == place.previous
        and record.get("n") == place.number - 1
        and record.get("state") == snapshot.state.digest()[:16]
    )


class _Plain(pickle.Unpickler):
    """Builds the product's own data and nothing else: no file can make it call anything."""

    def find_class(self, module: str, name: str) -> Any:
        """A class of ours, or refused."""
        ours = module.startswith(_OURS) or (module == __name__ and name in ("Snapshot", "Place"))
        found = super().find_class(module, name) if ours else None
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a snapshot")
        return found
