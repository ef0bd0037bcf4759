"""Prompt cards: seen by their markers at any rotation, and kept as the stack they lie in.

PASS on PASS, PASS on a report, an old PASS left lying: what counts is a card newly come to rest on the stack.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import UNKNOWN, Seat
from table_controller.geometry import Geometry, Point
from table_controller.table.events import Event, PromptCircleCleared, PromptLaid, PromptLifted, PromptTouched
from table_controller.vision.cards_on_mat import surface_mask
from table_controller.vision.channels import greatest, least
from table_controller.vision.images import Image
from table_controller.vision.marker_places import card_outline, covered, merged, same_place, step_between
from table_controller.vision.plain_prompts import PlainPrompts, PlainSight
from table_controller.vision.plain_stack import PlainNames, far_apart, occupied

PROMPT_PX_PER_MM = 3.0
_ENLARGE = 2.0
_LARGE_SHARE = 0.4
_LARGER_SHARE = 0.52
"""Stacked in every rotation prompt cards fill up to 0.45 of the window; a playing card 0.63."""
_HEAP_SHARE = 0.7
"""A playing card that lies in the circle, print and all, fills at most 0.66 of the window; a fan held over it more."""
_PAPER_SHARE = 0.12
"""A card fills at least this share of the prompt window."""
UNMARKED = -1
_LIKE_MAT = 24.0
_GROWN_MM, _SHRUNK_MM = 1.0, -1.2
"""A card covers a little more than its outline for sure, and its corners are looked for a little inside of it."""
_MAT_SHARE = 0.5
_LEAST_OUT_MM2 = 20
"""Where a card sticks out by less, the line printed round the circle may be all that shows there."""
_PUSHED_TOGETHER_MM = 1.6
_TOUCHED_MM = 2.0
"""A plain card's place is known to a millimetre."""


@dataclass(frozen=True)
class PromptSight:
    """What a prompt window shows: how many markers of each card, and whether anything of paper lies there.

    ``large``: more paper than a stack of prompt cards has: a playing card.
    """

    markers: dict[int, int]
    paper: bool
    large: bool = False
    places: dict[int, tuple[Point, ...]] = field(default_factory=dict)
    """Marker id -> centres in mm of the window."""
    plain: PlainSight | None = None
    view: Image | None = None
    """What was looked at, where a plain card was seen."""
    heap: bool = False
    """More paper than any one card has: cards held above the circle."""
    mat: NDArray[np.bool_] | None = field(default=None, compare=False)
    """Where the mat shows, a pixel a millimetre."""


class PromptReader:
    """Finds prompt cards in a prompt window: ours by their markers, a venue's ``plain`` ones by their print."""

    def __init__(self, geometry: Geometry, plain: PlainPrompts | None = None) -> None:
        self._geometry = geometry
        self._plain = plain
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, geometry.fiducial_dictionary))
        parameters = cv2.aruco.DetectorParameters()
        parameters.minMarkerPerimeterRate = 0.1
        self._detector = cv2.aruco.ArucoDetector(dictionary, parameters)

    def unsure(self, sight: PromptSight) -> bool:
        """Whether a plain card may lie there that cannot be told yet."""
        told = bool(sight.markers) or (sight.plain is not None and sight.plain.sure)
        return self._plain is not None and sight.paper and not sight.large and not told

    def read(self, view: Image, mat_grey: float) -> PromptSight:
        """Look at an upright view of a prompt window; ``mat_grey`` is the mat's brightness there (of 255)."""
        grey = cv2.cvtColor(view, cv2.COLOR_BGR2GRAY)
        large = cv2.resize(grey, None, fx=_ENLARGE, fy=_ENLARGE, interpolation=cv2.INTER_CUBIC)
        quads, ids, _ = self._detector.detectMarkers(large)
        seen: Counter[int] = Counter()
        places: dict[int, tuple[Point, ...]] = {}
        for quad, found in zip(quads, [] if ids is None else np.asarray(ids).reshape(-1), strict=True):
            marker = int(found)
            if self._geometry.prompt_of_marker(marker):
                seen[marker] += 1
                x, y = np.asarray(quad).reshape(4, 2).mean(axis=0) / (_ENLARGE * PROMPT_PX_PER_MM)
                places[marker] = (*places.get(marker, ()), (float(x), float(y)))
        bright = np.where(least(view) > min(225.0, mat_grey * 1.4), 255, 0).astype(np.uint8)
        paper = float(np.mean(bright > 0))
        heap = paper > _LARGE_SHARE and float(np.mean(surface_mask(bright, PROMPT_PX_PER_MM) > 0)) > _HEAP_SHARE
        plain = None
        share = paper
        if self._plain is not None and not seen:
            plain, share = self._plain.read(view), max(paper, occupied(view))
        whole = any(count > 3 for count in seen.values()) or (plain is not None and plain.sure and plain.whole)
        playing_card = paper > _LARGER_SHARE or (paper > _LARGE_SHARE and not whole)
        shown = view if plain else None
        heap, mat = heap and not whole, _mat_shows(view, mat_grey)
        return PromptSight(dict(seen), share > _PAPER_SHARE, playing_card, places, plain, shown, heap, mat)


