"""How well indices are read as pictures get worse: plots over index height, angle, view from aside, blur and light.

``python tests/bench/sweeps.py [--styles NAME…] [--models DIR]`` lays out all 54 cards of drawn decks that no weights
were trained on, changes one thing at a time, reads each picture and writes build/bench/sweeps.png and .json. Where
nothing else is said an index is 48 px high (3 px/mm), the picture is sharp and the light is good.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import FACES
from table_controller.geometry import load_geometry
from table_controller.sim.deck import FACE_PX_PER_MM, STYLES, deck, to_bgra
from table_controller.vision.reader import INDEX_MM, Reader

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build" / "bench"
COLUMNS, ROWS = 9, 6
GAP_MM = 7.0
PX_PER_MM = 3.0
CLOTH = (88, 100, 104)

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class Sheet:
    """All 54 cards of a deck, straight, at FACE_PX_PER_MM, and where each one's two indices are (pixels)."""

    picture: Image
    indices: dict[str, NDArray[np.float64]]


def sheet_of(style: str) -> Sheet:
    """The deck laid out in six rows of nine."""
    faces = {card: to_bgra(deck(style).face(card)) for card in FACES}
    high, wide = faces["AS"].shape[:2]
    gap = round(GAP_MM * FACE_PX_PER_MM)
    picture = np.full((ROWS * (high + gap) + gap, COLUMNS * (wide + gap) + gap, 3), CLOTH, np.uint8)
    look, places = deck(style).style, {}
    middle = (look.index_top_mm + (look.rank_mm + look.gap_mm + look.suit_mm) / 2) * FACE_PX_PER_MM
    for number, card in enumerate(FACES):
        y, x = (gap + (v * (side + gap)) for v, side in zip(divmod(number, COLUMNS), (high, wide), strict=True))
        alpha = faces[card][..., 3:].astype(np.float32) / 255
        part = picture[y : y + high, x : x + wide]
        part[:] = (part * (1 - alpha) + faces[card][..., :3] * alpha).astype(np.uint8)
        first = np.array([x + look.index_x_mm * FACE_PX_PER_MM, y + middle])
        places[card] = np.array([first, [2 * x + wide, 2 * y + high] - first])
    return Sheet(picture, places)


def seen(
    sheet: Sheet, matrix: NDArray[np.float64], size: tuple[int, int]
) -> tuple[Image, dict[str, NDArray[np.float64]]]:
    """The sheet through a 3 × 3 matrix, without aliasing, and where the indices are then."""
    shrink = math.sqrt(abs(np.linalg.det(matrix[:2, :2])))
    source = sheet.picture
    if shrink < 1:
        source = np.asarray(cv2.GaussianBlur(source, (0, 0), max(0.1, 0.45 * (1 / shrink - 1) + 0.1)), np.uint8)
    picture = cv2.warpPerspective(
        source, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=CLOTH
    )
    places = {
        card: cv2.perspectiveTransform(points.reshape(1, -1, 2), matrix)[0] for card, points in sheet.indices.items()
    }
    return np.asarray(picture, np.uint8), places


def _placed(
    sheet: Sheet, px_per_mm: float, angle: float = 0.0, aside: float = 0.0
) -> tuple[Image, dict[str, NDArray[np.float64]]]:
    """The sheet at a scale, turned by ``angle`` and seen ``aside`` (both in degrees) from straight above."""
    scale = px_per_mm / FACE_PX_PER_MM
    height, width = sheet.picture.shape[:2]
    turn, lean = math.radians(angle), math.radians(aside)
    far = load_geometry().camera_mm * px_per_mm
    spin = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
    tilt = np.array([[1, 0, 0], [0, math.cos(lean), 0], [0, math.sin(lean) / far, 1]])
    centre = np.array([[scale, 0, -scale * width / 2], [0, scale, -scale * height / 2], [0, 0, 1]])
    matrix = tilt @ spin @ centre
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    low, high = (f(cv2.perspectiveTransform(corners, matrix)[0], axis=0) for f in (np.min, np.max))
    move = np.array([[1, 0, 8 - low[0]], [0, 1, 8 - low[1]], [0, 0, 1]])
    size = (int(high[0] - low[0]) + 16, int(high[1] - low[1]) + 16)
    return seen(sheet, move @ matrix, size)


