"""Every kind of picture file a phone or a program may hand over: read as it is shown, or refused in one clear line."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image as Picture

from table_controller.errors import InputError
from table_controller.vision.images import MAX_OTHER_PX, load_photo

COLOUR = (200, 40, 90)
KINDS = {
    "plain.png": ("RGB", {}),
    "alpha.png": ("RGBA", {}),
    "palette.png": ("P", {}),
    "grey.jpg": ("L", {}),
    "cmyk.jpg": ("CMYK", {"quality": 95}),
    "progressive.jpg": ("RGB", {"progressive": True, "quality": 95}),
    "lossy.webp": ("RGB", {"quality": 95}),
    "lossless.webp": ("RGB", {"lossless": True}),
    "alpha.webp": ("RGBA", {"quality": 95}),
    "plain.bmp": ("RGB", {}),
    "plain.tif": ("RGB", {}),
}


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_is_read_with_its_colours(name: str, tmp_path: Path) -> None:
    mode, options = KINDS[name]
    plain = Picture.new("RGB", (80, 60), COLOUR)
    picture = plain.quantize(4) if mode == "P" else plain.convert(mode)
    picture.save(tmp_path / name, **options)
    image = load_photo(tmp_path / name).image
    assert image.shape == (60, 80, 3) and image.dtype == np.uint8
    expected = picture.convert("RGB").getpixel((9, 9))
    assert np.abs(image[30, 40, ::-1].astype(int) - expected).max() < 14


@pytest.mark.parametrize("name", ["deep.png", "deep.tif"])
def test_sixteen_bits_a_channel_become_eight(name: str, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / name), np.full((60, 80, 3), 200 * 257, dtype=np.uint16))
    image = load_photo(tmp_path / name).image
    assert image.dtype == np.uint8 and abs(int(image[9, 9, 0]) - 200) <= 1


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_a_camera_notes_is_undone(orientation: int, tmp_path: Path) -> None:
    upright = np.full((80, 120, 3), 60, dtype=np.uint8)
    upright[:20, :30] = 250  # the mark is at the top left as it is displayed
    stored = {1: upright, 2: upright[:, ::-1], 3: upright[::-1, ::-1], 4: upright[::-1]}.get(orientation)
    if stored is None:
        across = upright.transpose(1, 0, 2)
        stored = {5: across, 6: across[::-1], 7: across[::-1, ::-1], 8: across[:, ::-1]}[orientation]
    exif = Picture.Exif()
    exif[0x0112] = orientation
    Picture.fromarray(np.ascontiguousarray(stored)).save(tmp_path / "turned.jpg", exif=exif, quality=95)
    image = load_photo(tmp_path / "turned.jpg").image
    assert image.shape == (80, 120, 3)
    assert image[8, 12].min() > 200 and image[8, 110].max() < 110 and image[70, 12].max() < 110


def tiff(order: str, width: int, height: int) -> bytes:
    head = b"II*\x00" if order == "<" else b"MM\x00*"
    entries = struct.pack(f"{order}HHII", 256, 4, 1, width) + struct.pack(f"{order}HHII", 257, 4, 1, height)
    return head + struct.pack(f"{order}IH", 8, 2) + entries + b"\0" * 64


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\0\0\0\x18ftypheic" + b"\0" * 400, "HEIC and AVIF pictures are not read.*Most Compatible"),
        (b"\0\0\0\x1cftypavif" + b"\0" * 400, "HEIC and AVIF"),
        (b"GIF89a" + b"\0" * 400, "not a picture.*JPEG, PNG"),
        (b"%PDF-1.7" + b"\0" * 400, "not a picture"),
        (tiff("<", 20_000, 20_000), "400 megapixels"),
        (tiff(">", 20_000, 20_000), "400 megapixels"),
        (tiff("<", 9, 900), "too small"),
        (tiff("<", 900, 900), "damaged"),
        (b"II*\x00\xff\xff\xff\x7f", "damaged"),
        (b"II*\x00", "damaged"),
        (b"RIFF\x10\0\0\0WEBPVP8X" + b"\0" * 8 + b"\xff\xff\x00\xff\xff\x00", "4295 megapixels"),
        (
            b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff" + b"\0" * 12 + b"\xff\xda\xff\xd9",
            "megapixels|cut off|damaged",
        ),
    ],
)
def test_what_cannot_be_read_is_said_before_it_is_decoded(data: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "picture.jpg").write_bytes(data)
    with pytest.raises(InputError) as error:
        load_photo(tmp_path / "picture.jpg")
    line = error.value.line()
    assert "\n" not in line and re.search(words, line), line


def test_nothing_decoded_is_larger_than_the_limits_allow() -> None:
    assert MAX_OTHER_PX * 3 < 200 * 1024 * 1024
