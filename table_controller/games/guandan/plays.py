"""Every play a hand holds, and every play that beats another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from table_controller.cards import RANKS
from table_controller.games.guandan.hands import DEFAULT_POLICY, HandPolicy, Reading, readings, wild_of, windows
from table_controller.games.guandan.order import beats

Cards = tuple[str, ...]


def _choices(faces: Mapping[str, int], count: int) -> list[Cards]:
    """All multisets of ``count`` cards from the copies of each face."""
    found: list[Cards] = [()]
    for face, copies in faces.items():
        found = [chosen + (face,) * n for chosen in found for n in range(min(copies, count - len(chosen)) + 1)]
    return [chosen for chosen in found if len(chosen) == count]


class _Hand:
    """A hand's naturals by rank, its jokers, and how many wilds it has."""

    def __init__(self, hand: Sequence[str], level: str) -> None:
        self.wild = wild_of(level)
        counts = Counter(hand)
        self.wilds = counts.pop(self.wild, 0)
        self.jokers = {card: counts.pop(card) for card in ("SJ", "BJ") if card in counts}
        self.by_rank: dict[str, dict[str, int]] = {}
        for card, copies in counts.items():
            self.by_rank.setdefault(card[0], {})[card] = copies

    def of_rank(self, rank: str, count: int) -> list[tuple[Cards, int]]:
        """(naturals, wilds used) for ``count`` cards of a rank."""
        faces = self.by_rank.get(rank, {})
        return [
            (chosen, used) for used in range(min(count, self.wilds) + 1) for chosen in _choices(faces, count - used)
        ]

    def shape(self, slots: Sequence[tuple[str, int]]) -> Iterator[Cards]:
        """All ways to make a play of so many cards of each rank, within the wilds held."""
        for parts in product(*(self.of_rank(rank, count) for rank, count in slots)):
            used = sum(wilds for _, wilds in parts)
            if used <= self.wilds:
                yield tuple(card for chosen, _ in parts for card in chosen) + (self.wild,) * used


def _candidates(hand: _Hand) -> Iterator[Cards]:
    for rank in RANKS:
        for count in range(1, 11):
            yield from hand.shape([(rank, count)])
    for joker, copies in hand.jokers.items():
        for count in range(1, copies + 1):
            yield (joker,) * count
    if hand.jokers == {"SJ": 2, "BJ": 2}:
        yield ("SJ", "SJ", "BJ", "BJ")
    for triple in RANKS:
        for pair in RANKS:
            if triple != pair:
                yield from hand.shape([(triple, 3), (pair, 2)])
        for joker, copies in hand.jokers.items():
            if copies == 2:
                yield from ((*cards, joker, joker) for cards in hand.shape([(triple, 3)]))
    for length, each in ((5, 1), (3, 2), (2, 3)):
        for window in windows(length):
            yield from hand.shape([(rank, each) for rank in window])


def all_plays(hand: Sequence[str], level: str, policy: HandPolicy = DEFAULT_POLICY) -> dict[Cards, tuple[Reading, ...]]:
    """Every distinct set of cards in ``hand`` that is a play, sorted, with its readings."""
    found: dict[Cards, tuple[Reading, ...]] = {}
    for cards in _candidates(_Hand(hand, level)):
        key = tuple(sorted(cards))
        if key not in found and (known := readings(key, level, policy)):
            found[key] = known
    return found


def beating_plays(
    plays: Mapping[Cards, tuple[Reading, ...]], previous: Reading, level: str
) -> list[tuple[Cards, Reading]]:
    """The plays, with the reading that does it, that beat ``previous``."""
    return [(cards, reading) for cards, known in plays.items() for reading in known if beats(previous, reading, level)]
