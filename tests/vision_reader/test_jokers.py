"""The two jokers are told apart by the ink of their word, where a picture can show it."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest

from table_controller.cards import FACES
from table_controller.sim.deck import FACE_PX_PER_MM, deck
from table_controller.vision.classify import CLASSES, NO_INDEX, cut_patch, no_index
from table_controller.vision.detect import Corner
from table_controller.vision.images import Image
from table_controller.vision.jokers import BIG, BLACK_TO, RED_FROM, SMALL, has_colour, redness, told_by_ink
from table_controller.vision.reader import Reader
from table_controller.vision.reading import IndexReading

WORD_MM, AT_MM = 17.0, (6.0, 12.5)


def picture(card: str, number: int, light: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> tuple[Image, Corner]:
    """A drawn deck's joker, and where its word stands."""
    face = deck(f"drawn-{number}").face(card)[..., 2::-1]
    image = np.clip(face * np.array(light), 0, 255).astype(np.uint8)
    image = np.asarray(cv2.GaussianBlur(image, (0, 0), 1.5), np.uint8)
    at = (AT_MM[0] * FACE_PX_PER_MM, AT_MM[1] * FACE_PX_PER_MM)
    return image, Corner(0.9, at, (0.0, -1.0), WORD_MM * FACE_PX_PER_MM, WORD_MM * FACE_PX_PER_MM * 0.25)


def chances(small: float, big: float) -> np.ndarray:
    row = np.full(CLASSES, (1 - small - big) / (CLASSES - 2), np.float32)
    row[[SMALL, BIG]] = small, big
    return row[None]


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.6, 0.75, 0.9), (0.9, 0.7, 0.6)], ids=["day", "lamp", "shade"])
def test_ink_is_red_or_black_in_any_light(light: tuple[float, float, float]) -> None:
    numbers = random.Random(7).sample(range(300_000), 6)
    for number in numbers:
        for card in ("SJ", "BJ"):
            image, corner = picture(card, number, light)
            red = redness(cut_patch(image, corner), corner.width_px / corner.height_px)
            assert red > RED_FROM if card == "BJ" else red < BLACK_TO, (number, card, red)


def test_ink_settles_what_was_in_doubt_and_doubts_what_it_contradicts() -> None:
    image, corner = picture("SJ", 11)
    around = np.full_like(image, (40, 120, 40))
    scene = np.hstack([image, around])
    patches = [cut_patch(scene, corner)]
    unsure = told_by_ink(scene, chances(0.64, 0.34), patches, [corner])[0]
    assert unsure[SMALL] > 0.9 and unsure.sum() == pytest.approx(1, abs=1e-4)
    sure_of_the_other = told_by_ink(scene, chances(0.1, 0.9), patches, [corner])[0]
    assert max(sure_of_the_other[SMALL], sure_of_the_other[BIG]) < 0.7
    by_its_picture = told_by_ink(scene, chances(0.0005, 0.9995), patches, [corner])[0]
    assert by_its_picture[BIG] > 0.9  # both words are black in this deck
    other = chances(0.02, 0.02)
    assert np.array_equal(told_by_ink(scene, other, patches, [corner]), other)


def test_a_grey_picture_says_nothing_of_ink() -> None:
    image, corner = picture("BJ", 12)
    grey = np.repeat(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
    assert has_colour(image) and not has_colour(grey)
    before = chances(0.3, 0.68)
    assert np.array_equal(told_by_ink(grey, before, [cut_patch(grey, corner)], [corner]), before)
    assert told_by_ink(image, before, [cut_patch(image, corner)], [corner])[0, BIG] > 0.9


def test_what_a_deck_takes_for_a_joker_is_none_sooner_unless_its_jokers_are_strange() -> None:
    deck_says = np.concatenate([chances(0.95, 0.03), np.eye(CLASSES, dtype=np.float32)[[FACES.index("TS")]]])
    shipped = np.zeros((2, CLASSES), np.float32)
    shipped[:, NO_INDEX], shipped[:, SMALL] = 0.3, 0.7
    assert no_index(shipped, deck_says, strange_jokers=False).tolist() == [True, False]
    assert no_index(shipped, deck_says, strange_jokers=True).tolist() == [False, False]
    shipped[:, NO_INDEX] = 0.8
    assert no_index(shipped, deck_says, strange_jokers=False).tolist() == [True, True]
    assert no_index(shipped, deck_says, strange_jokers=True).tolist() == [False, True]


def test_in_a_photograph_of_an_unknown_deck_a_joker_that_is_not_quite_certain_is_doubtful(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word on a box is the likest to a joker's."""

    def said(card: str, chance: float) -> IndexReading:
        probs = np.full(CLASSES, (1 - chance) / (CLASSES - 1), np.float32)
        probs[FACES.index(card)] = chance
        return IndexReading(card, chance, False, (9.0, 9.0), (0.0, -1.0), 9.0, 4.0, (7.0, 5.0, 11.0, 13.0), 0.9, probs)

    readings = [said("SJ", 0.9), said("BJ", 0.97), said("TS", 0.9)]
    monkeypatch.setattr(reader, "_name", lambda *a, **more: readings)
    blank = np.full((80, 120, 3), 200, np.uint8)
    assert [r.doubtful for r in reader.read_photo(blank)] == [True, False, False]
    assert not any(r.doubtful for r in reader.read_crop(blank, 3.0))
    monkeypatch.setattr(reader, "_knows_jokers", True)
    assert not any(r.doubtful for r in reader.read_photo(blank)), "an enrolled deck's jokers are known"
