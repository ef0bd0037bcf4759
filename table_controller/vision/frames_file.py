"""Frames that another program hands over in a file, ``frames:FILE``: a simulated camera, or one with its own driver.

The file lies in shared memory (/dev/shm). A header names the size; two slots hold a frame each, written in turn. A
slot's number is 0 while it is written, so that a reader never takes half a frame. Stamps are monotonic ms.
"""

from __future__ import annotations

import mmap
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from table_controller.errors import DeviceError, InputError
from table_controller.vision.images import Image

_HEADER = struct.Struct("<8sQQQ")
"""Magic, width, height, the newest frame's number."""
_SLOT = struct.Struct("<QQ")
"""A slot's number and stamp."""
_MAGIC = b"TCFRAMES"
_SLOTS = 2
_LOOK_S = 0.01
SILENT_MS = 3_000
"""A writer that gives nothing for so long has gone: the file is opened anew."""


def _slot_at(slot: int, size: int) -> int:
    return _HEADER.size + slot * (_SLOT.size + size)


class FrameFile:
    """The writing side. ``write`` hands over a frame (BGR, height × width × 3)."""

    def __init__(self, path: Path, frame_px: tuple[int, int]) -> None:
        """Make the file anew; a reader of the old one notices by its silence."""
        self._width, self._height = frame_px
        self._size = self._width * self._height * 3
        fresh = path.with_name(path.name + ".new")
        with fresh.open("wb") as file:
            file.write(_HEADER.pack(_MAGIC, self._width, self._height, 0))
            file.truncate(_slot_at(_SLOTS, self._size))
        with fresh.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        fresh.replace(path)
        self._number = 0

    def write(self, frame: Image, stamp_ms: int) -> None:
        """The next frame, and when it was grabbed."""
        self._number += 1
        at = _slot_at(self._number % _SLOTS, self._size)
        _SLOT.pack_into(self._map, at, 0, 0)
        pixels = np.frombuffer(self._map, np.uint8, self._size, at + _SLOT.size)
        np.copyto(pixels.reshape(self._height, self._width, 3), frame)
        del pixels
        _SLOT.pack_into(self._map, at, self._number, stamp_ms)
        _HEADER.pack_into(self._map, 0, _MAGIC, self._width, self._height, self._number)

    def close(self) -> None:
        """Let the file go; it stays on the disk."""
        self._map.close()


class FramesReader:
    """The reading side; raises InputError or DeviceError in plain words."""

    def __init__(self, path: Path, now_ms: Callable[[], int]) -> None:
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        except FileNotFoundError as error:
            raise DeviceError(
                f"{path}: no program gives frames there.", way_out="Start the camera's program."
            ) from error
        except (OSError, ValueError) as error:
            raise InputError(f"{path} is not a file of frames.", way_out='Check camera.source = "frames:…".') from error
        head = self._map[: _HEADER.size]
        magic, self._width, self._height, _ = _HEADER.unpack(head.ljust(_HEADER.size, b"\0"))
        self._size = self._width * self._height * 3
        if magic != _MAGIC or len(self._map) != _slot_at(_SLOTS, self._size):
            raise InputError(f"{path} is not a file of frames.", way_out='Check camera.source = "frames:…".')
        self._path, self._now_ms = path, now_ms
        self._last = 0
        self._never = threading.Event()

    def next(self) -> tuple[Image, int]:
        """The newest frame not taken yet and its stamp, waiting for it; raises DeviceError when none comes."""
        since_ms = self._now_ms()
        while True:
            found = self._take()
            if found is not None:
                return found
            if self._now_ms() - since_ms > SILENT_MS:
                raise DeviceError(f"{self._path}: no more frames come.", way_out="Look at the camera's program.")
            self._never.wait(_LOOK_S)

    def _take(self) -> tuple[Image, int] | None:
        newest = int(_HEADER.unpack_from(self._map, 0)[3])
        if newest in (0, self._last):
            return None
        at = _slot_at(newest % _SLOTS, self._size)
        number, stamp_ms = _SLOT.unpack_from(self._map, at)
        frame = np.frombuffer(self._map, np.uint8, self._size, at + _SLOT.size).copy()
        if number != newest or _SLOT.unpack_from(self._map, at)[0] != newest:
            return None
        self._last = newest
        return frame.reshape(self._height, self._width, 3), int(stamp_ms)

    def close(self) -> None:
        """Let the file go."""
        self._map.close()
