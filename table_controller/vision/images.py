"""Photographs from files: refused in plain words when they are not pictures, bounded in memory when they are huge.

EXIF orientation is applied, so a photograph's pixels are those of the picture as it is displayed.
"""

from __future__ import annotations

import contextlib
import stat
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.errors import InputError

Image = NDArray[np.uint8]
"""Height × width × 3, blue green red."""

PHOTO_SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")
MIN_SIDE_PX = 24
MAX_DECODED_PX = 40_000_000
"""A JPEG above this is decoded at a half, quarter or eighth of its size (libjpeg never holds the whole)."""
MAX_OTHER_PX = 60_000_000
"""Other formats are decoded whole, so they are refused above this."""
MAX_FILE_BYTES = 256 * 1024 * 1024

_SOF = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True)
class Photo:
    """A decoded photograph. ``reduction`` is how many pixels of the original one pixel of ``image`` stands for."""

    image: Image
    reduction: int = 1


def _jpeg_size(data: bytes, name: str) -> tuple[int, int] | None:
    """(width, height) of a JPEG, or None for something else; raises InputError when the file is cut off."""
    if not data.startswith(b"\xff\xd8"):
        return None
    cut = InputError(f"{name}: the picture is cut off.", way_out="Copy it again.")
    size, at = None, 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            at += 1
            continue
        marker = data[at + 1]
        if marker in (0xFF, 0x00, 0x01) or 0xD0 <= marker <= 0xD8:
            at += 1 if marker == 0xFF else 2
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker in _SOF and at + 9 <= len(data):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            size = (width, height)
        if marker == 0xDA:
            if size is None or data.find(b"\xff\xd9", at) < 0:
                raise cut
            return size
        at += 2 + length
    raise cut


def _other_size(data: bytes, name: str) -> tuple[int, int] | None:
    """(width, height) from a PNG, BMP or WebP header; None for something else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        if len(data) < 24 or b"IEND" not in data[-64:]:
            raise InputError(f"{name}: the picture is cut off.", way_out="Copy it again.")
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data.startswith(b"BM") and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return width, abs(height)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        if data[12:16] == b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        if data[12:16] == b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None


_TIFF = {b"II*\x00": "<", b"MM\x00*": ">"}
_TIFF_WIDTH, _TIFF_HEIGHT, _TIFF_SHORT = 256, 257, 3


def _tiff_size(data: bytes, name: str) -> tuple[int, int] | None:
    """(width, height) from the first page of a TIFF, None for something else; raises InputError when it is damaged."""
    order = _TIFF.get(data[:4])
    if order is None:
        return None
    found: dict[int, int] = {}
    try:
        (at,) = struct.unpack_from(f"{order}I", data, 4)
        (count,) = struct.unpack_from(f"{order}H", data, at)
        for i in range(count):
            tag, kind = struct.unpack_from(f"{order}HH", data, at + 2 + 12 * i)
            if tag in (_TIFF_WIDTH, _TIFF_HEIGHT):
                form = "H" if kind == _TIFF_SHORT else "I"
                (found[tag],) = struct.unpack_from(f"{order}{form}", data, at + 10 + 12 * i)
        return found[_TIFF_WIDTH], found[_TIFF_HEIGHT]
    except (struct.error, KeyError) as error:
        raise _damaged(name) from error


_PHONE_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1", b"avif")


def _is_heic(data: bytes) -> bool:
    """Whether it is what many phones keep photographs in."""
    return data[4:8] == b"ftyp" and data[8:12] in _PHONE_BRANDS


def _damaged(name: str) -> InputError:
    return InputError(f"{name}: the picture is damaged.", way_out="Copy it again or save it anew as a JPEG.")


def _reduction(size: tuple[int, int], jpeg: bool, name: str) -> int:
    """1, 2, 4 or 8: how far the picture is shrunk while decoding; raises InputError where that is not enough."""
    pixels = size[0] * size[1]
    if not jpeg:
        if pixels > MAX_OTHER_PX:
            raise InputError(
                f"{name}: {pixels / 1e6:.0f} megapixels is too large for this format (limit {MAX_OTHER_PX / 1e6:.0f}).",
                way_out="Save it as a JPEG or shrink it.",
            )
        return 1
    for factor in (1, 2, 4, 8):
        if pixels <= MAX_DECODED_PX * factor * factor:
            return factor
    raise InputError(f"{name}: {pixels / 1e6:.0f} megapixels is too large.", way_out="Shrink it.")


_FLAGS = {
    1: cv2.IMREAD_COLOR_BGR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


def _bytes_of(path: Path) -> bytes:
    try:
        if path.is_dir():
            words = "this is a folder" if _pictures_in(path) else "there is no picture in this folder"
            raise InputError(f"{path}: {words}.", way_out=f"Name pictures ({', '.join(PHOTO_SUFFIXES)}).")
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            # a pipe or a device may have no end
            raise InputError(f"{path}: this is no ordinary file.", way_out="Name a picture.")
        if facts.st_size > MAX_FILE_BYTES:
            raise InputError(f"{path}: the file is larger than 256 MB.", way_out="Shrink the picture.")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file.", way_out="Check the name.") from error
    except OSError as error:
        raise InputError(f"{path}: it cannot be read ({error.strerror}).", way_out="Check the rights.") from error


def load_photo(path: Path) -> Photo:
    """The photograph in a file, upright as displayed; raises InputError saying what is wrong with it."""
    data, name = _bytes_of(path), str(path)
    if not data:
        raise InputError(f"{name}: the file is empty.", way_out="Copy it again.")
    jpeg = data.startswith(b"\xff\xd8")
    size = _jpeg_size(data, name) or _other_size(data, name) or _tiff_size(data, name)
    if size is None and _is_heic(data):
        way_out = "Save it as a JPEG; on an iPhone: Settings, Camera, Formats, Most Compatible."
        raise InputError(f"{name}: HEIC and AVIF pictures are not read.", way_out=way_out)
    if size is None:
        raise InputError(f"{name}: this is not a picture.", way_out="JPEG, PNG, WebP, BMP and TIFF are read.")
    if min(size) < MIN_SIDE_PX:
        raise InputError(f"{name}: {size[0]} × {size[1]} pixels is too small to read cards from.", way_out="")
    factor = _reduction(size, jpeg, name)
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), _FLAGS[factor])
    except cv2.error:
        image = None
    if image is None:
        raise _damaged(name)
    if min(image.shape[:2]) < MIN_SIDE_PX:
        raise InputError(f"{name}: the picture is too small to read cards from.", way_out="")
    return Photo(np.ascontiguousarray(image, dtype=np.uint8), factor)


def _pictures_in(folder: Path) -> list[Path]:
    """The ordinary files in a folder that are named as pictures, in order; raises OSError."""
    return sorted(file for file in folder.iterdir() if file.suffix.lower() in PHOTO_SUFFIXES and file.is_file())


def photo_files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and the pictures in the folders named, in order; a folder without pictures, or one that cannot
    be looked into, stays in the list."""
    files: list[Path] = []
    for path in paths:
        inside: list[Path] = []
        with contextlib.suppress(OSError):
            inside = _pictures_in(path) if path.is_dir() else []
        files.extend(inside or [path])
    return files
