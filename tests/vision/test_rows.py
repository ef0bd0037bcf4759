"""A row's steps: room for a card that was not seen, and a card squeezed in where none can lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from table_controller.cards import FACES
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.rows import gaps_doubted

NAMES = ("2C", "3H", "3S", "5D", "5S", "6C", "8C", "8D")


def row(*places_mm: float, confidence: float = 0.97) -> list[SeenCard]:
    chances = np.full(len(FACES) + 1, 1 / (len(FACES) + 1), np.float32)
    return [
        SeenCard(name, confidence, False, (at, 200.0), None, 0.0, chances, (58.0, 88.0))
        for name, at in zip(NAMES, places_mm, strict=False)
    ]


@pytest.mark.parametrize(
    ("places", "doubted"),
    [
        ((0, 20, 40, 60, 80), []),
        ((0, 19, 41, 59, 82), []),
        ((0, 20, 40, 80, 100), [3]),  # room for one that was not seen
        ((0, 20, 40, 60, 72, 80), [4]),  # 12 and 8 make one step of 20
        ((0, 20, 31, 40, 60, 80), [2]),
        ((0, 10, 20, 30, 40), []),  # all close: so this player lays
        ((0, 9, 18), []),  # too few steps to tell
        ((0, 20, 40, 52, 66, 86), []),  # two short steps that are no single one
    ],
)
def test_steps_that_are_not_as_the_others_are_doubted(places: tuple[float, ...], doubted: list[int]) -> None:
    cards = gaps_doubted(row(*places))
    assert [i for i, card in enumerate(cards) if card.doubtful] == doubted


@pytest.mark.parametrize(
    ("last_mm", "shows", "doubted"),
    [(76, True, [3]), (76, False, []), (80, True, [3]), (80, False, []), (95, False, [3])],
)
def test_a_long_step_is_doubted_where_something_shows_in_it_or_it_is_far_too_long(
    last_mm: float, shows: bool, doubted: list[int]
) -> None:
    asked = []

    def look(left: SeenCard, right: SeenCard) -> bool:
        asked.append((left.card, right.card))
        return shows

    cards = gaps_doubted(row(0, 20, 40, last_mm), look)
    assert [i for i, card in enumerate(cards) if card.doubtful] == doubted
    assert asked == ([] if last_mm == 95 else [("3S", "5D")])


def test_a_long_step_between_jokers_is_doubted_whatever_shows_in_it() -> None:
    def nothing(left: SeenCard, right: SeenCard) -> bool:
        return False

    jokers = [replace(card, card=name) for card, name in zip(row(0, 23, 36), ("SJ", "BJ", "BJ"), strict=True)]
    assert [card.doubtful for card in gaps_doubted(jokers, nothing)] == [False, True, False]
    assert not any(card.doubtful for card in gaps_doubted(row(0, 23, 36), nothing))
    four = [replace(card, card=name) for card, name in zip(row(0, 23, 36, 49), ("SJ", "SJ", "BJ", "BJ"), strict=True)]
    assert not any(card.doubtful for card in gaps_doubted(four, nothing)), "all jokers are there: none was missed"


def test_a_squeezed_card_that_is_read_very_surely_is_one() -> None:
    assert not any(card.doubtful for card in gaps_doubted(row(0, 20, 31, 40, 60, 80, confidence=0.99)))


def test_even_rows_are_not_looked_at_again() -> None:
    def look(left: SeenCard, right: SeenCard) -> bool:
        raise AssertionError("an even row")

    assert not any(card.doubtful for card in gaps_doubted(row(0, 20, 41, 60, 82), look))


def test_a_joker_squeezed_in_alone_between_two_other_cards_is_doubted_but_not_a_pair_of_them() -> None:
    def with_jokers(names: tuple[str, ...], *places_mm: float) -> list[int]:
        cards = [replace(card, card=name) for card, name in zip(row(*places_mm, confidence=0.995), names, strict=True)]
        return [i for i, card in enumerate(gaps_doubted(cards)) if card.doubtful]

    assert with_jokers(("7S", "7S", "SJ", "7C"), 0, 13, 23, 37) == [2]
    assert with_jokers(("7S", "7S", "SJ", "SJ"), 0, 13, 23, 37) == []
    assert with_jokers(("7S", "7S", "7D", "SJ"), 0, 13, 23, 37) == []
    assert with_jokers(("7S", "SJ", "7C"), 0, 20, 40) == []
