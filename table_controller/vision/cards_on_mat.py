"""From corner indices in an upright view of a play area to cards: both corners joined, placed, ordered, voted on.

A card that shows only paper and no index that can be read is not dropped: it becomes an unknown card (``??``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import FACES, JOKERS, UNKNOWN
from table_controller.geometry import Geometry, Point
from table_controller.vision.channels import greatest, least, median_of_steps
from table_controller.vision.images import Image
from table_controller.vision.mat import Window
from table_controller.vision.reader import IndexReading

INDEX_AT_MM = (6.2, 12.6)
"""The middle of a corner index from its card's corner; decks differ by two or three mm."""
_JOIN_MM = 11.0
_JOIN_SAME_MM = 16.0
_JOIN_JOKER_MM = 9.0
_JOKER_LEAN_DEG = 25.0
_LEAST_UNREAD_MM2 = 260.0
_STRIP_PX = 18
FIRM = 0.74
"""Below this a single corner of a suit card is doubtful."""
_SAME_MM = 7.0
_CROSS_MM = 9.0
_MANY, _STEADY, _MOST = 4, 0.84, 0.75
"""So many looks, of which such a share agree, so sure on average, settle a card."""
_FLASH = 0.5
"""What only some frames show and none surely is no card."""
_GRANTED = 0.8
"""Below this a card must lie where a card can lie."""
_SUPPORT = 0.86
_EXPLAINED = 0.8
_LEAST_STEP_MM = 10.0
"""People leave at least this much of a card free, or its index could not be read."""


@dataclass(frozen=True, eq=False)
class SeenCard:
    """A card on the mat, in its seat's frame. ``top`` and ``bottom``: where its corner indices are, as far as seen.

    ``turn_deg`` is clockwise from upright, -90 to 90 (a card looks the same upside down). ``probs`` is over FACES and
    "no index", or None for a card of which only paper was seen.
    """

    card: str
    confidence: float
    doubtful: bool
    top: Point | None
    bottom: Point | None
    turn_deg: float
    probs: NDArray[np.float32] | None = None
    card_mm: Point = (58.0, 88.0)

    def _along(self, x: float, y: float) -> Point:
        c, s = math.cos(math.radians(self.turn_deg)), math.sin(math.radians(self.turn_deg))
        return (c * x - s * y, s * x + c * y)

    @property
    def centre(self) -> Point:
        """The card's middle (u, v) mm."""
        x, y = self.card_mm[0] / 2 - INDEX_AT_MM[0], self.card_mm[1] / 2 - INDEX_AT_MM[1]
        if self.top is not None and self.bottom is not None:
            return ((self.top[0] + self.bottom[0]) / 2, (self.top[1] + self.bottom[1]) / 2)
        away = self._along(x, y)
        if self.top is not None:
            return (self.top[0] + away[0], self.top[1] + away[1])
        assert self.bottom is not None
        return (self.bottom[0] - away[0], self.bottom[1] - away[1])

    @property
    def anchor(self) -> Point:
        """Its top index's place, computed where only the bottom one was seen."""
        if self.top is not None:
            return self.top
        away = self._along(self.card_mm[0] / 2 - INDEX_AT_MM[0], self.card_mm[1] / 2 - INDEX_AT_MM[1])
        return (self.centre[0] - away[0], self.centre[1] - away[1])

    def outline(self, grow_mm: float = 0.0) -> list[Point]:
        """Its four corners (u, v)."""
        w, h = self.card_mm[0] / 2 + grow_mm, self.card_mm[1] / 2 + grow_mm
        u, v = self.centre
        return [(u + dx, v + dy) for dx, dy in (self._along(x, y) for x, y in ((-w, -h), (w, -h), (w, h), (-w, h)))]

    def index_patch(self, at: Point) -> list[Point]:
        """The square a corner index fills, round its middle ``at``."""
        half = (5.0, 10.0)
        steps = ((-half[0], -half[1]), (half[0], -half[1]), (half[0], half[1]), (-half[0], half[1]))
        return [(at[0] + dx, at[1] + dy) for dx, dy in (self._along(x, y) for x, y in steps)]


