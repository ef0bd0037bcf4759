"""Things that lie over an area's border and are no hands: cups, phones. They stay put; hands do not.

A pixel of the border that looks strange, and the same, in most frames of two seconds belongs to a thing, also while
hands come and go over it. Of paper over the near border (held cards, a discard turned up) all that hangs together with
it, by more than a neck, is a thing, and is masked: nothing of it is ever read.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.vision.channels import greatest, least, medians
from table_controller.vision.gate import GATE_PX_PER_MM, AreaGate
from table_controller.vision.images import Image

STAYED_FRAMES = 20
"""Frames, two seconds of them, that a thing lies still before it is one: resting arms and held fans move sooner."""
_LEFT_FRAMES = 12
"""After so many frames in a row that look otherwise the thing has gone, or another lies there."""
_ALIKE = 22.0
_STRANGE = 34.0
_WHITE = 1.45
_HAND_MM = 14.0
_CLOSED_MM = 4.0
_NECK_MM = 16.0
"""What hangs on held paper by less is another thing: a row under whose edge the corner of a discard lies."""
_BODY_PX = 7

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


class BorderThings:
    """What lies over the border of small pictures, by its pixels: a thing's look, how long it stayed, how long away."""

    def __init__(self, count: int) -> None:
        self._colour: Floats = np.zeros((count, 3), dtype=np.float32)
        self._stayed = np.zeros(count, dtype=np.int32)
        self._away = np.zeros(count, dtype=np.int32)

    def look(self, pixels: Floats, strange: Mask) -> Mask:
        """Take in the next picture's border pixels (N × 3) and which are strange; which of them show a thing."""
        off = np.abs(pixels - self._colour)
        same = np.maximum(np.maximum(off[:, 0], off[:, 1]), off[:, 2]) < _ALIKE
        self._stayed[same & strange] += 1
        self._away = np.where(same, 0, self._away + 1)
        patience = np.where(self._stayed >= STAYED_FRAMES, _LEFT_FRAMES, 1)
        anew = (self._away >= patience) | (same & ~strange)
        self._colour[anew] = pixels[anew]
        self._stayed[anew] = 0
        self._away[anew] = 0
        return np.asarray(same & (self._stayed >= STAYED_FRAMES))


class PatientGate(AreaGate):
    """An area's gate for which things that stay over the border are no hands."""

    def __init__(self, border: Mask, ends: Mask | None = None) -> None:
        super().__init__(border, ends)
        self._where = border
        self._row_ends = np.zeros_like(border) if ends is None else ends
        self._things = BorderThings(int(np.count_nonzero(border)))
        self.things: Mask = np.zeros_like(border)
        """Where on the border things lie."""
        self.over: Mask = np.zeros_like(border)
        """All that things lie over, border or not."""
        self.held: Mask = np.zeros_like(border)
        """Of these, what may be held cards."""

    def _hand(self, picture: Image) -> bool:
        blurred = np.asarray(cv2.blur(picture, (3, 3)), dtype=np.uint8)
        border = blurred[self._where]
        pixels, mat = blurred.astype(np.float32), medians(border)
        off = np.asarray(greatest(np.abs(pixels - mat)) > _STRANGE)
        bright = (least(pixels) > min(225.0, float(mat.max()) * _WHITE)).astype(np.uint8)
        # with its blurred and shaded edge
        paper = np.asarray(cv2.dilate(bright, np.ones((5, 5), dtype=np.uint8))) > 0
        self.things = np.zeros_like(self._where)
        seen = off & ~(paper & self._row_ends)
        self.things[self._where] = self._things.look(border.astype(np.float32), seen[self._where])
        lying = np.asarray(cv2.dilate(self.things.astype(np.uint8), np.ones((3, 3), dtype=np.uint8))) > 0
        strange = (seen & ~lying & self._where).astype(np.uint8)
        self.over = self.held = np.zeros_like(self._where)
        if lying.any():
            body = _body(off & (bright == 0))
            dark, white = lying & ~paper, _mostly(lying, paper, body) & paper & ~self._row_ends
            self.held = _hanging(_closed(off), white) if white.any() else self.held
            self.over = _reached(off & ~paper, dark) | self.held
        count, _, stats, _ = cv2.connectedComponentsWithStats(strange, connectivity=8)
        reach = _HAND_MM * GATE_PX_PER_MM
        return any(max(stats[i][cv2.CC_STAT_WIDTH], stats[i][cv2.CC_STAT_HEIGHT]) >= reach for i in range(1, count))


def _closed(off: Mask) -> Mask:
    """What is no mat, its gaps closed."""
    side = round(_CLOSED_MM * GATE_PX_PER_MM)
    return np.asarray(cv2.morphologyEx(off.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))) > 0


def _wider(mask: Mask, side: int) -> Mask:
    """The mask and what is round it."""
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((side, side), dtype=np.uint8))) > 0


def _body(dark: Mask) -> Mask:
    """The bodies of cups and phones, a little wider than they are: what is no paper, without the print of cards."""
    whole = cv2.morphologyEx(dark.astype(np.uint8), cv2.MORPH_OPEN, np.ones((_BODY_PX, _BODY_PX), dtype=np.uint8))
    return np.asarray(cv2.dilate(whole, np.ones((_BODY_PX + 2, _BODY_PX + 2), dtype=np.uint8))) > 0


def _mostly(lying: Mask, paper: Mask, body: Mask) -> Mask:
    """Of the things, those that are paper for the greater part: a phone with light keys and a cup's rim are not.

    What hangs on one body is one thing.
    """
    _, labels = cv2.connectedComponents((lying | body).astype(np.uint8), connectivity=8)
    whole, light = (np.bincount(labels[where], minlength=int(labels.max()) + 1) for where in (lying, lying & paper))
    return np.asarray(lying & (2 * light > whole)[labels])


def _hanging(strange: Mask, white: Mask) -> Mask:
    """The strange pixels that hang together with held paper by more than a neck, and a little round them."""
    reached, neck = _reached(strange, white), round(_NECK_MM * GATE_PX_PER_MM)
    cores = cv2.morphologyEx(reached.astype(np.uint8), cv2.MORPH_OPEN, np.ones((neck, neck), dtype=np.uint8))
    _, labels = cv2.connectedComponents(cores, connectivity=8)
    own = np.isin(labels, np.unique(labels[_wider(white, neck)])) & (labels > 0)
    others = (labels > 0) & ~own
    cut = reached & ~_wider(others, neck // 2) if own.any() else reached
    return _wider(cut, 3) & ~others


def _reached(strange: Mask, lying: Mask) -> Mask:
    """The strange pixels that hang together with those of things."""
    _, labels = cv2.connectedComponents((strange | lying).astype(np.uint8), connectivity=8)
    return np.asarray(np.isin(labels, np.unique(labels[lying & (labels > 0)])))
