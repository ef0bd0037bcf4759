"""The table's geometry, read from ``hardware/geometry.toml``: areas, cards, camera, and the seat frames.

Mat frame: millimetres, origin in the mat's centre, x towards seat E, y towards seat S (an image with N on top).
Seat frame: u to the player's right, v towards the player. All rectangles are (u0, v0, u1, v1) in a seat frame.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from table_controller.cards import SEATS, Seat
from table_controller.errors import ConfigError
from table_controller.resources import resource

Point = tuple[float, float]
# mat = M @ (u, v): the columns are the seat's right and the direction towards the player
_SEAT_AXES: dict[Seat, tuple[Point, Point]] = {
    "S": ((1, 0), (0, 1)),
    "E": ((0, -1), (1, 0)),
    "N": ((-1, 0), (0, -1)),
    "W": ((0, 1), (-1, 0)),
}


def seat_to_mat(seat: Seat, u: float, v: float) -> Point:
    """A point of a seat frame in the mat frame, both in mm."""
    (ux, uy), (vx, vy) = _SEAT_AXES[seat]
    return (ux * u + vx * v, uy * u + vy * v)


def mat_to_seat(seat: Seat, x: float, y: float) -> Point:
    """A point of the mat frame in a seat frame, both in mm."""
    (ux, uy), (vx, vy) = _SEAT_AXES[seat]
    return (ux * x + uy * y, vx * x + vy * y)


def seat_rotation_deg(seat: Seat) -> float:
    """How far a card upright for ``seat`` is turned in the mat frame: degrees, clockwise as seen in the image."""
    return {"S": 0.0, "W": 90.0, "N": 180.0, "E": 270.0}[seat]


@dataclass(frozen=True)
class Geometry:
    """Everything with a length. See ``hardware/geometry.toml`` for the meaning and source of each figure."""

    table_side_mm: float
    mat_side_mm: float
    mat_colour: str
    centre_side_mm: float
    play_band_mm: float
    prompt_diameter_mm: float
    discard_mm: tuple[float, float]
    discard_edge_mm: float
    reserve_diameter_mm: float
    fiducial_dictionary: str
    fiducial_mm: float
    fiducials: dict[int, Point]
    card_mm: tuple[float, float]
    card_radius_mm: float
    prompt_card_mm: tuple[float, float]
    prompt_marker_mm: float
    prompt_box: tuple[str, ...]
    camera_mode_px: tuple[int, int]
    frame_px: tuple[int, int]
    px_per_mm: float
    camera_mm: float
    """The lens above the mat."""
    fps: float

    @property
    def play_area(self) -> tuple[float, float, float, float]:
        """The play area, the same in every seat frame: (u0, v0, u1, v1) mm."""
        half = self.centre_side_mm / 2
        return (-half, half, half, half + self.play_band_mm)

    @property
    def prompt_centre(self) -> Point:
        """The centre of the prompt circle, to the right of the play area, in every seat frame."""
        centre = self.centre_side_mm / 2 + self.play_band_mm / 2
        return (centre, centre)

    def prompt_marker(self, seat: Seat, index: int) -> int:
        """The marker id of the ``index``-th card of a seat's box of prompt cards."""
        return SEATS.index(seat) * len(self.prompt_box) + index

    def prompt_of_marker(self, marker: int) -> tuple[Seat, str, int] | None:
        """(owner of the box, kind, index in the box) of a prompt card's marker id, or None."""
        size = len(self.prompt_box)
        if not 0 <= marker < size * len(SEATS):
            return None
        return SEATS[marker // size], self.prompt_box[marker % size], marker % size


def _pair(value: Any) -> tuple[Any, Any]:
    first, second = value
    return (first, second)


def parse_geometry(data: dict[str, Any], name: str) -> Geometry:
    """A Geometry from parsed TOML; raises ConfigError naming the file and the key that is missing or wrong."""
    try:
        mat, fid, card = data["mat"], data["fiducials"], data["card"]
        prompt, camera = data["prompt_card"], data["camera"]
        return Geometry(
            table_side_mm=data["table"]["side_mm"],
            mat_side_mm=mat["side_mm"],
            mat_colour=mat["colour"],
            centre_side_mm=mat["centre_side_mm"],
            play_band_mm=mat["play_band_mm"],
            prompt_diameter_mm=mat["prompt_diameter_mm"],
            discard_mm=_pair(mat["discard_mm"]),
            discard_edge_mm=mat["discard_edge_mm"],
            reserve_diameter_mm=mat["reserve_diameter_mm"],
            fiducial_dictionary=fid["dictionary"],
            fiducial_mm=fid["marker_mm"],
            fiducials={int(marker): _pair(at) for marker, at in fid["at"].items()},
            card_mm=(card["width_mm"], card["height_mm"]),
            card_radius_mm=card["corner_radius_mm"],
            prompt_card_mm=(prompt["width_mm"], prompt["height_mm"]),
            prompt_marker_mm=prompt["marker_mm"],
            prompt_box=tuple(prompt["box"]),
            camera_mode_px=_pair(camera["mode_px"]),
            frame_px=_pair(camera["crop_px"]),
            px_per_mm=camera["px_per_mm"],
            camera_mm=float(camera["height_mm"]),
            fps=camera["fps"],
        )
    except KeyError as error:
        raise ConfigError(f"{name}: the key {error} is missing.", way_out="Restore the shipped file.") from error
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{name}: {error}.", way_out="Restore the shipped file.") from error


@cache
def load_geometry(path: Path | None = None) -> Geometry:
    """The geometry from ``path``, or the shipped one."""
    file = path or resource("hardware/geometry.toml")
    return parse_geometry(tomllib.loads(file.read_text(encoding="utf-8")), file.name)
