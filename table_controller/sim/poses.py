"""Where simulated hands put cards: rows overlapping as people lay them, found a free place, straightened, pushed."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

import cv2
import numpy as np

from table_controller.geometry import Geometry, Point

INDEX_MM = (1.5, 2.5, 11.0, 22.0)
"""What a player leaves visible of a covered card: its index (x0, y0, x1, y1 from the top left corner)."""


@dataclass(frozen=True)
class Pose:
    """A card's centre in a seat frame (mm) and its turn clockwise from upright (degrees)."""

    u_mm: float
    v_mm: float
    turn_deg: float

    def at(self, x_mm: float, y_mm: float) -> Point:
        """A point given from the card's centre, in the seat frame."""
        c, s = math.cos(math.radians(self.turn_deg)), math.sin(math.radians(self.turn_deg))
        return (self.u_mm + c * x_mm - s * y_mm, self.v_mm + s * x_mm + c * y_mm)


def outline(pose: Pose, size_mm: Point, part: tuple[float, float, float, float] | None = None) -> list[Point]:
    """The corners of a card, or of a part of it given from its top left corner."""
    x0, y0, x1, y1 = part or (0, 0, *size_mm)
    half_w, half_h = size_mm[0] / 2, size_mm[1] / 2
    return [pose.at(x - half_w, y - half_h) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]


def covered(part: list[Point], by: list[Point]) -> float:
    """The share of ``part`` (convex) that lies under ``by`` (convex)."""
    mine, other = np.array(part, dtype=np.float32), np.array(by, dtype=np.float32)
    shared, _ = cv2.intersectConvexConvex(mine, other)
    return float(shared) / max(1e-6, float(cv2.contourArea(mine)))


def row_width(pitches: list[float], card_mm: Point) -> float:
    """How wide a row is (mm)."""
    return card_mm[0] + sum(pitches)


def pitches_for(count: int, tidy: float, room_mm: float, card_mm: Point, rng: random.Random) -> list[float]:
    """The steps between card centres: even for the tidy, 13 to 24 mm for the careless, closer where room is short."""
    base = rng.uniform(14.5, 20)
    steps = [tidy * (base + rng.uniform(-1, 1)) + (1 - tidy) * rng.uniform(13, 24) for _ in range(count - 1)]
    spare = room_mm - card_mm[0]
    total = sum(steps)
    return [step * spare / total for step in steps] if total > spare else steps


def row(
    count: int, centre: Point, pitches: list[float], *, tidy: float, card_mm: Point, rng: random.Random
) -> list[Pose]:
    """Poses of a row, left to right, later cards on top; every index stays visible (players see to that)."""
    lean = rng.uniform(-2, 2) + (1 - tidy) * rng.uniform(-6, 6)
    start = centre[0] - sum(pitches) / 2
    for calm in (1.0, 0.8, 0.6, 0.4, 0.2, 0.0):
        poses, u = [], start
        for i in range(count):
            turn = lean + calm * (rng.gauss(0, 1.2) + (1 - tidy) * rng.uniform(-9, 9))
            v = (
                centre[1]
                + math.tan(math.radians(lean)) * (u - centre[0]) * 0.35
                + calm * rng.gauss(0, 0.6 + 2 * (1 - tidy))
            )
            poses.append(Pose(u, v, max(-15.0, min(15.0, turn))))
            u += pitches[i] if i < count - 1 else 0.0
        if all_indices_visible(poses, card_mm):
            return poses
    return poses


def all_indices_visible(poses: list[Pose], card_mm: Point) -> bool:
    """Whether no later card of the row covers an earlier one's index."""
    for i, pose in enumerate(poses):
        index = outline(pose, card_mm, INDEX_MM)
        if any(covered(index, outline(later, card_mm)) > 0.02 for later in poses[i + 1 :]):
            return False
    return True


def extent(poses: list[Pose], card_mm: Point) -> tuple[float, float]:
    """The leftmost and rightmost u of some cards."""
    us = [u for pose in poses for u, _ in outline(pose, card_mm)]
    return min(us), max(us)


def free_centre(
    width: float, taken: list[tuple[float, float]], geometry: Geometry, rng: random.Random, wanted: float | None
) -> float:
    """The u for a row of this width: ``wanted`` or the freest place, else over what lies there, as little as can be."""
    low, high = geometry.play_area[0] + width / 2, geometry.play_area[2] - width / 2
    if low >= high:
        return 0.0
    if wanted is not None:
        return max(low, min(high, wanted))

    def hidden(u: float) -> float:
        left, right = u - width / 2 - 4, u + width / 2 + 4
        return sum(max(0.0, min(right, b) - max(left, a)) for a, b in taken)

    tries = [low + (high - low) * i / 40 for i in range(41)]
    least = min(hidden(u) for u in tries)
    best = [u for u in tries if hidden(u) <= least + 0.5]
    if not taken:
        return max(low, min(high, rng.uniform(-30, 30)))
    return rng.choice(best)


def straightened(poses: list[Pose], rng: random.Random) -> list[Pose]:
    """The same cards pushed into an even, level row by two hands."""
    if len(poses) == 1:
        return [replace(poses[0], turn_deg=rng.gauss(0, 0.8))]
    step = (poses[-1].u_mm - poses[0].u_mm) / (len(poses) - 1)
    level = sum(pose.v_mm for pose in poses) / len(poses)
    first = poses[0].u_mm
    return [
        Pose(first + step * i + rng.gauss(0, 0.4), level + rng.gauss(0, 0.4), rng.gauss(0, 0.8))
        for i in range(len(poses))
    ]
