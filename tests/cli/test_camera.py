"""``camera check`` and ``camera corners`` at the terminal."""

from __future__ import annotations

import random
from pathlib import Path

import cv2
import pytest

from table_controller.cli import main
from table_controller.sim import faults
from table_controller.sim.scene import Scene


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
    assert cv2.imread(str(picture)).shape == (1080, 1080, 3)


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
