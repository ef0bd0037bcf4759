"""Hands, arms and sleeves that reach over the table."""

from __future__ import annotations

import random

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import Seat
from table_controller.geometry import Point, seat_to_mat
from table_controller.sim.light import project
from table_controller.sim.sprites import Sprite, assemble, clip_box, shadow_of

Picture = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Limb = tuple[list[Point], float, float]
"""A path in the seat frame (mm), its width at the start and at the end (mm)."""

SKINS = ((142, 172, 214), (120, 152, 198), (88, 116, 164), (150, 182, 226))
CLOTHS = ((62, 44, 38), (96, 92, 90), (40, 36, 34), (128, 104, 72), (72, 66, 110))


def reach(seat: Seat, tip: Point, to_frame: Matrix, size: tuple[int, int], rng: random.Random) -> Sprite | None:
    """A hand whose fingers reach ``tip`` (seat frame, mm), with its forearm and sleeve."""
    u, v = tip
    wrist = (u + rng.uniform(10, 30), v + 95)
    elbow = (wrist[0] + rng.uniform(10, 50), v + 330)
    skin: list[Limb] = [([wrist, (u + 4, v + 48)], 46, 62), ([elbow, wrist], 74, 48)]
    for i, spread in enumerate((-26, -10, 6, 22)):
        knuckle = (u + 4 + spread, v + 42)
        skin.append(([knuckle, (u + spread * 0.75, v + (4 if i in (1, 2) else 12))], 17, 13))
    skin.append(([(u - 26, v + 66), (u - 36, v + 30)], 22, 16))
    cuff = (wrist[0] + 6, wrist[1] + 55)
    return _limbs(seat, skin, [([elbow, cuff], 112, 92)], to_frame, size, rng=rng)


def rest_sleeve(seat: Seat, to_frame: Matrix, size: tuple[int, int], rng: random.Random) -> Sprite | None:
    """A sleeved forearm resting across a seat's play area."""
    start, end = (-150.0, 420.0), (60.0, 238.0)
    hand: list[Limb] = [
        ([end, (end[0] + 90, end[1] - 8)], 56, 70),
        ([(end[0] + 90, end[1] - 8), (end[0] + 150, end[1] + 4)], 64, 20),
    ]
    return _limbs(seat, hand, [([start, end], 120, 88)], to_frame, size, rng=rng)


def thumb(seat: Seat, tip: Point, to_frame: Matrix, size: tuple[int, int], rng: random.Random) -> Sprite | None:
    """A thumb that holds the near edge of a prompt card, the rest of the hand off to the right."""
    u, v = tip
    skin: list[Limb] = [([(u + 34, v + 62), (u + 5, v + 12)], 26, 19), ([(u + 60, v + 150), (u + 36, v + 60)], 60, 40)]
    return _limbs(seat, skin, [([(u + 110, v + 300), (u + 66, v + 160)], 100, 84)], to_frame, size, rng=rng)


def _mask(seat: Seat, limbs: list[Limb], to_frame: Matrix, size: tuple[int, int]) -> Picture:
    mask = np.zeros((size[1] // 2, size[0] // 2), dtype=np.uint8)
    scale = float(np.sqrt(abs(np.linalg.det(to_frame[:2, :2]))))
    for path, first, last in limbs:
        steps = 40
        (u0, v0), (u1, v1) = path[0], path[1]
        points = [(u0 + (u1 - u0) * t / steps, v0 + (v1 - v0) * t / steps) for t in range(steps + 1)]
        image = project(to_frame, [seat_to_mat(seat, u, v) for u, v in points])
        for t, (x, y) in enumerate(image):
            radius = (first + (last - first) * t / steps) / 2 * scale / 2
            cv2.circle(mask, (round(float(x) / 2), round(float(y) / 2)), max(1, round(radius)), 255, -1, cv2.LINE_AA)
    return mask


def _limbs(
    seat: Seat, skin: list[Limb], cloth: list[Limb], to_frame: Matrix, size: tuple[int, int], *, rng: random.Random
) -> Sprite | None:
    bare, clad = _mask(seat, skin, to_frame, size), _mask(seat, cloth, to_frame, size)
    ys, xs = np.nonzero(cv2.max(bare, clad))
    if not len(ys):
        return None
    half = clip_box(
        (int(xs.min()) - 30, int(ys.min()) - 30, int(xs.max()) + 34, int(ys.max()) + 34), (size[0] // 2, size[1] // 2)
    )
    window = (slice(half[1], half[3]), slice(half[0], half[2]))
    box = (half[0] * 2, half[1] * 2, half[2] * 2, half[3] * 2)
    colour, alpha = _shade(bare[window], clad[window], rng)
    large = (box[2] - box[0], box[3] - box[1])
    light = shadow_of(alpha, (10, 14), 9.0, 0.42)
    return assemble(
        box,
        np.asarray(cv2.resize(colour, large), dtype=np.uint8),
        np.asarray(cv2.resize(alpha, large), dtype=np.float32),
        np.asarray(cv2.resize(light, large), dtype=np.float32),
    )


def _shade(bare: Picture, clad: Picture, rng: random.Random) -> tuple[Picture, NDArray[np.float32]]:
    alpha = np.asarray(cv2.max(bare, clad), dtype=np.float32) * np.float32(1 / 255)
    source = np.random.default_rng(rng.getrandbits(32))
    weave = cv2.GaussianBlur(source.normal(0, 14, (*alpha.shape, 1)).astype(np.float32), (0, 0), 1.0).reshape(
        *alpha.shape, 1
    )
    colour = np.full((*alpha.shape, 3), rng.choice(SKINS), dtype=np.float32)
    colour[clad > 127] = np.array(rng.choice(CLOTHS), dtype=np.float32)
    depth = np.minimum(np.asarray(cv2.distanceTransform((alpha > 0.5).astype(np.uint8), cv2.DIST_L2, 3)), 26) / 26
    knuckles = np.minimum(np.asarray(cv2.distanceTransform((bare > 127).astype(np.uint8), cv2.DIST_L2, 3)), 9) / 9
    round_off = 0.66 + 0.24 * depth + 0.10 * np.where(clad > 127, 1, knuckles)
    return np.clip(colour * round_off[..., None] + weave, 0, 255).astype(np.uint8), alpha
