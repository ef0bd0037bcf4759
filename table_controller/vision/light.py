"""Measures light, glare, sharpness and flicker from small views, so that it costs next to nothing a frame."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import Seat
from table_controller.vision.channels import greatest, least
from table_controller.vision.hints import Hint
from table_controller.vision.images import Image

_DARK, _BRIGHT = 40.0, 178.0
"""The mat is a mid grey (about 105 of 255). Outside these, ink or paper is lost in the darkest or lightest tones."""
_UNEVEN = 1.9
"""The lightest area is so many times as light as this one: its gain differs by a whole stop."""
_GLARE_MM2 = 250.0
_LIT, _HALO = 14.0, 42.0
_COLOURLESS = 46
"""A reflection's channels lie no further apart; skin's do."""
_FLAT, _SHALLOW = 1.2, 14.0
"""Levels a small pixel: the edge of paper is steeper, paper itself and the mat are flatter."""
_PULSE = 0.012
_FLICKER_FRAMES = 20
_SPARSE = 4
_LEAST_CONTRAST = 60.0


def area_light(view: Image) -> float:
    """How light the bare mat is in an area's view: the median of its darker half's upper end, 0 to 255."""
    grey = cv2.cvtColor(view, cv2.COLOR_BGR2GRAY)
    return float(np.percentile(grey, 35))


def glare_mm2(view: Image, px_per_mm: float) -> float:
    """How much of an area lies in the halo of a reflection: lighter than the mat, fading as no paper or shadow does."""
    soft = np.asarray(cv2.GaussianBlur(view, (0, 0), 1.5), dtype=np.uint8)
    dark = least(soft)
    grey = np.asarray(dark, dtype=np.float32)
    colourless = cv2.subtract(greatest(soft), dark) < _COLOURLESS
    mat = float(np.percentile(grey, 35))
    slope = _slope(grey)
    halo = (grey > mat + _LIT) & (grey < mat + _HALO) & (slope > _FLAT) & (slope < _SHALLOW) & colourless
    # lines and edges are thinner than a halo
    wide = cv2.morphologyEx(halo.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), dtype=np.uint8))
    return float(np.count_nonzero(wide)) / px_per_mm**2


def _slope(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    across, down = (cv2.Sobel(grey, cv2.CV_32F, x, 1 - x, scale=1 / 8) for x in (1, 0))
    return np.asarray(cv2.magnitude(across, down), dtype=np.float32)


def blur_px(patch: Image) -> float | None:
    """The blur of the steepest edges in a patch, as the sigma of a Gaussian in its pixels; None without contrast."""
    grey = np.asarray(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY), dtype=np.float32)
    low, high = np.percentile(grey, [4, 96])
    if high - low < _LEAST_CONTRAST:
        return None
    steepest = float(np.percentile(_slope(grey), 97))
    return float(high - low) / (max(steepest, 0.1) * math.sqrt(2 * math.pi))


def light_hints(views: Mapping[Seat, Image], px_per_mm: float) -> list[Hint]:
    """What the areas' small views show of light and glare."""
    lights = {seat: area_light(view) for seat, view in views.items()}
    most = max(lights.values())
    hints: list[Hint] = []
    for seat, light in lights.items():
        if light < _DARK:
            hints.append(Hint("dark", seat))
        elif light > _BRIGHT:
            hints.append(Hint("bright", seat))
        elif most > light * _UNEVEN:
            hints.append(Hint("uneven", seat))
        elif glare_mm2(views[seat], px_per_mm) > _GLARE_MM2:
            hints.append(Hint("glare", seat))
    return hints


class FlickerWatch:
    """Whether light pulses or bands run through the picture, told from frame to frame by its rows."""

    def __init__(self) -> None:
        self._last: NDArray[np.float32] | None = None
        self._pulses: deque[float] = deque(maxlen=_FLICKER_FRAMES)

    def look(self, glimpse: Image) -> None:
        """Take in the next frame's glimpse."""
        small = np.asarray(glimpse[::_SPARSE, ::_SPARSE, 1], dtype=np.float32)
        small = np.asarray(cv2.blur(small, (1, 5)), dtype=np.float32) + 1.0
        if self._last is not None and self._last.shape == small.shape:
            rows = np.median(small / self._last, axis=1)
            self._pulses.append(float(np.sqrt(np.mean((rows - 1.0) ** 2))))
        self._last = small

    @property
    def pulse(self) -> float:
        """How much a row's light changes from frame to frame, as a share: the median of two seconds."""
        if len(self._pulses) < _FLICKER_FRAMES:
            return 0.0
        return float(np.median(self._pulses))

    def hints(self) -> list[Hint]:
        """The hint, if it flickers."""
        return [Hint("flicker")] if self.pulse > _PULSE else []
