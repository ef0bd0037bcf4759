"""The detector that the ultralytics library trains on the same scenes: what ours is measured against.

``python -m models.train.baseline --work build/train --out build/baseline --minutes 15 [--photos DIR]``

The scenes of the work folder become windows of 320 px with oriented boxes; ``yolo11n-obb`` learns one class anew;
``OUT/index_detector.pt`` runs in the product (``read --models OUT``). With photographs, both detectors' finds are
counted side by side.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from models.train.camera import degrade
from models.train.detector import CLEAR, WINDOW_PX, cut_window
from models.train.scene import Labels
from models.train.store import read_chunk
from table_controller.vision.detect import Detector, IndexDetector
from table_controller.vision.images import load_photo
from table_controller.vision.photo import find_at_any_scale
from table_controller.vision.ultralytics_detector import UltralyticsDetector

ARCHITECTURE = "yolo11n-obb.yaml"
BATCH = 16
WINDOWS_A_SCENE = 4
THRESHOLDS = (0.1, 0.25, 0.4)
LOOSE = 0.25
"""A find counts for a label when its centre lies in the label's box, widened by this share."""


def _rows_of(labels: Labels) -> list[str]:
    """The oriented boxes of a window in the library's format: class, then four corners as shares of the side."""
    rows = []
    for row in labels:
        quad = row[2:].reshape(4, 2)
        if row[1] >= CLEAR and ((quad >= 0) & (quad < WINDOW_PX)).all():
            rows.append("0 " + " ".join(f"{value:.5f}" for value in (quad / WINDOW_PX).reshape(-1)))
    return rows


def write_windows(files: Sequence[Path], folder: Path, seed: int) -> Path:
    """Windows of the scenes as the library wants them; the description file's path. The last file is for validation."""
    for number, file in enumerate(tqdm(files, desc="windows")):
        part = "val" if number == len(files) - 1 else "train"
        images, texts = folder / "images" / part, folder / "labels" / part
        images.mkdir(parents=True, exist_ok=True)
        texts.mkdir(parents=True, exist_ok=True)
        rng = random.Random(f"{seed}/{file.stem}")
        for i, (image, labels) in enumerate(read_chunk(file)):
            for j in range(WINDOWS_A_SCENE):
                window, moved, factor = cut_window(image, labels, rng)
                name = f"{file.stem}-{i}-{j}"
                seen = degrade(window, rng, 1.0, factor)
                cv2.imwrite(str(images / f"{name}.jpg"), seen, [cv2.IMWRITE_JPEG_QUALITY, 95])
                (texts / f"{name}.txt").write_text("\n".join(_rows_of(moved)), encoding="utf-8")
    description = folder / "data.yaml"
    description.write_text(
        f"path: {folder.resolve()}\ntrain: images/train\nval: images/val\nnames:\n  0: index\n", encoding="utf-8"
    )
    return description


def train(description: Path, out: Path, *, minutes: float, epochs: int, seed: int) -> Path:
    """Trains from nothing, offline; the path of ``index_detector.pt``."""
    from ultralytics import YOLO, settings

    settings.update({"sync": False})
    model = YOLO(ARCHITECTURE, task="obb")
    model.train(
        data=str(description),
        imgsz=WINDOW_PX,
        batch=BATCH,
        epochs=epochs,
        time=minutes / 60,
        seed=seed,
        project=str(out.resolve() / "runs"),
        name="train",
        exist_ok=True,
        device="cpu",
        workers=0,
        amp=False,
        pretrained=False,
        plots=False,
        val=False,
        verbose=False,
    )
    weights = out / "index_detector.pt"
    shutil.copy(out / "runs" / "train" / "weights" / "last.pt", weights)
    return weights


def located(detector: Detector, photos: Path, marks: dict[str, list[dict[str, object]]]) -> dict[str, float]:
    """At each threshold: the share of labels in whose box something was found, and finds a label; CPU time a photo."""
    counts = {f"located_{threshold}": 0.0 for threshold in THRESHOLDS} | {f"finds_{t}": 0.0 for t in THRESHOLDS}
    labels, spent_s = 0, 0.0
    for name, rows in tqdm(sorted(marks.items()), desc="photographs"):
        photo = load_photo(photos / name)
        began = time.process_time()
        finds = find_at_any_scale(detector, photo.image, THRESHOLDS[0])
        spent_s += time.process_time() - began
        labels += len(rows)
        for threshold in THRESHOLDS:
            centres = np.array([c.centre for c in finds if c.score >= threshold]).reshape(-1, 2) * photo.reduction
            counts[f"finds_{threshold}"] += len(centres)
            for row in rows:
                x0, y0, x1, y1 = (float(v) for v in row["box"])  # type: ignore[attr-defined]
                wide, high = LOOSE * (x1 - x0), LOOSE * (y1 - y0)
                inside = (centres >= (x0 - wide, y0 - high)) & (centres <= (x1 + wide, y1 + high))
                counts[f"located_{threshold}"] += bool(inside.all(1).any())
    return {key: round(value / labels, 4) for key, value in counts.items()} | {
        "cpu_ms_a_photo": round(1000 * spent_s / len(marks), 1)
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Trains the baseline, and counts both detectors' finds on photographs where there are any."""
    parser = argparse.ArgumentParser(prog="python -m models.train.baseline", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("build/train"), help="a work folder with rendered scenes")
    parser.add_argument("--out", type=Path, default=Path("build/baseline"))
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--files", type=int, default=80, help="files of scenes used")
    parser.add_argument("--photos", type=Path, help="labelled photographs: a folder, its labels beside it")
    parser.add_argument("--ours", type=Path, default=Path("models"), help="the folder of the detector beside it")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--smoke", action="store_true", help="one short epoch on a handful of windows")
    args = parser.parse_args(argv)
    cv2.setNumThreads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    weights = args.out / "index_detector.pt"
    if not weights.exists():
        files = sorted((args.work / "scenes").glob("scenes*.npz"))[: 2 if args.smoke else args.files]
        description = write_windows(files, args.out / "windows", args.seed)
        train(description, args.out, minutes=0.2 if args.smoke else args.minutes, epochs=300, seed=args.seed)
        shutil.copy(args.ours / "index_classifier.onnx", args.out)
    detectors: dict[str, Detector] = {
        "ours": IndexDetector(args.ours / "index_detector.onnx"),
        "ultralytics": UltralyticsDetector(weights),
    }
    if args.photos is not None:
        marks = json.loads(args.photos.with_suffix(".json").read_text(encoding="utf-8"))
        for name, detector in detectors.items():
            print(json.dumps({"detector": name, **located(detector, args.photos, marks)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
