"""Readings too small to be an index of the deck in play are none."""

from __future__ import annotations

import numpy as np

from table_controller.vision.one_print import of_one_print, usual_height_px
from table_controller.vision.reading import IndexReading


def reading(
    card: str, height_px: float, *, doubtful: bool = False, width_px: float = 20.0, found: float = 0.9
) -> IndexReading:
    probs = np.zeros(55, np.float32)
    return IndexReading(card, 0.99, doubtful, (9.0, 9.0), (0.0, -1.0), height_px, width_px, (0, 0, 9, 9), found, probs)


ROW = [reading("JS", 57), reading("JC", 60), reading("JH", 55)]


def test_a_pip_read_as_a_card_and_a_figure_read_as_a_joker_are_left_out_and_jokers_stay() -> None:
    seen = [*ROW, reading("JS", 42), reading("BJ", 41), reading("SJ", 78), reading("9D", 50, doubtful=True)]
    assert [r.card for r in of_one_print(seen, None)] == ["JS", "JC", "JH", "SJ", "9D"]


def test_where_few_cards_lie_the_deck_as_it_lay_before_tells() -> None:
    pair = [reading("JS", 57), reading("TH", 40)]
    assert usual_height_px(pair) is None
    assert of_one_print(pair, None) == pair
    assert of_one_print(pair, 56.0) == pair[:1]


def test_an_index_half_covered_is_narrow_and_is_doubted_or_left_out() -> None:
    clear, faint = reading("7S", 57, width_px=13), reading("7C", 57, width_px=13, found=0.3)
    word, slim = reading("SJ", 62, width_px=11), reading("7H", 57, width_px=15)
    told = of_one_print([*ROW, *ROW, clear, faint, word, slim], None)
    assert [(r.card, r.doubtful) for r in told[6:]] == [("7S", True), ("SJ", False), ("7H", False)]
    assert of_one_print([clear, faint], 57.0) == [clear, faint]  # nothing tells how wide an index is