def score(
    reader: Reader, picture: Image, places: dict[str, NDArray[np.float64]], px_per_mm: float
) -> NDArray[np.float64]:
    """Shares of indices read right, doubtful or missed, and wrong."""
    readings = reader.read_crop(picture, px_per_mm)
    right = wrong = 0
    for card, points in places.items():
        for point in points:
            near = [r for r in readings if math.dist(r.centre, point) < 0.6 * INDEX_MM * px_per_mm and not r.doubtful]
            right += any(r.card == card for r in near)
            wrong += bool(near) and all(r.card != card for r in near)
    total = 2 * len(places)
    return np.array([right, total - right - wrong, wrong]) / total


Change = Callable[[Sheet, float], tuple[Image, dict[str, NDArray[np.float64]], float]]


def _height(sheet: Sheet, value: float) -> tuple[Image, dict[str, NDArray[np.float64]], float]:
    return (*_placed(sheet, value / INDEX_MM), value / INDEX_MM)


def _angle(sheet: Sheet, value: float) -> tuple[Image, dict[str, NDArray[np.float64]], float]:
    return (*_placed(sheet, PX_PER_MM, value), PX_PER_MM)


def _aside(sheet: Sheet, value: float) -> tuple[Image, dict[str, NDArray[np.float64]], float]:
    return (*_placed(sheet, PX_PER_MM, 20.0, value), PX_PER_MM)


def _blur(sheet: Sheet, value: float) -> tuple[Image, dict[str, NDArray[np.float64]], float]:
    picture, places = _placed(sheet, PX_PER_MM, 20.0)
    blurred = cv2.GaussianBlur(picture, (0, 0), value) if value else picture
    return np.asarray(blurred, np.uint8), places, PX_PER_MM


def _light(sheet: Sheet, value: float) -> tuple[Image, dict[str, NDArray[np.float64]], float]:
    picture, places = _placed(sheet, PX_PER_MM, 20.0)
    noise = np.random.default_rng(1).normal(0, 4.0, picture.shape)
    return np.clip(picture * value + noise, 0, 255).astype(np.uint8), places, PX_PER_MM


SWEEPS: dict[str, tuple[str, Change, tuple[float, ...]]] = {
    "height": ("height of the index, px", _height, (10, 13, 16, 20, 24, 32, 40, 48, 64)),
    "angle": ("angle of the cards, degrees", _angle, (0, 15, 30, 45, 60, 90, 135, 180, 225, 270, 315)),
    "aside": ("view from aside, degrees", _aside, (0, 15, 30, 40, 50, 60)),
    "blur": ("blur, sigma in px of a 48 px index", _blur, (0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5)),
    "light": (
        "light, share of the right exposure (noise of 4 levels)",
        _light,
        (0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.2, 1.5),
    ),
}


def draw(results: dict[str, list[dict[str, float]]], file: Path) -> None:
    """One plot a sweep: right, doubtful or missed, wrong."""
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3, figsize=(13, 7), sharey=True)
    for axis, (name, points) in zip(axes.flat, results.items(), strict=False):
        at = [point["at"] for point in points]
        for key, colour in (("right", "#1a7f37"), ("unsure", "#b58900"), ("wrong", "#c0392b")):
            axis.plot(at, [point[key] for point in points], "o-", color=colour, label=key, markersize=4)
        axis.set_xlabel(SWEEPS[name][0])
        axis.grid(alpha=0.3)
    axes.flat[0].legend()
    axes.flat[0].set_ylabel("share of 108 indices a deck")
    axes.flat[-1].axis("off")
    figure.tight_layout()
    figure.savefig(file, dpi=90)


def main() -> int:
    """Runs the sweeps and draws them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--styles", nargs="+", default=["classic", "bridge", "club", "bold"], choices=sorted(STYLES))
    parser.add_argument("--models", type=Path)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader, sheets = Reader.load(args.models), [sheet_of(style) for style in args.styles]
    OUT.mkdir(parents=True, exist_ok=True)
    results: dict[str, list[dict[str, float]]] = {}
    for name, (label, change, values) in SWEEPS.items():
        print(label)
        results[name] = []
        for value in values:
            shares = np.mean([score(reader, *change(sheet, value)) for sheet in sheets], axis=0)
            found = dict(zip(("right", "unsure", "wrong"), (round(float(s), 4) for s in shares), strict=True))
            results[name].append({"at": value, **found})
            print(
                f"  {value:>6}  right {found['right']:.3f}  unsure {found['unsure']:.3f}  wrong {found['wrong']:.4f}",
                flush=True,
            )
    (OUT / "sweeps.json").write_text(json.dumps({"reader": reader.name, **results}, indent=1) + "\n", encoding="utf-8")
    draw(results, OUT / "sweeps.png")
    print(f"written to {(OUT / 'sweeps.png').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
