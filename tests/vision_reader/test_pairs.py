"""Two corners of one card read together."""

from __future__ import annotations

import numpy as np
import pytest

from table_controller.cards import FACES
from table_controller.vision.pairs import join_corners
from table_controller.vision.reading import IndexReading

H = 48.0
APART = (3.0 * H, 4.0 * H)


def reading(x: float, y: float, up: tuple[float, float], **chances: float) -> IndexReading:
    probs = np.full(len(FACES) + 1, 1e-4, np.float32)
    for card, chance in chances.items():
        probs[FACES.index(card[1:])] = chance
    probs /= probs.sum()
    return IndexReading("??", 0.0, True, (x, y), up, H, H / 2, (0, 0, 1, 1), 0.9, probs)


def card_at(x: float, y: float, first: dict[str, float], second: dict[str, float]) -> list[IndexReading]:
    upper = reading(x, y, (0.0, -1.0), **first)
    return [upper, reading(x + APART[0], y + APART[1], (0.0, 1.0), **second)]


def best(of: IndexReading) -> str:
    return FACES[int(of.probs[:54].argmax())]


SURE = {"_7H": 0.99}


def test_an_unsure_corner_listens_to_its_partner() -> None:
    known = card_at(0, 0, SURE, SURE)
    asked = card_at(500, 0, {"_KC": 0.45, "_KS": 0.55}, {"_KC": 0.98, "_KS": 0.02})
    joined = join_corners([*known, *asked])
    assert [best(r) for r in joined] == ["7H", "7H", "KC", "KC"]
    assert joined[2].probs[FACES.index("KC")] > 0.9


def test_without_a_card_that_shows_the_distance_nothing_is_joined() -> None:
    asked = card_at(500, 0, {"_KC": 0.45, "_KS": 0.55}, {"_KC": 0.98, "_KS": 0.02})
    assert best(join_corners(asked)[0]) == "KS"


def test_the_two_corners_of_a_lone_card_on_a_photograph_are_read_together() -> None:
    """One of them in the dark: alone it would be read as another card."""
    asked = card_at(500, 0, {"_5H": 0.88, "_3H": 0.12}, {"_3H": 0.999})
    assert [best(r) for r in join_corners(asked, from_aside=True)] == ["3H", "3H"]
    no_kin = card_at(500, 0, {"_7D": 0.6}, {"_AS": 0.999})
    assert [best(r) for r in join_corners(no_kin, from_aside=True)] == ["7D", "AS"]
    third = reading(500 + 1.2 * APART[0], 0.9 * APART[1], (0.0, 1.0), _8C=0.99)
    assert [best(r) for r in join_corners([*asked, third], from_aside=True)] == ["5H", "3H", "8C"]


@pytest.mark.parametrize("shift", [(0.8 * H, 0.0), (0.0, -0.9 * H)])
def test_corners_at_another_distance_stay_apart(shift: tuple[float, float]) -> None:
    known = card_at(0, 0, SURE, SURE)
    upper, lower = card_at(500, 0, {"_KC": 0.45, "_KS": 0.55}, {"_KC": 0.98, "_KS": 0.02})
    x, y = lower.centre
    moved = reading(x + shift[0], y + shift[1], lower.up, _KC=0.98, _KS=0.02)
    assert best(join_corners([*known, upper, moved])[2]) == "KS"


def test_two_sure_corners_that_differ_belong_to_two_cards() -> None:
    known = card_at(0, 0, SURE, SURE)
    joined = join_corners([*known, *card_at(500, 0, {"_2S": 0.97}, {"_9D": 0.97})])
    assert [best(r) for r in joined[2:]] == ["2S", "9D"]


def test_corners_that_point_the_same_way_are_two_cards() -> None:
    known = card_at(0, 0, SURE, SURE)
    upper = reading(500, 0, (0.0, -1.0), _KC=0.45, _KS=0.55)
    other = reading(500 + APART[0], APART[1], (0.0, -1.0), _KC=0.98, _KS=0.02)
    assert best(join_corners([*known, upper, other])[2]) == "KS"


def aslant(first: dict[str, float], second: dict[str, float]) -> list[IndexReading]:
    """A card at a photograph's edge, drawn out of shape: its other corner stands nearly straight below."""
    upper, lower = card_at(500, 0, first, second)
    return [upper, reading(500 + 0.8 * H, 4.7 * H, lower.up, **second)]


def test_in_a_photograph_corners_out_of_shape_that_agree_belong_together() -> None:
    known = card_at(0, 0, SURE, SURE)
    asked = aslant({"_4S": 0.53, "_4C": 0.47}, {"_4S": 0.55, "_4C": 0.45})
    joined = join_corners([*known, *asked], from_aside=True)
    assert [best(r) for r in joined] == ["7H", "7H", "4S", "4S"]
    assert joined[2].probs[FACES.index("4S")] > asked[0].probs[FACES.index("4S")]
    on_the_mat = join_corners([*known, *asked])
    assert on_the_mat[2].probs is asked[0].probs


def test_out_of_shape_corners_that_differ_stay_apart() -> None:
    known = card_at(0, 0, SURE, SURE)
    asked = aslant({"_4S": 0.53, "_4C": 0.47}, {"_4S": 0.45, "_4C": 0.55})
    joined = join_corners([*known, *asked], from_aside=True)
    assert [best(r) for r in joined[2:]] == ["4S", "4C"]
