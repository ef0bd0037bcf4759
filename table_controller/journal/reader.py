"""Reading a journal: the exact prefix of good records, and where and why it stops."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.errors import InputError
from table_controller.journal.record import FIRST_PREVIOUS, decode, line_hash

_BEGUN = re.compile(rb"[0-9a-f]{0,7}|[0-9a-f]{8}( (\{.*)?)?", re.DOTALL)
"""What a record begins like, however short it was cut."""
TELL_EVERY = 1000


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


class Reading:
    """Reads record by record, so that a season's journal need not fit into memory; then says where and why it stopped.

    ``lines``: a journal's lines, or its end's, from the byte ``offset`` and the record ``number`` on, after the line of
    the hash ``previous``. Iterate it once.
    """

    def __init__(
        self, lines: Iterable[bytes], number: int = 0, previous: str = FIRST_PREVIOUS, offset: int = 0
    ) -> None:
        self._lines = lines
        self.number, self.offset, self.last_hash = number, offset, previous
        """Of the next record: its number and its byte; the hash of the line before it."""
        self.before = offset
        """The first byte of the last record."""
        self.damage, self.torn = "", False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The longest prefix whose every line is whole, in number order and linked to the line before."""
        for line in self._lines:
            record = decode(line)
            if record is None:
                self.torn = not line.endswith(b"\n") and _BEGUN.fullmatch(line) is not None
                self._stop("is cut off" if self.torn else "is damaged")
                return
            if record.get("n") != self.number or record.get("prev") != self.last_hash:
                self._stop("does not continue the chain")
                return
            self.before = self.offset
            self.number, self.offset, self.last_hash = self.number + 1, self.offset + len(line), line_hash(line)
            yield record

    def _stop(self, why: str) -> None:
        self.damage = f"record {self.number} at byte {self.offset} {why}"


class Records:
    """The good records of a journal, read anew each time they are iterated; raises InputError when there is none.

    ``tell`` is called at every ``TELL_EVERY`` of them, with the part of the file that was read, 0 to 1.
    """

    def __init__(self, path: Path, tell: Callable[[float], None] = lambda part: None) -> None:
        self._path, self._tell = path, tell
        self.reading = Reading(())
        """How far the last iteration came, and why it stopped."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        try:
            with self._path.open("rb") as file:
                size, reading = max(1, os.fstat(file.fileno()).st_size), Reading(file)
                self.reading = reading
                for record in reading:
                    if reading.number % TELL_EVERY == 0:
                        self._tell(reading.offset / size)
                    yield record
        except OSError as error:
            raise InputError(f"The journal {self._path} cannot be read: {error.strerror}.") from error


def parse_journal(data: bytes, number: int = 0, previous: str = FIRST_PREVIOUS, offset: int = 0) -> JournalContents:
    """What a ``Reading`` of these bytes gives, all at once."""
    reading = Reading(io.BytesIO(data), number, previous, offset)
    records = list(reading)
    return JournalContents(records, reading.offset, reading.last_hash, reading.damage, reading.torn)


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
