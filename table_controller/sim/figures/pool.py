"""Plays drawn from what is left of two packs: every type, wilds in their places, jokers, one to fourteen cards."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

from table_controller.cards import RANKS, SUITS, full_pack

_RUN = "A" + RANKS
"""Runs may begin with the ace."""
KINDS: dict[str, int] = {
    "single": 12, "joker": 5, "pair": 12, "joker_pair": 3, "triple": 9, "fullhouse": 10, "straight": 10, "tube": 8,
    "plate": 8, "bomb": 10, "large_bomb": 4, "flush": 6, "jokers": 3,
}  # fmt: skip
"""How often each kind of play is drawn, in parts."""
LONG = (11, 14)
"""How many cards a long row has, from ... to ..."""


class Pool:
    """The cards nobody has laid yet."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.level = rng.choice(RANKS)
        self.cards: list[str] = []
        self.deal()

    def deal(self) -> None:
        """All 108 cards again."""
        self.cards = full_pack()
        self._rng.shuffle(self.cards)

    @property
    def wild(self) -> str:
        """The level's heart, which stands for any card but a joker."""
        return self.level + "H"

    def draw(self, most: int = 10) -> tuple[str, ...]:
        """A play of at most ``most`` cards, left to right as it is laid; its cards leave the pool."""
        for _ in range(60):
            kind = self._rng.choices(list(KINDS), list(KINDS.values()))[0]
            wanted = self._make(kind)
            if wanted and len(wanted) <= most:
                return self._take(wanted)
        return self._take([self.cards[0]])

    def draw_many(self) -> tuple[str, ...]:
        """A row of more than ten cards, of any kind."""
        count = min(self._rng.randint(*LONG), len(self.cards))
        return self._take(sorted(self._rng.sample(self.cards, count), key=lambda card: (card[1] == "J", card)))

    def draw_copy(self, of: Sequence[str]) -> tuple[str, ...] | None:
        """Second copies of one to three of these cards, or None where none is left."""
        left = [card for card in dict.fromkeys(of) if card in self.cards]
        return self._take(left[: self._rng.randint(1, 3)]) if left else None

    def _take(self, cards: Sequence[str]) -> tuple[str, ...]:
        for card in cards:
            self.cards.remove(card)
        return tuple(cards)

    def _make(self, kind: str) -> list[str] | None:
        rank = self._rng.choice(RANKS)
        makers: dict[str, Callable[[], list[str] | None]] = {
            "single": lambda: self._slots([(rank, 1)], wilds=0),
            "joker": lambda: self._jokers(1),
            "pair": lambda: self._slots([(rank, 2)]),
            "joker_pair": lambda: self._jokers(2),
            "triple": lambda: self._slots([(rank, 3)]),
            "fullhouse": lambda: self._slots([(rank, 3), (self._rng.choice(RANKS.replace(rank, "")), 2)]),
            "straight": lambda: self._slots(self._run(5, 1)),
            "tube": lambda: self._slots(self._run(3, 2)),
            "plate": lambda: self._slots(self._run(2, 3)),
            "bomb": lambda: self._slots([(rank, self._rng.randint(4, 6))]),
            "large_bomb": lambda: self._slots([(rank, self._rng.randint(7, 10))], wilds=2),
            "flush": self._flush,
            "jokers": lambda: self._jokers(4),
        }
        return makers[kind]()

    def _run(self, length: int, each: int) -> list[tuple[str, int]]:
        start = self._rng.randrange(len(_RUN) - length + 1)
        return [(rank, each) for rank in _RUN[start : start + length]]

    def _slots(self, slots: Sequence[tuple[str, int]], wilds: int | None = None) -> list[str] | None:
        """Cards of these ranks from the pool, up to ``wilds`` of them (drawn when None) replaced by wilds in place."""
        spare = self.cards.count(self.wild)
        allowed = min(spare, (2 if self._rng.random() < 0.3 else 0) if wilds is None else wilds)
        free = Counter(card for card in self.cards if card != self.wild and card[1] != "J")
        laid: list[str] = []
        for rank, count in slots:
            held = [card for card in free if card[0] == rank for _ in range(free[card])]
            self._rng.shuffle(held)
            lacking = max(0, count - len(held))
            if not lacking and allowed and self._rng.random() < 0.4:
                lacking = 1
            if lacking > allowed:
                return None
            allowed -= lacking
            part = held[: count - lacking] + [self.wild] * lacking
            self._rng.shuffle(part)
            free.subtract(card for card in part if card != self.wild)
            laid += part
        return laid

    def _flush(self) -> list[str] | None:
        suit = self._rng.choice(SUITS)
        cards = [rank + suit for rank, _ in self._run(5, 1)]
        return cards if all(card in self.cards for card in cards) else None

    def _jokers(self, count: int) -> list[str] | None:
        held = [card for card in self.cards if card[1] == "J"]
        if len(held) < count:
            return None
        if count == 2:
            pairs = [name for name in ("SJ", "BJ") if held.count(name) == 2]
            return [self._rng.choice(pairs)] * 2 if pairs else None
        return sorted(self._rng.sample(held, count), reverse=True)
