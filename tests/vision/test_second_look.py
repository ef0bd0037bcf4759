"""What may lie between two cards of a row, by faint readings of the gap."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from table_controller.cards import FACES
from table_controller.geometry import load_geometry
from table_controller.sim.deck import FACE_PX_PER_MM, deck
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.classify import NO_INDEX
from table_controller.vision.reader import Reader
from table_controller.vision.reading import IndexReading
from table_controller.vision.seat_eye import READ_PX_PER_MM, reading_window
from table_controller.vision.second_look import MAY_BE, gaps, in_gap, shows_between

WINDOW = reading_window(load_geometry(), "S")
LEFT_MM, RIGHT_MM, ROW_MM = 0.0, 32.0, 200.0


def lying(card: str, u_mm: float) -> SeenCard:
    return SeenCard(card, 0.99, False, (u_mm, ROW_MM), None, 0.0)


def faint(u_mm: float, v_mm: float, nothing: float) -> IndexReading:
    probs = np.full(len(FACES) + 1, (1 - nothing) / len(FACES), np.float32)
    probs[NO_INDEX] = nothing
    at = WINDOW.to_px(u_mm, v_mm, READ_PX_PER_MM)
    return IndexReading("??", 0.0, True, at, (0.0, -1.0), 48.0, 20.0, (0.0, 0.0, 1.0, 1.0), 0.07, probs)


@pytest.mark.parametrize(
    ("u_mm", "v_mm", "nothing", "shows"),
    [
        (16, 200, 0.5, True),
        (16, 200, 0.85, True),  # hardly an index, but it may be one
        (16, 200, 0.97, False),
        (3, 200, 0.1, False),  # a part of the left index
        (30, 200, 0.1, False),  # and of the right one
        (16, 225, 0.1, False),  # far below the row's indices
    ],
)
def test_what_may_be_an_index_in_a_gap(u_mm: float, v_mm: float, nothing: float, shows: bool) -> None:
    cards = lying("2C", LEFT_MM), lying("3H", RIGHT_MM)
    assert shows_between([faint(u_mm, v_mm, nothing)], WINDOW, READ_PX_PER_MM, *cards) is shows


@pytest.mark.parametrize(
    ("u_mm", "within"),
    [
        (-11, False),  # of the card before the gap: its pip and a part of its index, at the picture's edge
        (-1, True),  # a new row begins on the old one
        (16, True),
        (43, False),
    ],
)
def test_a_reading_beyond_the_two_cards_is_none_of_the_gap(u_mm: float, within: bool) -> None:
    cards = lying("2C", LEFT_MM), lying("3H", RIGHT_MM)
    assert in_gap(faint(u_mm, 200, 0.0), WINDOW, READ_PX_PER_MM, *cards) is within


@pytest.mark.parametrize(
    ("places_mm", "gap_after_mm"),
    [
        ((0, 11, 22, 45, 57), [22]),  # one was missed in a row laid tight, and its neighbours are 23 mm apart
        ((0, 23, 46, 57, 69), [0, 23]),
        ((0, 19, 40, 60), []),  # a usual row
        ((0, 20, 44, 62), [20]),
    ],
)
def test_gaps_are_wide_for_the_row_that_they_are_in(places_mm: tuple[int, ...], gap_after_mm: list[int]) -> None:
    cards = [lying(name, at) for name, at in zip(("2C", "3H", "3S", "5D", "5S"), places_mm, strict=False)]
    assert [left.anchor[0] for left, _ in gaps(cards)] == gap_after_mm


def test_nothing_shows_where_nothing_was_found() -> None:
    assert not shows_between([], WINDOW, READ_PX_PER_MM, lying("2C", LEFT_MM), lying("3H", RIGHT_MM))


def test_faint_readings_find_an_index_half_covered_and_none_on_bare_cloth(reader: Reader) -> None:
    view = np.full((360, 480, 3), 110, np.uint8)
    assert reader.read_faint(view, READ_PX_PER_MM) == []
    share = READ_PX_PER_MM / FACE_PX_PER_MM
    face = cv2.resize(deck("classic").face("7S"), None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    view[40 : 40 + face.shape[0], 60 : 60 + face.shape[1]] = face[..., :3]
    read = [r for r in reader.read_crop(view, READ_PX_PER_MM) if r.up[1] < 0]
    assert [r.card for r in read] == ["7S"]
    (x, y), half = read[0].centre, read[0].height_px / 2
    view[round(y) : round(y + half + 3), round(x - 18) : round(x + 18)] = 245
    near = [r for r in reader.read_crop(view, READ_PX_PER_MM) if math.dist(r.centre, (x, y)) < half]
    faintly = [r for r in reader.read_faint(view, READ_PX_PER_MM) if math.dist(r.centre, (x, y)) < half]
    assert near == []
    assert any(1 - float(r.probs[NO_INDEX]) > MAY_BE for r in faintly)