def _mat_shows(view: Image, mat_grey: float) -> NDArray[np.bool_]:
    size = (round(view.shape[1] / PROMPT_PX_PER_MM), round(view.shape[0] / PROMPT_PX_PER_MM))
    small = greatest(np.asarray(cv2.resize(view, size, interpolation=cv2.INTER_AREA), dtype=np.float32))
    return np.asarray(np.abs(small - mat_grey) < _LIKE_MAT)


@dataclass
class PromptStack:
    """The prompt cards lying in one seat's circle, bottom first, and what changes in it."""

    seat: Seat
    geometry: Geometry
    stack: list[int] = field(default_factory=list)
    places: dict[int, tuple[Point, ...]] = field(default_factory=dict)

    plain: PlainNames = field(default_factory=PlainNames)

    def settle(self, sight: PromptSight, at_ms: int, *, hand: bool = False) -> list[Event]:
        """The events of the circle at rest. Under a hand only cards newly laid count: the rest may be covered."""
        sight = self._with_plain(sight, hand)
        events: list[Event] = self._laid_anew(sight, at_ms)
        if not hand:
            events += self._left(sight, at_ms)
        fresh = [marker for marker in sight.markers if marker not in self.stack]
        for marker in sorted(fresh, key=lambda m: (sight.markers[m], m)):
            self.stack.append(marker)
            events.append(PromptLaid(at_ms, self.seat, self._kind(marker), marker))
        if self.strange(sight) and UNMARKED not in self.stack and not hand:
            self.stack.append(UNMARKED)
            events.append(PromptLaid(at_ms, self.seat, UNKNOWN, UNMARKED))
        if not events and not hand and self._moved(sight):
            events += self.touched(at_ms)
        self._remember(sight, hand)
        return events

    def strange(self, sight: PromptSight) -> bool:
        """Whether something lies there that is no prompt card, or one that cannot be told."""
        unsure = sight.plain is not None and not sight.plain.sure and not sight.markers
        return sight.large or unsure or (sight.paper and not sight.markers and not self.stack)

    def touched(self, at_ms: int) -> list[Event]:
        """The uppermost card was tapped, or moved where it lies."""
        if not self.stack or self.stack[-1] == UNMARKED:
            return []
        return [PromptTouched(at_ms, self.seat, self._kind(self.stack[-1]), self.stack[-1])]

    def top_place(self) -> Point | None:
        """The middle of the uppermost card (mm of the window), where it is known."""
        places = self.places.get(self.stack[-1], ()) if self.stack else ()
        return (sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)) if places else None

    def _with_plain(self, sight: PromptSight, hand: bool) -> PromptSight:
        """A plain card gets the number of the one that it must be, or a new one."""
        if sight.plain is None or not (sight.plain.sure or self.stack):
            return sight
        marker = self.plain.number_of(sight.plain, sight.view, self.stack, self.places, hand=hand)
        if marker is None:
            return sight
        return replace(sight, markers={marker: 4}, places={marker: tuple(sight.plain.corners())})

    def _moved(self, sight: PromptSight) -> bool:
        """Whether the uppermost card lies elsewhere than before."""
        top = self.stack[-1] if self.stack else UNMARKED
        before, now = self.places.get(top, ()), sight.places.get(top, ())
        if sight.plain is not None and before and now:
            return sight.plain.whole and top not in self.plain.rough and far_apart(before, now) > _TOUCHED_MM
        return bool(before and now) and not same_place(before, now, self.geometry)

    def _pushed(self, sight: PromptSight) -> bool:
        """Whether all cards that show lie elsewhere by the same step: the stack was pushed as one."""
        steps = []
        for marker in self.stack:
            step = step_between(self.places.get(marker, ()), sight.places.get(marker, ()))
            if step is not None:
                steps.append(step)
        top_moved = bool(self.stack) and self.stack[-1] in sight.places and self._moved(sight)
        return top_moved and all(math.dist(step, steps[-1]) < _PUSHED_TOGETHER_MM for step in steps)

    def _remember(self, sight: PromptSight, hand: bool) -> None:
        """Where markers lie; of a card half covered since, those that are hidden too. A plain card's place under a hand
        is rough: a few degrees off, where a thumb hides one of its ends."""
        for marker, now in sight.places.items():
            before = self.places.get(marker, ())
            if sight.plain is not None:
                if before and not sight.plain.whole:
                    continue
                exact = sight.plain.whole and not hand
                (self.plain.rough.discard if exact else self.plain.rough.add)(marker)
                self.places[marker] = now
            else:
                together = before and same_place(before, now, self.geometry)
                self.places[marker] = merged(before, now) if together else now

    def _laid_anew(self, sight: PromptSight, at_ms: int) -> list[Event]:
        """A card from under others that now lies elsewhere was collected and laid again; what hid it may still lie."""
        events: list[Event] = []
        if sight.plain is not None or self._pushed(sight):
            return events  # a plain card that lies elsewhere has another number
        for marker in self.stack[:-1]:
            before, now = self.places.get(marker, ()), sight.places.get(marker, ())
            if before and now and not same_place(before, now, self.geometry):
                self.stack.remove(marker)
                self.stack.append(marker)
                kind = self._kind(marker)
                events += [PromptLifted(at_ms, self.seat, kind, marker), PromptLaid(at_ms, self.seat, kind, marker)]
        return events

    def _left(self, sight: PromptSight, at_ms: int) -> list[Event]:
        if not self.stack:
            return []
        if not sight.paper and not sight.markers:
            top = self.stack.pop()
            events: list[Event] = [] if self.stack else [PromptLifted(at_ms, self.seat, self._kind(top), top)]
            self.stack.clear()
            return [*events, PromptCircleCleared(at_ms, self.seat)]
        if sight.large:
            return []
        visible = [i for i, marker in enumerate(self.stack) if marker in sight.markers]
        fresh = any(marker not in self.stack for marker in sight.markers)
        if fresh and not visible:
            # a new card may hide the whole stack: what lies under it is still there
            self._drop_unmarked()
            return []
        if fresh or not visible:
            return []
        lifted = self.stack[visible[-1] + 1 :]
        if lifted and self._lies_on(lifted, visible[-1], sight):
            marker = self.stack.pop(visible[-1])
            self.stack.append(marker)
            kind = self._kind(marker)
            return [PromptLifted(at_ms, self.seat, kind, marker), PromptLaid(at_ms, self.seat, kind, marker)]
        del self.stack[visible[-1] + 1 :]
        return [PromptLifted(at_ms, self.seat, self._kind(marker), marker) for marker in reversed(lifted)]

    def _lies_on(self, others: list[int], number: int, sight: PromptSight) -> bool:
        """Whether the card at ``number`` lies where it lay, but now on ``others`` that lay on it: laid again by chance
        in its old place, or it was not known where it lay. Then one of them still sticks out from under it, where
        neither it nor what lies below it is; no mat shows there, but for a line printed on it more than that line.
        """
        below = [sight.places.get(self.stack[number], ()), *(self.places.get(m, ()) for m in self.stack[:number])]
        covers = [card_outline(places, self.geometry, _GROWN_MM) for places in below]
        if sight.mat is None or any(cover is None for cover in covers):
            return False
        lower = covered([o for o in covers if o is not None], sight.mat.shape)
        outlines = [card_outline(self.places.get(marker, ()), self.geometry, _SHRUNK_MM) for marker in others]
        for outline in outlines:
            out = np.zeros_like(lower) if outline is None else covered([outline], sight.mat.shape) & ~lower
            if np.count_nonzero(out) >= _LEAST_OUT_MM2 and float(np.mean(sight.mat[out])) < _MAT_SHARE:
                return True
        return False

    def _drop_unmarked(self) -> None:
        self.stack = [marker for marker in self.stack if marker != UNMARKED]

    def _kind(self, marker: int) -> str:
        if self.plain.kind(marker):
            return self.plain.kind(marker)
        prompt = self.geometry.prompt_of_marker(marker)
        return prompt[1] if prompt else UNKNOWN
