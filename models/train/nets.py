"""The two networks: a one-class detector of corner indices with their direction, and a classifier of upright crops."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from table_controller.cards import FACES, RANKS, SUITS

DETECTOR_OUTPUTS = 7
"""heat, dx, dy (cells), log height, log width (of 24 px), cos and sin of the direction of up."""
HEAT_BIAS = -4.0
CELL_PX = 4


def _conv(inputs: int, outputs: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Residual(nn.Module):
    """Two 3 × 3 convolutions round a short cut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """The same shape."""
        return functional.relu(x + self.second(self.first(x)))


def _double(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


class DetectorNet(nn.Module):
    """N × 3 × H × W (0-1, BGR, sides multiples of 32) to N × 7 × H/4 × W/4."""

    def __init__(self, widths: tuple[int, int, int, int, int] = (16, 32, 64, 96, 128), neck: int = 40) -> None:
        super().__init__()
        w0, w1, w2, w3, w4 = widths
        self.at4 = nn.Sequential(_conv(3, w0, 2), _conv(w0, w1, 2), Residual(w1))
        self.at8 = nn.Sequential(_conv(w1, w2, 2), Residual(w2), Residual(w2))
        self.at16 = nn.Sequential(_conv(w2, w3, 2), Residual(w3), Residual(w3))
        self.at32 = nn.Sequential(_conv(w3, w4, 2), Residual(w4))
        self.from32, self.from16 = _conv(w4, w3, kernel=1), _conv(w3, w2, kernel=1)
        self.mix8 = _conv(w2, w2)
        self.from8, self.from4 = _conv(w2, neck, kernel=1), _conv(w1, neck, kernel=1)
        self.head = nn.Sequential(_conv(neck, neck + 8), _conv(neck + 8, neck + 8))
        self.out = nn.Conv2d(neck + 8, DETECTOR_OUTPUTS, 1)
        nn.init.zeros_(self.out.bias)
        with torch.no_grad():
            self.out.bias[0] = HEAT_BIAS

    def forward(self, x: Tensor) -> Tensor:
        """Raw outputs: the heat is a logit."""
        at4 = self.at4(x)
        at8 = self.at8(at4)
        at16 = self.at16(at8)
        wide = at16 + _double(self.from32(self.at32(at16)))
        middle = self.mix8(at8 + _double(self.from16(wide)))
        return self.out(self.head(self.from4(at4) + _double(self.from8(middle))))


class ClassifierNet(nn.Module):
    """N × 3 × 52 × 68 (evened out, see vision.classify) to N × 55 logits over FACES and "no index".

    Ranks and suits have logits of their own which add up to a face's; each joker and "no index" have one.
    """

    def __init__(self, crop: tuple[int, int] = (68, 52), widths: tuple[int, int, int] = (32, 64, 96)) -> None:
        super().__init__()
        w1, w2, w3 = widths
        self.features = nn.Sequential(
            _conv(3, w1, 2, kernel=5),
            Residual(w1),
            _conv(w1, w2, 2),
            Residual(w2),
            Residual(w2),
            _conv(w2, w3, 2),
            Residual(w3),
            _conv(w3, w3, kernel=1),
        )
        across, down = (-(-side // 8) for side in crop)
        self.drop = nn.Dropout(0.25)
        self.others = len(FACES) - len(RANKS) * len(SUITS) + 1
        self.out = nn.Linear(w3 * across * down, len(RANKS) + len(SUITS) + self.others)

    def forward(self, x: Tensor) -> Tensor:
        """Logits."""
        parts = self.out(self.drop(self.features(x).flatten(1)))
        ranks, suits, others = parts.split([len(RANKS), len(SUITS), self.others], 1)
        return torch.cat([(ranks[:, :, None] + suits[:, None, :]).flatten(1), others], 1)
