"""A fan of cards held above the mat, faces to the camera: nearer the lens, so larger than it would lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from table_controller.cards import Seat
from table_controller.geometry import Point, load_geometry, seat_rotation_deg, seat_to_mat
from table_controller.sim import hands
from table_controller.sim.poses import Pose
from table_controller.sim.scene import Scene
from table_controller.sim.sprites import Sprite

_HELD_Z = 900_000
_PIVOT_MM = 95.0
"""Cards of a fan turn round a point so far below their middle: where the thumb holds them."""


@dataclass(frozen=True)
class Fan:
    """How a fan is held: where its middle card's middle appears (seat frame, mm), how high, how tilted, how spread.

    ``tilt_deg`` leans it to the player; ``turn_deg`` turns the whole; ``step_deg`` lies between neighbours.
    ``arm`` is whether the hand and arm can be seen, or are hidden under the cards and a sleeve of the mat's colour.
    """

    at: Point
    height_mm: float = 120.0
    tilt_deg: float = 20.0
    turn_deg: float = 0.0
    step_deg: float = 7.0
    arm: bool = True

    @property
    def scale(self) -> float:
        """How much larger it looks than on the mat."""
        lens_mm = load_geometry().camera_mm
        return lens_mm / (lens_mm - self.height_mm)


def fan_poses(fan: Fan, count: int) -> list[Pose]:
    """Where the middles of a fan's cards appear and how they are turned, left to right."""
    pivot = _turned((0.0, _PIVOT_MM * fan.scale), fan.turn_deg)
    places = []
    for i in range(count):
        turn = fan.turn_deg + (i - (count - 1) / 2) * fan.step_deg
        out = _turned((0.0, -_PIVOT_MM * fan.scale), turn)
        places.append(Pose(fan.at[0] + pivot[0] + out[0], fan.at[1] + pivot[1] + out[1], turn))
    return places


def hold_over(scene: Scene, seat: Seat, cards: Sequence[str], fan: Fan) -> list[int]:
    """Hold a fan over the table; returns keys for ``Scene.remove``."""
    keys = []
    if fan.arm:
        u, v = fan_poses(replace(fan, step_deg=0.0), 1)[0].u_mm, fan.at[1]
        tip = (u + _turned((0, 40), fan.turn_deg)[0], v + 30.0)
        keys.append(scene._put(hands.reach(seat, tip, scene.to_frame, scene._size, scene._rng), _HELD_Z))
    squeeze = math.cos(math.radians(fan.tilt_deg))
    for i, (card, pose) in enumerate(zip(cards, fan_poses(fan, len(cards)), strict=True)):
        keys.append(scene._put(_nearer(scene, seat, pose, card, fan.scale, squeeze), _HELD_Z + 1 + i))
    return keys


def _nearer(scene: Scene, seat: Seat, pose: Pose, card: str, scale: float, squeeze: float) -> Sprite | None:
    """A card's sprite ``scale`` times as large, and shorter by ``squeeze`` along its own height."""
    before = scene.to_frame
    local = np.diag([scale, scale * squeeze, 1.0])
    x, y = seat_to_mat(seat, pose.u_mm, pose.v_mm)
    angle = math.radians(seat_rotation_deg(seat) + pose.turn_deg)
    c, s = math.cos(angle), math.sin(angle)
    turn = np.array([[c, -s, x], [s, c, y], [0, 0, 1]])
    try:
        scene.to_frame = before @ turn @ local @ np.linalg.inv(turn)
        return scene._card_sprite(seat, pose, card)
    finally:
        scene.to_frame = before


def _turned(point: Point, degrees: float) -> Point:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (c * point[0] - s * point[1], s * point[0] + c * point[1])
