"""What the drawings and tables are computed from: the TOML and CSV files, and the sums over them."""

from __future__ import annotations

import csv
import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HARDWARE = ROOT / "hardware"
Toml = dict[str, Any]


@cache
def toml(path: str) -> Toml:
    """A TOML file by its path from the repository's root."""
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


@cache
def rows(path: str) -> tuple[dict[str, str], ...]:
    """A CSV file's rows by its path from the repository's root."""
    with (ROOT / path).open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def bom() -> dict[str, dict[str, str]]:
    """The bill of materials by reference."""
    return {row["ref"]: row for row in rows("hardware/bom.csv")}


def signals(side: str) -> dict[str, Toml]:
    """The pins of one side, ``mcu`` or ``pi``."""
    return dict(toml("hardware/pins.toml")[side])


# --- camera ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Optics:
    """A camera over the mat. ``px_per_mm(height)`` is that of the picture's middle."""

    name: str
    focal_px: float
    mode_px: tuple[int, int]

    def px_per_mm(self, height_mm: float) -> float:
        """Pixels a millimetre of the mat, for a lens so far above it."""
        return self.focal_px / height_mm

    def height_for(self, px_per_mm: float) -> float:
        """The greatest height at which the picture has so many pixels a millimetre."""
        return self.focal_px / px_per_mm


def optics(kind: str) -> Optics:
    """``chosen``, ``substitute`` or ``wrong`` of camera.toml, in the mode of geometry.toml."""
    lens = toml("hardware/camera.toml")[kind]
    mode = tuple(toml("hardware/geometry.toml")["camera"]["mode_px"])
    scale = mode[0] / lens["sensor_px"][0]
    return Optics(lens["name"], lens["focal_mm"] / (lens["pixel_um"] / 1000) * scale, (mode[0], mode[1]))


def worst_px_per_mm(lens: Optics, height_mm: float) -> float:
    """Pixels a millimetre with the lens too high by the margin, towards the picture's corners."""
    margin = toml("hardware/camera.toml")["margin"]
    return float(lens.px_per_mm(height_mm + margin["height_mm"]) * (1 - margin["lens_loss"]))


def areas_half_mm() -> float:
    """How far the areas that are read reach from the middle of the mat."""
    mat = toml("hardware/geometry.toml")["mat"]
    circle = (mat["centre_side_mm"] + mat["play_band_mm"] + mat["prompt_diameter_mm"]) / 2
    return float(max(mat["centre_side_mm"] / 2 + mat["play_band_mm"], circle))


def shadow_mm(height_mm: float) -> float:
    """How wide a strip of the mat the screen hides from a lens straight above its plane."""
    screen = toml("hardware/camera.toml")["screen"]
    top = screen["above_mat_mm"] + screen["height_mm"]
    return float(screen["thick_mm"] * height_mm / (height_mm - top))


def lux() -> float:
    """Light on the middle of the mat from both panels, each turned towards it and taken as a small diffuse source."""
    light = toml("hardware/camera.toml")["light"]
    square = light["height_mm"] ** 2 + light["aside_mm"] ** 2
    candela = light["lumen_each"] / math.pi
    return float(2 * candela * light["height_mm"] / math.sqrt(square) / (square / 1e6))


def mirror_tilt_deg(height_mm: float) -> float:
    """How far a card at the edge of the areas must be tilted to mirror the nearest edge of a panel into the lens."""
    light = toml("hardware/camera.toml")["light"]
    near = light["aside_mm"] - light["panel_mm"][1] / 2
    at = areas_half_mm()
    to_lens, to_panel = math.atan2(at, height_mm), math.atan2(near - at, light["height_mm"])
    return math.degrees(to_panel - to_lens) / 2


# --- dealer ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fan:
    """The chute and its five exits, in mm and degrees. Distances along the path start at the hopper's rest."""

    pivot_mm: float
    exit_mm: float
    mouth_mm: float
    pitch_deg: float
    angles_deg: tuple[float, ...]

    @property
    def radius_mm(self) -> float:
        """From the pivot to the exits' beams."""
        return self.exit_mm - self.pivot_mm

    @property
    def bend_mm(self) -> float:
        """The tightest bend of a card: to the outermost exit within the chute's length."""
        return self.radius_mm / math.radians(max(self.angles_deg))

    @property
    def spacing_mm(self) -> float:
        """Between the beams of neighbouring exits."""
        return 2 * self.radius_mm * math.sin(math.radians(self.pitch_deg) / 2)


def fan() -> Fan:
    """The fan of exits E N W S B, exit W straight ahead."""
    machine, chute = toml("firmware/machine.toml"), toml("hardware/mechanism.toml")["chute"]
    step = 360 / chute["steps_per_turn"] * chute["teeth"][0] / chute["teeth"][1]
    pitch = machine["chute_steps"] * step
    exit_mm = machine["exit_at_um"] / 1000
    return Fan(
        pivot_mm=machine["chute_entry_um"] / 1000,
        exit_mm=exit_mm,
        mouth_mm=exit_mm - chute["mouth_back_mm"],
        pitch_deg=pitch,
        angles_deg=tuple(pitch * (index - 2) for index in range(5)),
    )


def step_mm() -> float:
    """The way of a card in one step of the feed motor."""
    return float(toml("firmware/machine.toml")["feed_um_per_step"] / 1000)


def pitch_mm() -> float:
    """The way of a card in one turn of the pick roller: from one card's edge to the next one's."""
    return float(toml("firmware/machine.toml")["pitch_steps"] * step_mm())


def pick_roller_mm() -> float:
    """The pick roller's diameter: one turn is one pitch."""
    return pitch_mm() / math.pi


def transport_roller_mm() -> float:
    """The transport rollers' diameter: their rims run as fast as the card."""
    mechanism = toml("hardware/mechanism.toml")
    driver, driven = mechanism["feed"]["transport_teeth"]
    return float(mechanism["motor"]["steps_per_turn"] * step_mm() * driven / driver / math.pi)


def card_mm() -> tuple[float, float]:
    """A card across the path and along it."""
    card = toml("hardware/geometry.toml")["card"]
    return card["width_mm"], card["height_mm"]


def stack_mm(cards: int) -> float:
    """How thick so many cards are."""
    return float(cards * toml("hardware/mechanism.toml")["feed"]["card_thick_mm"])


# --- power -----------------------------------------------------------------------------------------------------------


def loads(supply: str) -> float:
    """Ampere drawn from a supply by all its loads at once, as power.csv counts them."""
    return sum(
        int(row["qty"]) * float(row["amps_each"]) * float(row["duty"])
        for row in rows("hardware/power.csv")
        if row["supply"] == supply
    )


SUPPLIES = {"PS1": 9.2, "PS2": 2.5, "U3": 2.0, "U4": 5.0}
"""What each supply gives, ampere; a test compares PS1 and PS2 with the bill of materials."""
