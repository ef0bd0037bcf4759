"""Processor time of ultralytics' yolo11n on a picture, one thread: run by the training's Python, which has the library.

``python tests/bench/ultralytics_beside.py PICTURE.png SIDE_PX CLASSES ROUNDS`` prints the median milliseconds. The
network's weights are random: what it takes does not depend on what it has learnt (it then finds nothing, so naming and
sorting out finds costs it nothing either).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import cv2
import torch
from ultralytics import YOLO


def main() -> int:
    """Measures and prints."""
    picture, side_px, classes, rounds = sys.argv[1], *(int(value) for value in sys.argv[2:5])
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    frame = cv2.imread(picture)
    with tempfile.TemporaryDirectory() as folder:
        import ultralytics  # its folder holds the network's description

        plan = next(Path(ultralytics.__file__).parent.rglob("yolo11.yaml"))
        ours = Path(folder) / "yolo11n.yaml"
        ours.write_text(plan.read_text(encoding="utf-8").replace("nc: 80", f"nc: {classes}"), encoding="utf-8")
        model = YOLO(str(ours), task="detect")
        times = []
        for _ in range(rounds + 1):
            began = time.process_time()
            model.predict(frame, imgsz=side_px, device="cpu", verbose=False)
            times.append((time.process_time() - began) * 1000)
    print(statistics.median(times[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
