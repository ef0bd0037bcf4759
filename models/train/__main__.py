"""Makes the weights: ``python -m models.train --out models --work build/train [--photos DIR] [--smoke] [--minutes N]``.

Stages, each kept in the work folder and skipped when it is done: card faces, scenes, crops; a first round of detector
and classifier; hard negatives mined with those; a second, longer round, with photographs where there are any; export,
calibration, figures. With two threads or more the two networks are trained side by side (about 10 GB of memory).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import torch

from models.train.classifier import CROP_PX, figures, logits_of
from models.train.crops import crop_files, load_crops
from models.train.export import calibrate, export_classifier, export_detector
from models.train.hard import mine
from models.train.loop import Budget, device
from models.train.nets import ClassifierNet, DetectorNet
from models.train.stages import Job, Stage, classifier, detector, run_jobs
from models.train.store import CHUNK, render_scenes
from table_controller.cards import FACES

RATES = {1: 2e-3, 2: 1.5e-3}
ROUND_SHARES = {1: 0.2, 2: 0.8}
"""How ``--minutes`` are shared out; rendering, cutting and mining come on top (about twelve minutes on two cores)."""


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
    mined=20,
    steps={"detector-1": 2500, "classifier-1": 1500, "detector-2": 15000, "classifier-2": 10000},
)
SMOKE = Size(
    scenes=2 * CHUNK,
    kept_back=1,
    mined=1,
    steps={"detector-1": 3, "classifier-1": 3, "detector-2": 2, "classifier-2": 2},
)


class Recipe:
    """One run of the recipe in a work folder."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.work: Path = args.work
        self.out: Path = args.out
        self.photos: Path | None = args.photos
        self.seed: int = args.seed
        self.size = SMOKE if args.smoke else FULL
        self.smoke: bool = args.smoke
        self.minutes: float = args.minutes
        self.workers: int = args.workers
        self.threads: int = args.threads
        self.side_by_side: bool = args.threads >= 2 and not torch.cuda.is_available()
        self.files: list[Path] = []
        self.crops: list[Path] = []

    def checkpoint(self, stage: str) -> Path:
        """Where a stage keeps its state."""
        return self.work / f"{stage}.pt"

    def _stage(self, name: str, round_number: int, files: list[Path], **more: Any) -> Stage:
        """A training of a round; two at once have half of the threads each, one after the other half of the time."""
        minutes = self.minutes * ROUND_SHARES[round_number]
        return Stage(
            files,
            self.checkpoint(f"{name}-{round_number}"),
            Budget(self.size.steps[f"{name}-{round_number}"], minutes if self.side_by_side else minutes / 2),
            self.seed + round_number,
            RATES[round_number],
            threads=self.threads // 2 if self.side_by_side else self.threads,
            row=int(self.side_by_side and name == "classifier"),
            **more,
        )

    def _round(self, number: int, **more: Any) -> None:
        """Both trainings of a round."""
        scenes, crops = self.files[: -self.size.kept_back], self.crops[: -self.size.kept_back]
        before = {}
        if number > 1:
            before = {name: self.checkpoint(f"{name}-{number - 1}") for name in ("detector", "classifier")}
        hard = {"hard": more.pop("hard")} if "hard" in more else {}
        jobs: list[Job] = [
            (detector, self._stage("detector", number, scenes, start=before.get("detector"), **more)),
            (classifier, self._stage("classifier", number, crops, start=before.get("classifier"), **more, **hard)),
        ]
        run_jobs(jobs, self.side_by_side)

    def run(self) -> None:
        """All stages."""
        self.work.mkdir(parents=True, exist_ok=True)
        self.files = render_scenes(self.work, self.size.scenes, self.seed, self.workers, drawn_only=self.smoke)
        self.crops = crop_files(self.files, self.work, self.seed, self.workers)
        self._round(1)
        first = self.work / "first"
        self._export(1, first, {})
        hard = self.work / "hard.npy"
        mine(self.files[: self.size.mined], first, hard, self.seed, self.workers)
        self._round(2, photos=self.photos, reader=first, hard=hard)
        facts = {"trained_on": "renders and photographs" if self.photos else "renders", "seed": str(self.seed)}
        report = self._export(2, self.out, facts)
        (self.out / "classes.txt").write_text("".join(f"{face}\n" for face in FACES), encoding="utf-8")
        (self.work / "figures.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
        print(json.dumps(report, indent=1))

    def _export(self, number: int, out: Path, facts: dict[str, str]) -> dict[str, Any]:
        """Writes the reader as trained after a round, calibrated on patches kept back; the figures on those."""
        patches, kinds = load_crops(self.crops[-self.size.kept_back :])
        detector_net, classifier_net = DetectorNet(), ClassifierNet(CROP_PX)
        for net, name in ((detector_net, "detector"), (classifier_net, "classifier")):
            state = torch.load(self.checkpoint(f"{name}-{number}"), map_location="cpu", weights_only=True)
            net.load_state_dict(state["averaged"])
        logits = logits_of(classifier_net.to(device()), patches)
        temperature, sure_from = calibrate(logits, kinds)
        export_detector(detector_net, out, facts)
        export_classifier(classifier_net, out, temperature, sure_from, facts)
        return {
            "rendered": figures(logits, kinds),
            "calibration": {"temperature": temperature, "sure_from": sure_from},
        }


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
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="threads that train")
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
