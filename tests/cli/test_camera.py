"""``camera check`` and ``camera corners`` at the terminal."""

from __future__ import annotations

import random
from pathlib import Path

import cv2
import pytest

from table_controller.cli import main
from table_controller.sim import faults
from table_controller.sim.scene import Scene
from table_controller.vision.mat import MatPose
from table_controller.vision.setup import mat_corners


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    scene = Scene(random.Random(3))
    folder = tmp_path / "pictures"
    folder.mkdir()
    frame = scene.render()
    for i in range(3):
        cv2.imwrite(str(folder / f"{i}.jpg"), frame)
    return folder


def test_a_good_camera_is_told_so_and_its_picture_kept(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "look.png"
    status = main(
        ["camera", "check", "--camera", f"folder:{recording}", "--picture", str(picture), "--state", str(tmp_path)]
    )
    words = capsys.readouterr().out
    assert status == 0, words
    assert "8 markers" in words
    assert "area W     3.0" in words
    assert "画面良好" in words
    assert cv2.imread(str(picture)).shape == (2160, 2160, 3)


def test_what_is_amiss_is_told_in_both_languages(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in recording.iterdir():
        cv2.imwrite(str(file), faults.lit(cv2.imread(str(file)), 0.3))
    assert main(["camera", "check", "--camera", f"folder:{recording}", "--state", str(tmp_path)]) == 1
    words = capsys.readouterr().out
    assert "too dark" in words
    assert "太暗" in words


def test_corners_are_kept_checked_and_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = ["--state", str(tmp_path)]
    assert main(["camera", "corners", "90,90", "2060,95", "2070,2060", "95,2070", *state]) == 0
    assert (tmp_path / "corners.json").exists()
    assert main(["camera", "corners", "90,90", "2060,95", *state]) == 66
    assert "four corners" in capsys.readouterr().err
    assert main(["camera", "corners", *state]) == 64
    assert main(["camera", "corners", "--markers", *state]) == 0
    assert not (tmp_path / "corners.json").exists()


def test_corners_read_off_the_kept_picture_fit_and_those_of_half_its_size_are_told(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = ["--state", str(tmp_path)]
    scene = Scene(random.Random(3))
    there = mat_corners(MatPose(scene.to_frame, 0, 0.0), scene.geometry)
    assert main(["camera", "corners", *(f"{x:.0f},{y:.0f}" for x, y in there), *state]) == 0
    assert "2160 × 2160" in capsys.readouterr().out
    half = [f"{x / 2:.0f},{y / 2:.0f}" for x, y in there]
    for file in sorted(recording.iterdir())[1:]:
        file.unlink()
    assert main(["camera", "corners", *half, *state]) == 1
    assert "smaller picture" in capsys.readouterr().out
    assert main(["camera", "check", "--camera", f"folder:{recording}", *state]) == 1
    words = capsys.readouterr()
    assert "only 1.5 pixels a millimetre" in words.out
    assert "The picture is good" not in words.out


def test_coarse_corners_are_kept_with_a_warning_that_names_the_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    far = ["300,300", "1900,300", "1900,1900", "300,1900"]
    assert main(["camera", "corners", *far, "--state", str(tmp_path)]) == 1
    words = capsys.readouterr().out
    assert "2.50 px/mm, 3 are needed" in words
    assert "2.50 像素" in words


def test_corners_that_are_no_places_are_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for first, words in (("nan,90", "finite numbers"), ("-500,90", "-500,90 lies outside the frame")):
        assert main(["camera", "corners", first, "2060,95", "2070,2060", "95,2070", "--state", str(tmp_path)]) == 66
        assert words in capsys.readouterr().err


def test_a_picture_of_another_size_is_told_with_what_was_made_of_it(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in recording.iterdir():
        frame = cv2.resize(cv2.imread(str(file)), (1500, 1500), interpolation=cv2.INTER_AREA)
        cv2.imwrite(str(file), cv2.copyMakeBorder(frame, 0, 0, 200, 200, cv2.BORDER_REPLICATE))
    assert main(["camera", "check", "--camera", f"folder:{recording}", "--state", str(tmp_path)]) == 1
    words = capsys.readouterr().out
    assert "frame      1500 × 1500" in words
    assert "picture    1900 × 1500" in words
    assert "2160 × 2160" in words