def cards_in_view(
    readings: Sequence[IndexReading], window: Window, px_per_mm: float, geometry: Geometry
) -> list[SeenCard]:
    """The cards that a view's corner indices belong to, left to right."""
    tops: list[SeenCard] = []
    bottoms: list[SeenCard] = []
    line = [window.to_seat(*reading.centre, px_per_mm) for reading in readings if reading.up[1] <= 0]
    for reading in readings:
        at = window.to_seat(*reading.centre, px_per_mm)
        # a joker's upright letters look alike both ways: what stands in a line of top corners is one
        upright = reading.up[1] <= 0 or any(abs(at[0] - u) < 40 and abs(at[1] - v) < 14 for u, v in line)
        up = reading.up if reading.up[1] <= 0 else (-reading.up[0], -reading.up[1])
        turn = math.degrees(math.atan2(up[0], -up[1]))
        joker = reading.card in JOKERS
        doubtful = reading.doubtful or reading.card == UNKNOWN or (reading.confidence < FIRM and not joker)
        top, bottom = (at, None) if upright else (None, at)
        card = SeenCard(reading.card, reading.confidence, doubtful, top, bottom, turn, reading.probs, geometry.card_mm)
        (tops if upright else bottoms).append(card)
    return ordered(_joined(tops, bottoms))


def ordered(cards: Sequence[SeenCard]) -> list[SeenCard]:
    """Left to right, as the seat's player sees them."""
    return sorted(cards, key=lambda card: (card.anchor[0], card.anchor[1]))


def _joined(tops: list[SeenCard], bottoms: list[SeenCard]) -> list[SeenCard]:
    pairs = []
    for i, top in enumerate(tops):
        for j, bottom in enumerate(bottoms):
            off, turn = _misfit(top, bottom)
            same = top.card == bottom.card
            most = _JOIN_JOKER_MM if same and top.card in JOKERS else _JOIN_SAME_MM if same else _JOIN_MM
            if off < most:
                pairs.append((off + (0.0 if same else 6.0), i, j, turn))
    cards: list[SeenCard] = []
    used_tops: set[int] = set()
    used_bottoms: set[int] = set()
    for _, i, j, turn in sorted(pairs):
        if i not in used_tops and j not in used_bottoms:
            used_tops.add(i)
            used_bottoms.add(j)
            cards.append(_both(tops[i], bottoms[j], turn))
    cards += [top for i, top in enumerate(tops) if i not in used_tops]
    return cards + [bottom for j, bottom in enumerate(bottoms) if j not in used_bottoms]


def _misfit(top: SeenCard, bottom: SeenCard) -> tuple[float, float]:
    """How far (mm) two corners are from being one card's, and the turn that card would have."""
    assert top.top is not None and bottom.bottom is not None
    dx, dy = bottom.bottom[0] - top.top[0], bottom.bottom[1] - top.top[1]
    width = top.card_mm[0] - 2 * INDEX_AT_MM[0]
    height = top.card_mm[1] - 2 * INDEX_AT_MM[1]
    turn = math.degrees(math.atan2(dy, dx) - math.atan2(height, width))
    stretch = abs(math.hypot(dx, dy) - math.hypot(width, height))
    lean = max(abs(_turn_between(turn, top.turn_deg)), abs(_turn_between(turn, bottom.turn_deg)))
    if top.card == bottom.card and top.card in JOKERS:
        # the turn of a joker's letters is a rough guess
        return stretch + max(0.0, lean - _JOKER_LEAN_DEG), turn
    return stretch + max(0.0, lean - 6.0) * 0.8, turn


def _turn_between(a: float, b: float) -> float:
    return (a - b + 90) % 180 - 90


def _both(top: SeenCard, bottom: SeenCard, turn: float) -> SeenCard:
    surer, other = (top, bottom) if top.confidence >= bottom.confidence else (bottom, top)
    # a corner half covered reads as anything: it overrules nothing when it is not sure of itself
    agreed = top.card == bottom.card
    doubtful = (top.doubtful and bottom.doubtful) if agreed else surer.doubtful or not other.doubtful
    return replace(surer, doubtful=doubtful, top=top.top, bottom=bottom.bottom, turn_deg=turn)


