"""How a simulated player thinks: legal plays, simple seeded taste; it sees its own hand and the table only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from table_controller.cards import Seat, pair_of
from table_controller.games.guandan.hands import Reading, wild_of
from table_controller.games.guandan.order import beats, card_strength, is_bomb, strength_key
from table_controller.games.guandan.placement import fits
from table_controller.games.guandan.plays import all_plays
from table_controller.games.guandan.profile import Profile
from table_controller.games.guandan.tribute import legal_returns, legal_tribute


@dataclass(frozen=True)
class Choice:
    """A play as it will be laid, left to right, and the reading that is meant."""

    cards: tuple[str, ...]
    reading: Reading


@dataclass
class Brain:
    """One player: its seat, its hand, and its random source."""

    seat: Seat
    rng: random.Random
    profile: Profile
    hand: list[str] = field(default_factory=list)

    def lead(self, level: str) -> Choice:
        """A play to lead: many low cards at once, no bomb while anything else is left."""
        plays = [(cards, reading) for cards, known in all_plays(self.hand, level).items() for reading in known]
        everything = [play for play in plays if len(play[0]) == len(self.hand)]
        if everything:
            return self._laid(*self.rng.choice(everything), level)
        plain = [play for play in plays if not is_bomb(play[1])] or plays
        scored = sorted(plain, key=lambda play: self._lead_cost(play[0], play[1], level))
        return self._laid(*self.rng.choice(scored[:3]), level)

    def _lead_cost(self, cards: tuple[str, ...], reading: Reading, level: str) -> float:
        wilds = cards.count(wild_of(level))
        height = sum(card_strength(card, level) for card in cards) / len(cards)
        return height - 2.5 * len(cards) + 25 * wilds + 0.01 * strength_key(reading, level)[1]

    def follow(self, to_beat: Reading, by: Seat, level: str, left: dict[Seat, int]) -> Choice | None:
        """A play that beats ``to_beat``, or None for a pass."""
        options = [
            (cards, reading)
            for cards, known in all_plays(self.hand, level).items()
            for reading in known
            if beats(to_beat, reading, level)
        ]
        if not options:
            return None
        finishing = [play for play in options if len(play[0]) == len(self.hand)]
        if finishing:
            return self._laid(*finishing[0], level)
        mate = pair_of(by) == pair_of(self.seat)
        plain = [play for play in options if not is_bomb(play[1])]
        danger = left[by] <= 8 and not mate
        if mate and (self.rng.random() < 0.75 or not plain):
            return None
        if not plain and not danger and self.rng.random() < 0.8:
            return None
        chosen = min(plain or options, key=lambda play: self._follow_cost(play[0], play[1], level))
        return self._laid(*chosen, level)

    def _follow_cost(self, cards: tuple[str, ...], reading: Reading, level: str) -> float:
        return float(strength_key(reading, level)[1] + 30 * cards.count(wild_of(level)) + 3 * len(cards))

    def tribute(self, level: str) -> str:
        """The card to pay: the highest, the wild excepted."""
        return self.rng.choice(legal_tribute(self.hand, level))

    def return_card(self, level: str, *, limited: bool) -> str:
        """A card to return: a low legal one."""
        legal = legal_returns(self.hand, level, limited=limited, smallest_when_none=True)
        return min(legal, key=lambda card: card_strength(card, level))

    def holds_both_big_jokers(self) -> bool:
        """Whether this hand alone resists tribute."""
        return self.hand.count("BJ") == 2

    def _laid(self, cards: tuple[str, ...], reading: Reading, level: str) -> Choice:
        """The cards in an order that fits the reading: small to large, the wild in its place."""
        return Choice(lay_out(cards, reading, level, self.rng, triple_left=self.profile.fullhouse_triple_left), reading)


def lay_out(
    cards: Sequence[str], reading: Reading, level: str, rng: random.Random, *, triple_left: bool = True
) -> tuple[str, ...]:
    """Order cards so that their places name ``reading``; raises ValueError when no order does."""
    naturals = [card for card in cards if card != wild_of(level)]
    wilds = [card for card in cards if card == wild_of(level)]
    for _ in range(200):
        for laid in _orders(naturals, wilds, reading, level, rng):
            if fits(laid, reading, level, triple_left=triple_left):
                return tuple(laid)
    raise ValueError(f"no layout of {cards} reads as {reading.text()}")


def _orders(naturals: list[str], wilds: list[str], reading: Reading, level: str, rng: random.Random) -> list[list[str]]:
    """Candidate orders: naturals sorted (ace low for a low run, triple or pair first), wilds inserted anywhere."""
    shuffled = rng.sample(naturals, len(naturals))
    keys = [
        lambda card: card_strength(card, level),
        lambda card: "A23456789TJQK".find(card[0]),
        lambda card: "23456789TJQKA".find(card[0]),
        lambda card: card[0] != reading.key,
        lambda card: card[0] == reading.key,
    ]
    orders = []
    for key in keys:
        laid = sorted(shuffled, key=key)
        for wild in wilds:
            laid.insert(rng.randint(0, len(laid)), wild)
        orders.append(laid)
    return orders
