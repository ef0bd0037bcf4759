"""Trains the detector: windows out of scenes and photographs, heat and shape targets, one small network."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.train.camera import degrade
from models.train.loop import Budget, Loop, device, on_device
from models.train.nets import CELL_PX, DETECTOR_OUTPUTS, DetectorNet
from models.train.scene import Labels
from table_controller.vision.detect import UNIT_PX
from table_controller.vision.images import Image

WINDOW_PX = 320
GRID = WINDOW_PX // CELL_PX
BATCH = 8
HEIGHT_PX = (14.0, 44.0)
"""How high the usual index of a window is, evenly in logarithms."""
CLEAR = 0.62
"""An index of whose rank and suit at least this share is seen must be found; below, neither finding it nor missing it
counts."""
FAINT = 0.35
SHAPE_FROM = 0.35
DIRECTION_WEIGHT = 2.0
RATE, DECAY = 2e-3, 1e-3
PHOTO_SHARE = 0.3

Floats = NDArray[np.float32]
Sample = tuple[Image, Labels]


@dataclass(frozen=True)
class Target:
    """What the network should say for a window: heat, where heat counts, the six shape numbers and their weight."""

    heat: Floats
    counts: Floats
    shape: Floats
    weight: Floats


def _heights(quads: Labels) -> Floats:
    up = (quads[:, 0] + quads[:, 1] - quads[:, 2] - quads[:, 3]) / 2
    return np.asarray(np.hypot(up[:, 0], up[:, 1]), np.float32)


def cut_window(image: Image, labels: Labels, rng: random.Random) -> tuple[Image, Labels, float]:
    """A turned, resized window of a scene, its labels moved along, and the factor it was resized by."""
    quads = labels[:, 2:].reshape(-1, 4, 2)
    usual = float(np.median(_heights(quads))) if len(quads) else rng.uniform(35, 70)
    wanted = math.exp(rng.uniform(math.log(HEIGHT_PX[0]), math.log(HEIGHT_PX[1])))
    factor = min(1.4, max(0.12, wanted / usual))
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=way)
    height, width = small.shape[:2]
    if len(quads) and rng.random() < 0.8:
        off = np.array([rng.uniform(-0.42, 0.42), rng.uniform(-0.42, 0.42)]) * WINDOW_PX
        centre = quads[rng.randrange(len(quads))].mean(0) * factor + off
    else:
        centre = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    if rng.random() < 0.7:  # keep the window inside the picture where it fits
        half = WINDOW_PX / 2
        centre = np.array(
            [
                min(max(c, min(half, side / 2)), max(side - half, side / 2))
                for c, side in zip(centre, (width, height), strict=True)
            ]
        )
    angle, stretch = rng.uniform(0, 2 * math.pi), rng.uniform(0.86, 1.15)
    turn = np.array([[math.cos(angle) * stretch, -math.sin(angle)], [math.sin(angle) * stretch, math.cos(angle)]])
    shift = WINDOW_PX / 2 - turn @ centre
    window = cv2.warpAffine(
        small,
        np.column_stack([turn, shift]),
        (WINDOW_PX, WINDOW_PX),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT if rng.random() < 0.7 else cv2.BORDER_REFLECT,
        borderValue=(float(rng.randint(0, 255)),) * 3,
    )
    moved = labels.copy()
    moved[:, 2:] = (quads * factor @ turn.T + shift).reshape(-1, 8)
    return np.asarray(window, np.uint8), moved, factor


def target_of(labels: Labels) -> Target:
    """The target for a window's labels."""
    target = Target(
        np.zeros((GRID, GRID), np.float32),
        np.ones((GRID, GRID), np.float32),
        np.zeros((DETECTOR_OUTPUTS - 1, GRID, GRID), np.float32),
        np.zeros((GRID, GRID), np.float32),
    )
    for row in labels:
        quad = row[2:].reshape(4, 2)
        inside = float(((quad >= -2) & (quad < WINDOW_PX + 2)).all(1).mean())
        if inside == 0:
            continue
        centre = quad.mean(0)
        if row[0] < 0 or row[1] < CLEAR or inside < 1 or not ((centre >= 0) & (centre < WINDOW_PX)).all():
            if row[1] > FAINT:
                cv2.fillConvexPoly(target.counts, (quad / CELL_PX).round().astype(np.int32), 0)
        else:
            _mark(target, quad)
    return target


