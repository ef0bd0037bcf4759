"""The simulated camera: where it hangs, how light falls, blur, noise and compression.

Everything is drawn from one seed, so that the same seed gives the same picture.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.geometry import Geometry, Point

Picture = NDArray[np.uint8]
Matrix = NDArray[np.float64]
GAIN_UNIT = 200
"""A gain map holds light as 200 = 1.0."""
_PATCH_PX = 480
NOISE_BIAS = 10
"""Clean pictures are kept this much darker; the noise tile, never negative, brings it back in one addition."""


@dataclass(frozen=True)
class Look:
    """How the camera sees: pose in the frame, light, sharpness, noise."""

    turn_deg: float = 1.3
    tilt_px: float = 9.0
    blur_sigma_px: float = 0.75
    noise_sigma: float = 2.4
    jpeg_quality: int = 88
    darkest: float = 0.84
    warmth: float = 0.03

    @classmethod
    def random(cls, rng: random.Random) -> Look:
        """A hall's light and a camera's softness and noise, as they differ from table to table."""
        return cls(
            blur_sigma_px=rng.uniform(0.55, 0.95),
            noise_sigma=rng.uniform(1.6, 3.0),
            darkest=rng.uniform(0.7, 0.9),
            warmth=rng.uniform(-0.02, 0.07),
        )


def camera_pose(geometry: Geometry, look: Look, rng: random.Random) -> Matrix:
    """The homography from mat millimetres to frame pixels: slightly turned, seen slightly aslant."""
    half = geometry.mat_side_mm / 2
    width, height = geometry.frame_px
    angle = np.deg2rad(rng.uniform(-look.turn_deg, look.turn_deg))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    scale = geometry.px_per_mm * 1.01
    centre = np.array([width / 2 + rng.uniform(-6, 6), height / 2 + rng.uniform(-6, 6)])
    jitter = np.array([[rng.uniform(-look.tilt_px, look.tilt_px) for _ in range(2)] for _ in range(4)])
    image = corners @ turn.T * scale + centre + jitter
    matrix, _ = cv2.findHomography(corners, image)
    return np.asarray(matrix, dtype=np.float64)


def project(matrix: Matrix, points: list[Point]) -> NDArray[np.float64]:
    """Points through a homography, as an (n, 2) array."""
    source = np.array(points, dtype=np.float64).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(source, matrix), dtype=np.float64).reshape(-1, 2)


def gain_map(size: tuple[int, int], look: Look, rng: random.Random) -> Picture:
    """Light over the frame (height, width, 3): a slope, darker corners and one soft lamp, in GAIN_UNITs."""
    width, height = size
    x, y = np.meshgrid(np.linspace(-1, 1, 90), np.linspace(-1, 1, 90))
    angle = rng.uniform(0, 2 * np.pi)
    slope = (x * np.cos(angle) + y * np.sin(angle)) * 0.07
    lamp = 0.10 * np.exp(-((x - rng.uniform(-0.6, 0.6)) ** 2 + (y - rng.uniform(-0.6, 0.6)) ** 2) / 0.5)
    light = np.clip(0.98 + slope + lamp - 0.05 * (x**2 + y**2), look.darkest, 1.15)
    warm = np.array([1 - look.warmth, 1.0, 1 + look.warmth])
    small = np.clip(light[..., None] * warm * GAIN_UNIT, 0, 255).astype(np.float32)
    large = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(large, dtype=np.uint8)


def noise_tile(size: int, look: Look, rng: random.Random) -> Picture:
    """Sensor noise round NOISE_BIAS, slightly correlated as a webcam's is: one patch, repeated."""
    source = np.random.default_rng(rng.getrandbits(32))
    shape = (_PATCH_PX, _PATCH_PX, 3)
    noise = source.normal(0, look.noise_sigma, shape).astype(np.float32)
    noise += cv2.GaussianBlur(source.normal(0, look.noise_sigma, shape).astype(np.float32), (0, 0), 0.8)
    patch = np.asarray(np.clip(noise + NOISE_BIAS + 0.5, 0, 2 * NOISE_BIAS), dtype=np.uint8)
    times = -(-size // _PATCH_PX)
    return np.ascontiguousarray(np.tile(patch, (times, times, 1))[:size, :size])


def develop(region: Picture, gain: Picture, look: Look) -> Picture:
    """What the camera makes of a rendered region before noise: light, lens blur, compression, minus NOISE_BIAS."""
    lit = cv2.multiply(region, gain, scale=1 / GAIN_UNIT)
    soft = cv2.GaussianBlur(lit, (0, 0), look.blur_sigma_px)
    packed = cv2.imencode(".jpg", soft, [cv2.IMWRITE_JPEG_QUALITY, look.jpeg_quality])[1]
    unpacked = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)
    return np.asarray(np.maximum(unpacked, NOISE_BIAS) - np.uint8(NOISE_BIAS), dtype=np.uint8)
