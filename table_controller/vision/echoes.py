"""Readings that are no cards of their own: one read twice over, print between two cards of a play that lies there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from table_controller.cards import UNKNOWN
from table_controller.vision.cards_on_mat import SeenCard

_TWICE_MM = 5.0
"""Two indices of one face so near to each other are one, found twice (a joker's word is long): the lower of two cards
that lie so would show none."""
_NEIGHBOURS_MM = 34.0
_LINE_MM = 14.0


def without_echoes(seen: Sequence[SeenCard]) -> list[SeenCard]:
    """The cards without the doubtful ones that are a second reading of one beside."""
    return [card for card in seen if not (card.doubtful and any(_twice(card, other) for other in seen))]


def _twice(card: SeenCard, other: SeenCard) -> bool:
    if other is card or other.card != card.card or card.card == UNKNOWN:
        return False
    surer = not other.doubtful or other.confidence > card.confidence
    return surer and math.dist(other.anchor, card.anchor) < _TWICE_MM


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
