"""Plain prompt cards: learnt from a picture each, read at any rotation, half covered, in a stack; sure or not."""

from __future__ import annotations

import random
from functools import cache

import cv2
import numpy as np
import pytest

from table_controller.errors import InputError
from table_controller.geometry import load_geometry
from table_controller.sim.figures.prompt_trial import learnt
from table_controller.sim.plain_set import DESIGNS, plain_prompt_picture
from table_controller.table.events import Event, PromptLaid, PromptTouched
from table_controller.vision.plain_prompts import PlainPrompts, upright_face
from table_controller.vision.prompt_reader import PromptReader, PromptStack

GEOMETRY = load_geometry()
MAT = (96, 106, 116)
KINDS = ("PASS", "1", "3", "6", "8", "9", "10", "TD", "STOP")


@cache
def known(design: str) -> PlainPrompts:
    return learnt(design)


def lay(view: np.ndarray, kind: str, design: str, at: tuple[float, float], turn_deg: float) -> None:
    """Lay a card on a window of 3 px/mm; ``at`` in mm."""
    card = plain_prompt_picture(GEOMETRY, kind, design, 3.0)
    height, width = card.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -turn_deg, 1)
    matrix[:, 2] += (at[0] * 3 - width / 2, at[1] * 3 - height / 2)
    size = (view.shape[1], view.shape[0])
    warped = cv2.warpAffine(card, matrix, size)
    alpha = warped[..., 3:].astype(np.float32) / 255
    view[:] = (view * (1 - alpha) + warped[..., 2::-1] * alpha).astype(np.uint8)


def window(*cards: tuple[str, str, tuple[float, float], float], seed: int = 1) -> np.ndarray:
    view = np.full((270, 270, 3), MAT, dtype=np.uint8)
    for card in cards:
        lay(view, *card)
    return seen(view, seed)


