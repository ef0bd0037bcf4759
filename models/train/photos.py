"""Labelled photographs as training material: the reader trained so far says which way each labelled index points."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from models.train.camera import degrade, ink_gain
from models.train.crops import STORE_PX, Bytes, Classes, corner_of, cut
from models.train.scene import LABEL_COLUMNS, Labels
from table_controller.cards import FACES
from table_controller.vision.classify import NO_INDEX
from table_controller.vision.detect import Corner
from table_controller.vision.images import Image, load_photo
from table_controller.vision.reader import IndexReading, Reader

HELD_OUT_EVERY = 4
BELIEVED_FROM = 0.3
"""A reading shows a labelled index's direction when it gives the label at least this much."""
DEGRADED_COPIES = 2
NEGATIVES = 4

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class LabelledPhoto:
    """A photograph and its labels as the scene renderer gives them; class -1 where the direction stayed unknown."""

    name: str
    image: Image
    labels: Labels


def held_out(name: str) -> bool:
    """Whether a photograph is kept back from training: a quarter of them, by name."""
    return zlib.crc32(name.encode()) % HELD_OUT_EVERY == 0


def _quad(reading: IndexReading) -> Labels:
    (x, y), (ux, uy) = reading.centre, reading.up
    up = np.array([ux, uy]) * reading.height_px / 2
    right = np.array([-uy, ux]) * reading.width_px / 2
    centre = np.array([x, y])
    return np.array([centre + up - right, centre + up + right, centre - up + right, centre - up - right], np.float32)


def _row(card: str, box: Box, readings: Sequence[IndexReading]) -> Labels:
    """The label of one marked index: its quadrilateral by the best reading that lies in its box."""
    kind = FACES.index(card)
    x0, y0, x1, y1 = box
    wide, high = x1 - x0, y1 - y0
    inside = [
        reading
        for reading in readings
        if x0 - 0.1 * wide <= reading.centre[0] <= x1 + 0.1 * wide
        and y0 - 0.1 * high <= reading.centre[1] <= y1 + 0.1 * high
        and 0.45 * max(wide, high) < reading.height_px < 1.5 * max(wide, high)
        and reading.probs[kind] > BELIEVED_FROM
    ]
    if not inside:
        return np.array([-1, 0.5, x0, y0, x1, y0, x1, y1, x0, y1], np.float32)
    best = max(inside, key=lambda reading: float(reading.probs[kind]))
    return np.concatenate([[kind, 1.0], _quad(best).reshape(-1)]).astype(np.float32)


def load_labelled(folder: Path, labels_file: Path, reader: Reader) -> list[LabelledPhoto]:
    """All photographs named in a label file ({name: [{"card", "box"}]}) that are in the folder."""
    marks = json.loads(labels_file.read_text(encoding="utf-8"))
    photos = []
    for name, marked in tqdm(sorted(marks.items()), desc=f"labelling {folder.name}"):
        if not (folder / name).exists():
            continue
        image = load_photo(folder / name).image
        readings = reader.read_photo(image)
        rows = [_row(mark["card"], tuple(mark["box"]), readings) for mark in marked]
        photos.append(LabelledPhoto(name, image, np.array(rows, np.float32).reshape(-1, LABEL_COLUMNS)))
    return photos


def _places(photo: LabelledPhoto, rng: random.Random) -> list[tuple[Corner, int]]:
    corners = [corner_of(row[2:].reshape(4, 2)) for row in photo.labels]
    wanted = []
    for row, corner in zip(photo.labels, corners, strict=True):
        if row[0] >= 0:
            wanted.append((corner, int(row[0])))
            if rng.random() < 0.25:
                back = (-corner.up[0], -corner.up[1])
                wanted.append((Corner(1, corner.centre, back, corner.height_px, corner.width_px), NO_INDEX))
    usual = float(np.median([c.height_px for c in corners])) if corners else 50.0
    for _ in range(NEGATIVES):
        at = (rng.uniform(0, photo.image.shape[1]), rng.uniform(0, photo.image.shape[0]))
        if all(np.hypot(at[0] - c.centre[0], at[1] - c.centre[1]) > 0.7 * usual for c in corners):
            angle, height = rng.uniform(0, 6.283), usual * rng.uniform(0.7, 1.3)
            wanted.append((Corner(1, at, (float(np.cos(angle)), float(np.sin(angle))), height, height / 2), NO_INDEX))
    return wanted


def crops_of_photos(photos: Sequence[LabelledPhoto], seed: int, copies: int = DEGRADED_COPIES) -> tuple[Bytes, Classes]:
    """Patches as they are, plus ``copies`` each that went through another camera."""
    rng = random.Random(seed)
    patches: list[Image] = []
    kinds: list[int] = []
    for photo in photos:
        for corner, kind in _places(photo, rng):
            plain = cut(photo.image, corner)
            patches += [plain, *(degrade(ink_gain(plain, rng), rng, 0.6) for _ in range(copies))]
            kinds += [kind] * (1 + copies)
    empty = np.zeros((0, STORE_PX[1], STORE_PX[0], 3), np.uint8)
    return (np.stack(patches) if patches else empty), np.array(kinds, np.int64)
