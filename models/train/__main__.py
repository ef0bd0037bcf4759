"""Makes the weights: ``python -m models.train --out models --work build/train [--photos DIR] [--smoke] [--minutes N]``.

Stages, each kept in the work folder and skipped when it is done: card faces, scenes, crops, detector, classifier; hard
negatives mined with those; both networks again, with the photographs where there are any; export, calibration, figures.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from models.train.classifier import Crops, figures, logits_of, train_classifier
from models.train.crops import crop_files, load_crops
from models.train.detector import Sample, train_detector
from models.train.export import calibrate, export_classifier, export_detector
from models.train.hard import mine
from models.train.loop import Budget
from models.train.photos import LabelledPhoto, crops_of_photos, held_out, load_labelled
from models.train.store import CHUNK, read_chunk, render_scenes
from table_controller.cards import FACES
from table_controller.vision.classify import NO_INDEX
from table_controller.vision.reader import Reader

FINE_RATE = 1.1e-3
HARD_SHARE = 0.08
STAGE_SHARES = {"detector": 0.22, "classifier": 0.34, "detector-2": 0.12, "classifier-2": 0.32}
"""How ``--minutes`` are shared out; rendering comes on top (about eight minutes on two cores)."""


@dataclass(frozen=True)
class Size:
    """How much is rendered and trained; ``kept_back`` and ``mined`` count files of scenes."""

    scenes: int
    kept_back: int
    mined: int
    steps: dict[str, int]


FULL = Size(
    scenes=4000,
    kept_back=4,
    mined=40,
    steps={"detector": 6000, "classifier": 6000, "detector-2": 3000, "classifier-2": 6000},
)
SMOKE = Size(
    scenes=2 * CHUNK, kept_back=1, mined=1, steps={"detector": 3, "classifier": 3, "detector-2": 2, "classifier-2": 2}
)


class Recipe:
    """One run of the recipe in a work folder."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.work: Path = args.work
        self.out: Path = args.out
        self.photos_dir: Path | None = args.photos
        self.seed: int = args.seed
        self.size = SMOKE if args.smoke else FULL
        self.smoke: bool = args.smoke
        self.minutes: float = args.minutes
        self.workers: int = args.workers
        self.files: list[Path] = []

    def budget(self, stage: str) -> Budget:
        """The stage's share of the minutes and its steps."""
        return Budget(self.size.steps[stage], self.minutes * STAGE_SHARES[stage])

    def checkpoint(self, stage: str) -> Path:
        """Where a stage keeps its state."""
        return self.work / f"{stage}.pt"

    def scenes(self) -> list[Sample]:
        """The scenes to train on, all in memory (1.2 MB each)."""
        return [sample for file in self.files[: -self.size.kept_back] for sample in read_chunk(file)]

    def run(self) -> None:
        """All stages."""
        self.work.mkdir(parents=True, exist_ok=True)
        self.files = render_scenes(self.work, self.size.scenes, self.seed, self.workers, drawn_only=self.smoke)
        crops = crop_files(self.files, self.work, self.seed, self.workers)
        scenes = self.scenes()
        detector = train_detector(
            scenes, [], self.checkpoint("detector"), budget=self.budget("detector"), seed=self.seed
        )
        rendered = Crops(*load_crops(crops[: -self.size.kept_back]))
        kept = load_crops(crops[-self.size.kept_back :])
        classifier = train_classifier(
            rendered, None, self.checkpoint("classifier"), budget=self.budget("classifier"), seed=self.seed
        )
        first = self.export_first(detector, classifier, kept)
        rendered = self.with_hard_negatives(rendered, first)
        photos = self.labelled(first)
        detector, classifier = self.train_on(scenes, rendered, photos)
        self.export(detector, classifier, kept, [photo for photo in photos if held_out(photo.name)])

    def export_first(self, detector: nn.Module, classifier: nn.Module, kept: tuple[np.ndarray, np.ndarray]) -> Path:
        """A folder with the reader trained so far."""
        folder = self.work / "first"
        temperature, sure_from = calibrate(logits_of(classifier, kept[0]), kept[1])
        export_detector(detector, folder, {})
        export_classifier(classifier, folder, temperature, sure_from, {})
        return folder

    def with_hard_negatives(self, rendered: Crops, first: Path) -> Crops:
        """The crops plus what the first reader takes for an index where none is, about ``HARD_SHARE`` of all."""
        files = self.files[-self.size.kept_back - self.size.mined : -self.size.kept_back]
        hard = mine(files, first, self.work / "hard.npy", self.seed, self.workers)
        if not len(hard):
            return rendered
        copies = max(1, int(HARD_SHARE * len(rendered.patches) / len(hard)))
        kinds = np.full(copies * len(hard), NO_INDEX, np.int64)
        return Crops(
            np.concatenate([rendered.patches, np.tile(hard, (copies, 1, 1, 1))]),
            np.concatenate([rendered.kinds, kinds]),
        )

    def labelled(self, first: Path) -> list[LabelledPhoto]:
        """The photographs, their indices' directions found by the first reader."""
        if self.photos_dir is None:
            return []
        return load_labelled(self.photos_dir, self.photos_dir.with_suffix(".json"), Reader.load(first))

    def train_on(
        self, scenes: list[Sample], rendered: Crops, photos: list[LabelledPhoto]
    ) -> tuple[nn.Module, nn.Module]:
        """Both networks, trained on: with a share of photographs where there are any, and with hard negatives."""
        used = [photo for photo in photos if not held_out(photo.name)]
        detector = train_detector(
            scenes,
            [(photo.image, photo.labels) for photo in used],
            self.checkpoint("detector-2"),
            budget=self.budget("detector-2"),
            seed=self.seed + 1,
            start=self.checkpoint("detector"),
            rate=FINE_RATE,
        )
        classifier = train_classifier(
            rendered,
            Crops(*crops_of_photos(used, self.seed)) if used else None,
            self.checkpoint("classifier-2"),
            budget=self.budget("classifier-2"),
            seed=self.seed + 1,
            start=self.checkpoint("classifier"),
            rate=FINE_RATE,
        )
        return detector, classifier

    def export(
        self,
        detector: nn.Module,
        classifier: nn.Module,
        kept: tuple[np.ndarray, np.ndarray],
        photos: list[LabelledPhoto],
    ) -> None:
        """Calibrates on what was kept back, writes the weights, the class list and the figures."""
        sets = {"rendered": kept}
        if photos:
            sets["photos"] = crops_of_photos(photos, self.seed, copies=0)
        judged = {name: logits_of(classifier, patches) for name, (patches, _) in sets.items()}
        report = {name: figures(judged[name], kinds) for name, (_, kinds) in sets.items()}
        temperature, sure_from = calibrate(judged["rendered"], kept[1])
        facts = {"trained_on": "renders and photographs" if photos else "renders", "seed": str(self.seed)}
        export_detector(detector, self.out, facts)
        export_classifier(classifier, self.out, temperature, sure_from, facts)
        (self.out / "classes.txt").write_text("".join(f"{face}\n" for face in FACES), encoding="utf-8")
        report["calibration"] = {"temperature": temperature, "sure_from": sure_from}
        (self.work / "figures.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
        print(json.dumps(report, indent=1))


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m models.train", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("models"), help="where the weights go (default: models)")
    parser.add_argument("--work", type=Path, default=Path("build/train"), help="faces, scenes, crops, checkpoints")
    parser.add_argument(
        "--photos", type=Path, help="labelled photographs: a folder, its labels beside it as FOLDER.json"
    )
    parser.add_argument("--smoke", action="store_true", help="the whole path on a handful of images, nothing fetched")
    parser.add_argument("--minutes", type=float, default=60.0, help="training time of all stages (default 60)")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes that render")
    parser.add_argument("--threads", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="threads that train")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the recipe."""
    args = parse(argv)
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    Recipe(args).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
