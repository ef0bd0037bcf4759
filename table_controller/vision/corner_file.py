"""The clicked corners kept for the next start, and beside them what the table looked like then."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from table_controller.errors import InputError
from table_controller.files import write_whole
from table_controller.vision.corners import Clicked, Corners
from table_controller.vision.images import Image

FILE = "corners.json"
_REFERENCE = ".png"


def save_corners(file: Path, corners: Corners | None, frame_px: tuple[int, int] | None = None) -> None:
    """Keep the corners (of a frame of ``frame_px``) for the next start, or forget them: the fiducials count again.

    What the table looked like with other corners is forgotten. Raises InputError.
    """
    try:
        file.with_suffix(_REFERENCE).unlink(missing_ok=True)
        if corners is None:
            file.unlink(missing_ok=True)
            return
        sheet = {"version": 1, "corners": corners, "frame_px": frame_px}
        write_whole(file, json.dumps(sheet))
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.", way_out="Free the disk.") from error


def save_reference(file: Path, picture: Image) -> None:
    """Keep the small picture by which corners are found again; raises InputError."""
    packed = np.asarray(cv2.imencode(_REFERENCE, picture)[1]).tobytes()
    try:
        write_whole(file.with_suffix(_REFERENCE), packed)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.", way_out="Free the disk.") from error


def stored_corners(file: Path | None) -> Clicked | None:
    """The corners kept in a file, or None where there is none; raises InputError when it is damaged."""
    if file is None or not file.exists():
        return None
    try:
        sheet = json.loads(file.read_text(encoding="utf-8"))
        first, second, third, fourth = ((float(x), float(y)) for x, y in sheet["corners"])
        size = sheet.get("frame_px")
        frame_px = None if size is None else (int(size[0]), int(size[1]))
        if frame_px is not None and min(frame_px) < 1:
            raise ValueError(size)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"{file} is damaged.", way_out="Remove it and click the corners again.") from error
    return Clicked((first, second, third, fourth), frame_px, _stored_reference(file.with_suffix(_REFERENCE)))


def _stored_reference(file: Path) -> Image | None:
    """None where there is none, or where it is damaged: the next frame is taken for it."""
    try:
        data = np.frombuffer(file.read_bytes(), dtype=np.uint8)
        picture = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE) if data.size else None
    except (OSError, cv2.error):
        return None
    return None if picture is None else np.asarray(picture, dtype=np.uint8)
