"""The rendered scenes on disk: rendered once, in chunks, by several processes; a broken run goes on from there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.train.art import blank_deck, load_decks
from models.train.backgrounds import load_backgrounds
from models.train.printing import suit_masks
from models.train.scene import Labels, render
from table_controller.vision.images import Image

CHUNK = 25


def _render_chunk(work: Path, folder: Path, chunk: int, seed: int, drawn_only: bool) -> int:
    """Renders one chunk into its own file; its number."""
    cv2.setNumThreads(1)
    arts = [blank_deck()] if drawn_only else load_decks(work)
    signs = [] if drawn_only else [found for art in arts if len(found := suit_masks(art)) == 4]
    pictures = [] if drawn_only else load_backgrounds(work)
    rng = random.Random(f"{seed}/{chunk}")
    images, labels = [], {}
    for i in range(CHUNK):
        image, rows = render(rng, arts, signs, pictures)
        images.append(image)
        labels[f"labels{i}"] = rows
    unfinished = folder / f"unfinished{chunk:05}.npz"
    np.savez(unfinished, images=np.stack(images), **labels)  # type: ignore[arg-type]
    unfinished.rename(_file(folder, chunk))
    return chunk


def _file(folder: Path, chunk: int) -> Path:
    return folder / f"scenes{chunk:05}.npz"


def render_scenes(work: Path, count: int, seed: int, workers: int, drawn_only: bool = False) -> list[Path]:
    """The files of at least ``count`` scenes, rendering those that are missing; ``drawn_only`` fetches no faces."""
    folder = work / "scenes"
    folder.mkdir(parents=True, exist_ok=True)
    if not drawn_only:  # fetched once, before several processes look for them
        load_decks(work)
        load_backgrounds(work)
    wanted = range(-(-count // CHUNK))
    missing = [chunk for chunk in wanted if not _file(folder, chunk).exists()]
    if missing:
        with ProcessPoolExecutor(workers) as pool, tqdm(total=len(missing) * CHUNK, desc="scenes") as bar:
            for _ in pool.map(
                _render_chunk, *zip(*((work, folder, chunk, seed, drawn_only) for chunk in missing), strict=True)
            ):
                bar.update(CHUNK)
    return [_file(folder, chunk) for chunk in wanted]


def read_chunk(file: Path) -> Iterator[tuple[Image, Labels]]:
    """The scenes of one file."""
    with np.load(file) as data:
        images: NDArray[np.uint8] = data["images"]
        for i, image in enumerate(images):
            yield image, data[f"labels{i}"]
