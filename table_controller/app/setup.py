"""The camera's set-up page behind the running table: the picture between deals, and corners kept for the next start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.errors import DeviceError
from table_controller.geometry import load_geometry
from table_controller.vision.client import VisionClient
from table_controller.vision.corner_file import save_corners
from table_controller.vision.corners import checked_corners

_STEP_MS, _STEPS = 50, 40


@dataclass
class CameraSetup:
    """Serves the page. ``vision`` gives the camera's worker, or None; ``pause(ms)`` waits."""

    vision: Callable[[], VisionClient | None]
    pause: Callable[[int], Awaitable[None]]
    corners_file: Path

    async def look(self) -> tuple[bytes, dict[str, Any]] | None:
        """The set-up picture and what is known of it; None in a deal or when the worker does not answer."""
        vision = self.vision()
        if vision is None:
            return None
        vision.last_picture = vision.last_report = None
        vision.request_picture()
        for _ in range(_STEPS):
            await self.pause(_STEP_MS)
            answer = _answer(vision)
            if answer is not None:
                return answer
        return None

    def align(self, corners: Any) -> None:
        """Use and keep four clicked corners, or none: the fiducials. Raises TableError in words."""
        vision = self.vision()
        if vision is None:
            raise DeviceError("There is no camera.", way_out="Set camera.source.")
        frame_px = _frame_px(vision)
        checked = None if corners is None else checked_corners(corners, frame_px)
        save_corners(self.corners_file, checked, frame_px)
        vision.align(checked)


def _frame_px(vision: VisionClient) -> tuple[int, int]:
    """The size of the frame that was clicked in: a camera may give smaller ones than the geometry asks for."""
    if vision.last_report is None:
        return load_geometry().frame_px
    width, height = vision.last_report["frame_px"]
    return int(width), int(height)


def _answer(vision: VisionClient) -> tuple[bytes, dict[str, Any]] | None:
    if vision.last_picture is None or vision.last_report is None:
        return None
    return vision.last_picture, vision.last_report
