"""The product's vision worker with stamps: when it took a frame in, read it, settled. For the bench ``latency``.

Its camera is a picture in shared memory that somebody else draws, ten times a second, as a driver would.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from functools import wraps
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np

from table_controller.geometry import Geometry
from table_controller.table.events import CardsSeen, Event
from table_controller.vision import worker
from table_controller.vision.eye import Eye
from table_controller.vision.images import Image
from table_controller.vision.seat_eye import SeatEye
from table_controller.vision.sources import CameraControls

HEAD = struct.Struct("qq")
"""The number of the newest frame, and the ms of its grab; then two frames, written in turn."""


def now_ms() -> float:
    """The machine's monotonic clock, the same in every process."""
    return time.monotonic_ns() / 1e6


class Wall:
    """What a driver fills and a source reads: the newest of two frames."""

    def __init__(self, name: str | None, frame_px: tuple[int, int]) -> None:
        self._size = frame_px[0] * frame_px[1] * 3
        self._shape = (frame_px[1], frame_px[0], 3)
        self.memory = SharedMemory(name, create=name is None, size=HEAD.size + 2 * self._size)

    def _frame(self, number: int) -> Image:
        at = HEAD.size + number % 2 * self._size
        return np.ndarray(self._shape, dtype=np.uint8, buffer=self.memory.buf, offset=at)

    def put(self, number: int, frame: Image, grab_ms: int) -> None:
        """Show another frame."""
        np.copyto(self._frame(number), frame)
        HEAD.pack_into(self.memory.buf, 0, number, grab_ms)

    def newest(self) -> tuple[int, int]:
        """Number and grab of what is shown."""
        number, grab_ms = HEAD.unpack_from(self.memory.buf, 0)
        return number, grab_ms

    def taken(self, number: int) -> Image:
        """A copy of it, as a driver's buffer is decoded."""
        return self._frame(number).copy()


class DrawnSource:
    """The source that the worker's own thread reads."""

    taken_px = (0, 0)

    def __init__(self, wall: Wall) -> None:
        self._wall, self._last = wall, 0

    def read(self) -> tuple[Image, int]:
        """Wait for a frame that was not read yet."""
        while (found := self._wall.newest())[0] == self._last:
            time.sleep(0.001)
        self._last = found[0]
        return self._wall.taken(found[0]), found[1]

    def close(self) -> None:
        """Nothing is held."""


class Stamps:
    """Wraps what the worker does to a frame; a line for each play that it reports."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("a", encoding="utf-8")
        self._see: tuple[int, float] = (0, 0.0)
        self._cpu_s = 0.0
        self._reads: dict[str, list[tuple[int, float, float]]] = {}

    def seeing(self, see: Callable[..., list[Event]]) -> Callable[..., list[Event]]:
        @wraps(see)
        def stamped(eye: Eye, frame: Image, grab_ms: int) -> list[Event]:
            self._see, self._cpu_s = (grab_ms, now_ms()), time.thread_time()
            return see(eye, frame, grab_ms)

        return stamped

    def reading(self, read: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(read)
        def stamped(eye: SeatEye, view: Image) -> Any:
            if not eye._votes:
                self._reads[eye.seat] = []
            began = now_ms()
            found = read(eye, view)
            self._reads[eye.seat].append((self._see[0], began, now_ms()))
            return found

        return stamped

    def settling(self, settle: Callable[..., list[Event]]) -> Callable[..., list[Event]]:
        @wraps(settle)
        def stamped(eye: SeatEye, view: Image, grab_ms: int) -> list[Event]:
            events = settle(eye, view, grab_ms)
            for event in events:
                if isinstance(event, CardsSeen):
                    told = {"seat": eye.seat, "stamp_ms": event.at_ms, "grab_ms": grab_ms, "see_ms": self._see[1],
                            "reads": self._reads.get(eye.seat, []), "settled_ms": now_ms(),
                            "cpu_ms": (time.thread_time() - self._cpu_s) * 1000}  # fmt: skip
                    self._file.write(json.dumps(told) + "\n")
                    self._file.flush()
            return events

        return stamped


def run_stamped(wall: str, stamps: Path, pipe: Connection, settings: worker.WorkerSettings) -> None:
    """The worker's main with another camera and with stamps."""
    shown, kept = Wall(wall, settings.frame_px), Stamps(stamps)

    def opened(name: str, geometry: Geometry, now: Callable[[], int], controls: CameraControls) -> DrawnSource:
        return DrawnSource(shown)

    worker.open_source = opened  # type: ignore[assignment]
    Eye.see = kept.seeing(Eye.see)  # type: ignore[method-assign]
    SeatEye._read = kept.reading(SeatEye._read)  # type: ignore[method-assign]
    SeatEye._settle = kept.settling(SeatEye._settle)  # type: ignore[method-assign]
    worker.run_worker(pipe, settings)
