"""From corner readings to cards."""

from __future__ import annotations

import math

import numpy as np
import pytest

from table_controller.cards import FACES
from table_controller.geometry import load_geometry
from table_controller.vision.cards_on_mat import INDEX_AT_MM, cards_in_view, plausible, unread_paper, vote
from table_controller.vision.mat import play_window
from table_controller.vision.reader import IndexReading

GEOMETRY = load_geometry()
WINDOW = play_window(GEOMETRY, "S")
SCALE = 3.0


def corner(
    name: str, at: tuple[float, float], turn: float, confidence: float = 0.93, low: bool = False
) -> IndexReading:
    """The reading of one index of a card centred ``at`` (u, v), turned clockwise; ``low``: its bottom right one."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    sign = 1 if low else -1
    x = sign * (GEOMETRY.card_mm[0] / 2 - INDEX_AT_MM[0])
    y = sign * (GEOMETRY.card_mm[1] / 2 - INDEX_AT_MM[1])
    centre = WINDOW.to_px(at[0] + c * x - s * y, at[1] + s * x + c * y, SCALE)
    probs = np.full(55, (1 - confidence) / 54, dtype=np.float32)
    probs[FACES.index(name)] = confidence
    up = (-sign * s, sign * c) if low else (s, -c)
    up = (-s, c) if low else (s, -c)
    return IndexReading(name, confidence, confidence < 0.6, centre, up, 48, 30, (0, 0, 1, 1), 0.7, probs)


@pytest.mark.parametrize("turn", [-25, -12, 0, 12, 25])
def test_both_corners_of_a_card_are_one_card(turn: float) -> None:
    readings = [corner("7D", (10, 230), turn), corner("7D", (10, 230), turn, low=True)]
    (card,) = cards_in_view(readings, WINDOW, SCALE, GEOMETRY)
    assert card.card == "7D"
    assert not card.doubtful
    assert card.centre == pytest.approx((10, 230), abs=0.1)
    assert card.turn_deg == pytest.approx(turn, abs=0.5)


def test_a_card_upside_down_is_the_same_card() -> None:
    (card,) = cards_in_view([corner("4C", (0, 230), 180)], WINDOW, SCALE, GEOMETRY)
    assert card.top is None
    assert card.centre == pytest.approx((0, 230), abs=0.1)


def test_order_is_left_to_right_whatever_the_order_of_the_readings() -> None:
    row = ["9S", "TS", "JS", "QS", "KS"]
    readings = [corner(name, (-60 + 15 * i, 230), 4 * i - 8) for i, name in enumerate(row)]
    readings.append(corner("KS", (0, 230), 8, low=True))
    cards = cards_in_view([readings[k] for k in (3, 5, 0, 4, 2, 1)], WINDOW, SCALE, GEOMETRY)
    assert [card.card for card in cards] == row


def test_two_sure_corners_that_disagree_are_doubtful_and_a_weak_one_overrules_nothing() -> None:
    top = corner("8C", (0, 230), 0)
    (card,) = cards_in_view([top, corner("8S", (0, 230), 0, 0.9, low=True)], WINDOW, SCALE, GEOMETRY)
    assert card.doubtful
    (card,) = cards_in_view([top, corner("8S", (0, 230), 0, 0.4, low=True)], WINDOW, SCALE, GEOMETRY)
    assert (card.card, card.doubtful) == ("8C", False)


def test_a_jokers_letters_in_a_line_of_top_corners_are_a_top_corner() -> None:
    one, three = corner("6S", (-20, 230), 0), corner("2C", (16, 230), 0)
    joker = corner("SJ", (-2, 230), 0, 0.85)
    flipped = IndexReading(**{**joker.__dict__, "up": (-joker.up[0], -joker.up[1])})
    cards = cards_in_view([one, flipped, three], WINDOW, SCALE, GEOMETRY)
    assert [card.card for card in cards] == ["6S", "SJ", "2C"]


def surface(*rects: tuple[float, float, float, float]) -> np.ndarray:
    width, height = WINDOW.size_px(SCALE)
    mask = np.zeros((height, width), dtype=np.uint8)
    for u0, v0, u1, v1 in rects:
        (x0, y0), (x1, y1) = WINDOW.to_px(u0, v0, SCALE), WINDOW.to_px(u1, v1, SCALE)
        mask[round(y0) : round(y1), round(x0) : round(x1)] = 255
    return mask


def test_a_pip_read_as_an_index_is_dropped_and_a_weak_index_where_a_card_lies_is_kept() -> None:
    king = [corner("KD", (0, 230), 0), corner("KD", (0, 230), 0, low=True)]
    pip = corner("TD", (14, 260), 0, 0.4)
    mask = surface((-29, 186, 29, 274))
    cards = cards_in_view([*king, pip], WINDOW, SCALE, GEOMETRY)
    assert [card.card for card in plausible(cards, mask, WINDOW, SCALE)] == ["KD"]
    weak = corner("9C", (18, 230), 0, 0.4)
    wide = surface((-29, 186, 47, 274))
    cards = cards_in_view([king[0], weak], WINDOW, SCALE, GEOMETRY)
    assert [card.card for card in plausible(cards, wide, WINDOW, SCALE)] == ["KD", "9C"]


def test_paper_that_no_card_explains_is_an_unknown_card() -> None:
    (card,) = cards_in_view([corner("KD", (-60, 230), 0)], WINDOW, SCALE, GEOMETRY)
    paper = surface((-89, 186, -31, 274), (30, 186, 88, 274))
    (unknown,) = unread_paper(paper, [card], WINDOW, SCALE, GEOMETRY)
    assert (unknown.card, unknown.doubtful) == ("??", True)
    assert unknown.centre == pytest.approx((59, 230), abs=2)
    assert unread_paper(surface((-89, 186, -31, 274)), [card], WINDOW, SCALE, GEOMETRY) == []


def test_frames_that_differ_make_a_card_doubtful_and_a_flash_is_no_card() -> None:
    def view(*readings: IndexReading) -> list:
        return cards_in_view(list(readings), WINDOW, SCALE, GEOMETRY)

    club, spade = corner("8C", (0, 230), 0, 0.9), corner("8S", (0, 230), 0, 0.85)
    (card,) = vote([view(club), view(club), view(spade)])
    assert (card.card, card.doubtful) == ("8C", True)
    (card,) = vote([view(club), view(club, corner("2D", (90, 230), 0)), view(club), view(club)])
    assert (card.card, card.doubtful) == ("8C", False)


def test_a_corner_once_joined_to_what_shows_beside_it_makes_no_second_card() -> None:
    beside = corner("KH", (82, 231), 0, 0.47)
    card = (corner("SJ", (90, 230), 0), corner("SJ", (90, 230), 0, low=True))
    (voted,) = vote([cards_in_view(seen, WINDOW, SCALE, GEOMETRY) for seen in ((beside, card[1]), card)])
    assert (voted.card, voted.doubtful) == ("SJ", False)