def _mark(target: Target, quad: Labels) -> None:
    """Marks one index that must be found."""
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    across = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
    height, width = math.hypot(*up), math.hypot(*across)
    if height < 4 or width < 1:
        return
    gx, gy = quad.mean(0) / CELL_PX - 0.5
    spread = max(0.9, height / CELL_PX * 0.16)
    reach = int(3 * spread) + 1
    cx, cy = min(GRID - 1, max(0, round(gx))), min(GRID - 1, max(0, round(gy)))
    rows, columns = slice(max(0, cy - reach), cy + reach + 1), slice(max(0, cx - reach), cx + reach + 1)
    yy, xx = np.mgrid[rows.start : min(GRID, rows.stop), columns.start : min(GRID, columns.stop)]
    bump = np.exp(-((xx - gx) ** 2 + (yy - gy) ** 2) / (2 * spread**2)).astype(np.float32)
    nearer = bump > target.heat[rows, columns]
    target.heat[rows, columns] = np.maximum(target.heat[rows, columns], bump)
    target.heat[cy, cx] = 1
    shape = nearer & (bump > SHAPE_FROM)
    flat = np.ones(xx.shape)
    values = (gx - xx, gy - yy, flat * math.log(height / UNIT_PX), flat * math.log(width / UNIT_PX))
    for channel, value in enumerate((*values, flat * up[0] / height, flat * up[1] / height)):
        target.shape[channel, rows, columns][shape] = value[shape]
    target.weight[rows, columns][shape] = bump[shape]


def _photo_light(image: Image, rng: random.Random) -> Image:
    """A photograph under another light: it already went through a camera."""
    values = (image.astype(np.float32) / 255) ** rng.uniform(0.7, 1.4) * 255
    values *= np.array([rng.uniform(0.9, 1.1) for _ in range(3)], np.float32) * rng.uniform(0.6, 1.2)
    return np.clip(values, 0, 255).astype(np.uint8)


class Samples:
    """Seeded batches, made ahead in two threads while the network trains."""

    def __init__(self, scenes: Sequence[Sample], photos: Sequence[Sample], photo_share: float, seed: int) -> None:
        self._scenes, self._photos, self._share, self._seed = scenes, photos, photo_share if photos else 0.0, seed
        self._pool = ThreadPoolExecutor(2)
        self._ahead: dict[int, list[Future[tuple[Image, Target]]]] = {}

    def _sample(self, step: int, place: int) -> tuple[Image, Target]:
        rng = random.Random(f"{self._seed}/{step}/{place}")
        photo = rng.random() < self._share
        image, labels = rng.choice(self._photos if photo else self._scenes)
        window, moved, factor = cut_window(image, labels, rng)
        if photo and rng.random() < 0.6:
            return _photo_light(window, rng), target_of(moved)
        return degrade(window, rng, 0.6 if photo else 1.0, factor), target_of(moved)

    def _ask(self, step: int) -> None:
        if step not in self._ahead:
            self._ahead[step] = [self._pool.submit(self._sample, step, i) for i in range(BATCH)]

    def batch(self, step: int) -> tuple[Tensor, ...]:
        """(windows, heat, counts, shape, weight) of a step."""
        for ahead in range(step, step + 3):
            self._ask(ahead)
        done = [future.result() for future in self._ahead.pop(step)]
        windows = torch.from_numpy(np.stack([window for window, _ in done])).permute(0, 3, 1, 2)
        targets = [target for _, target in done]
        parts = (np.stack([getattr(t, part) for t in targets]) for part in ("heat", "counts", "shape", "weight"))
        pixels = on_device(windows).contiguous(memory_format=torch.channels_last).float() / 255
        return (pixels, *(on_device(torch.from_numpy(part)) for part in parts))


def loss_of_output(output: Tensor, heat: Tensor, counts: Tensor, shape: Tensor, weight: Tensor) -> Tensor:
    """Focal loss of the heat plus weighted absolute errors of the shape."""
    chance = torch.sigmoid(output[:, 0]).clamp(1e-4, 1 - 1e-4)
    peak = (heat >= 1).float()
    found = peak * (1 - chance) ** 2 * chance.log()
    quiet = (1 - peak) * counts * (1 - heat) ** 4 * chance**2 * (1 - chance).log()
    wrong = (output[:, 1:] - shape).abs() * weight[:, None]
    total = weight.sum().clamp(min=1)
    shapes = wrong[:, :4].sum() / total + DIRECTION_WEIGHT * wrong[:, 4:].sum() / total
    return -(found + quiet).sum() / peak.sum().clamp(min=1) + shapes


def train_detector(
    scenes: Sequence[Sample],
    photos: Sequence[Sample],
    checkpoint: Path,
    *,
    budget: Budget,
    seed: int,
    start: Path | None = None,
    rate: float = RATE,
    row: int = 0,
) -> nn.Module:
    """The trained network (averaged weights), going on from ``checkpoint``, or beginning with those in ``start``."""
    torch.manual_seed(seed)
    samples = Samples(scenes, photos, PHOTO_SHARE, seed)
    net = DetectorNet()
    if start is not None:
        net.load_state_dict(torch.load(start, map_location="cpu", weights_only=True)["averaged"])
    loop = Loop(net, rate, DECAY, checkpoint)

    def loss_of(net: nn.Module, step: int) -> Tensor:
        windows, *target = samples.batch(step)
        with torch.autocast(device().type, dtype=torch.bfloat16):
            output = net(windows)
        return loss_of_output(output.float(), *target)

    loop.run("detector", budget, loss_of, row)
    return loop.averaged
