"""R3: the hand engine against a brute force that substitutes every card for every wild."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.cards import RANKS, SUITS, full_pack
from table_controller.games.guandan.hands import readings, wild_of
from table_controller.games.guandan.order import beats
from table_controller.games.guandan.plays import all_plays

HANDS = int(os.environ.get("BRUTE_FORCE_HANDS", "500"))
RUN = "A" + RANKS
ALL = [r + s for r in RANKS for s in SUITS]


def natural(cards: tuple[str, ...]) -> set[tuple[str, str]]:
    """(type, key) of cards without wilds, written independently of the engine."""
    n, counts = len(cards), Counter(c if c[1] == "J" else c[0] for c in cards)
    shape = sorted(counts.values(), reverse=True)
    jokers = sum(c[1] == "J" for c in cards)
    if jokers:
        if sorted(cards) == ["BJ", "BJ", "SJ", "SJ"]:
            return {("jokers", "-")}
        if n <= 2 and len(counts) == 1:
            return {("single" if n == 1 else "pair", cards[0])}
        if n == 5 and shape == [3, 2]:
            top = next(k for k, v in counts.items() if v == 3)
            return {("fullhouse", top)} if len(top) == 1 else set()
        return set()
    if len(counts) == 1:
        return {({1: "single", 2: "pair", 3: "triple"}.get(n, "bomb"), cards[0][0])}
    if n == 5 and shape == [3, 2]:
        return {("fullhouse", next(k for k, v in counts.items() if v == 3))}
    found = set()
    for name, length, each in (("straight", 5, 1), ("tube", 3, 2), ("plate", 2, 3)):
        if n == length * each and set(counts.values()) == {each}:
            for i in range(len(RUN) - length + 1):
                if set(RUN[i : i + length]) == set(counts) and len(counts) == length:
                    flush = name == "straight" and len({c[1] for c in cards}) == 1
                    found.add(("sf" if flush else name, RUN[i + length - 1]))
    return found


def brute(cards: tuple[str, ...], level: str) -> set[tuple[str, str]]:
    wild = wild_of(level)
    fixed = tuple(c for c in cards if c != wild)
    wilds = len(cards) - len(fixed)
    if not fixed:
        return natural(cards)
    found: set[tuple[str, str]] = set()
    for stand_in in product(ALL, repeat=wilds):
        found |= natural(fixed + stand_in)
    # Choices of the product: a straight flush is not declared as less; five alike is a bomb, no full house.
    flushes = {key for kind, key in found if kind == "sf"}
    found -= {("straight", key) for key in flushes}
    if len({c[0] for c in cards}) == 1:
        found -= {f for f in found if f[0] == "fullhouse"}
    return found


def tricky_hand(rng: random.Random, level: str, size: int) -> list[str]:
    """Hands rich in wilds, neighbours and pairs, where mistakes hide."""
    low = rng.randrange(10)
    near = [c for c in full_pack() if c[1] == "J" or c[0] in RUN[low : low + 5]]
    pack = near + [wild_of(level)] * (2 - near.count(wild_of(level)))
    return rng.sample(pack, min(size, len(pack)))


def test_plays_equal_brute_force() -> None:
    rng = random.Random(3)
    for number in range(HANDS // 20):
        level = RANKS[number % 13]
        hand = tricky_hand(rng, level, 8)
        expected = {}
        for size in range(1, 9):
            for cards in set(combinations(sorted(hand), size)):
                if known := brute(cards, level):
                    expected[cards] = known
        got = {cards: {(r.type, r.key) for r in known} for cards, known in all_plays(hand, level).items()}
        assert got == expected, (level, hand)


def test_readings_equal_brute_force_on_random_sets() -> None:
    rng = random.Random(5)
    for number in range(HANDS):
        level = RANKS[number % 13]
        cards = tuple(sorted(tricky_hand(rng, level, rng.choice((4, 5, 5, 5, 6, 6)))))
        assert {(r.type, r.key) for r in readings(cards, level)} == brute(cards, level), (level, cards)


@given(st.sampled_from(RANKS), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_beating_is_a_strict_order(level: str, seed: int) -> None:
    rng = random.Random(seed)
    plays = list(all_plays(rng.sample(full_pack(), 14), level).items())
    chosen = [known[0] for _, known in rng.sample(plays, min(8, len(plays)))]
    for a, b, c in product(chosen, repeat=3):
        assert not beats(a, a, level)
        assert not (beats(a, b, level) and beats(b, a, level))
        if beats(a, b, level) and beats(b, c, level):
            assert beats(a, c, level)
