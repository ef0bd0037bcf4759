"""Writing a journal: a record is durable (fdatasync) when ``append`` returns, or JournalError is raised."""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
import shlex
from pathlib import Path
from typing import Any

from table_controller.errors import JournalError
from table_controller.files import sync_folder
from table_controller.journal.reader import VERSION, Reading, check_header, lines_of, opened, set_aside
from table_controller.journal.record import FIRST_PREVIOUS, encode, line_hash
from table_controller.journal.snapshot import Place

NO_FIRST = "its first record cannot be read; perhaps it is not a journal at all"


class JournalWriter:
    """Appends records to one file, alone. An existing journal is continued; only a torn last record is cut off.

    A file that is no journal, or one damaged before its end, is refused and left as it is.
    """

    def __init__(
        self, path: Path, *, header: dict[str, Any] | None = None, sync: bool = True, since: Place | None = None
    ) -> None:
        """Open ``path``; ``sync=False`` (simulated virtual-time runs only) leaves flushing to the system.

        ``since``: a place up to which the file is known to be whole (a snapshot's), so that only its end is read.
        """
        self.path = path
        self._sync = sync
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise not_opened(path, error) from error
        try:
            self._lock()
            found = self._continued(since)
            self._end = self._before = found.offset
            self._number, self._previous = found.number, found.last_hash
            if self._number == 0:
                self._begin({"kind": "header", "version": VERSION, **(header or {})})
        except BaseException:
            os.close(self._fd)
            raise

    def _begin(self, header: dict[str, Any]) -> None:
        try:
            self.append(header)
            if self._sync:
                sync_folder(self.path.parent)
        except (OSError, JournalError) as error:
            words = error.message if isinstance(error, JournalError) else f"{self.path}: {error.strerror}."
            raise JournalError(words, way_out="Free some space, then start it again.") from error

    def _lock(self) -> None:
        """Two controllers on one journal would break its chain."""
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise JournalError(
                f"Another controller is writing the journal {self.path}.",
                way_out="Stop it first, or give this one another state.directory.",
            ) from error

    def _continued(self, since: Place | None) -> Reading:
        """How far the file is good; what is torn off at its end is cut away. Of an old one only the end is kept."""
        place = since or Place(0, 0, FIRST_PREVIOUS, 0)
        with opened(self.path) as file:
            file.seek(place.offset)
            found = Reading(lines_of(file), place.number, place.previous, place.offset)
            for record in found:
                if record["n"] == 0:
                    check_header(record, self.path)
        if found.damage and not found.torn:
            raise damaged(self.path, found.damage if found.number else NO_FIRST)
        os.ftruncate(self._fd, found.offset)
        return found

    def append(self, data: dict[str, Any]) -> None:
        """Write one record and make it durable. On an error the file is cut back to its last whole record."""
        line = encode({"n": self._number, "prev": self._previous, **data})
        try:
            view = memoryview(line)
            while view:
                view = view[os.write(self._fd, view) :]
            if self._sync:
                os.fdatasync(self._fd)
        except OSError as error:
            self._cut_back()
            raise JournalError(
                f"The journal {self.path} cannot be written: {error.strerror}.",
                way_out="Free some space; the table goes on by itself.",
            ) from error
        self._number += 1
        self._before = self._end
        self._end += len(line)
        self._previous = line_hash(line)

    @property
    def place(self) -> Place:
        """Where the next record goes, once one has been written by this run."""
        return Place(self._number, self._end, self._previous, self._before)

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._fd, self._end)
        except OSError:
            # The reader drops a torn last line by itself; nothing more can be done on a failing disk.
            return

    def close(self) -> None:
        """Flush and close."""
        os.fsync(self._fd)
        os.close(self._fd)


def damaged(path: Path, damage: str) -> JournalError:
    """The error of a start on a journal that cannot be read to its end."""
    place = path.absolute()
    return JournalError(
        f"The journal {place} is damaged: {damage}. It was left as it is.",
        way_out=f"{shlex.join(['table-controller', 'recover', str(place)])} explains it, and mends it with --repair.",
    )


def not_opened(path: Path, error: OSError) -> JournalError:
    """Why a journal cannot be opened for writing, and what to do about it."""
    place = path.absolute()
    if isinstance(error, PermissionError):
        me = _user()
        words = f"Whoever runs the table must own it, here {me}: {shlex.join(['sudo', 'chown', me, str(place)])}."
        words = words if place.exists() else f"{me} must be able to write in {place.parent}."
    elif error.errno == errno.EROFS:
        words = "Its disk cannot be written: dmesg says why; set state.directory to one that can."
    elif isinstance(error, IsADirectoryError):
        words = set_aside(path)
    else:
        words = "Look at the disk: df -h, dmesg."
    return JournalError(f"The journal {place} cannot be opened: {error.strerror}.", way_out=words)


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def check_own(path: Path) -> None:
    """Raises JournalError where this program could not write a journal that is there, before it is read at length."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC))
    except FileNotFoundError:
        return
    except OSError as error:
        raise not_opened(path, error) from error


def other_table(path: Path, theirs: str, ours: str) -> JournalError:
    """The error of a table that finds another one's journal in its place."""
    return JournalError(
        f"The journal {path.absolute()} is of table '{theirs}', not of '{ours}'.",
        way_out="Set table.id back, or give this table another state.directory. Or, if it was renamed: "
        + set_aside(path),
    )
