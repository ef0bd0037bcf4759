"""Reads rendered scenes that were kept back, end to end, and draws what went wrong.

``python -m models.train.judge --work build/train --models models --picture models/failures.jpg``
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from models.train.camera import degrade
from models.train.crops import corner_of
from models.train.scene import SCENE_PX, Labels
from models.train.store import read_chunk
from table_controller.cards import FACES
from table_controller.vision.detect import Corner
from table_controller.vision.images import Image
from table_controller.vision.reader import Reader
from table_controller.vision.reading import IndexReading

NEAR = 0.4
"""A reading belongs to a label within this share of its height."""
CLEAR = 0.9
SIDE_PX = 110
COLUMNS = 10
MOST = 40


def _tile(image: Image, centre: tuple[float, float], height: float, text: str) -> Image:
    """A square round a corner with a caption."""
    reach = max(8, int(height * 1.2))
    x, y = (int(v) for v in centre)
    padded = cv2.copyMakeBorder(image, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=(114, 114, 114))
    part = cv2.resize(padded[y : y + 2 * reach, x : x + 2 * reach], (SIDE_PX, SIDE_PX))
    tile = cv2.copyMakeBorder(part, 0, 18, 0, 2, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    cv2.putText(tile, text, (2, SIDE_PX + 13), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 160), 1, cv2.LINE_AA)
    return np.asarray(tile, np.uint8)


def _countable(row: Labels) -> bool:
    quad = row[2:].reshape(4, 2)
    return bool(row[1] > CLEAR and quad.min() > 2 and quad.max() < SCENE_PX - 2 and corner_of(quad).height_px > 24)


def judge_scene(
    image: Image, labels: Labels, readings: Sequence[IndexReading], count: Counter[str], tiles: list[Image]
) -> None:
    """Counts right, wrong, doubtful, missed and away; keeps tiles of what was wrong or away."""
    corners = [corner_of(row[2:].reshape(4, 2)) for row in labels]

    def mine(reading: IndexReading, corner: Corner) -> bool:
        return math.dist(reading.centre, corner.centre) < NEAR * corner.height_px

    for row, corner in zip(labels, corners, strict=True):
        if not _countable(row):
            continue
        here = [reading for reading in readings if mine(reading, corner)]
        sure = [reading for reading in here if not reading.doubtful]
        card = FACES[int(row[0])]
        if any(reading.card == card for reading in sure):
            count["right"] += 1
        elif sure:
            count["wrong"] += 1
            tiles.append(
                _tile(image, corner.centre, corner.height_px, f"{card} as {sure[0].card} {sure[0].confidence:.2f}")
            )
        else:
            count["doubtful" if here else "missed"] += 1
    for reading in readings:
        if not reading.doubtful and not any(mine(reading, corner) for corner in corners):
            count["away"] += 1
            tiles.append(_tile(image, reading.centre, reading.height_px, f"none as {reading.card}"))


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the counts as JSON; writes the picture where asked."""
    parser = argparse.ArgumentParser(prog="python -m models.train.judge", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("build/train"))
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--chunks", type=int, default=4, help="files of scenes read, from the last one back")
    parser.add_argument("--picture", type=Path)
    args = parser.parse_args(argv)
    reader, rng = Reader.load(args.models), random.Random(1)
    count: Counter[str] = Counter()
    tiles: list[Image] = []
    for file in sorted((args.work / "scenes").glob("scenes*.npz"))[-args.chunks :]:
        for clean, labels in read_chunk(file):
            image = degrade(clean, rng)
            judge_scene(image, labels, reader.read_photo(image), count, tiles)
            count["scenes"] += 1
    print(json.dumps({"reader": reader.name, **count}))
    if args.picture is not None and tiles:
        tiles = tiles[:MOST]
        tiles += [np.full_like(tiles[0], 255)] * (-len(tiles) % COLUMNS)
        rows = [np.hstack(tiles[i : i + COLUMNS]) for i in range(0, len(tiles), COLUMNS)]
        cv2.imwrite(str(args.picture), np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, 80])
    return 0


if __name__ == "__main__":
    sys.exit(main())
