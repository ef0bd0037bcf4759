"""Index crops for the classifier: upright patches cut from scenes and photographs, and patches that are no index."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.train.camera import degrade, ink_gain
from models.train.scene import SCENE_PX, Labels
from models.train.store import read_chunk
from table_controller.vision.classify import NO_INDEX, PATCH_INDEX_PX
from table_controller.vision.detect import Corner
from table_controller.vision.images import Image

STORE_PX = (112, 84)
"""Width and height of a stored patch: what any view of it may need."""
STORE_CENTRE = (42.0, 41.5)
"""Where the index's centre is in it; there is more room to its right, where the big pip may show the suit."""
COPIES = 3
NEGATIVES = 3
CLEAR, HIDDEN = 0.62, 0.45
"""Shares of rank and suit (of the one seen less) from which an index must be read, and below which it is none."""

Bytes = NDArray[np.uint8]
Classes = NDArray[np.int64]


def corner_of(quad: Labels) -> Corner:
    """The corner that a labelled quadrilateral is."""
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    across = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
    height = float(np.hypot(*up))
    x, y = quad.mean(0)
    norm = max(height, 1e-6)
    return Corner(
        1.0, (float(x), float(y)), (float(up[0] / norm), float(up[1] / norm)), height, float(np.hypot(*across))
    )


def cut(image: Image, corner: Corner, detail: float = 1.0) -> Image:
    """The patch round a corner with ``detail`` × its final resolution, before it goes through a camera."""
    width, height = (round(side * detail) for side in STORE_PX)
    scale = PATCH_INDEX_PX * detail / max(corner.height_px, 4.0)
    ux, uy = corner.up
    turn = scale * np.array([[-uy, ux], [-ux, -uy]])
    source, centre = image, np.array(corner.centre)
    if scale < 0.9:
        source = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        shrink = np.array([source.shape[1] / image.shape[1], source.shape[0] / image.shape[0]])
        centre, turn = centre * shrink, turn / shrink
    shift = (np.array(STORE_CENTRE) + 0.5) * detail - 0.5 - turn @ (centre - 0.5)
    size = (width, height)
    return np.asarray(
        cv2.warpAffine(
            source, np.column_stack([turn, shift]), size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )


def _through_camera(image: Image, corner: Corner, rng: random.Random) -> Image:
    """The patch as a camera saw it at a random, often low, resolution."""
    native = corner.height_px / PATCH_INDEX_PX
    patch = cut(image, corner, min(native, 1.7))
    patch = degrade(ink_gain(patch, rng), rng)
    way = cv2.INTER_AREA if native > 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(patch, STORE_PX, interpolation=way), np.uint8)


def _turned(corner: Corner, angle: float) -> Corner:
    (ux, uy), cos, sin = corner.up, math.cos(angle), math.sin(angle)
    return Corner(1.0, corner.centre, (ux * cos - uy * sin, ux * sin + uy * cos), corner.height_px, corner.width_px)


def _moved(corner: Corner, rng: random.Random) -> Corner:
    """The corner missed by half to a whole height."""
    angle, far = rng.uniform(0, 2 * math.pi), rng.uniform(0.5, 1) * corner.height_px
    x, y = corner.centre
    return Corner(
        1.0, (x + far * math.cos(angle), y + far * math.sin(angle)), corner.up, corner.height_px, corner.width_px
    )


def _of_label(row: Labels, rng: random.Random) -> list[tuple[Corner, int]]:
    """The corners, with their classes, that one label yields."""
    quad = row[2:].reshape(4, 2)
    corner = corner_of(quad)
    if not (0 < corner.centre[0] < SCENE_PX and 0 < corner.centre[1] < SCENE_PX) or corner.height_px < 15:
        return []
    if row[1] > CLEAR and quad.min() > -2 and quad.max() < SCENE_PX + 2:
        wanted = [(corner, int(row[0]))] * COPIES
        if rng.random() < 0.08:
            wanted.append((_turned(corner, math.pi), NO_INDEX))
        if rng.random() < 0.06:
            wanted.append((_turned(corner, rng.choice((1, -1)) * math.pi / 2), NO_INDEX))
        if rng.random() < 0.12:
            wanted.append((_moved(corner, rng), NO_INDEX))
        return wanted
    return [(corner, NO_INDEX)] if row[1] < HIDDEN and rng.random() < 0.4 else []


def crops_of_scene(image: Image, labels: Labels, rng: random.Random) -> tuple[list[Image], list[int]]:
    """Patches and classes from one scene."""
    wanted = [pair for row in labels for pair in _of_label(row, rng)]
    corners = [corner_of(row[2:].reshape(4, 2)) for row in labels]
    usual = float(np.median([c.height_px for c in corners])) if corners else 40.0
    for _ in range(NEGATIVES):
        at = (rng.uniform(10, SCENE_PX - 10), rng.uniform(10, SCENE_PX - 10))
        if all(math.dist(at, c.centre) > 0.6 * usual for c in corners):
            angle, height = rng.uniform(0, 2 * math.pi), usual * rng.uniform(0.7, 1.4)
            wanted.append((Corner(0, at, (math.cos(angle), math.sin(angle)), height, height / 2), NO_INDEX))
    return [_through_camera(image, corner, rng) for corner, _ in wanted], [kind for _, kind in wanted]


def _chunk_crops(file: Path, folder: Path, seed: int) -> Path:
    cv2.setNumThreads(1)
    rng = random.Random(f"{seed}/{file.stem}")
    patches: list[Image] = []
    kinds: list[int] = []
    for image, labels in read_chunk(file):
        more, their_kinds = crops_of_scene(image, labels, rng)
        patches += more
        kinds += their_kinds
    out = folder / f"{file.stem}.npz"
    unfinished = folder / f"unfinished_{file.stem}.npz"
    np.savez(unfinished, patches=np.stack(patches), kinds=np.array(kinds, np.int64))
    unfinished.rename(out)
    return out


def crop_files(scene_files: Sequence[Path], work: Path, seed: int, workers: int) -> list[Path]:
    """The files of patches of the scenes, cutting those that are missing."""
    folder = work / "crops"
    folder.mkdir(parents=True, exist_ok=True)
    missing = [file for file in scene_files if not (folder / f"{file.stem}.npz").exists()]
    if missing:
        with ProcessPoolExecutor(workers) as pool, tqdm(total=len(missing), desc="crops") as bar:
            for _ in pool.map(_chunk_crops, *zip(*((file, folder, seed) for file in missing), strict=True)):
                bar.update(1)
    return [folder / f"{file.stem}.npz" for file in scene_files]


def load_crops(files: Sequence[Path]) -> tuple[Bytes, Classes]:
    """All patches (N × 84 × 112 × 3) and their classes."""
    parts = []
    for file in files:
        with np.load(file) as data:
            parts.append((data["patches"], data["kinds"]))
    return np.concatenate([p for p, _ in parts]), np.concatenate([k for _, k in parts])
