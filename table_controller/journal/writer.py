"""Writing a journal: a record is durable (fdatasync) when ``append`` returns, or JournalError is raised."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from table_controller.errors import JournalError
from table_controller.journal.reader import read_journal
from table_controller.journal.record import encode, line_hash

VERSION = 1


class JournalWriter:
    """Appends records to one file. An existing file is continued after its last good record."""

    def __init__(self, path: Path, *, header: dict[str, Any] | None = None, sync: bool = True) -> None:
        """Open ``path``; ``sync=False`` (simulated virtual-time runs only) leaves flushing to the system."""
        self.path = path
        self._sync = sync
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            contents = read_journal(path) if path.exists() else None
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
            self._end = contents.good_bytes if contents else 0
            os.ftruncate(self._fd, self._end)
        except OSError as error:
            raise JournalError(f"The journal {path} cannot be opened: {error.strerror}.") from error
        self._number = len(contents.records) if contents else 0
        self._previous = contents.last_hash if contents else "0" * 64
        if self._number == 0:
            self.append({"kind": "header", "version": VERSION, **(header or {})})

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
        self._end += len(line)
        self._previous = line_hash(line)

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
