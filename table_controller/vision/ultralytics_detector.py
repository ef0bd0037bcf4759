"""Index corners found by weights of the ultralytics library (``index_detector.pt``), where its package is installed.

Such a model gives one class of oriented boxes round corner indices. An oriented box knows no up: the long side is taken
for the index's height, and the classifier settles the half turn. A ``.pt`` file runs code when it is loaded, so only
weights of one's own training belong there.
"""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from table_controller.errors import InputError
from table_controller.vision.detect import Corner, merge
from table_controller.vision.images import Image

STRIDE_PX = 32
MOST_FINDS = 1000
OVERLAP = 0.5


class UltralyticsDetector:
    """The same as ``IndexDetector``, by an ultralytics model with oriented boxes."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        try:
            library = importlib.import_module("ultralytics")
            torch = importlib.import_module("torch")
        except ImportError as error:
            raise InputError(
                f"{path}: to run weights of ultralytics its package is needed.",
                way_out="Install it: pip install 'table-controller[train]'; or use the shipped .onnx weights.",
            ) from error
        torch.set_num_threads(threads)
        library.settings.update({"sync": False})  # nothing about a table goes to its makers
        try:
            self._model: Any = library.YOLO(str(path))
            task = str(self._model.task)
        except Exception as error:  # the library raises what its unpickler raises
            raise InputError(f"{path}: this is not a model of ultralytics.", way_out="Restore the file.") from error
        if task != "obb":
            raise InputError(f"{path}: this model is for '{task}'.", way_out="Train one for oriented boxes (obb).")

    def find(self, image: Image, scale: float, threshold: float) -> list[Corner]:
        """The corners in ``image`` as seen at ``scale``, in pixels of ``image``, those at or above ``threshold``."""
        seen = image
        if scale != 1.0:
            way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            seen = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=way), np.uint8)
        side = -(-max(seen.shape[:2]) // STRIDE_PX) * STRIDE_PX
        result = self._model.predict(
            seen, imgsz=side, conf=threshold, iou=OVERLAP, max_det=MOST_FINDS, device="cpu", verbose=False
        )[0]
        boxes = result.obb.xywhr.cpu().numpy()
        scores = result.obb.conf.cpu().numpy()
        return merge([_corner(box, float(score)).scaled(1 / scale) for box, score in zip(boxes, scores, strict=True)])


def _corner(box: Any, score: float) -> Corner:
    """A corner from (x, y, width, height, angle of the width): up is along the longer side."""
    x, y, width, height, angle = (float(value) for value in box)
    cos, sin = math.cos(angle), math.sin(angle)
    up = (sin, -cos) if height >= width else (cos, sin)
    return Corner(score, (x, y), up, max(width, height), min(width, height))
