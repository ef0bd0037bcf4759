"""Writing a journal: a record is durable (fdatasync) when ``append`` returns, or JournalError is raised."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

from table_controller.errors import JournalError
from table_controller.journal.reader import JournalContents, read_end, read_journal
from table_controller.journal.record import encode, line_hash
from table_controller.journal.snapshot import Place

VERSION = 1


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
        self._since = since
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise JournalError(f"The journal {path} cannot be opened: {error.strerror}.") from error
        try:
            self._lock()
            contents = self._continued()
        except BaseException:
            os.close(self._fd)
            raise
        self._end = self._before = contents.good_bytes
        self._number = len(contents.records) + (since.number if since is not None else 0)
        self._previous = contents.last_hash
        if self._number == 0:
            self.append({"kind": "header", "version": VERSION, **(header or {})})

    def _lock(self) -> None:
        """Two controllers on one journal would break its chain."""
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise JournalError(
                f"Another controller is writing the journal {self.path}.",
                way_out="Stop it first, or give this one another state.directory.",
            ) from error

    def _continued(self) -> JournalContents:
        place = self._since
        contents = (
            read_journal(self.path)
            if place is None
            else read_end(self.path, place.number, place.offset, place.previous)
        )
        if contents.damage and not contents.torn:
            known = contents.records or place is not None
            what = f"is damaged: {contents.damage}" if known else "is not a journal"
            raise JournalError(
                f"{self.path} {what}. It was left as it is.",
                way_out="`table-controller recover` explains and mends it.",
            )
        os.ftruncate(self._fd, contents.good_bytes)
        return contents

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
