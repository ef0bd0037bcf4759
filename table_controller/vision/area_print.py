"""What a seat's play area shows at its cards' indices now, against when it was last read, and since which frame."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from table_controller.geometry import Point
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.gate import GATE_PX_PER_MM
from table_controller.vision.images import Image
from table_controller.vision.mat import Window
from table_controller.vision.print_kept import share_kept
from table_controller.vision.stir import print_shift
from table_controller.vision.things import PatientGate

_HISTORY = 64
"""Small pictures kept since the last reading: six seconds, longer than an area takes to come to rest."""
_REMAINS, _PARTLY = 0.55, 0.25
"""The share of an index's print that is kept where its card remains, and where something lies over a part of it."""
_WAS_THERE = 0.45
"""Of the print that shows now, the share that must have shown before where nothing was laid."""
_SAME_GREY = 6.5
_SMALL_ABOVE_PX, _SMALL_BESIDE_PX = 7, 3
_PRINT_ABOVE_PX, _PRINT_BESIDE_PX = 26, 13
_HALF_INDEX_MM = (4.0, 7.0)
_STIRRED_PX = 0.25
"""Print that moved by more (a twelfth of a millimetre) was touched; noise moves it by a twentieth of that."""


class AreaPrint:
    """Compares views of one window, ``px_per_mm`` large, and the small pictures of its gate."""

    def __init__(self, window: Window, gate: PatientGate, px_per_mm: float) -> None:
        self._window = window
        self._gate = gate
        self._px_per_mm = px_per_mm
        self._last_view: Image | None = None
        self._history: deque[tuple[int, NDArray[np.float32]]] = deque(maxlen=_HISTORY)

    def note(self, grab_ms: int) -> None:
        """Keep the gate's small picture of this frame."""
        if self._gate.present is not None:
            self._history.append((grab_ms, self._gate.present))

    def forget(self) -> None:
        """Nothing changes in the area: what it looked like before does not matter."""
        self._history.clear()

    def accept(self, view: Image) -> None:
        """This view has been read: later ones are compared with it."""
        self._last_view = view

    # --- small pictures ---------------------------------------------------------------------------------------------

    def first_shown(self, new: tuple[SeenCard, ...], grab_ms: int) -> int:
        """The stamp of the first frame since the last reading that shows all new cards as they lie now."""
        present = self._gate.present
        if present is None:
            return grab_ms
        for stamp_ms, picture in self._history:
            if all(all(self._alike(picture, present, card)) for card in new):
                return stamp_ms
        return grab_ms

    def unchanged(self, card: SeenCard) -> bool:
        """Whether a corner of a card looks, in small, as it did when the area was last read."""
        present, accepted = self._gate.present, self._gate.accepted
        return present is not None and accepted is not None and any(self._alike(present, accepted, card))

    def _alike(self, one: NDArray[np.float32], other: NDArray[np.float32], card: SeenCard) -> list[bool]:
        """Of each corner of a card whether two small pictures agree there, an even change of the light granted."""
        light = float(np.median(one - other))
        patches = [(self._patch(one, at), self._patch(other, at)) for at in _corners(card)]
        return [bool(mine.size) and float(np.mean(np.abs(mine - its - light))) < _SAME_GREY for mine, its in patches]

    def _patch(self, picture: NDArray[np.float32], at: Point) -> NDArray[np.float32]:
        x, y = self._window.to_px(*at, GATE_PX_PER_MM)
        rows = slice(max(0, round(y - _SMALL_ABOVE_PX)), max(1, round(y + _SMALL_ABOVE_PX + 1)))
        columns = slice(max(0, round(x - _SMALL_BESIDE_PX)), max(1, round(x + _SMALL_BESIDE_PX + 1)))
        return picture[rows, columns]

    # --- print ------------------------------------------------------------------------------------------------------

    def remains(self, view: Image, card: SeenCard) -> bool:
        """Whether most of the print at a corner of a known card is still where it was when last read."""
        return any(self._remains_at(view, at) for at in _corners(card))

    def showed(self, view: Image, card: SeenCard) -> bool:
        """Whether the print at all corners of a new card was there when last read: all of it, for some of the old may
        also show where a new index lies over pips."""
        if self._last_view is None:
            return False
        last = self._last_view
        return all(self._remains_at(view, at) and self._share(view, last, at) > _WAS_THERE for at in _corners(card))

    def shows_beside(self, view: Image, card: SeenCard, by: SeenCard) -> bool:
        """Whether print of a known card's index still shows where another that lies over it leaves it free."""
        return any(self._remains_at(view, at, by) for at in _corners(card))

    def stirred(self, view: Image, card: SeenCard) -> bool:
        """Whether a card's print moved by a hair since last read."""
        corners = [at for at in _corners(card) if self._remains_at(view, at)]
        if self._last_view is None or not corners:
            return False
        return all(print_shift(self._print(self._last_view, at), self._print(view, at)) > _STIRRED_PX for at in corners)

    def under_a_thing(self, view: Image, at: Point) -> bool:
        """Whether something lies over an index or a part of it: what is left of it need not look like one.

        A sleeve of the mat's colour is seen by what it leaves: a card that is taken away takes all of its print along.
        """
        x, y = (round(value) for value in self._window.to_px(*at, GATE_PX_PER_MM))
        wide, high = (round(half * GATE_PX_PER_MM) for half in _HALF_INDEX_MM)
        over = self._gate.over[max(0, y - high) : max(1, y + high + 1), max(0, x - wide) : max(1, x + wide + 1)]
        return bool(over.any()) or _PARTLY < self._kept(view, at) <= _REMAINS

    def _remains_at(self, view: Image, at: Point, by: SeenCard | None = None) -> bool:
        return self._kept(view, at, by) > _REMAINS

    def _kept(self, view: Image, at: Point, by: SeenCard | None = None) -> float:
        if self._last_view is None:
            return 0.0
        return self._share(self._last_view, view, at, by)

    def _share(self, one: Image, other: Image, at: Point, by: SeenCard | None = None) -> float:
        return share_kept(one, other, self._window, self._px_per_mm, at, by)

    def _print(self, view: Image, at: Point) -> Image:
        x, y = self._window.to_px(*at, self._px_per_mm)
        rows = slice(max(0, round(y - _PRINT_ABOVE_PX)), max(1, round(y + _PRINT_ABOVE_PX)))
        columns = slice(max(0, round(x - _PRINT_BESIDE_PX)), max(1, round(x + _PRINT_BESIDE_PX)))
        return view[rows, columns]


def _corners(card: SeenCard) -> list[Point]:
    """The places (u, v) of a card's indices that were seen."""
    return [at for at in (card.top, card.bottom) if at is not None]
