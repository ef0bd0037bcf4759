"""Finds corner indices: one class, centre, size and the direction of the index's top, by one small network.

The network (see ``models/MODEL_CARD.md``) looks at a picture in which an index is 15 to 44 px high and gives seven
numbers for each cell of 4 × 4 px: heat, dx, dy (cells), log height and log width (of 24 px), and the direction of up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from table_controller.errors import InputError
from table_controller.vision.images import Image

CELL_PX = 4
UNIT_PX = 24.0
"""Heights and widths leave the network as logarithms of this many pixels; also the height it sees best."""
NUMBERS = 7
"""How many numbers the network gives for each cell."""
STRIDE_PX = 32
TILE_PX = 1152
TILE_OVERLAP_PX = 96
NEAR = 0.38
"""Two centres closer than this share of the smaller height are the same index."""
_GREY = (114, 114, 114)


@dataclass(frozen=True)
class Corner:
    """A corner index found in a picture, in that picture's pixels; ``up`` points from the suit to the rank."""

    score: float
    centre: tuple[float, float]
    up: tuple[float, float]
    height_px: float
    width_px: float

    def scaled(self, factor: float, offset: tuple[float, float] = (0.0, 0.0)) -> Corner:
        """The corner in a picture ``factor`` times as large, after moving by ``offset``."""
        x, y = self.centre
        at = ((x + offset[0]) * factor, (y + offset[1]) * factor)
        return Corner(self.score, at, self.up, self.height_px * factor, self.width_px * factor)

    def box(self) -> tuple[float, float, float, float]:
        """The upright box round the turned index: (x0, y0, x1, y1)."""
        across, along = abs(self.up[1]), abs(self.up[0])
        half_w = (self.width_px * across + self.height_px * along) / 2
        half_h = (self.width_px * along + self.height_px * across) / 2
        x, y = self.centre
        return (x - half_w, y - half_h, x + half_w, y + half_h)


def open_session(path: Path, threads: int) -> Any:
    """An ONNX Runtime session on the CPU with ``threads`` threads; raises InputError when the file is no model."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own unrelated classes
        raise InputError(
            f"{path}: this is not a model that can be run.", way_out="Restore the shipped file."
        ) from error


def merge(corners: list[Corner]) -> list[Corner]:
    """The strongest of every group of corners that lie on each other (non-maximum suppression), strongest first."""
    kept: list[Corner] = []
    for corner in sorted(corners, key=lambda c: (-c.score, c.centre)):
        x, y = corner.centre
        if all(
            math.hypot(x - other.centre[0], y - other.centre[1])
            > NEAR * max(min(corner.height_px, other.height_px), 8.0)
            for other in kept
        ):
            kept.append(corner)
    return kept


def _tiles(height: int, width: int) -> Iterator[tuple[int, int, int, int]]:
    """Overlapping windows (x0, y0, x1, y1) that bound the memory a large picture takes."""
    step = TILE_PX - TILE_OVERLAP_PX
    for y0 in range(0, max(1, height - TILE_OVERLAP_PX), step):
        for x0 in range(0, max(1, width - TILE_OVERLAP_PX), step):
            yield x0, y0, min(width, x0 + TILE_PX), min(height, y0 + TILE_PX)


class Detector(Protocol):
    """What finds corner indices."""

    def find(self, image: Image, scale: float, threshold: float) -> list[Corner]:
        """The corners in ``image`` as seen at ``scale``, in pixels of ``image``, those at or above ``threshold``."""


class IndexDetector:
    """The detector network over ONNX Runtime; raises InputError when the file holds another kind of network."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        self._session = open_session(path, threads)
        shape = self._session.get_outputs()[0].shape
        if len(shape) != 4 or shape[1] != NUMBERS:
            raise InputError(
                f"{path}: this network finds no corner indices.",
                way_out="index_detector.onnx is the detector; the classifier is index_classifier.onnx.",
            )
        self._input = self._session.get_inputs()[0].name

    def find(self, image: Image, scale: float, threshold: float) -> list[Corner]:
        """The corners in ``image`` as seen at ``scale``, in pixels of ``image``, those at or above ``threshold``."""
        seen = image
        if scale != 1.0:
            way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            size = (max(8, round(image.shape[1] * scale)), max(8, round(image.shape[0] * scale)))
            seen = np.asarray(cv2.resize(image, size, interpolation=way), np.uint8)
        found: list[Corner] = []
        for x0, y0, x1, y1 in _tiles(*seen.shape[:2]):
            part = self._find_in(seen[y0:y1, x0:x1], threshold)
            found.extend(corner.scaled(1 / scale, (x0, y0)) for corner in part)
        height, width = image.shape[:2]
        return merge([c for c in found if 0 <= c.centre[0] <= width and 0 <= c.centre[1] <= height])

    def _find_in(self, tile: Image, threshold: float) -> list[Corner]:
        height, width = tile.shape[:2]
        padded = cv2.copyMakeBorder(
            tile, 0, -height % STRIDE_PX, 0, -width % STRIDE_PX, cv2.BORDER_CONSTANT, value=_GREY
        )
        pixels = np.ascontiguousarray(padded.transpose(2, 0, 1)[None], np.float32) / 255
        output: NDArray[np.float32] = self._session.run(None, {self._input: pixels})[0][0]
        heat = 1 / (1 + np.exp(-output[0]))
        peaks = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= threshold)
        return [
            _corner(output[:, y, x], float(heat[y, x]), int(x), int(y)) for y, x in zip(*np.nonzero(peaks), strict=True)
        ]


def _corner(cell: NDArray[np.float32], score: float, x: int, y: int) -> Corner:
    """A corner from the seven numbers of the cell (x, y)."""
    _, dx, dy, log_h, log_w, ux, uy = (float(v) for v in cell)
    norm = max(1e-6, math.hypot(ux, uy))
    return Corner(
        score,
        ((x + dx + 0.5) * CELL_PX, (y + dy + 0.5) * CELL_PX),
        (ux / norm, uy / norm),
        UNIT_PX * math.exp(max(-3.0, min(3.0, log_h))),
        UNIT_PX * math.exp(max(-3.0, min(3.0, log_w))),
    )
