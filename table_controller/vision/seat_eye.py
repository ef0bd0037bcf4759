"""One seat's play area, frame after frame: gate, readings, votes, and what they mean for the cards lying there."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import JOKERS, Seat
from table_controller.geometry import Geometry, Point
from table_controller.table.events import AreaCleared, CardsGone, CardsSeen, Event
from table_controller.vision.area_print import AreaPrint
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
from table_controller.vision.reader import IndexReading
from table_controller.vision.second_look import gap_picture, gaps, in_gap, placed, shows_between
from table_controller.vision.things import PatientGate
from table_controller.vision.tracker import SeatTracker, Settled

READ_PX_PER_MM = 3.0
_LEAST_VOTES, _MOST_VOTES, _UNREAD_VOTES = 2, 5, 10
"""Readings that are enough when they agree and none is doubtful, that are enough in any case, and where paper shows
without an index."""
_INSIDE_MM = 8.0
"""An index counts as in the area up to so far outside it: players lay over the line."""
_LEAST_PAPER_MM2 = 60.0
"""Less white than this is no card, not even one under others."""
_HARDLY_FOUND, _ON_CARD = 0.4, 0.4
"""What the detector found with less confidence must have this share of a card's face round it."""
_GREY = 110
"""Painted over what is not to be read."""
_APART_MM = 6.0
"""Two indices of one card lie further apart than this."""
_STAYED_MM = 9.0
"""A card this close to where a known one lay may be that one."""
_LOOKS = (1.0, 0.8, 0.9)
"""Frames are read at other sizes in turn, so that votes are opinions of their own: told smaller, it is seen larger."""
_CLOSER = 0.7
"""The size told for a second look into a gap."""
_NEARER_MM = 11.0
"""How far towards the player cards that begin in the area are read."""
_BESIDE_MM = 2.0
"""A thing within this of a card may lie on its neighbour."""
_AT_END_MM, _FAN_REACH_MM = 45.0, 90.0
"""Unread paper so near to an end may be part of a fan held over the circle there; such a fan reaches in so far."""
_IN_CIRCLE_MM, _ROW_STEP_MM = 22.0, 34.0
"""A card whose middle is so near to a circle's lies outside the area. Neighbours in a row lie no further apart."""
_ROUND = np.ones((5, 5), dtype=np.uint8)


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
        self._print = AreaPrint(self._window, self._gate, READ_PX_PER_MM)
        self._expected: list[str] = []
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
            self._print.forget()
            self.held_over = False
            if not state.hand:
                self._things_before = _grown(self._gate.things)
            return []
        self._print.note(grab_ms)
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
        accounted = [known.seen for known in self._tracker.known if known.hidden or self._print.unchanged(known.seen)]
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
            # a sleeve may lie over what cannot be read, and is soon drawn back
            return len(self._votes) >= _UNREAD_VOTES or all(card.probs is not None for card in self._votes[-1])
        last = self._votes[-_LEAST_VOTES:]
        names = {tuple(card.card for card in votes) for votes in last}
        return len(names) == 1 and not any(card.doubtful for votes in last for card in votes)

    def _settle(self, view: Image, grab_ms: int) -> list[Event]:
        seen = [self._beside_things(card) for card in vote(self._votes)]
        told = self._tracker.settle(
            seen,
            partial(self._print.remains, view),
            partial(self._print.stirred, view),
            partial(self._print.under_a_thing, view),
            partial(self._shows_between, view),
            partial(self._print.showed, view),
            partial(self._print.shows_beside, view),
        )
        settled = self._without_expected(told)
        self._print.accept(view)
        self._over_before, self._things_before = _grown(self._gate.over), _grown(self._gate.things)
        self.held.lying(settled.new, self._heights)
        first_ms = self._print.first_shown(settled.new, grab_ms)
        self._gate.accept()
        self._votes.clear()
        self._print.forget()
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
