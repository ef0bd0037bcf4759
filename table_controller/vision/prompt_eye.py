"""One seat's prompt circle, frame after frame: gate, sights, and what they mean for the stack lying there."""

from __future__ import annotations

import numpy as np

from table_controller.cards import Seat
from table_controller.geometry import Geometry
from table_controller.table.events import Event
from table_controller.vision.gate import GATE_PX_PER_MM, AreaGate, prompt_border
from table_controller.vision.images import Image
from table_controller.vision.mat import GLIMPSE, MatPose, prompt_window
from table_controller.vision.prompt_reader import PROMPT_PX_PER_MM, PromptReader, PromptSight, PromptStack

_LEAST_LOOKS, _MOST_LOOKS = 2, 4


class PromptEye:
    """Watches one seat's prompt circle."""

    def __init__(self, seat: Seat, geometry: Geometry, reader: PromptReader) -> None:
        self._window = prompt_window(geometry, seat)
        self._reader = reader
        self._border = prompt_border(self._window)
        self._gate = AreaGate(self._border, self._border)
        self._stack = PromptStack(seat, geometry)
        self._sights: list[PromptSight] = []
        self.pending = False

    def expect(self, markers: tuple[int, ...]) -> None:
        """These lie there already, bottom first."""
        self._stack.stack = list(markers)

    def see(self, frame: Image, glimpse: Image, pose: MatPose, grab_ms: int) -> list[Event]:
        """Take in a frame; returns the prompt cards laid, lifted or cleared."""
        small = self._window.view(glimpse, pose, GATE_PX_PER_MM, GLIMPSE)
        state = self._gate.look(small)
        self.pending = state.changed and (not state.hand or len(self._sights) < _LEAST_LOOKS)
        if not state.changed or state.rest < 1:
            self._sights.clear()
            return []
        if len(self._sights) >= _MOST_LOOKS:
            return []
        mat_grey = float(np.median(small.max(axis=2)[self._border]))
        self._sights.append(self._reader.read(self._window.view(frame, pose, PROMPT_PX_PER_MM), mat_grey))
        if len(self._sights) < _LEAST_LOOKS:
            return []
        last = self._sights[-1]
        if self._sights[-2].markers.keys() != last.markers.keys() and len(self._sights) < _MOST_LOOKS:
            return []
        if not state.hand:
            self._gate.accept()
            self._sights.clear()
            self.pending = False
        return self._stack.settle(last, grab_ms, hand=state.hand)
