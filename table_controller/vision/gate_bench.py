"""The gate's measure: what a quiet table costs, against detection on every frame. Processor time, one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2

from table_controller.cards import SEATS
from table_controller.geometry import Geometry
from table_controller.vision.eye import Eye
from table_controller.vision.images import Image
from table_controller.vision.mat import play_window
from table_controller.vision.reader import Reader
from table_controller.vision.seat_eye import READ_PX_PER_MM

_SETTLE = 45
_STEP_MS = 100
FRAMES_A_MINUTE = 600


@dataclass(frozen=True)
class GateFigures:
    """Processor ms a frame: of the whole eye on a quiet table, of detection on every frame; and their share."""

    quiet_ms: float
    always_ms: float

    @property
    def share(self) -> float:
        """Quiet against always on."""
        return self.quiet_ms / self.always_ms

    @property
    def quiet_minute_s(self) -> float:
        """Processor seconds of a quiet minute at ten frames a second, without capture."""
        return self.quiet_ms * FRAMES_A_MINUTE / 1000


def measure_gate(
    geometry: Geometry, reader: Reader, frames: Sequence[Image], cpu_ms: Callable[[], float], *, quiet: int, always: int
) -> GateFigures:
    """Frames of one quiet table, shown in turn: ``quiet`` of them to the eye, ``always`` of them read whole.

    ``cpu_ms`` gives the process's own processor time (time.process_time() in ms). Frames differ by noise alone.
    """
    cv2.setNumThreads(1)
    eye = Eye(geometry, reader)
    for i in range(_SETTLE):
        eye.see(frames[i % len(frames)], i * _STEP_MS)
    start_ms = cpu_ms()
    for i in range(quiet):
        eye.see(frames[i % len(frames)], (_SETTLE + i) * _STEP_MS)
    quiet_ms = (cpu_ms() - start_ms) / quiet
    pose = eye.pose
    assert pose is not None
    start_ms = cpu_ms()
    for i in range(always):
        for seat in SEATS:
            view = play_window(geometry, seat).view(frames[i % len(frames)], pose, READ_PX_PER_MM)
            reader.read_crop(view, READ_PX_PER_MM)
    return GateFigures(quiet_ms, (cpu_ms() - start_ms) / always)
