"""All readings of a set of cards, with the wild cards (红心级牌) standing for what they may.

Types (seed 000 L55-L75): ``single pair triple fullhouse straight tube plate bomb sf jokers``; a tube is 三连对,
a plate 三同连张, sf 同花顺, jokers 四大天王. ``key`` names the rank that decides: the top rank of a run, else the
repeated rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.cards import RANKS

RUN = "A" + RANKS
TYPES = ("single", "pair", "triple", "fullhouse", "straight", "tube", "plate", "bomb", "sf", "jokers")
MAX_PLAY = 10
"""The largest play: eight of a rank and two wilds."""


@dataclass(frozen=True, order=True)
class Reading:
    """One way to understand a play: ``fullhouse`` of 5 cards decided by ``K``."""

    type: str
    size: int
    key: str

    def text(self) -> str:
        """The notation of a declaration: ``fullhouse:K``."""
        return f"{self.type}:{self.key}"


@dataclass(frozen=True)
class HandPolicy:
    """The choices the texts leave open (``docs/rules.md``), with the product's defaults."""

    sf_may_be_plain_straight: bool = False
    lone_wilds_are_level_cards: bool = True
    joker_pair_in_fullhouse: bool = True
    five_alike_is_fullhouse: bool = False


DEFAULT_POLICY = HandPolicy()


def wild_of(level: str) -> str:
    """The wild card at a level: the level card of hearts (seed 000 L105-L107)."""
    return level + "H"


def windows(length: int) -> list[str]:
    """All runs of ``length`` ranks in natural order, the ace low or high, never wrapping (seed 000 L61, L65, L69)."""
    return [RUN[i : i + length] for i in range(len(RUN) - length + 1)]


@dataclass(frozen=True)
class _Cards:
    """A play split into natural ranks, jokers and wilds."""

    size: int
    ranks: Counter[str]
    suits: frozenset[str]
    jokers: Counter[str]
    wilds: int
    level: str


def _split(cards: Sequence[str], level: str) -> _Cards:
    wild = wild_of(level)
    naturals = [card for card in cards if card[1] != "J" and card != wild]
    return _Cards(
        size=len(cards),
        ranks=Counter(card[0] for card in naturals),
        suits=frozenset(card[1] for card in naturals),
        jokers=Counter(card for card in cards if card[1] == "J"),
        wilds=sum(card == wild for card in cards),
        level=level,
    )


def _alike(cards: _Cards, policy: HandPolicy) -> list[Reading]:
    """Single, pair, triple and bombs of equal rank. A wild never stands for a joker (seed 000 L71, L107)."""
    name = {1: "single", 2: "pair", 3: "triple"}.get(cards.size, "bomb")
    if cards.jokers:
        alike = len(cards.jokers) == 1 and not cards.ranks and not cards.wilds and cards.size <= 2
        return [Reading(name, cards.size, next(iter(cards.jokers)))] if alike else []
    if len(cards.ranks) == 1:
        return [Reading(name, cards.size, next(iter(cards.ranks)))]
    if not cards.ranks and policy.lone_wilds_are_level_cards:
        return [Reading(name, cards.size, cards.level)]
    return []


def _full_house(cards: _Cards, policy: HandPolicy) -> list[Reading]:
    """三带对 (seed 000 L67): three alike with a pair, which may be of jokers or of two wilds."""
    if cards.size != 5:
        return []
    if cards.jokers:
        paired = policy.joker_pair_in_fullhouse and len(cards.jokers) == 1 and cards.jokers.total() == 2
        return [Reading("fullhouse", 5, next(iter(cards.ranks)))] if paired and len(cards.ranks) == 1 else []
    found = []
    for triple in cards.ranks:
        for pair in {*cards.ranks, cards.level}:
            alike = triple == pair
            if alike and not policy.five_alike_is_fullhouse:
                continue
            fits = cards.ranks[triple] <= 3 and cards.ranks[pair] <= 2 and set(cards.ranks) <= {triple, pair}
            if fits or (alike and len(cards.ranks) == 1):
                found.append(Reading("fullhouse", 5, triple))
    return found


def _run(cards: _Cards, name: str, length: int, each: int) -> list[Reading]:
    """Runs of ``length`` ranks with ``each`` cards a rank; wilds fill what is missing."""
    if cards.size != length * each or cards.jokers or any(n > each for n in cards.ranks.values()):
        return []
    return [Reading(name, cards.size, window[-1]) for window in windows(length) if set(cards.ranks) <= set(window)]


def _straights(cards: _Cards, policy: HandPolicy) -> list[Reading]:
    """顺子 and 同花顺 (seed 000 L69, L73)."""
    plain = _run(cards, "straight", 5, 1)
    if len(cards.suits) != 1:
        return plain
    flush = [Reading("sf", reading.size, reading.key) for reading in plain]
    return flush + plain if policy.sf_may_be_plain_straight else flush


def readings(cards: Sequence[str], level: str, policy: HandPolicy = DEFAULT_POLICY) -> tuple[Reading, ...]:
    """Every reading of these cards at this level, sorted by type and key; empty when they are no play.

    ``cards`` are codes of known cards in any order. More than one reading means the player must declare, or lay the
    wild in its place (seed 000 L109, L121; 003 L18).
    """
    if not cards or len(cards) > MAX_PLAY:
        return ()
    split = _split(cards, level)
    if split.jokers == Counter({"SJ": 2, "BJ": 2}) and split.size == 4:
        return (Reading("jokers", 4, "-"),)
    found = set(_alike(split, policy))
    found.update(_full_house(split, policy))
    found.update(_straights(split, policy))
    found.update(_run(split, "tube", 3, 2))
    found.update(_run(split, "plate", 2, 3))
    return tuple(sorted(found))


def parse_reading(text: str, options: Sequence[Reading]) -> Reading | None:
    """The option that a declaration such as ``straight:8`` names, or None."""
    return next((option for option in options if option.text() == text), None)
