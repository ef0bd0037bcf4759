"""Readings too small to be an index of the deck in play are none."""

from __future__ import annotations

import numpy as np

from table_controller.vision.one_print import of_one_print, usual_height_px
from table_controller.vision.reading import IndexReading


def reading(card: str, height_px: float, *, doubtful: bool = False) -> IndexReading:
    return IndexReading(card, 0.99, doubtful, (9.0, 9.0), (0.0, -1.0), height_px, 20.0, (0, 0, 9, 9), 0.9, np.zeros(55))


ROW = [reading("JS", 57), reading("JC", 60), reading("JH", 55)]


def test_a_pip_read_as_a_card_and_a_figure_read_as_a_joker_are_left_out_and_jokers_stay() -> None:
    seen = [*ROW, reading("JS", 42), reading("BJ", 41), reading("SJ", 78), reading("9D", 50, doubtful=True)]
    assert [r.card for r in of_one_print(seen, None)] == ["JS", "JC", "JH", "SJ", "9D"]


def test_where_few_cards_lie_the_deck_as_it_lay_before_tells() -> None:
    pair = [reading("JS", 57), reading("TH", 40)]
    assert usual_height_px(pair) is None
    assert of_one_print(pair, None) == pair
    assert of_one_print(pair, 56.0) == pair[:1]
