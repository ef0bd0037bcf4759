"""A camera whose frames another program hands over in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from table_controller.errors import DeviceError, InputError
from table_controller.geometry import load_geometry
from table_controller.vision.frames_file import SILENT_MS, FrameFile, FramesReader
from table_controller.vision.sources import open_source


class Clock:
    """A clock that goes on by a second at every look."""

    now = 0

    def __call__(self) -> int:
        self.now += 1000
        return self.now


def test_each_frame_is_taken_once_with_its_stamp_and_the_newest_first(tmp_path: Path) -> None:
    file = FrameFile(tmp_path / "frames", (6, 4))
    reader = FramesReader(tmp_path / "frames", Clock())
    for number in (1, 2, 3):
        file.write(np.full((4, 6, 3), number, np.uint8), 100 * number)
    image, stamp_ms = reader.next()
    assert (image.shape, int(image[0, 0, 0]), stamp_ms) == ((4, 6, 3), 3, 300)
    with pytest.raises(DeviceError, match="no more frames"):
        reader.next()
    file.write(np.full((4, 6, 3), 4, np.uint8), 400)
    assert reader.next()[1] == 400
    reader.close()
    file.close()


def test_a_frame_that_is_being_written_is_not_taken(tmp_path: Path) -> None:
    file = FrameFile(tmp_path / "frames", (6, 4))
    file.write(np.full((4, 6, 3), 9, np.uint8), 900)
    file._map[32 + 16 + 72 : 32 + 16 + 72 + 8] = bytes(8)  # the second slot's number, as `write` leaves it half-way
    reader = FramesReader(tmp_path / "frames", Clock())
    with pytest.raises(DeviceError):
        reader.next()
    reader.close()
    file.close()
    assert SILENT_MS < 10_000


def test_what_is_no_file_of_frames_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="no program gives frames"):
        open_source(f"frames:{tmp_path / 'none'}", load_geometry(), Clock())
    for name, content in (("empty", b""), ("text", b"a page of text" * 20), ("short", b"TCFRAMES" + bytes(24))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="not a file of frames"):
            FramesReader(tmp_path / name, Clock())
