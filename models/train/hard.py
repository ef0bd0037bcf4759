"""Hard negatives: what the networks trained so far take for an index where none is, cut from the scenes."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from models.train.camera import degrade
from models.train.crops import STORE_PX, Bytes, corner_of, cut
from models.train.scene import Labels
from models.train.store import read_chunk
from table_controller.vision.classify import NO_INDEX, PLAIN, IndexClassifier, cut_patch
from table_controller.vision.detect import UNIT_PX, IndexDetector
from table_controller.vision.images import Image

FOUND_FROM = 0.2
FACE_FROM = 0.25
"""A find becomes a hard negative when the classifier gives all faces together more than this."""
APART = 1.0
"""How far from every label, in heights, a find must be: nearer, it would teach to shy at close neighbours."""


def mine_scene(image: Image, labels: Labels, detector: IndexDetector, classifier: IndexClassifier) -> list[Image]:
    """The patches of a scene that are taken for faces and are none."""
    known = [corner_of(row[2:].reshape(4, 2)) for row in labels]
    if not known:
        return []
    scale = min(1.0, UNIT_PX / float(np.median([corner.height_px for corner in known])))
    finds = [
        find
        for find in detector.find(image, scale, FOUND_FROM)
        if all(math.dist(find.centre, corner.centre) > APART * corner.height_px for corner in known)
    ]
    chances, _ = classifier.read([cut_patch(image, find) for find in finds], (PLAIN,))
    return [cut(image, find) for find, row in zip(finds, chances, strict=True) if 1 - row[NO_INDEX] > FACE_FROM]


def _mine_chunk(file: Path, models: Path, seed: int) -> Bytes:
    cv2.setNumThreads(1)
    detector, classifier = (
        IndexDetector(models / "index_detector.onnx"),
        IndexClassifier(models / "index_classifier.onnx"),
    )
    rng = random.Random(f"{seed}/{file.stem}")
    patches = [
        patch
        for clean, labels in read_chunk(file)
        for image in (clean, degrade(clean, rng, 0.7))
        for patch in mine_scene(image, labels, detector, classifier)
    ]
    return np.stack(patches) if patches else np.zeros((0, STORE_PX[1], STORE_PX[0], 3), np.uint8)


def mine(files: Sequence[Path], models: Path, out: Path, seed: int, workers: int) -> Bytes:
    """The hard negatives of all scenes in ``files`` (N × 84 × 112 × 3), kept in ``out``."""
    if out.exists():
        return np.asarray(np.load(out), np.uint8)
    with ProcessPoolExecutor(workers) as pool:
        jobs = pool.map(_mine_chunk, *zip(*((file, models, seed) for file in files), strict=True))
        found = np.concatenate(list(tqdm(jobs, total=len(files), desc="hard negatives")))
    np.save(out, found)
    return found
