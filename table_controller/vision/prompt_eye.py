"""One seat's prompt circle, frame after frame: gate, sights, and what they mean for the stack lying there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np

from table_controller.cards import UNKNOWN, Seat
from table_controller.geometry import Geometry, Point
from table_controller.table.events import Event, PromptCircleCleared, PromptLaid, PromptLifted, PromptTouched
from table_controller.vision.evidence import EvidenceStore, circle_picture
from table_controller.vision.gate import GATE_PX_PER_MM, AreaGate, GateState, prompt_border
from table_controller.vision.images import Image
from table_controller.vision.marker_places import card_outline
from table_controller.vision.mat import GLIMPSE, MatPose, prompt_window
from table_controller.vision.plain_stack import FIRST
from table_controller.vision.prompt_reader import PROMPT_PX_PER_MM, PromptReader, PromptSight, PromptStack

_LEAST_LOOKS, _MOST_LOOKS = 2, 4
_MOST_UNSURE = 16
_STRANGE_REST = 8
"""What is no prompt card is told when it has lain so many frames: a hand that holds cards over the circle moves sooner.
"""
_TAP_FRAMES = 18
"""A hand stays so many frames at most for a tap; a longer one rests."""
_COVERED_BORDER = 1.35
"""The border so many times as light as it was is covered by paper: light does not change so in a moment."""
_TIP_MM = 7.0
_GROWN_MM = 1.0
_COVERED = 14.0
_COVERED_SHARE = 0.35


class PromptEye:
    """Watches one seat's prompt circle."""

    def __init__(
        self, seat: Seat, geometry: Geometry, reader: PromptReader, evidence: EvidenceStore | None = None
    ) -> None:
        """``evidence`` keeps the circle's picture after each change, without what is held above it."""
        self._seat, self._geometry = seat, geometry
        self._evidence = evidence or EvidenceStore(None)
        self._window = prompt_window(geometry, seat)
        self._reader = reader
        self._border = prompt_border(self._window)
        self._gate = AreaGate(self._border, self._border)
        self._stack = PromptStack(seat, geometry)
        self._sights: list[PromptSight] = []
        self._hand_frames = 0
        self._covered = self._news = False
        self._mat_grey: float | None = None
        self._quiet = False
        self._kept = ""
        self.pending = False
        self.heap = False
        """Whether cards are held above the circle now."""

    @property
    def bare(self) -> bool:
        """Whether no prompt card is known to lie there."""
        return not self._stack.stack

    def expect(self, markers: tuple[int, ...]) -> None:
        """These lie there already, bottom first."""
        self._stack.stack = list(markers)

    def see(self, frame: Image, glimpse: Image, pose: MatPose, grab_ms: int) -> list[Event]:
        """Take in a frame; returns the prompt cards laid, lifted, touched or cleared."""
        small = self._window.view(glimpse, pose, GATE_PX_PER_MM, GLIMPSE)
        state = self._gate.look(small)
        self._quiet = not state.changed and not state.hand
        self.pending = state.changed and (not state.hand or len(self._sights) < _LEAST_LOOKS)
        if state.hand:
            self._hand_frames += 1
            self._covered = self._covered or self._over_top()
        if not state.changed:
            self._sights.clear()
            self.heap = False
            return self._tap(state.hand, grab_ms)
        if state.rest < 1:
            self._sights.clear()
            return []
        events = self._look(frame, small, pose, grab_ms, state)
        self._news = self._news or (state.hand and bool(events))
        return events

    def _look(self, frame: Image, small: Image, pose: MatPose, grab_ms: int, state: GateState) -> list[Event]:
        hand = state.hand
        if len(self._sights) >= (_MOST_LOOKS if hand else _MOST_UNSURE):
            return []
        mat_grey = float(np.median(small.max(axis=2)[self._border]))
        if self._mat_grey is not None and mat_grey > _COVERED_BORDER * self._mat_grey:
            mat_grey = self._mat_grey  # paper lies or is held all round the circle
        view = self._window.view(frame, pose, PROMPT_PX_PER_MM)
        self._sights.append(self._reader.read(view, mat_grey))
        last = self._sights[-1]
        self.heap = last.heap
        if len(self._sights) < _LEAST_LOOKS:
            return []
        if _seen(self._sights[-2]) != _seen(last) and len(self._sights) < _MOST_LOOKS:
            return []
        if self._reader.unsure(last) and len(self._sights) < _MOST_UNSURE:
            return []  # a finger that does not reach over the border may lie on it
        if last.heap or (not hand and state.rest < _STRANGE_REST and self._stack.strange(last)):
            self._sights = self._sights[-_LEAST_LOOKS:]
            return []  # cards held above the circle, or what may be: held cards tremble, lying ones do not
        if not hand:
            self._mat_grey = mat_grey
            self._gate.accept()
            self._sights.clear()
            self.pending = False
        events = self._stack.settle(last, grab_ms, hand=hand)
        if events:
            unread = any(isinstance(event, PromptLaid) and event.kind == UNKNOWN for event in events)
            places = last.places if hand else self._stack.places
            self._keep(view, None if unread else self._outlines(places), grab_ms)
            events = self._named(events)
        if not hand:
            events = events or self._tap(hand, grab_ms)
            self._forget_hand()
        return events

    def as_it_lies(self, frame: Image, pose: MatPose, grab_ms: int) -> str:
        """The name of the picture of what lies in the circle, as far as it was quiet; "" where none is kept."""
        if not self._kept and self._quiet:
            view = self._window.view(frame, pose, PROMPT_PX_PER_MM)
            sight = self._reader.read(view, float(np.median(view.max(axis=2))))
            self._keep(view, self._outlines(sight.places), grab_ms)
        return self._kept

    def _keep(self, view: Image, cards: list[list[Point]] | None, grab_ms: int) -> None:
        picture = circle_picture(view, self._window, PROMPT_PX_PER_MM, self._geometry, cards)
        self._kept = self._evidence.keep(picture, f"{grab_ms:010d}-{self._seat}-circle.jpg")

    def _outlines(self, places: Mapping[int, tuple[Point, ...]]) -> list[list[Point]]:
        """Of the prompt cards that lie at these places; of a half covered one as far as its markers show."""
        made: list[list[Point]] = []
        for marker, found in places.items():
            if marker not in self._stack.stack:
                continue
            whole = None if marker >= FIRST else card_outline(found, self._geometry, _GROWN_MM)
            corners = found if whole is None else [(float(u), float(v)) for u, v in whole]
            hull = cv2.convexHull(np.array(corners, dtype=np.float32)).reshape(-1, 2)
            made.append([(float(u), float(v)) for u, v in hull])
        return made

    def _named(self, events: list[Event]) -> list[Event]:
        """The events with the name of the circle's newest picture."""
        circle = (PromptLaid, PromptLifted, PromptTouched, PromptCircleCleared)
        return [replace(event, evidence=self._kept) if isinstance(event, circle) else event for event in events]

    def _tap(self, hand: bool, grab_ms: int) -> list[Event]:
        """A hand that covered the uppermost card for a moment and left it there tapped it."""
        if hand:
            return []
        tapped = self._covered and not self._news and self._hand_frames <= _TAP_FRAMES
        self._forget_hand()
        return self._named(self._stack.touched(grab_ms)) if tapped else []

    def _forget_hand(self) -> None:
        self._hand_frames, self._covered, self._news = 0, False, False

    def _over_top(self) -> bool:
        """Whether something covers the middle of the uppermost card."""
        at, present, accepted = self._stack.top_place(), self._gate.present, self._gate.accepted
        if at is None or present is None or accepted is None:
            return False
        x, y = round(at[0] * GATE_PX_PER_MM), round(at[1] * GATE_PX_PER_MM)
        reach = round(_TIP_MM * GATE_PX_PER_MM)
        cut = (slice(max(0, y - reach), y + reach + 1), slice(max(0, x - reach), x + reach + 1))
        return float(np.mean(np.abs(present[cut] - accepted[cut]) > _COVERED)) > _COVERED_SHARE


def _seen(sight: PromptSight) -> tuple[frozenset[int], str]:
    return frozenset(sight.markers), sight.plain.kind if sight.plain is not None else ""
