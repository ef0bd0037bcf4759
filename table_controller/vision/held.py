"""Cards held above the mat look larger than cards that lie on it, or open like a fan: they are nobody's business.

An arm that reaches in is seen by the change gate. This is for a fan whose holder's arm cannot be told from the mat.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from table_controller.cards import JOKERS
from table_controller.vision.cards_on_mat import INDEX_AT_MM, SeenCard

_NEARER = 1.035
"""A card that looks larger than lying by more is held, a thirtieth of the lens's height above the mat or higher."""
_HIGHEST_MM = 280.0
"""Cards are held no higher above the mat; what looks larger still is a corner joined wrongly."""
_UNKNOWN_DECK = 1.065
"""Until the deck's own measure is known: decks print their indices up to 2 mm nearer the edge."""
_LEARNT = 3
_KNOWN = 12
_TALLER = 1.14
"""A single index is measured to five in a hundred only: this is an eighth of the lens's height. Joined corners tell
more."""
_FAN = 4
_FAN_STEP_DEG = 4.5
_FAN_SPREAD_DEG = 18.0
_LIES = 0.012
"""A joined card this close to the deck's own measure lies, however its row is turned."""
_FAN_EVEN_DEG = 3.5
FAN_FRAMES = 30
"""A fan that lies still for three seconds lies on the table: hands tremble."""


def corner_distance(card: SeenCard) -> float | None:
    """From index to index of a card of which both are seen, in mm; jokers' words lie where they like."""
    if card.top is None or card.bottom is None or card.probs is None or card.card in JOKERS:
        return None
    return math.dist(card.top, card.bottom)


class HeldCheck:
    """Knows how far apart the corners of this table's deck lie, and tells cards held above it."""

    def __init__(self, camera_mm: float) -> None:
        """``camera_mm``: the lens above the mat."""
        self._nearest = camera_mm / (camera_mm - _HIGHEST_MM)
        self._distances: deque[float] = deque(maxlen=64)
        self._heights: deque[float] = deque(maxlen=128)

    def lying(self, cards: Sequence[SeenCard], heights: Sequence[float]) -> None:
        """These lie on the mat, and their indices are so high (any unit): learn the deck's measure from them."""
        self._heights.extend(heights if cards else ())
        found = [distance for card in cards if not card.doubtful and (distance := corner_distance(card)) is not None]
        self._distances.extend(found)

    @property
    def usual_height(self) -> float | None:
        """How high the deck's indices are that lay on the mat so far; None until enough did."""
        return float(np.median(self._heights)) if len(self._heights) >= _KNOWN else None

    def above(self, cards: Sequence[SeenCard], heights: Sequence[float], rest: int) -> bool:
        """Whether cards seen in the area at rest for ``rest`` frames seem to be held above it."""
        if not cards:
            return False
        taller = (
            min(len(heights), len(self._heights)) >= _LEARNT
            and float(np.median(heights)) > float(np.median(self._heights)) * _TALLER
        )
        ratio = self._ratio(cards)
        if not taller and ratio is not None and len(self._distances) >= _LEARNT and abs(ratio - 1) < _LIES:
            return False
        limit = _NEARER if len(self._distances) >= _LEARNT else _UNKNOWN_DECK
        larger = ratio is not None and limit < ratio < self._nearest
        return taller or larger or (rest < FAN_FRAMES and is_fan(cards))

    def _ratio(self, cards: Sequence[SeenCard]) -> float | None:
        """How much larger than lying the cards look by their joined corners; None where none is joined."""
        found = [distance for card in cards if (distance := corner_distance(card)) is not None]
        if not found:
            return None
        width, height = cards[0].card_mm
        usual = math.hypot(width - 2 * INDEX_AT_MM[0], height - 2 * INDEX_AT_MM[1])
        if len(self._distances) >= _LEARNT:
            usual = float(np.median(self._distances))
        return float(np.median(found)) / usual


def is_fan(cards: Sequence[SeenCard]) -> bool:
    """Whether cards open like a held fan: each turned on from its neighbour by about the same angle."""
    if len(cards) < _FAN:
        return False
    turns = np.array([card.turn_deg for card in sorted(cards, key=lambda card: card.anchor[0])])
    places = np.arange(len(turns))
    step, start = np.polyfit(places, turns, 1)
    even = float(np.median(np.abs(turns - (step * places + start)))) <= _FAN_EVEN_DEG
    wide = abs(step) >= _FAN_STEP_DEG and float(np.ptp(turns)) >= _FAN_SPREAD_DEG
    return bool(wide and even)
