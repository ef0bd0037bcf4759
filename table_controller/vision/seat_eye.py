"""One seat's play area, frame after frame: gate, readings, votes, and what they mean for the cards lying there."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace
from functools import partial
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import JOKERS, Seat
from table_controller.geometry import Geometry, Point
from table_controller.table.events import AreaCleared, CardsGone, CardsSeen, Event
from table_controller.vision.cards_on_mat import (
    FIRM,
    SeenCard,
    apart,
    cards_in_view,
    paper_mask,
    plausible,
    supported,
    surface_mask,
    unread_paper,
    vote,
)
from table_controller.vision.evidence import EvidenceStore, evidence_picture
from table_controller.vision.gate import GATE_PX_PER_MM, play_border
from table_controller.vision.held import FAN_FRAMES, HeldCheck
from table_controller.vision.images import Image
from table_controller.vision.mat import GLIMPSE, MatPose, Window, fiducials_in, own_part, play_window, within
from table_controller.vision.one_print import of_one_print, usual_height_px
from table_controller.vision.print_kept import share_kept
from table_controller.vision.reader import IndexReading
from table_controller.vision.second_look import gap_picture, gaps, in_gap, placed, shows_between
from table_controller.vision.stir import print_shift
from table_controller.vision.things import PatientGate
from table_controller.vision.tracker import SeatTracker, Settled

READ_PX_PER_MM = 3.0
_LEAST_VOTES, _MOST_VOTES = 2, 5
_HISTORY = 64
_INSIDE_MM = 8.0
_LEAST_PAPER_MM2 = 60.0
_HARDLY_FOUND, _ON_CARD = 0.4, 0.4
_GREY = 110
_APART_MM = 6.0
_STAYED_MM = 9.0
_LOOKS = (1.0, 0.8, 0.9)
"""Frames are read at other sizes in turn, so that votes are opinions of their own: told smaller, it is seen larger."""
_CLOSER = 0.7
_REMAINS, _PARTLY = 0.55, 0.25
_NEARER_MM = 11.0
_BESIDE_MM = 2.0
_AT_END_MM, _FAN_REACH_MM = 45.0, 90.0
_IN_CIRCLE_MM, _ROW_STEP_MM = 22.0, 34.0
"""A card whose middle is so near to a circle's lies outside the area. Neighbours in a row lie no further apart."""
_ROUND = np.ones((5, 5), dtype=np.uint8)
_HALF_INDEX_MM = (4.0, 7.0)
_STIRRED_PX = 0.25
"""Print that moved by more (a twelfth of a millimetre) was touched; noise moves it by a twentieth of that."""


def reading_window(geometry: Geometry, seat: Seat) -> Window:
    """What is read for a seat: its play area, and towards the player as far as cards that begin in it reach."""
    window = play_window(geometry, seat)
    return replace(window, v1=window.v1 + _NEARER_MM)


