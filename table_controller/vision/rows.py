"""Cards that move together, and cards that lie as if they were part of a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from table_controller.cards import JOKERS
from table_controller.geometry import Point
from table_controller.vision.cards_on_mat import SeenCard

_TOGETHER_MM = 4.5
_STEP_MM = (10.0, 26.0)
_STRAIGHT_MM, _JOKER_STRAIGHT_MM = 4.5, 10.0
"""A joker's word is longer than an index, and its middle stands lower."""
_JOKERS = 4
_TWO_STEPS_MM, _CARD_MM, _LONGER = 22.5, 58.0, 1.75
_JOKERS_LONGER = 1.5
"""Between two jokers: their words show faintest of all, so such a step is doubted whatever shows in it."""
_FAR_LONGER = 2.4
"""A step so much longer than the others is doubted whatever shows in it: a card's index may be covered wholly."""
_EVEN_FROM = 2
"""So many other steps tell the usual one."""
_SQUEEZED, _BOTH = 0.75, 1.3
"""Either step beside a squeezed card is at most this share of the usual one, both together hardly longer than it."""
_SURELY_A_CARD = 0.98
"""A squeezed card read so surely is one: in rendered rows 98 of 100 cards are, and no print of a card's face is."""
_JOKER_ROOM_MM = 16.0
"""Between two other cards, nearer than this to both, a joker is doubted: it may be the big pip and an edge beside it,
and no play has one joker among other cards."""
_ROW_TURN_DEG = 9.0
"""The turn of a card that shows one corner is known to some degrees only."""


def something(_left: SeenCard, _right: SeenCard) -> bool:
    """There is always something to be seen."""
    return True


def moved_as_one(before: Sequence[SeenCard], now: Sequence[SeenCard], most_mm: float) -> list[int]:
    """Which of ``now`` the cards ``before`` are, moved by one step of at most ``most_mm``; the shortest that fits.

    Empty where no step explains all of them.
    """
    steps = sorted(
        {_step(one, other) for one in before for other in now if one.card == other.card},
        key=lambda step: math.hypot(*step),
    )
    for step in steps:
        if math.hypot(*step) > most_mm:
            break
        found = _explained(before, now, step)
        if found:
            return found
    return []


def _step(one: SeenCard, other: SeenCard) -> Point:
    if one.top is None and other.top is None and one.bottom is not None and other.bottom is not None:
        return (other.bottom[0] - one.bottom[0], other.bottom[1] - one.bottom[1])
    return (other.anchor[0] - one.anchor[0], other.anchor[1] - one.anchor[1])


def _explained(before: Sequence[SeenCard], now: Sequence[SeenCard], step: Point) -> list[int]:
    found: list[int] = []
    for card in before:
        fits = [
            (math.dist(_step(card, other), step), j)
            for j, other in enumerate(now)
            if j not in found and other.card == card.card
        ]
        if not fits or min(fits)[0] > _TOGETHER_MM:
            return []
        found.append(min(fits)[1])
    return found


def lies_in_row(card: SeenCard, row: Sequence[SeenCard]) -> bool:
    """Whether a card lies beside one of ``row`` as its neighbour in the row would."""
    return any(_beside(card, other) for other in row if other.top is not None)


def _beside(card: SeenCard, other: SeenCard) -> bool:
    """Rows run across their cards or, of cards that each lie turned, along the seat's edge."""
    c, s = math.cos(math.radians(other.turn_deg)), math.sin(math.radians(other.turn_deg))
    du, dv = other.anchor[0] - card.anchor[0], other.anchor[1] - card.anchor[1]
    lean = abs((card.turn_deg - other.turn_deg + 90) % 180 - 90)
    straight_mm = _JOKER_STRAIGHT_MM if {card.card, other.card} & set(JOKERS) else _STRAIGHT_MM
    ways = ((c * du + s * dv, c * dv - s * du), (du, dv))
    return lean < _ROW_TURN_DEG and any(
        _STEP_MM[0] < abs(along) < _STEP_MM[1] and abs(across) < straight_mm for along, across in ways
    )


def gaps_doubted(row: Sequence[SeenCard], shows: Callable[[SeenCard, SeenCard], bool] = something) -> list[SeenCard]:
    """A new row, left to right, its cards after a gap that has room for one more marked doubtful, and those squeezed
    into a usual step between two others unless read very surely. ``shows(left, right)``: whether anything like an index
    is to be seen between.

    People leave even steps: a step three quarters longer than the others, and long enough for two, may hide a card
    that was not seen, if anything shows in it. A card that splits one in two may be the big pip or the frame of a
    court.
    """
    cards = list(row)
    steps = [math.dist(one.anchor, other.anchor) for one, other in pairwise(cards)]
    all_jokers = sum(card.card in JOKERS for card in cards) == _JOKERS  # then none can be missing among them
    for i, step in enumerate(steps):
        others = [other for k, other in enumerate(steps) if k != i and other < _CARD_MM]
        if not others or not _TWO_STEPS_MM < step < _CARD_MM:
            continue
        longer = step / median(others)
        jokers = row[i].card in JOKERS and row[i + 1].card in JOKERS and not all_jokers
        unseen = longer > (_JOKERS_LONGER if jokers else _FAR_LONGER)
        if unseen or (longer > _LONGER and shows(row[i], row[i + 1])):
            cards[i + 1] = replace(cards[i + 1], doubtful=True)
    for i, (left, right) in enumerate(pairwise(steps)):
        others = steps[:i] + steps[i + 2 :]
        usual = median(others) if len(others) >= _EVEN_FROM else 0.0
        squeezed = max(left, right) < _SQUEEZED * usual and left + right < _BOTH * usual
        lone = row[i + 1].card in JOKERS and row[i].card not in JOKERS and row[i + 2].card not in JOKERS
        if (squeezed and cards[i + 1].confidence < _SURELY_A_CARD) or (lone and max(left, right) < _JOKER_ROOM_MM):
            cards[i + 1] = replace(cards[i + 1], doubtful=True)
    return cards
