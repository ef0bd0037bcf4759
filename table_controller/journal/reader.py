"""Reading a journal: the exact prefix of good records, and where and why it stops."""

from __future__ import annotations

import gzip
import io
import re
import shlex
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from table_controller.errors import InputError, JournalError
from table_controller.journal.record import FIRST_PREVIOUS, decode, line_hash

_BEGUN = re.compile(rb"[0-9a-f]{0,7}|[0-9a-f]{8}( (\{.*)?)?", re.DOTALL)
"""What a record begins like, however short it was cut."""
TELL_EVERY = 1000
VERSION = 1
"""Of the records' form: a journal's header names it."""
MOST_LINE = 64 * 2**20
"""Bytes of the longest record: a damaged file without an end of line is not read into memory whole."""


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
                self.torn = _is_torn(line)
                self._stop("is cut off" if self.torn else "is damaged")
                return
            if record.get("n") != self.number or record.get("prev") != self.last_hash:
                self._stop("does not continue the chain")
                return
            self.before = self.offset
            self.number, self.offset, self.last_hash = self.number + 1, self.offset + len(line), line_hash(line)
            yield record

    @property
    def is_journal(self) -> bool:
        """Whether what was read is one at all (an empty or just begun one is)."""
        return bool(self.number) or not self.damage or self.torn

    def _stop(self, why: str) -> None:
        self.damage = f"record {self.number} at byte {self.offset} {why}"


def _is_torn(line: bytes) -> bool:
    """Whether a file's last line is cut off, not only its end of line damaged, which was acknowledged."""
    begun = not line.endswith(b"\n") and len(line) < MOST_LINE and _BEGUN.fullmatch(line) is not None
    return begun and decode(line[:-1] + b"\n") is None


class Records:
    """The good records of a journal, read anew each time they are iterated; raises InputError when there is none.

    Nothing is kept of them, so that a season's journal need not fit into memory. ``tell`` is called at every
    ``TELL_EVERY`` of them, with the part of the file that was read, 0 to 1.
    """

    def __init__(self, path: Path, tell: Callable[[float], None] = lambda part: None) -> None:
        self._path, self._tell = path, tell
        self.reading = Reading(())
        """How far the last iteration came, and why it stopped."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with opened(self._path) as file:
            size, reading = max(1, self._path.stat().st_size), Reading(lines_of(file))
            self.reading = reading
            for record in reading:
                if reading.number % TELL_EVERY == 0:
                    self._tell(min(1.0, reading.offset / size))
                yield record


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Its lines, or pieces of what is longer than any record may be."""
    return iter(lambda: file.readline(MOST_LINE), b"")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A journal for reading, also a packed one (.gz); raises InputError in words while it is read, too."""
    try:
        with path.open("rb") as file:
            if path.suffix == ".gz":
                with gzip.open(file) as unpacked:
                    yield unpacked  # type: ignore[misc]
            else:
                yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is not a packed journal.", way_out="Name the journal itself.") from error
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """Why a journal cannot be read, and what to do about it."""
    place, inside = path.absolute(), path.absolute() / "journal.jsonl"
    if isinstance(error, FileNotFoundError):
        words = "A table keeps its journal.jsonl in its state.directory: on an installed one /var/lib/table-controller."
    elif isinstance(error, PermissionError):
        words = "Run it with sudo."
    elif isinstance(error, IsADirectoryError) and inside.exists():
        words = f"Name the journal in it: {inside}."
    elif isinstance(error, IsADirectoryError):
        words = set_aside(path)
    else:
        words = "Its disk fails: copy what is there before anything else, then use another one."
    return InputError(f"The journal {place} cannot be read: {error.strerror}.", way_out=words)


def set_aside(path: Path) -> str:
    """The words that tell a person to move what stands in a journal's place; the table then begins anew."""
    place = path.absolute()
    aside = shlex.join(["mv", str(place), f"{place}.aside"])
    return f"Set aside what stands in the journal's place, and the table begins anew: {aside}"


def check_header(record: dict[str, Any], path: Path) -> None:
    """A journal's first record; raises JournalError for that of another file, or of a newer form."""
    if record.get("kind") != "header":
        raise no_journal(path)
    if record.get("version", VERSION) > VERSION:
        raise JournalError(
            f"The journal {path.absolute()} was written by a newer program: {record.get('program', 'unnamed')}.",
            way_out="Install that one again (systemd/install.sh rollback returns to the version before).",
        )


def of_journal(records: Records, path: Path) -> Iterator[dict[str, Any]]:
    """The good records of a file, once the first one has been looked at; raises JournalError where it is no journal."""
    for record in records:
        if record["n"] == 0:
            check_header(record, path)
        yield record
    if not records.reading.is_journal:
        raise no_journal(path)


def no_journal(path: Path) -> JournalError:
    """The error for a file in which nothing is a journal's."""
    return JournalError(
        f"{path.absolute()} is not a journal.",
        way_out=f"A table keeps its journal.jsonl in its state.directory. {set_aside(path)}",
    )


def parse_journal(data: bytes, number: int = 0, previous: str = FIRST_PREVIOUS, offset: int = 0) -> JournalContents:
    """What a ``Reading`` of these bytes gives, all at once."""
    reading = Reading(io.BytesIO(data), number, previous, offset)
    records = list(reading)
    return JournalContents(records, reading.offset, reading.last_hash, reading.damage, reading.torn)


def read_journal(path: Path) -> JournalContents:
    """A file's whole content, also a packed one's (.gz); raises InputError when there is none. For small ones."""
    with opened(path) as file:
        return parse_journal(file.read())


def read_end(path: Path, number: int, offset: int, previous: str) -> JournalContents:
    """Only what a journal holds from a place on (see snapshot.py); raises InputError when there is none."""
    with opened(path) as file:
        file.seek(offset)
        return parse_journal(file.read(), number, previous, offset)