def _grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask of small pictures, and a little round it."""
    return np.asarray(cv2.dilate(mask.astype(np.uint8), _ROUND)) > 0 if mask.any() else mask


class CropReader(Protocol):
    """What reads the corner indices of an upright view (see reader.py)."""

    def read_crop(self, image: Image, px_per_mm: float) -> list[IndexReading]:
        """The readings in a picture of known scale."""

    def read_faint(self, image: Image, px_per_mm: float) -> list[IndexReading]:
        """All that might be an index in it."""


class SeatEye:
    """Watches one seat's play area."""

    def __init__(self, seat: Seat, geometry: Geometry, reader: CropReader, evidence: EvidenceStore) -> None:
        self.seat = seat
        self._geometry = geometry
        self._reader = reader
        self._evidence = evidence
        self._window = reading_window(geometry, seat)
        self._own = own_part(self._window, READ_PX_PER_MM)
        self._near = self._own & within(self._window, geometry.play_area, _INSIDE_MM, READ_PX_PER_MM)
        bare = ~fiducials_in(self._window, geometry, GATE_PX_PER_MM)  # a printed one is no thing that lies there
        border, ends = play_border(self._window)
        self._gate = PatientGate(border & bare, ends & bare)
        self._tracker = SeatTracker()
        self._votes: list[list[SeenCard]] = []
        self._history: deque[tuple[int, NDArray[np.float32]]] = deque(maxlen=_HISTORY)
        self._expected: list[str] = []
        self._last_view: Image | None = None
        self._over_before = self._things_before = np.zeros_like(self._gate.over)
        self.held = HeldCheck(geometry.camera_mm)
        self._heights: list[float] = []
        self.held_ends: set[int] = set()
        """The ends of the area (1 the right, -1 the left) over whose prompt circle cards are held now."""
        self.held_over = False
        """Whether cards seem to be held above the area now."""
        self.pending = self.hand = False
        self.readings = 0

    def see(self, frame: Image, glimpse: Image, pose: MatPose, grab_ms: int) -> list[Event]:
        """Take in a frame; returns what is certain by now."""
        state = self._gate.look(self._window.view(glimpse, pose, GATE_PX_PER_MM, GLIMPSE))
        self.pending = state.changed and not state.hand
        self.hand = state.hand
        if not state.changed:
            self._votes.clear()
            self._history.clear()
            self.held_over = False
            if not state.hand:
                self._things_before = _grown(self._gate.things)
            return []
        if self._gate.present is not None:
            self._history.append((grab_ms, self._gate.present))
        if state.hand or state.rest < 1:
            self._votes.clear()
            return []
        view = self._window.view(frame, pose, READ_PX_PER_MM)
        view[~self._own] = _GREY
        self._mask_held(view)
        self._votes.append(self._read(view))
        if not self._decided() or self._held_above(state.rest):
            return []
        return self._settle(view, grab_ms)

    def expect(self, cards: tuple[str, ...]) -> None:
        """These lie there already: the first look reports only others as new."""
        self._expected = list(cards)

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards accounted for in the area, hidden ones too."""
        return tuple(known.seen.card for known in self._tracker.known)

    def _read(self, view: Image) -> list[SeenCard]:
        paper = paper_mask(view, self._near)
        # printed lines are as bright as paper, but thin
        solid = cv2.erode(paper, np.ones((7, 7), dtype=np.uint8))
        if np.count_nonzero(solid) < _LEAST_PAPER_MM2 * READ_PX_PER_MM**2:
            return []
        self.readings += 1
        scale = READ_PX_PER_MM * _LOOKS[len(self._votes) % len(_LOOKS)]
        usual_px = self.held.usual_height
        everything = of_one_print(self._reader.read_crop(view, scale), usual_px)
        surface = surface_mask(paper, READ_PX_PER_MM)
        readings = [r for r in everything if self._inside(r.centre) and self._on_a_card(r, surface)]
        found = cards_in_view(readings, self._window, READ_PX_PER_MM, self._geometry)
        missed = of_one_print(self._second_look(view, found), usual_height_px(readings) or usual_px)
        if missed:
            found = cards_in_view([*readings, *missed], self._window, READ_PX_PER_MM, self._geometry)
        old = [self._window.to_px(*at, READ_PX_PER_MM) for at in self._known_corners()]
        near = _STAYED_MM * READ_PX_PER_MM
        suits = [r for r in readings if r.card not in JOKERS and not r.doubtful]
        self._heights = [r.height_px for r in suits if all(math.dist(r.centre, at) > near for at in old)]
        possible = plausible(found, surface, self._window, READ_PX_PER_MM)
        cards = [card for card in possible if not self._in_a_circle(card, possible)]
        accounted = [known.seen for known in self._tracker.known if known.hidden or self._unchanged(known.seen)]
        accounted += [card for card in possible if not any(card is other for other in cards)]
        return cards + unread_paper(paper, [*cards, *accounted], self._window, READ_PX_PER_MM, self._geometry)

    def _on_a_card(self, reading: IndexReading, surface: NDArray[np.uint8]) -> bool:
        """Whether a corner that was hardly found has a card under it: the print of a smaller one may look like it."""
        if reading.found >= _HARDLY_FOUND:
            return True
        card = cards_in_view([reading], self._window, READ_PX_PER_MM, self._geometry)[0]
        return supported(card, surface, self._window, READ_PX_PER_MM) > _ON_CARD

    def _second_look(self, view: Image, cards: list[SeenCard]) -> list[IndexReading]:
        """Sure indices between cards that lie far apart, missed at the first look."""
        missed: list[IndexReading] = []
        for left, right in gaps(cards):
            part, offset = gap_picture(view, self._window, READ_PX_PER_MM, left, right)
            again = placed(self._reader.read_crop(part, READ_PX_PER_MM * _CLOSER), offset)
            known = [self._window.to_px(*card.anchor, READ_PX_PER_MM) for card in cards]
            missed += [
                r
                for r in again
                if r.confidence >= FIRM
                and r.up[1] < 0
                and self._inside(r.centre)
                and in_gap(r, self._window, READ_PX_PER_MM, left, right)
                and all(math.dist(r.centre, at) > _APART_MM * READ_PX_PER_MM for at in known)
            ]
        return missed

    def _shows_between(self, view: Image, left: SeenCard, right: SeenCard) -> bool:
        part, offset = gap_picture(view, self._window, READ_PX_PER_MM, left, right)
        faint = placed(self._reader.read_faint(part, READ_PX_PER_MM * _CLOSER), offset)
        return shows_between(faint, self._window, READ_PX_PER_MM, left, right)

    def _in_a_circle(self, card: SeenCard, cards: list[SeenCard]) -> bool:
        """Whether a card lies in a prompt circle beside the area, and not at the end of a row: it is no play."""
        u, v = self._geometry.prompt_centre
        if min(math.dist(card.centre, (u, v)), math.dist(card.centre, (-u, v))) > _IN_CIRCLE_MM:
            return False
        return not any(other is not card and math.dist(card.anchor, other.anchor) < _ROW_STEP_MM for other in cards)

    def _inside(self, centre: Point) -> bool:
        u, v = self._window.to_seat(*centre, READ_PX_PER_MM)
        u0, v0, u1, v1 = self._geometry.play_area
        return u0 - _INSIDE_MM <= u <= u1 + _INSIDE_MM and v0 - _INSIDE_MM <= v <= v1 + _INSIDE_MM

    def _decided(self) -> bool:
        if self._votes and not self._votes[-1]:
            return True  # bare cloth at rest needs no second opinion, and may be seen for a moment only
        if len(self._votes) < _LEAST_VOTES:
            return False
        if len(self._votes) >= _MOST_VOTES:
            return True
        last = self._votes[-_LEAST_VOTES:]
        names = {tuple(card.card for card in votes) for votes in last}
        return len(names) == 1 and not any(card.doubtful for votes in last for card in votes)

    def _settle(self, view: Image, grab_ms: int) -> list[Event]:
        seen = [self._beside_things(card) for card in vote(self._votes)]
        remains, stirred = partial(self._remains, view), partial(self._stirred, view)
        shows = partial(self._shows_between, view)
        told = self._tracker.settle(
            seen,
            remains,
            stirred,
            partial(self._under_a_thing, view),
            shows,
            partial(self._showed, view),
            partial(self._shows_beside, view),
        )
        settled = self._without_expected(told)
        self._last_view = view
        self._over_before, self._things_before = _grown(self._gate.over), _grown(self._gate.things)
        self.held.lying(settled.new, self._heights)
        first_ms = self._first_shown(settled.new, grab_ms)
        self._gate.accept()
        self._votes.clear()
        self._history.clear()
        self.pending = False
        return self._events(settled, view, first_ms, grab_ms)

    def _mask_held(self, view: Image) -> None:
        """Cards that may be held over the near border are painted over before anything is read."""
        if self._gate.held.any():
            size = (view.shape[1], view.shape[0])
            held = cv2.resize(self._gate.held.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
            view[held > 0] = _GREY

    def _known_corners(self) -> list[Point]:
        cards = [known.seen for known in self._tracker.known]
        return [at for card in cards for at in (card.top, card.bottom) if at is not None]

    def _held_above(self, rest: int) -> bool:
        """Whether what is new here seems to be held above the mat: then nothing of it is told or kept."""
        known = [known.seen for known in self._tracker.known]
        new = [card for card in self._votes[-1] if all(apart(card, other) > _STAYED_MM for other in known)]
        reaching = rest < FAN_FRAMES and any(self._reaches_in(card) for card in new)
        reaching = reaching or any(self._under_a_fan(card) for card in new)
        self.held_over = reaching or self.held.above(new, self._heights, rest)
        if self.held_over:
            self._votes.clear()
        return self.held_over

    def _reaches_in(self, card: SeenCard) -> bool:
        """Whether paper without an index lies at an end of the area: a fan may be held over the circle beside it."""
        _, _, u1, _ = self._geometry.play_area
        return card.probs is None and abs(card.centre[0]) > u1 - _AT_END_MM

    def _under_a_fan(self, card: SeenCard) -> bool:
        """Whether a card shows at an end over whose circle cards are held now: it may be one of them."""
        _, _, u1, _ = self._geometry.play_area
        return any(card.centre[0] * end > u1 - _FAN_REACH_MM for end in self.held_ends)

    def _beside_things(self, card: SeenCard) -> SeenCard:
        """A card beside a thing that came with it may have neighbours under it (cards are laid on an older one)."""
        over = self._gate.over & ~self._over_before
        came = self._gate.things & ~self._things_before
        if card.doubtful or not came.any() or not over.any():
            return card
        mask = np.zeros(over.shape, dtype=np.uint8)
        corners = [self._window.to_px(u, v, GATE_PX_PER_MM) for u, v in card.outline(_BESIDE_MM)]
        cv2.fillConvexPoly(mask, np.round(np.array(corners)).astype(np.int32), 1)
        return replace(card, doubtful=bool(np.any(over & (mask > 0))))

    def _without_expected(self, settled: Settled) -> Settled:
        if not self._expected:
            return settled
        news = []
        for card in settled.new:
            if card.card in self._expected:
                self._expected.remove(card.card)
            else:
                news.append(card)
        self._expected.clear()
        return replace(settled, new=tuple(news))

    def _events(self, settled: Settled, view: Image, first_ms: int, grab_ms: int) -> list[Event]:
        events: list[Event] = []
        if settled.cleared:
            events.append(AreaCleared(grab_ms, self.seat))
        elif settled.gone:
            events.append(CardsGone(grab_ms, self.seat, tuple(known.seen.card for known in settled.gone)))
        if settled.new:
            cards = settled.new
            lying = [known.seen for known in self._tracker.known if not known.hidden]
            picture = evidence_picture(view, self._window, READ_PX_PER_MM, lying, self._geometry)
            name = self._evidence.keep(picture, f"{first_ms:010d}-{self.seat}.jpg")
            doubtful = tuple(i for i, card in enumerate(cards) if card.doubtful)
            confidence = min(card.confidence for card in cards)
            names = tuple(card.card for card in cards)
            events.append(CardsSeen(first_ms, self.seat, names, doubtful, round(confidence, 3), name))
        return events

    # --- small pictures ---------------------------------------------------------------------------------------------

    def _patch(self, picture: NDArray[np.float32], at: Point) -> NDArray[np.float32]:
        x, y = self._window.to_px(*at, GATE_PX_PER_MM)
        rows = slice(max(0, round(y - 7)), max(1, round(y + 8)))
        columns = slice(max(0, round(x - 3)), max(1, round(x + 4)))
        return picture[rows, columns]

    def _alike(self, one: NDArray[np.float32], other: NDArray[np.float32], card: SeenCard) -> bool:
        return all(self._corners_alike(one, other, card))

    def _corners_alike(self, one: NDArray[np.float32], other: NDArray[np.float32], card: SeenCard) -> list[bool]:
        corners = [at for at in (card.top, card.bottom) if at is not None]
        light = float(np.median(one - other))
        patches = [(self._patch(one, at), self._patch(other, at)) for at in corners]
        return [bool(mine.size) and float(np.mean(np.abs(mine - its - light))) < 6.5 for mine, its in patches]

    def _unchanged(self, card: SeenCard) -> bool:
        present, accepted = self._gate.present, self._gate.accepted
        return present is not None and accepted is not None and any(self._corners_alike(present, accepted, card))

    def _remains(self, view: Image, card: SeenCard) -> bool:
        """Whether most of the print at a corner of a known card is still where it was when last read."""
        corners = [at for at in (card.top, card.bottom) if at is not None]
        return any(self._print_remains(view, at) for at in corners)

    def _showed(self, view: Image, card: SeenCard) -> bool:
        """Whether the print at all corners of a new card was there when last read."""
        return all(self._print_remains(view, at) for at in (card.top, card.bottom) if at is not None)

    def _shows_beside(self, view: Image, card: SeenCard, by: SeenCard) -> bool:
        """Whether print of a known card's index still shows where another that lies over it leaves it free."""
        return any(self._print_remains(view, at, by) for at in (card.top, card.bottom) if at is not None)

    def _print_remains(self, view: Image, at: Point, by: SeenCard | None = None) -> bool:
        return self._same_as_last(view, at, by) > _REMAINS

    def _same_as_last(self, view: Image, at: Point, by: SeenCard | None = None) -> float:
        if self._last_view is None:
            return 0.0
        return share_kept(self._last_view, view, self._window, READ_PX_PER_MM, at, by)

    def _stirred(self, view: Image, card: SeenCard) -> bool:
        """Whether a card's print moved by a hair since last read."""
        corners = [at for at in (card.top, card.bottom) if at is not None and self._print_remains(view, at)]
        if self._last_view is None or not corners:
            return False
        return all(print_shift(self._print(self._last_view, at), self._print(view, at)) > _STIRRED_PX for at in corners)

    def _print(self, view: Image, at: Point) -> Image:
        x, y = self._window.to_px(*at, READ_PX_PER_MM)
        return view[max(0, round(y - 26)) : max(1, round(y + 26)), max(0, round(x - 13)) : max(1, round(x + 13))]

    def _under_a_thing(self, view: Image, at: Point) -> bool:
        """Whether something lies over an index or a part of it: what is left of it need not look like one.

        A sleeve of the mat's colour is seen by what it leaves: a card that is taken away takes all of its print along.
        """
        x, y = (round(value) for value in self._window.to_px(*at, GATE_PX_PER_MM))
        wide, high = (round(half * GATE_PX_PER_MM) for half in _HALF_INDEX_MM)
        over = self._gate.over[max(0, y - high) : max(1, y + high + 1), max(0, x - wide) : max(1, x + wide + 1)]
        return bool(over.any()) or _PARTLY < self._same_as_last(view, at) <= _REMAINS

    def _first_shown(self, new: tuple[SeenCard, ...], grab_ms: int) -> int:
        """The stamp of the first frame since the last reading that shows all new cards as they lie now."""
        present = self._gate.present
        if present is None:
            return grab_ms
        for stamp_ms, picture in self._history:
            if all(self._alike(picture, present, card) for card in new):
                return stamp_ms
        return grab_ms
