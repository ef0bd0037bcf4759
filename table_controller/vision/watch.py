"""Watches the pictures themselves once a second and says what is amiss: light, focus, scale, rate, a bumped camera."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np

from table_controller.cards import SEATS, Seat
from table_controller.geometry import Geometry, mat_to_seat, seat_to_mat
from table_controller.vision.gate import GATE_PX_PER_MM
from table_controller.vision.hints import NEEDED, Hint
from table_controller.vision.images import Image
from table_controller.vision.light import FlickerWatch, blur_px, light_hints
from table_controller.vision.mat import GLIMPSE, MatPose, Window, corner_shift_px, play_window, px_per_mm_at

EVERY_MS = 1_000
_SCALE_SPARE = 0.95
"""Five in a hundred fewer pixels a millimetre than are asked for are read as well."""
LEAST_FPS = 8.0
MOVED_PX = 4.0
"""A mat's corner that lies so far off was moved: more than a millimetre."""
MOVED_SHOWN_MS = 20_000
_UNSHARP_MM = 0.75
"""The sigma of the blur. The strokes of an index are 1 to 2 mm wide: beyond this they run together."""
_STAMPS = 40
_LEAST_STAMPS = 20
_AT_LEAST_MARKERS = 4
_PATCH_MM = 20.0


@dataclass(frozen=True)
class PictureReport:
    """What the pictures are like: the scale at each area, frames a second (0 when not known yet), fiducials seen."""

    px_per_mm: dict[Seat, float]
    fps: float
    markers: int
    hints: tuple[Hint, ...]


def least_px_per_mm(geometry: Geometry) -> float:
    """Below so many pixels a millimetre a picture is too coarse."""
    return geometry.px_per_mm * _SCALE_SPARE


def area_scales(geometry: Geometry, pose: MatPose) -> dict[Seat, float]:
    """Frame pixels a millimetre of each play area, where it has fewest."""
    u0, v0, u1, v1 = geometry.play_area
    ends = [(u, v) for u in (u0, u1) for v in (v0, v1)]
    return {seat: min(px_per_mm_at(pose.to_frame, *seat_to_mat(seat, u, v)) for u, v in ends) for seat in SEATS}


class PictureWatch:
    """Of one camera. What is amiss twice in a row becomes a hint; it goes with the first good look."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._windows = {seat: play_window(geometry, seat) for seat in SEATS}
        self._flicker = FlickerWatch()
        self._stamps: deque[int] = deque(maxlen=_STAMPS)
        self._least_scale = least_px_per_mm(geometry)
        self._next_ms = 0
        self._before: frozenset[tuple[str, Seat | None]] = frozenset()
        self.looks = 0
        """How many pictures have been measured."""
        self.last_look: tuple[Hint, ...] = ()
        """What was amiss in the last of them, whether or not it was before."""
        self._held: MatPose | None = None
        self._small: tuple[Hint, ...] = ()
        self._moved_ms: int | None = None
        self.report = PictureReport({}, 0.0, 0, ())

    def look(self, frame: Image, glimpse: Image, pose: MatPose | None, grab_ms: int) -> None:
        """Take in a frame; all but once a second it only notes the stamp and the rows' light."""
        self._stamps.append(grab_ms)
        self._small = self._too_small(frame)
        self._flicker.look(glimpse)
        if pose is None:
            return
        self._note_move(pose, grab_ms)
        if grab_ms < self._next_ms:
            return
        self._next_ms = grab_ms + EVERY_MS
        self._measure(frame, glimpse, pose)

    @property
    def fps(self) -> float:
        """Frames a second by the stamps of the last seconds; 0 until there are enough."""
        if len(self._stamps) < _LEAST_STAMPS:
            return 0.0
        steps = np.diff(np.array(self._stamps, dtype=np.float64))
        return 1000.0 / max(1.0, float(np.median(steps)))

    def hints(self, now_ms: int) -> tuple[Hint, ...]:
        """What is amiss now."""
        moved = self._moved_ms is not None and now_ms - self._moved_ms < MOVED_SHOWN_MS
        return (*self._small, *((Hint("moved"),) if moved else ()), *self.report.hints)

    def _too_small(self, frame: Image) -> tuple[Hint, ...]:
        """Known from the first frame on, the mat found in it or not: even filled by the mat it were too coarse."""
        side, needed = min(frame.shape[:2]), round(self._geometry.mat_side_mm * self._least_scale)
        sizes = f"{frame.shape[1]} × {frame.shape[0]}{NEEDED}{needed} × {needed}"
        return (Hint("small", None, sizes),) if side < needed else ()

    def _note_move(self, pose: MatPose, grab_ms: int) -> None:
        if pose is self._held:
            return
        if self._held is None:
            self._held = pose if pose.markers >= _AT_LEAST_MARKERS or not pose.markers else None
        elif corner_shift_px(self._geometry, self._held.to_frame, pose.to_frame) > MOVED_PX:
            self._held, self._moved_ms = pose, grab_ms

    def _measure(self, frame: Image, glimpse: Image, pose: MatPose) -> None:
        views = {seat: w.view(glimpse, pose, GATE_PX_PER_MM, GLIMPSE) for seat, w in self._windows.items()}
        found = light_hints(views, GATE_PX_PER_MM) + self._flicker.hints()
        scales = area_scales(self._geometry, pose)
        found += [Hint("coarse", seat, f"{s:.1f}") for seat, s in scales.items() if s < self._least_scale]
        found += self._unsharp(frame, pose, scales)
        fps = self.fps
        if 0 < fps < LEAST_FPS:
            found.append(Hint("slow", None, f"{fps:.1f}"))
        if 0 < pose.markers < _AT_LEAST_MARKERS:
            found.append(Hint("markers", None, str(pose.markers)))
        now = frozenset((hint.code, hint.seat) for hint in found)
        twice = tuple(hint for hint in found if (hint.code, hint.seat) in self._before)
        self._before, self.last_look = now, tuple(found)
        self.looks += 1
        self.report = PictureReport(scales, fps, pose.markers, twice)

    def _unsharp(self, frame: Image, pose: MatPose, scales: dict[Seat, float]) -> list[Hint]:
        """By the fiducials, or else by what lies in the areas: the seats' sides on which nothing is sharp."""
        hints = []
        for seat in SEATS:
            blurs = [blur for patch in self._patches(frame, pose, seat) if (blur := blur_px(patch)) is not None]
            if blurs and min(blurs) > _UNSHARP_MM * scales[seat]:
                hints.append(Hint("unsharp", seat))
        return hints

    def _patches(self, frame: Image, pose: MatPose, seat: Seat) -> list[Image]:
        """Pictures with steep edges on a seat's side: its fiducials, and its play area where there are none."""
        window = self._windows[seat]
        if not pose.markers:
            return [window.view(frame, pose, pose.px_per_mm)]
        patches = []
        for x, y in self._geometry.fiducials.values():
            u, v = mat_to_seat(seat, x, y)
            if v > 0 and abs(u) <= v + 1:
                near = Window(seat, u - _PATCH_MM, v - _PATCH_MM, u + _PATCH_MM, v + _PATCH_MM)
                at = np.array([[seat_to_mat(seat, near.u0, near.v0)], [seat_to_mat(seat, near.u1, near.v1)]])
                (x0, y0), (x1, y1) = cv2.perspectiveTransform(at, pose.to_frame).reshape(2, 2)
                left, right, top, bottom = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
                patches.append(frame[max(0, int(top)) : int(bottom), max(0, int(left)) : int(right)])
        return [patch for patch in patches if min(patch.shape[:2]) > _PATCH_MM]
