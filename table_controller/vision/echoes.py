"""Readings that are no cards of their own: one read twice over, print between two cards of a play that lies there, the
edges of a pile that look like a joker's word."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import cv2
import numpy as np

from table_controller.cards import JOKERS, UNKNOWN
from table_controller.vision.cards_on_mat import SeenCard

_TWICE_MM = 5.0
"""Two indices of one face so near to each other are one, found twice (a joker's word is long): the lower of two cards
that lie so would show none."""
_NEIGHBOURS_MM = 34.0
_LINE_MM = 14.0
_ACROSS_DEG = 60.0


def without_echoes(seen: Sequence[SeenCard]) -> list[SeenCard]:
    """The cards without the doubtful ones that are a second reading of one beside, and without edges read as jokers."""
    return [
        card
        for card in seen
        if not (card.doubtful and any(_twice(card, other) for other in seen)) and not _edges(card, seen)
    ]


def _twice(card: SeenCard, other: SeenCard) -> bool:
    if other is card or other.card != card.card or card.card == UNKNOWN:
        return False
    surer = not other.doubtful or other.confidence > card.confidence
    return surer and math.dist(other.anchor, card.anchor) < _TWICE_MM


def _edges(card: SeenCard, seen: Sequence[SeenCard]) -> bool:
    """Whether a joker that shows one corner would lie across other cards, over them or under them.

    The edges of a pile, one beside the other below a row, look like its word on its side.
    """
    both = card.top is not None and card.bottom is not None
    if card.card not in JOKERS or both or abs(card.turn_deg) < _ACROSS_DEG:
        return False
    bodies = [np.array(other.outline(), dtype=np.float32) for other in seen if other is not card]
    return any(cv2.pointPolygonTest(body, card.centre, False) > 0 for body in bodies)


def lies_between(card: SeenCard, plays: Iterable[Sequence[SeenCard]]) -> bool:
    """Whether a card shows its index between two neighbours of a play that lay there before, as it lies now.

    A card that came since would lie on the right one of them and hide its index: what shows there is print.
    """
    return any(
        left.anchor[0] < card.anchor[0] < right.anchor[0]
        and right.anchor[0] - left.anchor[0] < _NEIGHBOURS_MM
        and abs(card.anchor[1] - (left.anchor[1] + right.anchor[1]) / 2) < _LINE_MM
        for play in plays
        for left, right in pairwise(sorted(play, key=lambda member: member.anchor[0]))
    )
