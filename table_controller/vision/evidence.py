"""The picture a play was read from: the pixels of the seat's play area and of its cards, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from table_controller.geometry import Geometry
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.images import Image
from table_controller.vision.mat import Window


def evidence_picture(
    view: Image, window: Window, px_per_mm: float, cards: Sequence[SeenCard], geometry: Geometry
) -> Image:
    """``view`` with everything blacked out that is neither play area nor one of the cards seen."""
    keep = np.zeros(view.shape[:2], dtype=np.uint8)
    u0, v0, u1, v1 = geometry.play_area
    area = [(u0, v0), (u1, v0), (u1, v1), (u0, v1)]
    for corners in (area, *(card.outline(1.5) for card in cards)):
        points = np.array([window.to_px(u, v, px_per_mm) for u, v in corners])
        cv2.fillConvexPoly(keep, np.round(points).astype(np.int32), 255)
    return np.asarray(np.where(keep[..., None] > 0, view, 0), dtype=np.uint8)


class EvidenceStore:
    """Keeps evidence pictures in a folder; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def keep(self, picture: Image, name: str) -> str:
        """Write the picture as ``name``; returns the name, or "" where nothing is kept."""
        if self._folder is None:
            return ""
        packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
        (self._folder / name).write_bytes(bytes(np.asarray(packed).tobytes()))
        return name
