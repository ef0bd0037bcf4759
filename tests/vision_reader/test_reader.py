"""The reader's contract, on drawn cards."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.cards import FACES
from table_controller.errors import InputError
from table_controller.resources import resource
from table_controller.vision.reader import Reader

CARDS = ("7S", "KH", "2D", "9C", "TD", "QS")


def sure(readings):
    return sorted({r.card for r in readings if not r.doubtful})


def test_reads_each_card_at_both_corners(reader: Reader, row: Callable) -> None:
    readings = reader.read_crop(row(CARDS), 3.0)
    assert sure(readings) == sorted(CARDS)
    assert sorted(r.card for r in readings) == sorted([*CARDS, *CARDS])


def test_a_reading_keeps_its_contract(reader: Reader, row: Callable) -> None:
    image = row(["8H"])
    readings = reader.read_crop(image, 3.0)
    assert len(readings) == 2
    for reading in readings:
        assert 0 <= reading.confidence <= 1
        assert reading.probs.shape == (len(FACES) + 1,)
        assert math.isclose(float(reading.probs.sum()), 1, abs_tol=1e-3)
        assert math.isclose(math.hypot(*reading.up), 1, abs_tol=1e-3)
        x0, y0, x1, y1 = reading.box
        assert x0 < reading.centre[0] < x1 and y0 < reading.centre[1] < y1
        assert 30 < reading.height_px < 80
    upper, lower = sorted(readings, key=lambda r: r.centre[1])
    assert upper.up[1] < -0.9
    assert lower.up[1] > 0.9
    assert abs(upper.centre[0] - (60 + 6.4 * 3)) < 6


@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_turned_pictures_read_the_same_and_up_turns_along(reader: Reader, row: Callable, quarter_turns: int) -> None:
    image = row(CARDS[:3])
    plain = reader.read_crop(image, 3.0)
    turned = reader.read_crop(np.ascontiguousarray(np.rot90(image, quarter_turns)), 3.0)
    assert sure(turned) == sure(plain) == sorted(CARDS[:3])
    angle = -quarter_turns * math.pi / 2
    for reading in plain:
        ux, uy = reading.up
        want = (ux * math.cos(angle) - uy * math.sin(angle), ux * math.sin(angle) + uy * math.cos(angle))
        best = max(np.dot(want, other.up) for other in turned if other.card == reading.card)
        assert best > 0.97


def test_the_same_picture_reads_the_same_twice(reader: Reader, row: Callable) -> None:
    image = row(CARDS)
    first, second = reader.read_crop(image, 3.0), reader.read_crop(image, 3.0)
    assert [(r.card, r.confidence, r.centre) for r in first] == [(r.card, r.confidence, r.centre) for r in second]


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.5])
def test_a_photograph_needs_no_scale(reader: Reader, row: Callable, factor: float) -> None:
    image = cv2.resize(row(CARDS[:4]), None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    assert sure(reader.read_photo(np.asarray(image, np.uint8))) == sorted(CARDS[:4])


def test_a_card_at_the_far_end_of_a_photograph_is_read_though_it_is_half_as_large(
    reader: Reader, row: Callable
) -> None:
    near = np.asarray(cv2.resize(row(CARDS[:4]), None, fx=1.6, fy=1.6, interpolation=cv2.INTER_CUBIC), np.uint8)
    far = np.asarray(cv2.resize(row(["5H"]), None, fx=0.78, fy=0.78, interpolation=cv2.INTER_AREA), np.uint8)
    photo = np.full((near.shape[0] + far.shape[0], near.shape[1], 3), near[0, 0], np.uint8)
    photo[: far.shape[0], : far.shape[1]] = far
    photo[far.shape[0] :] = near
    assert sure(reader.read_photo(photo)) == sorted([*CARDS[:4], "5H"])


@pytest.mark.parametrize("level", [0, 128, 255])
def test_an_empty_table_holds_no_cards(reader: Reader, level: int) -> None:
    image = np.full((400, 600, 3), level, np.uint8)
    assert reader.read_crop(image, 3.0) == []
    assert reader.read_photo(image) == []


def test_the_class_list_is_the_faces_and_the_files_are_small() -> None:
    assert resource("models/classes.txt").read_text(encoding="utf-8").split() == list(FACES)
    for name in ("index_detector.onnx", "index_classifier.onnx"):
        assert resource(f"models/{name}").stat().st_size <= 10_000_000


def test_the_name_follows_the_weights(reader: Reader, tmp_path: Path) -> None:
    for name in ("index_detector.onnx", "index_classifier.onnx"):
        (tmp_path / name).write_bytes(resource(f"models/{name}").read_bytes())
    assert Reader.load(tmp_path).name == reader.name


def test_weights_that_are_none_are_said_to_be_none(tmp_path: Path) -> None:
    for name in ("index_detector.onnx", "index_classifier.onnx"):
        (tmp_path / name).write_bytes(b"not a model")
    with pytest.raises(InputError, match="not a model"):
        Reader.load(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        Reader.load(tmp_path / "nowhere")
