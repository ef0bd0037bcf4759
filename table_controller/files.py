"""Writing a file whole or not at all: its readers find what stood before or what stands now, also after a crash."""

from __future__ import annotations

import os
from pathlib import Path

NEW_FILE_MODE = 0o640
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


def write_whole(path: Path, data: bytes | str, *, mode: int | None = None, durable: bool = True) -> None:
    """Replace what ``path`` holds (text as UTF-8), or what it links to; raises OSError and leaves it as it was.

    ``mode``: its rights, from its first byte on; else those that it had, or 0640. A file that root writes stays with
    whom it belonged to; a new one goes to its folder's group. ``durable=False``: it is not waited for the disk.
    """
    target = Path(os.path.realpath(path))
    fresh = target.with_name(f"{target.name}.new")
    fresh.unlink(missing_ok=True)  # of a crash, or laid there by somebody to be written through
    descriptor = os.open(fresh, _FRESH, 0o600)
    try:
        try:
            like(target, descriptor, mode)
            view = memoryview(data.encode() if isinstance(data, str) else data)
            while view:
                view = view[os.write(descriptor, view) :]
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        fresh.replace(target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(target.parent)


def like(target: Path, descriptor: int, mode: int | None = None) -> None:
    """Give an open file the rights and, where root does it, the owner of ``target``, which it shall stand for."""
    try:
        there = target.stat()
    except FileNotFoundError:
        there = None
    if os.geteuid() == 0:
        os.fchown(descriptor, *((there.st_uid, there.st_gid) if there else (-1, target.parent.stat().st_gid)))
    before = there.st_mode & 0o777 if there else NEW_FILE_MODE
    os.fchmod(descriptor, before if mode is None else mode)


def sync_folder(folder: Path) -> None:
    """A name that was made or replaced in a folder is on the disk when this returns; raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