def seen(view: np.ndarray, seed: int = 1) -> np.ndarray:
    """As a camera sees it."""
    noise = np.random.default_rng(seed).normal(0, 3, view.shape)
    return np.clip(cv2.GaussianBlur(view, (0, 0), 0.8) * 0.93 + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("design", DESIGNS)
def test_every_kind_at_any_rotation_on_others(design: str) -> None:
    rng = random.Random(3)
    for number, kind in enumerate(KINDS):
        turn = rng.uniform(0, 360)
        under = (rng.choice(KINDS), design, (43.0, 47.0), rng.uniform(0, 360))
        view = window(*([under] if number % 2 else []), (kind, design, (46.0, 44.0), turn), seed=number)
        sight = known(design).read(view)
        assert sight is not None
        assert (sight.kind, sight.sure) == (kind, True)
        assert sight.at == pytest.approx((46, 44), abs=0.8)
        assert abs((sight.turn_deg - turn + 90) % 180 - 90) < 2, "as learnt: upright or upside down"


def test_half_covered_it_is_read_or_not_sure_and_never_another() -> None:
    sure = 0
    for number, kind in enumerate(KINDS):
        view = window((kind, "white", (45.0, 45.0), 40.0 * number))
        cv2.circle(view, (150, 215), 62, (142, 172, 214), -1)
        sight = known("white").read(seen(view))
        if sight is not None and sight.sure:
            assert sight.kind == kind
            sure += 1
    assert sure >= len(KINDS) // 2


def test_what_is_no_card_of_the_set_is_none() -> None:
    assert known("white").read(window()) is None
    other = known("white").read(window(("STOP", "colour", (45.0, 45.0), 20.0)))
    assert other is None or not other.sure


def test_it_is_kept_as_arrays() -> None:
    arrays = known("colour").to_arrays()
    again = PlainPrompts.from_arrays(arrays)
    assert again.kinds == tuple(sorted(known("colour").kinds))
    view = window(("7", "colour", (45.0, 45.0), 200.0))
    assert again.read(view) == known("colour").read(view)


def test_a_six_and_a_nine_without_a_mark_are_twins_and_never_sure() -> None:
    six = plain_prompt_picture(GEOMETRY, "6", "white", 3.0).copy()
    six[94:, 10:-10] = six[5, 5]  # its mark is gone
    samples = []
    for kind, face in (("6", six), ("9", six[::-1, ::-1].copy())):
        view = np.full((270, 270, 3), MAT, dtype=np.uint8)
        view[66:204, 81:189] = face[..., 2::-1]
        samples.append((kind, view))
    twins = PlainPrompts.learn(samples)
    assert twins.twins == (("6", "9"),)
    sight = twins.read(samples[0][1])
    assert sight is not None
    assert not sight.sure


def test_a_picture_without_one_card_of_the_right_size_is_refused() -> None:
    assert upright_face(window()) is None
    with pytest.raises(InputError, match="PASS"):
        PlainPrompts.learn([("PASS", window(("7", "white", (30.0, 30.0), 0.0), ("8", "white", (62.0, 62.0), 50.0)))])


def brief(events: list[Event]) -> list[tuple[str, str]]:
    return [(type(event).__name__, getattr(event, "kind", "")) for event in events]


def test_the_stack_of_plain_cards_goes_by_where_they_lie() -> None:
    reader, stack = PromptReader(GEOMETRY, known("white")), PromptStack("E", GEOMETRY)
    low, high = ("PASS", "white", (42.0, 43.0), 10.0), ("PASS", "white", (48.0, 46.0), 75.0)
    ms = iter(range(100))

    def look(*cards: tuple[str, str, tuple[float, float], float]) -> list[tuple[str, str]]:
        return brief(stack.settle(reader.read(window(*cards, seed=next(ms)), 108), next(ms)))

    assert look(("10", "white", (44.0, 45.0), 200.0)) == [("PromptLaid", "10")]
    assert look(("10", "white", (44.0, 45.0), 200.0), low) == [("PromptLaid", "PASS")]
    assert look(("10", "white", (44.0, 45.0), 200.0), low) == [], "an old one left lying is no new pass"
    assert look(("10", "white", (44.0, 45.0), 200.0), low, high) == [("PromptLaid", "PASS")]
    assert look(("10", "white", (44.0, 45.0), 200.0), low) == [("PromptLifted", "PASS")]
    assert look() == [("PromptCircleCleared", "")]
    assert look(low) == [("PromptLaid", "PASS")]
    assert look(("PASS", "white", (47.0, 41.0), 12.0)) == [("PromptTouched", "PASS")], "moved where it lies"


def test_in_a_light_that_is_too_much_for_the_camera_a_card_is_read_still() -> None:
    for number, kind in enumerate(KINDS):
        brighter = window((kind, "colour", (45.0, 45.0), 50.0 * number)).astype(np.float32) * 1.3
        sight = known("colour").read(np.clip(brighter, 0, 255).astype(np.uint8))
        assert sight is not None
        assert (sight.kind, sight.sure) == (kind, True)


def test_a_pass_laid_across_another_under_a_thumb_is_a_new_one_though_that_hides_most_of_what_sticks_out() -> None:
    reader, stack = PromptReader(GEOMETRY, known("white")), PromptStack("E", GEOMETRY)
    low, high = ("PASS", "white", (43.0, 48.0), 40.0), ("PASS", "white", (44.0, 45.5), 105.0)
    assert brief(stack.settle(reader.read(window(low), 108), 1)) == [("PromptLaid", "PASS")]
    view = window(low, high)
    cv2.circle(view, (125, 235), 50, (62, 84, 122), -1)
    assert brief(stack.settle(reader.read(view, 108), 2)) == [("PromptLaid", "PASS")]
    stack.settle(reader.read(window(low, high, seed=2), 108), 3)
    assert brief(stack.settle(reader.read(window(low, seed=3), 108), 4)) == [("PromptLifted", "PASS")]


def test_a_tap_by_a_hand_touches_the_uppermost_card(make_table: object) -> None:
    table = make_table(seed=41)  # type: ignore[operator]
    table.scene.lay_prompt("E", "PASS")
    assert [type(event) for event in table.look()] == [PromptLaid]
    table.scene.hand("E", "prompt")
    assert table.frames(5) == []
    table.scene.hand("E")
    (touched,) = table.frames(16)  # told once the play area has stayed quiet
    assert isinstance(touched, PromptTouched)
    assert (touched.seat, touched.kind) == ("E", "PASS")
