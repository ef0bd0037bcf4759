"""Camera sources: recorded material, and plain words when a camera is missing."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.errors import DeviceError, InputError
from table_controller.geometry import load_geometry
from table_controller.vision.sources import check_source, open_source, square

GEOMETRY = load_geometry()


class Ticker:
    """Time that passes a second at each look, so that no recording waits."""

    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> int:
        self.ms += 1000
        return self.ms


def picture(shade: int) -> np.ndarray:
    return np.full((60, 100, 3), shade, dtype=np.uint8)


def test_a_folder_shows_its_pictures_in_order_and_long_enough(tmp_path: Path) -> None:
    for name, shade in (("b.png", 200), ("a.png", 100)):
        cv2.imwrite(str(tmp_path / name), picture(shade))
    (tmp_path / "notes.txt").write_text("no picture")
    source = open_source(f"folder:{tmp_path}", GEOMETRY, Ticker())
    frames = []
    while (grab := source.read()) is not None:
        frames.append(grab)
    source.close()
    assert [int(image[0, 0, 0]) for image, _ in frames] == [100] * 8 + [200] * 8
    assert all(image.shape == (60, 60, 3) for image, _ in frames)
    assert [stamp for _, stamp in frames] == sorted(stamp for _, stamp in frames)


def test_a_video_runs_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 10, (100, 60))
    for shade in (40, 120, 200):
        writer.write(picture(shade))
    writer.release()
    source = open_source(f"video:{file}", GEOMETRY, Ticker())
    shades = []
    while (grab := source.read()) is not None:
        shades.append(int(grab[0].mean()))
    source.close()
    assert [round(shade / 40) for shade in shades] == [1, 3, 5]


def test_the_middle_square_is_read() -> None:
    wide = np.zeros((60, 100, 3), dtype=np.uint8)
    wide[:, 20:80] = 255
    assert square(wide).min() == 255


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder:/no/such/place", "there is no such folder"),
        ("video:/no/such.mp4", "there is no such file"),
        ("webcam", "names no camera"),
        ("folder:", "names no camera"),
    ],
)
def test_what_is_wrong_with_a_source_is_said(name: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        check_source(name, GEOMETRY, Ticker())
    assert words in error.value.message
    assert error.value.way_out


def test_an_empty_folder_and_a_file_that_is_no_video(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no picture in this folder"):
        check_source(f"folder:{tmp_path}", GEOMETRY, Ticker())
    file = tmp_path / "text.mp4"
    file.write_text("no video")
    with pytest.raises(InputError, match="not a video"):
        check_source(f"video:{file}", GEOMETRY, Ticker())


def test_a_camera_that_is_not_there() -> None:
    with pytest.raises(DeviceError, match="There is no camera at /dev/video97"):
        check_source("v4l2:97", GEOMETRY, Ticker())
    with pytest.raises(DeviceError, match=r"picamera2|Pi camera"):
        check_source("pi", GEOMETRY, Ticker())
