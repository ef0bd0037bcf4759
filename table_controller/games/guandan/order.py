"""Orders of ranks, and what beats what.

Two orders exist: the *level order* (seed 000 L125; 003 L15: jokers, level card, A, K … 2) for equal-rank types, and the
*natural order* (seed 000 L119, L127) for runs, where an ace may stand low and a level card has only its natural place.
"""

from __future__ import annotations

from table_controller.cards import RANKS
from table_controller.games.guandan.hands import Reading

_JOKER_STRENGTH = {"SJ": 101, "BJ": 102}
_RUN_TYPES = frozenset({"straight", "sf", "tube", "plate"})
_BOMB_TYPES = frozenset({"bomb", "sf", "jokers"})


def rank_strength(key: str, level: str) -> int:
    """The place of a rank (or ``SJ``/``BJ``) in level order; higher beats lower (seed 000 L125)."""
    if key in _JOKER_STRENGTH:
        return _JOKER_STRENGTH[key]
    return 100 if key == level else RANKS.index(key)


def card_strength(card: str, level: str) -> int:
    """The place of a single card in level order."""
    return rank_strength(card if card in _JOKER_STRENGTH else card[0], level)


def is_bomb(reading: Reading) -> bool:
    """Whether a reading beats the seven ordinary types (seed 000 L131-L137)."""
    return reading.type in _BOMB_TYPES


def _bomb_strength(reading: Reading, level: str) -> tuple[int, int]:
    """Four jokers > six alike and more > straight flush > five alike > four alike (seed 000 L131-L137)."""
    if reading.type == "jokers":
        return (1000, 0)
    if reading.type == "sf":
        return (55, RANKS.index(reading.key))
    return (reading.size * 10, rank_strength(reading.key, level))


def _plain_strength(reading: Reading, level: str) -> int:
    if reading.type in _RUN_TYPES:
        # A run is named by its top rank: A2345 is "5", AA2233 is "3", AAA222 is "2", the lowest of each.
        return RANKS.index(reading.key)
    return rank_strength(reading.key, level)


def beats(previous: Reading, following: Reading, level: str) -> bool:
    """Whether ``following`` beats ``previous`` at this level (seed 000 L95, L125-L137; 003 L15-L17)."""
    if is_bomb(following):
        if not is_bomb(previous):
            return True
        return _bomb_strength(following, level) > _bomb_strength(previous, level)
    if is_bomb(previous) or (previous.type, previous.size) != (following.type, following.size):
        return False
    return _plain_strength(following, level) > _plain_strength(previous, level)


def strength_key(reading: Reading, level: str) -> tuple[int, int, int]:
    """Sorts readings of the same cards from weak to strong."""
    if is_bomb(reading):
        return (1, *_bomb_strength(reading, level))
    return (0, _plain_strength(reading, level), 0)
