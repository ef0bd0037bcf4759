"""The pictures that are kept: of a play area the cards shown to the table on its bare mat, of a prompt circle the
prompt cards on it, and nothing else; whole is the circle only where something lies in it that could not be read."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from table_controller.geometry import Geometry
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.images import Image
from table_controller.vision.mat import Window

KEPT_LIST = "kept.txt"
"""A file in the evidence folder: names, one a line, of pictures that are never removed."""
STARTS_FILE = "starts.txt"
"""How often a store on the folder was used. Stamps begin anew when a machine starts; this number does not."""
_DAY_S = 86_400
_START = re.compile(r"(\d{6})-\d+-[ENWS](-circle)?\.jpg")
_TIDY_EVERY = 20
_STRANGE = 46
_THIN_PX = 7
"""Lines printed on the mat are thinner."""
_GROWN_PX = 11


def evidence_picture(
    view: Image, window: Window, px_per_mm: float, cards: Sequence[SeenCard], geometry: Geometry
) -> Image:
    """``view`` with everything blacked out but ``cards`` (all that are known to lie there) and the area's bare mat.

    So a hand, a sleeve, a held card, or paper that nobody accounted for leaves a black place.
    """
    outlines = np.zeros(view.shape[:2], dtype=np.uint8)
    for card in cards:
        _fill(outlines, [window.to_px(u, v, px_per_mm) for u, v in card.outline(1.5)])
    area = np.zeros(view.shape[:2], dtype=np.uint8)
    u0, v0, u1, v1 = geometry.play_area
    _fill(area, [window.to_px(u, v, px_per_mm) for u, v in [(u0, v0), (u1, v0), (u1, v1), (u0, v1)]])
    keep = outlines | (area & ~_strange(view, area & ~outlines))
    return np.asarray(np.where(keep[..., None] > 0, view, 0), dtype=np.uint8)


def circle_picture(
    view: Image,
    window: Window,
    px_per_mm: float,
    geometry: Geometry,
    cards: Sequence[Sequence[tuple[float, float]]] | None = None,
) -> Image:
    """``view`` with everything blacked out but the prompt circle; where ``cards`` (outlines of the prompt cards that
    are known to lie there, mm of the window) are given, but these and the circle's bare mat."""
    circle = np.zeros(view.shape[:2], dtype=np.uint8)
    x, y = window.to_px(*geometry.prompt_centre, px_per_mm)
    cv2.circle(circle, (round(x), round(y)), round(geometry.prompt_diameter_mm / 2 * px_per_mm), 255, cv2.FILLED)
    keep = circle
    if cards is not None:
        outlines = np.zeros(view.shape[:2], dtype=np.uint8)
        for card in cards:
            _fill(outlines, [(u * px_per_mm, v * px_per_mm) for u, v in card])
        keep = outlines | (circle & ~_strange(view, circle & ~outlines))
    return np.asarray(np.where(keep[..., None] > 0, view, 0), dtype=np.uint8)


def _fill(mask: Image, corners: Sequence[tuple[float, float]]) -> None:
    cv2.fillConvexPoly(mask, np.round(np.array(corners)).astype(np.int32), 255)


def _strange(view: Image, where: Image) -> Image:
    """255 where a view shows something that is not the mat, judged by the usual colour of ``where``."""
    if not where.any():
        return where
    mat = np.median(view[where > 0], axis=0)
    off = cv2.absdiff(view, np.broadcast_to(np.round(mat), view.shape).astype(np.uint8)).max(axis=2) > _STRANGE
    solid = cv2.morphologyEx(off.astype(np.uint8) * 255, cv2.MORPH_OPEN, np.ones((_THIN_PX, _THIN_PX), dtype=np.uint8))
    return np.asarray(cv2.dilate(solid, np.ones((_GROWN_PX, _GROWN_PX), dtype=np.uint8)), dtype=np.uint8)


class EvidenceStore:
    """Keeps evidence pictures in a folder, as long and as many as allowed; without a folder it keeps nothing.

    Names begin with the number of the store's start, so no picture ever takes another's name, and in the order of
    names they are in the order of time, whatever the machine's clock says. The oldest go first, but never one that
    KEPT_LIST names. A disk that is full costs the picture, never the game.
    """

    def __init__(self, folder: Path | None, *, days: int = 30, most_mb: int = 500) -> None:
        self._folder = folder
        self._age_s = days * _DAY_S
        self._most_bytes = most_mb * 1_000_000
        self._written = self._start = 0
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def keep(self, picture: Image, name: str) -> str:
        """Write the picture as ``START-name``; returns that name, or "" where nothing is kept."""
        if self._folder is None:
            return ""
        name = f"{self._start_number(self._folder):06d}-{name}"
        packed = bytes(np.asarray(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]).tobytes())
        part = self._folder / f".{name}.part"
        try:
            part.write_bytes(packed)
            part.replace(self._folder / name)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()
            return ""
        if self._written % _TIDY_EVERY == 0:
            self.tidy()
        self._written += 1
        return name

    def _start_number(self, folder: Path) -> int:
        """Greater than that of any start before, also of one whose pictures are all gone."""
        if not self._start:
            before = [0]
            with contextlib.suppress(OSError, ValueError):
                before.append(int((folder / STARTS_FILE).read_text(encoding="ascii")))
            with contextlib.suppress(OSError):
                before += [int(found[1]) for file in folder.iterdir() if (found := _START.match(file.name))]
            self._start = max(before) + 1
            with contextlib.suppress(OSError):
                (folder / STARTS_FILE).write_text(str(self._start), encoding="ascii")
        return self._start

    def tidy(self) -> None:
        """Remove what is older than the newest by more than allowed, and the oldest beyond the allowed size."""
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            spared = self._spared()
            files = [(file.stat().st_mtime, file.stat().st_size, file) for file in self._folder.glob("*.jpg")]
            newest_s = max((changed_s for changed_s, _, _ in files), default=0.0)
            total = 0
            for changed_s, size, file in sorted(files, key=lambda entry: entry[2].name, reverse=True):
                total += size
                too_old = changed_s < newest_s - self._age_s
                if (too_old or total > self._most_bytes) and file.name not in spared:
                    file.unlink()

    def _spared(self) -> set[str]:
        assert self._folder is not None
        file = self._folder / KEPT_LIST
        return set(file.read_text(encoding="utf-8").split()) if file.exists() else set()