def paper_mask(view: Image, where: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """``where`` paper lies (255): clearly brighter than the mat and hardly coloured.

    The mat's brightness is taken from the view's nearest strip, which no row of cards ever fills.
    """
    mat = median_of_steps(greatest(view[-_STRIP_PX:]))
    mat = mat if mat < 170 else 110.0
    return np.asarray(np.where((least(view) > min(235.0, mat * 1.35)) & where, 255, 0), dtype=np.uint8)


def surface_mask(paper: NDArray[np.uint8], px_per_mm: float) -> NDArray[np.uint8]:
    """Where cards lie, print and all: paper with its print filled in."""
    side = round(9 * px_per_mm)
    return np.asarray(cv2.morphologyEx(paper, cv2.MORPH_CLOSE, np.ones((side, side), dtype=np.uint8)), dtype=np.uint8)


def plausible(
    cards: Sequence[SeenCard], surface: NDArray[np.uint8], window: Window, px_per_mm: float
) -> list[SeenCard]:
    """The cards without the weak ones that cannot be: pips, court figures and corners half covered read as indices.

    A weak reading stays (as doubtful) only where a card could lie: on card surface, and a step from its neighbours.
    """
    sure = [card for card in cards if card.confidence >= _GRANTED]
    covered = surface.copy()
    for card in sure:  # print that fills a card's face is no paper
        _fill(covered, card.outline(), window, px_per_mm)
    return [card for card in cards if card.confidence >= _GRANTED or _could_lie(card, sure, covered, window, px_per_mm)]


def supported(card: SeenCard, surface: NDArray[np.uint8], window: Window, px_per_mm: float) -> float:
    """The share of a card's face that is card surface where it would lie."""
    mine = np.zeros_like(surface)
    _fill(mine, card.outline(-2.0), window, px_per_mm)
    return np.count_nonzero(mine & surface) / max(1, int(np.count_nonzero(mine)))


def _could_lie(
    card: SeenCard, sure: Sequence[SeenCard], surface: NDArray[np.uint8], window: Window, px_per_mm: float
) -> bool:
    if supported(card, surface, window, px_per_mm) < _SUPPORT:
        return False
    if card.top is None:
        mine = np.zeros_like(surface)
        _fill(mine, card.outline(-2.0), window, px_per_mm)
        area = max(1, int(np.count_nonzero(mine)))
        for other in sure:
            _fill(mine, other.outline(2.0), window, px_per_mm, 0)
        return bool(np.count_nonzero(mine) > (1 - _EXPLAINED) * area)
    return not any(_too_close(card.top, other) for other in sure if other.top is not None)


def _too_close(at: Point, other: SeenCard) -> bool:
    assert other.top is not None
    c, s = math.cos(math.radians(other.turn_deg)), math.sin(math.radians(other.turn_deg))
    du, dv = at[0] - other.top[0], at[1] - other.top[1]
    return abs(c * du + s * dv) < _LEAST_STEP_MM and abs(c * dv - s * du) < 25


def _fill(
    mask: NDArray[np.uint8], corners: Sequence[Point], window: Window, px_per_mm: float, value: int = 255
) -> None:
    points = np.array([window.to_px(u, v, px_per_mm) for u, v in corners])
    cv2.fillConvexPoly(mask, np.round(points).astype(np.int32), value)


def unread_paper(
    paper: NDArray[np.uint8], cards: Sequence[SeenCard], window: Window, px_per_mm: float, geometry: Geometry
) -> list[SeenCard]:
    """Paper that no card read so far explains, as unknown cards."""
    rest = paper.copy()
    for card in cards:
        _fill(rest, card.outline(4.0), window, px_per_mm, 0)
    kernel = np.ones((round(7 * px_per_mm), round(7 * px_per_mm)), dtype=np.uint8)
    rest = np.asarray(cv2.morphologyEx(rest, cv2.MORPH_OPEN, kernel), dtype=np.uint8)
    count, _, stats, middles = cv2.connectedComponentsWithStats(rest, connectivity=8)
    unread = []
    for i in range(1, count):
        if float(stats[i][cv2.CC_STAT_AREA]) / px_per_mm**2 >= _LEAST_UNREAD_MM2:
            u, v = window.to_seat(float(middles[i][0]), float(middles[i][1]), px_per_mm)
            x, y = geometry.card_mm[0] / 2 - INDEX_AT_MM[0], geometry.card_mm[1] / 2 - INDEX_AT_MM[1]
            unread.append(SeenCard(UNKNOWN, 0.0, True, (u - x, v - y), (u + x, v + y), 0.0, None, geometry.card_mm))
    return unread


def apart(a: SeenCard, b: SeenCard) -> float:
    """How far apart two cards lie (mm), by a corner that both show."""
    if a.top is not None and b.top is not None:
        return math.dist(a.top, b.top)
    if a.bottom is not None and b.bottom is not None:
        return math.dist(a.bottom, b.bottom)
    # from one corner to the other a few degrees of turn are many millimetres
    return max(0.0, math.dist(a.anchor, b.anchor) - _CROSS_MM)


def vote(frames: Sequence[Sequence[SeenCard]]) -> list[SeenCard]:
    """One answer from the views of several frames at rest: mean probabilities; what varies is doubtful."""
    groups: list[list[SeenCard]] = []
    for frame in frames:
        free = list(range(len(groups)))
        for card in frame:
            near = [i for i in free if _same_place(groups[i][0], card)]
            if near:
                best = min(near, key=lambda i: apart(groups[i][0], card))
                groups[best].append(card)
                free.remove(best)
            else:
                groups.append([card])
    elected = [(_elected(group, len(frames)), len(group)) for group in groups]
    read = [card for card, _ in elected if card is not None and card.probs is not None]
    return ordered(
        [
            card
            for card, times in elected
            if card is not None and not (card.probs is None and times < len(frames) and _explained(card, read))
        ]
    )


def _explained(paper: SeenCard, read: Sequence[SeenCard]) -> bool:
    """Whether bare paper that only some frames showed lies where cards were read."""
    return any(
        cv2.pointPolygonTest(np.array(card.outline(4.0), dtype=np.float32), paper.centre, False) >= 0 for card in read
    )


def _same_place(a: SeenCard, b: SeenCard) -> bool:
    shared = [(p, q) for p, q in ((a.top, b.top), (a.bottom, b.bottom)) if p is not None and q is not None]
    if not shared and a.card != b.card:
        return False
    # a corner that both show is enough: the other may once have been joined to what shows beside it
    alike = a.card == b.card and any(math.dist(p, q) < _SAME_MM for p, q in shared)
    return (alike or apart(a, b) < _SAME_MM) and abs(_turn_between(a.turn_deg, b.turn_deg)) < 25


def _elected(group: list[SeenCard], frames: int) -> SeenCard | None:
    if len(group) * 2 < frames:
        return None
    probs = [card.probs for card in group if card.probs is not None]
    if not probs:
        return group[0]
    mean = np.asarray(np.mean(np.stack(probs), axis=0), dtype=np.float32)
    if len(group) < frames and float(mean[: len(FACES)].max()) < _FLASH:
        return None
    names = {card.card for card in group}
    best = int(mean[: len(FACES)].argmax())
    like = max(group, key=lambda card: (card.card == FACES[best], card.confidence, card.bottom is not None))
    sure = len([card for card in group if not card.doubtful])
    doubtful = len(names) > 1 or sure * 2 < len(group) or len(group) < frames
    if frames >= _MANY and float(mean[best]) >= _STEADY:
        # many looks outvote one that differs or missed it
        alike = len([card for card in group if card.card == FACES[best]])
        doubtful = doubtful and min(alike / len(group), len(group) / frames) < _MOST
    card = FACES[best] if like.card != UNKNOWN else UNKNOWN
    return replace(like, card=card, confidence=float(mean[best]), doubtful=doubtful or card == UNKNOWN, probs=mean)
