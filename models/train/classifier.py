"""Trains the classifier on index patches, each seen a little differently every time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.train.crops import STORE_CENTRE, STORE_PX, Bytes, Classes
from models.train.loop import Budget, Loop, device, on_device
from models.train.nets import ClassifierNet
from table_controller.vision.classify import NO_INDEX, PATCH_INDEX_PX

CROP_PX = (68, 52)
"""Width and height of what the network sees."""
CROP_CENTRE = (22.0, 25.5)
"""Where the index's centre is in it: the big pip to its right is seen too."""
INDEX_PX = 36.0
BATCH = 192
RATE, DECAY = 2e-3, 2e-3
PHOTO_SHARE = 0.3


@dataclass(frozen=True)
class Crops:
    """Patches and classes to draw from."""

    patches: Bytes
    kinds: Classes


def _sway(count: int, most: float) -> Tensor:
    return (torch.rand(count, device=device()) * 2 - 1) * most


def sampling_grid(count: int, sway: float) -> Tensor:
    """Where each crop's pixels lie in its patch; ``sway`` 0 gives the plain crop, 1 the training's jitter."""
    size, squeeze = 1 + _sway(count, 0.16 * sway), 1 + _sway(count, 0.12 * sway)
    turn, shear = _sway(count, 0.2 * sway), _sway(count, 0.12 * sway)
    dx, dy = _sway(count, 0.075 * sway) * PATCH_INDEX_PX, _sway(count, 0.09 * sway) * PATCH_INDEX_PX
    scale = PATCH_INDEX_PX / INDEX_PX * size
    x = (torch.arange(CROP_PX[0], device=device()) - CROP_CENTRE[0])[None, None, :] * (scale * squeeze)[:, None, None]
    y = (torch.arange(CROP_PX[1], device=device()) - CROP_CENTRE[1])[None, :, None] * scale[:, None, None]
    x = x + shear[:, None, None] * y
    cos, sin = turn.cos()[:, None, None], turn.sin()[:, None, None]
    px = cos * x - sin * y + (STORE_CENTRE[0] + dx)[:, None, None]
    py = sin * x + cos * y + (STORE_CENTRE[1] + dy)[:, None, None]
    return torch.stack([(px + 0.5) / STORE_PX[0] * 2 - 1, (py + 0.5) / STORE_PX[1] * 2 - 1], -1)


def even_out(x: Tensor) -> Tensor:
    """Each crop's mean and contrast evened out, as ``vision.classify.normalise`` does."""
    return (x - x.mean((1, 2, 3), keepdim=True)) / (x.std((1, 2, 3), keepdim=True) + 0.05)


def _dice(count: int, *shape: int) -> Tensor:
    return torch.rand((count, *(shape or (1, 1, 1))), device=device())


def _recolour(x: Tensor) -> Tensor:
    count = len(x)
    grey = x.mean(1, keepdim=True)
    amount = torch.where(_dice(count) < 0.1, _dice(count) * 0.3, 0.4 + 0.9 * _dice(count))
    x = grey + (x - grey) * amount
    x = x * (0.65 + 0.6 * _dice(count)) * (0.87 + 0.26 * _dice(count, 3, 1, 1)) + 0.2 * _dice(count) - 0.1
    return x.clamp(1e-3, 1) ** (0.65 + 0.8 * _dice(count))


def _blur_some(x: Tensor, share: float) -> Tensor:
    padded = functional.pad(x, (1, 1, 1, 1), mode="replicate")
    return torch.where(_dice(len(x)) < share, functional.avg_pool2d(padded, 3, 1), x)


def _erase_some(x: Tensor, share: float, source: np.random.Generator) -> Tensor:
    for i in np.nonzero(source.random(len(x)) < share)[0]:
        top, left = source.integers(0, CROP_PX[1] - 6), source.integers(0, CROP_PX[0] - 6)
        high, wide = source.integers(3, 9, 2)
        x[i, :, top : top + high, left : left + wide] = float(source.random())
    return x


def pixels_of(patches: Bytes) -> Tensor:
    """N × 3 × H × W, 0-1, where training runs."""
    return on_device(torch.from_numpy(patches)).permute(0, 3, 1, 2).float() / 255


def jittered(patches: Bytes, source: np.random.Generator) -> Tensor:
    """The network's input for training."""
    x = pixels_of(patches)
    x = functional.grid_sample(x, sampling_grid(len(x), 1.0), padding_mode="border", align_corners=False)
    x = _blur_some(_recolour(x), 0.13)
    x = _erase_some(x + torch.randn_like(x) * 0.05 * _dice(len(x)), 0.15, source)
    return even_out(x.clamp(0, 1))


@torch.no_grad()
def logits_of(net: nn.Module, patches: Bytes, sway: float = 0.0) -> Tensor:
    """The network's logits for patches, plainly seen."""
    net.eval()
    parts = []
    for start in range(0, len(patches), 512):
        x = pixels_of(patches[start : start + 512])
        grid = sampling_grid(len(x), sway)
        seen = functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
        parts.append(net(even_out(seen)).float().cpu())
    return torch.cat(parts)


def figures(logits: Tensor, kinds: Classes) -> dict[str, float]:
    """Shares right: faces, ranks, suits, and "no index" told."""
    best = logits.argmax(1).numpy()
    faces = kinds != NO_INDEX
    return {
        "faces": float((best[faces] == kinds[faces]).mean()),
        "ranks": float((best[faces] // 4 == kinds[faces] // 4).mean()),
        "suits": float((best[faces] % 4 == kinds[faces] % 4).mean()),
        "no_index": float((best[~faces] == NO_INDEX).mean()) if (~faces).any() else math.nan,
    }


def train_classifier(
    rendered: Crops,
    photos: Crops | None,
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
    net = ClassifierNet(CROP_PX)
    if start is not None:
        net.load_state_dict(torch.load(start, map_location="cpu", weights_only=True)["averaged"])
    loop = Loop(net, rate, DECAY, checkpoint)
    from_photos = int(BATCH * PHOTO_SHARE) if photos is not None else 0
    chances = None
    if photos is not None:
        often = np.bincount(photos.kinds, minlength=NO_INDEX + 1)[photos.kinds]
        chances = (1 / np.sqrt(often)) / (1 / np.sqrt(often)).sum()

    def loss_of(net: nn.Module, step: int) -> Tensor:
        source = np.random.default_rng((seed, step))
        chosen = np.sort(source.integers(0, len(rendered.patches), BATCH - from_photos))
        patches, kinds = rendered.patches[chosen], rendered.kinds[chosen]
        if photos is not None:
            more = source.choice(len(photos.patches), from_photos, p=chances)
            patches = np.concatenate([patches, photos.patches[more]])
            kinds = np.concatenate([kinds, photos.kinds[more]])
        seen = jittered(patches, source).contiguous(memory_format=torch.channels_last)
        with torch.autocast(device().type, dtype=torch.bfloat16):
            logits = net(seen)
        return functional.cross_entropy(logits.float(), on_device(torch.from_numpy(kinds)))

    loop.run("classifier", budget, loss_of, row)
    return loop.averaged
