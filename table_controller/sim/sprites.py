"""Things on the table as the frame shows them: warped once, blended quickly."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in frame pixels."""


@dataclass(frozen=True)
class Sprite:
    """A thing in frame pixels: what lies below is dimmed by ``keep`` (shadow and cover), then ``paint`` is added."""

    box: Box
    keep: Picture
    paint: Picture

    def blend(self, region: Picture, box: Box) -> None:
        """Draw onto ``region``, which shows the frame's ``box``."""
        x0, y0 = max(self.box[0], box[0]), max(self.box[1], box[1])
        x1, y1 = min(self.box[2], box[2]), min(self.box[3], box[3])
        if x0 >= x1 or y0 >= y1:
            return
        mine = (slice(y0 - self.box[1], y1 - self.box[1]), slice(x0 - self.box[0], x1 - self.box[0]))
        target = region[y0 - box[1] : y1 - box[1], x0 - box[0] : x1 - box[0]]
        np.copyto(target, cv2.add(cv2.multiply(target, self.keep[mine], scale=1 / 255), self.paint[mine]))


def clip_box(box: Box, size: tuple[int, int]) -> Box:
    """The part of a box inside a frame of (width, height)."""
    return (max(0, box[0]), max(0, box[1]), min(size[0], box[2]), min(size[1], box[3]))


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share a pixel."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def shadow_of(alpha: NDArray[np.float32], offset: tuple[int, int], sigma: float, depth: float) -> NDArray[np.float32]:
    """How much light is left (0-1) where ``alpha`` throws its shadow."""
    shift = np.array([[1, 0, offset[0]], [0, 1, offset[1]]], dtype=np.float64)
    moved = cv2.warpAffine(alpha, shift, (alpha.shape[1], alpha.shape[0]), flags=cv2.INTER_NEAREST)
    return 1 - depth * np.asarray(cv2.GaussianBlur(moved, (0, 0), sigma), dtype=np.float32)


def assemble(box: Box, colour: Picture, alpha: NDArray[np.float32], light: NDArray[np.float32]) -> Sprite:
    """A sprite from colour (BGR), cover (0-1) and the light left by its shadow."""
    cover = alpha[..., None]
    keep = np.repeat((1 - cover) * light[..., None] * 255 + 0.5, 3, axis=2)
    return Sprite(box, keep.astype(np.uint8), (colour * cover + 0.5).astype(np.uint8))


def flat_sprite(face_bgra: Picture, to_frame: Matrix, size: tuple[int, int], *, lift_px: float = 1.5) -> Sprite | None:
    """A flat picture laid on the table. ``to_frame`` maps its pixels to the frame's; None when wholly outside."""
    height, width = face_bgra.shape[:2]
    corners = np.array([[[0, 0]], [[width, 0]], [[width, height]], [[0, height]]], dtype=np.float64)
    image = cv2.perspectiveTransform(corners, to_frame).reshape(-1, 2)
    pad = round(4 * lift_px) + 3
    box = clip_box(
        (
            int(image[:, 0].min()) - pad,
            int(image[:, 1].min()) - pad,
            int(image[:, 0].max()) + pad,
            int(image[:, 1].max()) + pad,
        ),
        size,
    )
    if box[0] >= box[2] or box[1] >= box[3]:
        return None
    shift = np.array([[1, 0, -box[0]], [0, 1, -box[1]], [0, 0, 1]], dtype=np.float64)
    warped = cv2.warpPerspective(
        face_bgra, shift @ to_frame, (box[2] - box[0], box[3] - box[1]), flags=cv2.INTER_LINEAR
    )
    alpha = np.asarray(warped[..., 3], dtype=np.float32) * np.float32(1 / 255)
    light = shadow_of(alpha, (round(lift_px), round(lift_px * 1.3)), 1.2 * lift_px, 0.45)
    return assemble(box, np.asarray(warped[..., :3], dtype=np.uint8), alpha, light)
