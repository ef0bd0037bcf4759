"""Prompt cards: seen by their markers at any rotation, and kept as the stack they lie in.

PASS on PASS, PASS on a report, an old PASS left lying: what counts is a card newly come to rest on the stack.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import cv2
import numpy as np

from table_controller.cards import UNKNOWN, Seat
from table_controller.geometry import Geometry
from table_controller.table.events import Event, PromptCircleCleared, PromptLaid, PromptLifted
from table_controller.vision.images import Image

PROMPT_PX_PER_MM = 3.0
_ENLARGE = 2.0
_PAPER_SHARE = 0.12
"""A card fills at least this share of the prompt window."""
UNMARKED = -1


@dataclass(frozen=True)
class PromptSight:
    """What a prompt window shows: how many markers of each card, and whether anything of paper lies there."""

    markers: dict[int, int]
    paper: bool


class PromptReader:
    """Finds prompt cards' markers in a prompt window."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, geometry.fiducial_dictionary))
        parameters = cv2.aruco.DetectorParameters()
        parameters.minMarkerPerimeterRate = 0.1
        self._detector = cv2.aruco.ArucoDetector(dictionary, parameters)

    def read(self, view: Image, mat_grey: float) -> PromptSight:
        """Look at an upright view of a prompt window; ``mat_grey`` is the mat's brightness there (of 255)."""
        grey = cv2.cvtColor(view, cv2.COLOR_BGR2GRAY)
        large = cv2.resize(grey, None, fx=_ENLARGE, fy=_ENLARGE, interpolation=cv2.INTER_CUBIC)
        _, ids, _ = self._detector.detectMarkers(large)
        seen: Counter[int] = Counter()
        if ids is not None:
            seen.update(int(i) for i in np.asarray(ids).reshape(-1) if self._geometry.prompt_of_marker(int(i)))
        paper = float(np.mean(view.min(axis=2) > min(225.0, mat_grey * 1.4)))
        return PromptSight(dict(seen), paper > _PAPER_SHARE)


@dataclass
class PromptStack:
    """The prompt cards lying in one seat's circle, bottom first, and what changes in it."""

    seat: Seat
    geometry: Geometry
    stack: list[int] = field(default_factory=list)

    def settle(self, sight: PromptSight, at_ms: int, *, hand: bool = False) -> list[Event]:
        """The events of the circle at rest. Under a hand only cards newly laid count: the rest may be covered."""
        events: list[Event] = []
        if not hand:
            events += self._left(sight, at_ms)
        fresh = [marker for marker in sight.markers if marker not in self.stack]
        for marker in sorted(fresh, key=lambda m: (sight.markers[m], m)):
            self.stack.append(marker)
            events.append(PromptLaid(at_ms, self.seat, self._kind(marker), marker))
        if sight.paper and not sight.markers and not self.stack and not hand:
            self.stack.append(UNMARKED)
            events.append(PromptLaid(at_ms, self.seat, UNKNOWN, UNMARKED))
        return events

    def _left(self, sight: PromptSight, at_ms: int) -> list[Event]:
        if not self.stack:
            return []
        if not sight.paper and not sight.markers:
            top = self.stack.pop()
            events: list[Event] = [] if self.stack else [PromptLifted(at_ms, self.seat, self._kind(top), top)]
            self.stack.clear()
            return [*events, PromptCircleCleared(at_ms, self.seat)]
        visible = [i for i, marker in enumerate(self.stack) if marker in sight.markers]
        fresh = any(marker not in self.stack for marker in sight.markers)
        if fresh and not visible:
            # a new card may hide the whole stack: what lies under it is still there
            self._drop_unmarked()
            return []
        if fresh or not visible:
            return []
        lifted = self.stack[visible[-1] + 1 :]
        del self.stack[visible[-1] + 1 :]
        return [PromptLifted(at_ms, self.seat, self._kind(marker), marker) for marker in reversed(lifted)]

    def _drop_unmarked(self) -> None:
        self.stack = [marker for marker in self.stack if marker != UNMARKED]

    def _kind(self, marker: int) -> str:
        prompt = self.geometry.prompt_of_marker(marker)
        return prompt[1] if prompt else UNKNOWN
