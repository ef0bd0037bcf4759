"""The change gate: whether an area moves, has come to rest, looks other than when last read, or has a hand over it.

It works on small pictures of the areas, so that quiet areas cost next to nothing and are never read again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.vision.channels import greatest, least, median_of_steps, medians
from table_controller.vision.images import Image
from table_controller.vision.mat import Window

GATE_PX_PER_MM = 0.75
MOVED = 9.0
"""A smoothed difference (of 255) above this is movement; sensor noise stays under 4."""
_LEAST_PX = 3
_QUIET = 30
_GLANCE = 10
"""An area at rest for _QUIET frames is looked at closely every _GLANCE frames only; movement is looked for in each."""
_STRANGE = 34.0
"""A colour this far from the mat's is something lying over the border."""
_HAND_MM = 14.0
_WHITE = 1.45
"""Paper is this much brighter than the mat."""


@dataclass(frozen=True)
class GateState:
    """``rest`` counts frames without movement; ``changed`` against the last picture that was read."""

    rest: int
    changed: bool
    hand: bool


def _grey(picture: Image) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.float32)


def differs(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    """Whether two small pictures show a different thing, a common change of light set aside."""
    difference = one - other
    difference -= median_of_steps(difference[::2, ::2] + 255) - 255  # greys are whole numbers, and so are their steps
    smooth = np.asarray(cv2.blur(np.abs(difference), (3, 3)), dtype=np.float32)
    return int(np.count_nonzero(smooth > MOVED)) >= _LEAST_PX


class AreaGate:
    """The gate of one area. ``border`` marks the pixels an arm must cross to reach in.

    Paper over ``ends`` is a row that reaches there; over the rest of the border it is a held card.
    """

    def __init__(self, border: NDArray[np.bool_], ends: NDArray[np.bool_] | None = None) -> None:
        self._border = border
        self._ends = np.zeros_like(border) if ends is None else ends
        self._last: NDArray[np.float32] | None = None
        self._read: NDArray[np.float32] | None = None
        self._rest = 0
        self._state: GateState | None = None

    def look(self, picture: Image) -> GateState:
        """Take in the next small picture of the area (BGR)."""
        grey = _grey(picture)
        still = self._last is not None and not differs(grey, self._last)
        self._rest = self._rest + 1 if still else 0
        self._last = grey
        if self._state is not None and self._rest > _QUIET and self._rest % _GLANCE:
            return replace(self._state, rest=self._rest)
        changed = self._read is None or differs(grey, self._read)
        self._state = GateState(self._rest, changed, self._hand(picture))
        return self._state

    def accept(self) -> None:
        """The present picture has been read: nothing is changed until it differs from it."""
        self._read, self._state = self._last, None

    @property
    def present(self) -> NDArray[np.float32] | None:
        """The present small picture, grey."""
        return self._last

    @property
    def accepted(self) -> NDArray[np.float32] | None:
        """The small picture that was last read, grey."""
        return self._read

    def _hand(self, picture: Image) -> bool:
        blurred = np.asarray(cv2.blur(picture, (3, 3)), dtype=np.uint8)
        pixels, mat = blurred.astype(np.float32), medians(blurred[self._border])
        off = greatest(np.abs(pixels - mat)) > _STRANGE
        bright = (least(pixels) > min(225.0, float(mat.max()) * _WHITE)).astype(np.uint8)
        # with its blurred and shaded edge
        paper = np.asarray(cv2.dilate(bright, np.ones((5, 5), dtype=np.uint8))) > 0
        strange = (off & ~(paper & self._ends) & self._border).astype(np.uint8)
        count, _, stats, _ = cv2.connectedComponentsWithStats(strange, connectivity=8)
        reach = _HAND_MM * GATE_PX_PER_MM
        return any(max(stats[i][cv2.CC_STAT_WIDTH], stats[i][cv2.CC_STAT_HEIGHT]) >= reach for i in range(1, count))


def play_border(window: Window) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The border of a play window that arms cross: its near side and its ends; and the ends alone."""
    width, height = window.size_px(GATE_PX_PER_MM)
    border = np.zeros((height, width), dtype=bool)
    edge = round(6 * GATE_PX_PER_MM)
    top = round(30 * GATE_PX_PER_MM)
    ends = np.zeros_like(border)
    ends[top:-edge, :edge] = True
    ends[top:-edge, -edge:] = True
    border[-edge:, :] = True
    return border | ends, ends


def prompt_border(window: Window) -> NDArray[np.bool_]:
    """The border of a prompt window, all round."""
    width, height = window.size_px(GATE_PX_PER_MM)
    border = np.ones((height, width), dtype=bool)
    edge = round(5 * GATE_PX_PER_MM)
    border[edge:-edge, edge:-edge] = False
    return border
