"""The parts of the reader that are plain geometry."""

from __future__ import annotations

import numpy as np
import pytest

from table_controller.vision.classify import (
    PATCH_INDEX_PX,
    PATCH_PX,
    CropShape,
    View,
    cut_patch,
    normalise,
    softmax,
    view_matrix,
)
from table_controller.vision.detect import Corner, merge
from table_controller.vision.photo import of_one_size, usual_height

SHAPE = CropShape(68, 52, 22.0, 25.5, 36.0)


def corner(
    x: float, y: float, score: float = 0.9, height: float = 40.0, up: tuple[float, float] = (0.0, -1.0)
) -> Corner:
    return Corner(score, (x, y), up, height, height / 2)


def test_merge_keeps_the_strongest_of_those_that_lie_on_each_other() -> None:
    kept = merge([corner(100, 100, 0.5), corner(103, 101, 0.8), corner(140, 100, 0.6)])
    assert [(c.centre, c.score) for c in kept] == [((103, 101), 0.8), ((140, 100), 0.6)]


@pytest.mark.parametrize(("up", "size"), [((0.0, -1.0), (20, 40)), ((1.0, 0.0), (40, 20))])
def test_the_box_stands_round_the_turned_index(up: tuple[float, float], size: tuple[float, float]) -> None:
    x0, y0, x1, y1 = corner(50, 60, up=up).box()
    assert (x1 - x0, y1 - y0) == pytest.approx(size)
    assert ((x0 + x1) / 2, (y0 + y1) / 2) == pytest.approx((50, 60))


def test_a_corner_moves_with_its_picture() -> None:
    moved = corner(10, 20).scaled(2.0, (5, 0))
    assert moved.centre == (30, 40)
    assert (moved.height_px, moved.width_px) == (80, 40)


@pytest.mark.parametrize("half_turn", [False, True])
def test_every_view_looks_at_the_middle_of_the_patch(half_turn: bool) -> None:
    matrix = view_matrix(View(1.1, 0.2), half_turn, SHAPE)
    assert matrix @ (SHAPE.centre_x, SHAPE.centre_y, 1) == pytest.approx([(PATCH_PX - 1) / 2] * 2)


def test_a_half_turn_swaps_top_and_bottom() -> None:
    plain, turned = (view_matrix(View(), half, SHAPE) for half in (False, True))
    above = np.array([SHAPE.centre_x, SHAPE.centre_y - 10, 1])
    below = np.array([SHAPE.centre_x, SHAPE.centre_y + 10, 1])
    assert plain @ above == pytest.approx(turned @ below)


@pytest.mark.parametrize("height", [20.0, 40.0, 200.0])
@pytest.mark.parametrize("up", [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0)])
def test_a_patch_holds_the_index_upright_at_its_size(height: float, up: tuple[float, float]) -> None:
    image = np.zeros((600, 600, 3), np.uint8)
    tip = (300 + up[0] * height / 2, 300 + up[1] * height / 2)
    reach = max(2, round(height / 12))
    image[round(tip[1]) - reach : round(tip[1]) + reach, round(tip[0]) - reach : round(tip[0]) + reach] = 255
    patch = cut_patch(image, corner(300, 300, height=height, up=up))
    ys, xs = np.nonzero(patch[..., 0] > 100)
    assert xs.mean() == pytest.approx((PATCH_PX - 1) / 2, abs=2)
    assert ys.mean() == pytest.approx((PATCH_PX - 1) / 2 - PATCH_INDEX_PX / 2, abs=2)


def test_normalise_evens_out_light_and_contrast() -> None:
    crop = np.random.default_rng(3).integers(0, 120, (1, 52, 68, 3)).astype(np.uint8)
    brighter = (crop * 2).astype(np.uint8)
    a, b = normalise(crop), normalise(brighter)
    assert a.mean() == pytest.approx(0, abs=1e-3)
    assert np.corrcoef(a.ravel(), b.ravel())[0, 1] > 0.999


def test_softmax_sums_to_one_without_overflow() -> None:
    chances = softmax(np.array([[1000.0, 1000.0, -1000.0]], np.float32))
    assert chances[0] == pytest.approx([0.5, 0.5, 0])


def test_the_usual_height_is_that_of_the_many() -> None:
    corners = [corner(0, 0, height=h) for h in (40, 42, 38, 41, 200, 12)]
    assert usual_height(corners) == pytest.approx(40, abs=2)
    assert sorted(c.height_px for c in of_one_size(corners, 40)) == [38, 40, 41, 42]
