"""The two trainings as jobs of their own: side by side on two cores, one after the other on a GPU."""

from __future__ import annotations

import multiprocessing as mp
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch

from models.train.classifier import Crops, train_classifier
from models.train.crops import load_crops
from models.train.detector import train_detector
from models.train.loop import Budget
from models.train.photos import LabelledPhoto, crops_of_photos, held_out, load_labelled
from models.train.store import read_chunk
from table_controller.vision.classify import NO_INDEX
from table_controller.vision.reader import Reader

HARD_SHARE = 0.06
"""How large a part of the classifier's patches are hard negatives; they are few, so each is there several times."""


@dataclass(frozen=True)
class Stage:
    """A training: from which files, for how long, beginning with what, and where its state is kept.

    ``photos`` are labelled photographs, whose indices' directions the reader in ``reader`` finds; ``hard`` is a file of
    patches that are no index.
    """

    files: Sequence[Path]
    checkpoint: Path
    budget: Budget
    seed: int
    rate: float
    start: Path | None = None
    photos: Path | None = None
    reader: Path | None = None
    hard: Path | None = None
    threads: int = 1
    row: int = 0


Job = tuple[Callable[[Stage], None], Stage]


def _photographs(stage: Stage) -> list[LabelledPhoto]:
    """The photographs that are trained on."""
    if stage.photos is None:
        return []
    labelled = load_labelled(stage.photos, stage.photos.with_suffix(".json"), Reader.load(stage.reader))
    return [photo for photo in labelled if not held_out(photo.name)]


def detector(stage: Stage) -> None:
    """Trains the detector; ``files`` are scenes, all held in memory (1.2 MB each)."""
    scenes = [sample for file in stage.files for sample in read_chunk(file)]
    train_detector(
        scenes,
        [(photo.image, photo.labels) for photo in _photographs(stage)],
        stage.checkpoint,
        budget=stage.budget,
        seed=stage.seed,
        start=stage.start,
        rate=stage.rate,
        row=stage.row,
    )


def classifier(stage: Stage) -> None:
    """Trains the classifier; ``files`` are patches."""
    patches, kinds = load_crops(stage.files)
    hard = np.load(stage.hard) if stage.hard is not None else np.zeros((0,))
    if len(hard):
        copies = max(1, int(HARD_SHARE * len(patches) / len(hard)))
        patches = np.concatenate([patches, np.tile(hard, (copies, 1, 1, 1))])
        kinds = np.concatenate([kinds, np.full(copies * len(hard), NO_INDEX, np.int64)])
    photos = Crops(*crops_of_photos(_photographs(stage), stage.seed)) if stage.photos is not None else None
    train_classifier(
        Crops(patches, kinds),
        photos,
        stage.checkpoint,
        budget=stage.budget,
        seed=stage.seed,
        start=stage.start,
        rate=stage.rate,
        row=stage.row,
    )


def _work(job: Job) -> None:
    torch.set_num_threads(job[1].threads)
    cv2.setNumThreads(1)
    job[0](job[1])


def run_jobs(jobs: Sequence[Job], side_by_side: bool) -> None:
    """Does the jobs, each in a process of its own where ``side_by_side``; raises RuntimeError when one failed."""
    if not side_by_side:
        for job in jobs:
            _work(job)
        return
    context = mp.get_context("spawn")
    processes = [context.Process(target=_work, args=(job,)) for job in jobs]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise RuntimeError("a training stopped; run the command again to go on from its last checkpoint")
