"""Reading a journal: the exact prefix of good records, and where and why it stops."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.errors import InputError
from table_controller.journal.record import FIRST_PREVIOUS, decode, line_hash

_BEGUN = re.compile(rb"[0-9a-f]{0,7}|[0-9a-f]{8}( (\{.*)?)?", re.DOTALL)
"""What a record begins like, however short it was cut."""


@dataclass(frozen=True)
class JournalContents:
    """The good records of a file. ``damage`` says in words why reading stopped early, else it is empty.

    ``torn``: only the last record is cut off, as a power cut leaves it; everything that was acknowledged is there.
    """

    records: list[dict[str, Any]]
    good_bytes: int
    last_hash: str
    damage: str
    torn: bool = False

    @property
    def is_journal(self) -> bool:
        """Whether this is a journal at all (an empty or just begun one is)."""
        return bool(self.records) or not self.damage or self.torn


def parse_journal(data: bytes, number: int = 0, previous: str = FIRST_PREVIOUS, offset: int = 0) -> JournalContents:
    """The longest prefix whose every line is whole, in number order and linked to the line before.

    ``data`` may be a journal's end, from the byte ``offset`` and the record ``number`` on, after the line of that hash.
    """
    records: list[dict[str, Any]] = []
    position, damage, torn = 0, "", False
    while position < len(data):
        end = data.find(b"\n", position) + 1
        line = data[position:end] if end else data[position:]
        record = decode(line)
        if record is None:
            torn = not end and _BEGUN.fullmatch(line) is not None
            what = "is cut off" if torn else "is damaged"
            damage = f"record {number + len(records)} at byte {offset + position} {what}"
            break
        if record.get("n") != number + len(records) or record.get("prev") != previous:
            damage = f"record {number + len(records)} at byte {offset + position} does not continue the chain"
            break
        records.append(record)
        previous = line_hash(line)
        position = end
    return JournalContents(records, offset + position, previous, damage, torn)


def read_journal(path: Path) -> JournalContents:
    """Read a file, also a packed one (.gz); raises InputError when there is none."""
    try:
        data = path.read_bytes()
        return parse_journal(gzip.decompress(data) if path.suffix == ".gz" else data)
    except (EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is not a packed journal.", way_out="Name the journal itself.") from error
    except OSError as error:
        raise InputError(f"The journal {path} cannot be read: {error.strerror}.") from error


def read_end(path: Path, number: int, offset: int, previous: str) -> JournalContents:
    """Only what a journal holds from a place on (see snapshot.py); raises InputError when there is none."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return parse_journal(file.read(), number, previous, offset)
    except OSError as error:
        raise InputError(f"The journal {path} cannot be read: {error.strerror}.") from error
