"""``table-controller read``: the JSON lines, the table, and what it says of files it cannot read."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image as Picture

from table_controller.errors import InputError
from table_controller.resources import resource
from table_controller.vision import images
from table_controller.vision.images import load_photo, photo_files
from table_controller.vision.read_command import add_arguments, run


def read(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return run(parser.parse_args(list(words)))


@pytest.fixture
def photo(tmp_path: Path, row: Callable) -> Path:
    path = tmp_path / "cards.jpg"
    cv2.imwrite(str(path), row(["7S", "KH"]), [cv2.IMWRITE_JPEG_QUALITY, 92])
    return path


def spoil(folder: Path, photo: Path, kind: str) -> Path:
    path = folder / f"{kind}.jpg"
    if kind == "text":
        path.write_text("these are no cards")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "cut":
        path.write_bytes(photo.read_bytes()[:4000])
    elif kind == "one_pixel":
        Picture.new("RGB", (1, 1)).save(path)
    elif kind == "damaged_png":
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 60 + b"IEND")
    return path


BAD = {
    "text": "not a picture",
    "empty": "empty",
    "cut": "cut off",
    "one_pixel": "too small",
    "damaged_png": "too small|damaged",
    "missing": "no such file",
}


def test_json_is_one_line_a_photograph(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert read("--json", str(photo), str(photo)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    record = json.loads(lines[0])
    assert set(record) == {"file", "cards"}
    assert record["file"] == str(photo)
    assert {card["card"] for card in record["cards"]} == {"7S", "KH"}
    for card in record["cards"]:
        assert set(card) == {"card", "confidence", "box", "doubtful"}
        assert isinstance(card["doubtful"], bool) and 0 <= card["confidence"] <= 1
        assert len(card["box"]) == 4 and card["box"][0] < card["box"][2]


def test_the_table_names_each_corner(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert read(str(photo)) == 0
    out = capsys.readouterr().out
    assert "cards.jpg: 4 corners" in out and "7S" in out and "KH" in out


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_costs_one_line_and_the_status(
    kind: str, tmp_path: Path, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = spoil(tmp_path, photo, kind)
    assert read("--json", str(bad), str(photo)) != 0
    out, err = capsys.readouterr()
    assert [json.loads(line)["file"] for line in out.splitlines()] == [str(photo)]
    assert len(err.splitlines()) == 1 and str(bad) in err and "Traceback" not in err


@pytest.mark.parametrize(("kind", "words"), BAD.items())
def test_the_error_says_what_is_wrong(kind: str, words: str, tmp_path: Path, photo: Path) -> None:
    with pytest.raises(InputError, match=words):
        load_photo(spoil(tmp_path, photo, kind))


def test_a_picture_without_cards_is_said_to_have_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blank = tmp_path / "blank.png"
    cv2.imwrite(str(blank), np.full((300, 400, 3), 90, np.uint8))
    assert read("--json", str(blank)) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["cards"] == []
    assert err.strip() == f"{blank}: no cards found."


def test_a_folder_stands_for_its_pictures(photo: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("-")
    assert photo_files([tmp_path]) == [photo]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="no picture in this folder"):
        load_photo(photo_files([empty])[0])


def test_what_has_no_end_is_refused(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "zero.jpg").symlink_to("/dev/zero")
    assert photo_files([tmp_path]) == [photo]
    for name in ("pipe.jpg", "zero.jpg"):
        assert read(str(tmp_path / name)) == 66
        assert "no ordinary file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--threads", "0"], "1 to 64"), (["--threads", "99999"], "1 to 64"), (["--deck", ""], "no name for a deck")],
)
def test_impossible_options_are_refused(
    words: list[str], said: str, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert read(*words, str(photo)) == 64
    out, err = capsys.readouterr()
    assert said in err and not out


def spoil_models(folder: Path, kind: str) -> None:
    ours = {name: resource(f"models/{name}") for name in ("index_detector.onnx", "index_classifier.onnx")}
    if kind == "file":
        folder.write_bytes(b"")
    elif kind != "missing":
        folder.mkdir()
    if kind in ("no classifier", "swapped"):
        source = "index_detector.onnx" if kind == "no classifier" else "index_classifier.onnx"
        (folder / "index_detector.onnx").symlink_to(ours[source])
    if kind in ("no detector", "swapped", "not a model"):
        (folder / "index_classifier.onnx").symlink_to(ours["index_classifier.onnx"])
    if kind == "not a model":
        (folder / "index_detector.onnx").write_text("weights")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("missing", "there is no such folder"),
        ("file", "this is no folder"),
        ("empty", "no index_detector.onnx or index_detector.pt and no index_classifier.onnx in this folder"),
        ("no detector", "no index_detector.onnx or index_detector.pt in this folder"),
        ("no classifier", "no index_classifier.onnx in this folder"),
        ("swapped", "finds no corner indices"),
        ("not a model", "not a model that can be run"),
    ],
)
def test_a_wrong_model_folder_is_one_plain_line(
    kind: str, words: str, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil_models(tmp_path / "models", kind)
    assert read("--models", str(tmp_path / "models"), str(photo)) == 66
    err = capsys.readouterr().err
    assert words in err and len(err.splitlines()) == 1
    assert "index_classifier.onnx" in err or kind == "not a model"


def test_a_huge_jpeg_is_decoded_smaller_and_its_boxes_are_the_originals(
    photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read("--json", str(photo))
    plain = json.loads(capsys.readouterr().out)["cards"]
    monkeypatch.setattr(images, "MAX_DECODED_PX", 60_000)
    assert load_photo(photo).reduction == 2
    read("--json", str(photo))
    reduced = json.loads(capsys.readouterr().out)["cards"]
    centres = [sorted((c["box"][0] + c["box"][2]) / 2 for c in cards) for cards in (plain, reduced)]
    assert centres[1] == pytest.approx(centres[0], abs=8)


def test_a_huge_picture_of_another_format_is_refused_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    header = b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4, "big") + b"IHDR"
    path.write_bytes(
        header + (20000).to_bytes(4, "big") + (20000).to_bytes(4, "big") + b"\x08\x02" + b"\0" * 40 + b"IEND"
    )
    with pytest.raises(InputError, match="400 megapixels"):
        load_photo(path)


def test_pixels_are_those_of_the_picture_as_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "turned.jpg"
    exif = Picture.Exif()
    exif[0x0112] = 6  # a quarter turn
    Picture.new("RGB", (80, 40), (200, 10, 10)).save(path, exif=exif)
    assert load_photo(path).image.shape == (80, 40, 3)
