"""Looks for a card's print in a picture at every rotation, and says how much of it agrees with what is seen there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.vision.images import Image

PX_PER_MM = 3.0
"""Prompt windows are read at this scale."""
_COARSE = 3
"""The search looks at pictures shrunk by this."""
_STEP_DEG = 6.0
_FINE_DEG = (-3.0, -1.5, 0.0, 1.5, 3.0)
_FINEST_DEG = (-0.7, 0.0, 0.7)
_AROUND_PX, _RIM_PX = 8, 10
_KEPT = 7
_LEAST = 0.16
_REACH_PX = 31
_INK_SHARE = 0.4
_FAINTER = 0.6
_TOLERANCE = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
_OTHER_COLOUR = 24.0
_BRIGHTEST = 255.0
"""What is brighter in a brighter light than a camera can show is shown as this."""
_GROUND = (96, 106, 116)

Floats = NDArray[np.float32]


def contrast(picture: Image, reach_px: int) -> Floats:
    """What stands out from its surroundings: brightness less the mean round it."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.float32)
    soft = np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.8), dtype=np.float32)
    return soft - np.asarray(cv2.blur(soft, (reach_px, reach_px), borderType=cv2.BORDER_REPLICATE), dtype=np.float32)


def _shrunk(picture: Image) -> Image:
    size = (picture.shape[1] // _COARSE, picture.shape[0] // _COARSE)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


@dataclass(frozen=True)
class Print:
    """A card's face (upright, 3 px/mm) and what of it stands out, finely and coarsely."""

    face: Image
    fine: Floats
    coarse: Floats
    sign: float
    """-1 where the ink is darker than the paper, 1 where it is lighter."""
    ink: float
    """From this contrast on it is ink."""
    usual: float
    """The usual contrast of ink."""
    paper: Floats
    ink_colour: Floats

    @classmethod
    def of(cls, face: Image) -> Print:
        """From the face."""
        fine = _inner(contrast(face, _REACH_PX), 5)
        sign = -1.0 if -float(np.percentile(fine, 2)) > float(np.percentile(fine, 98)) else 1.0
        strength = np.maximum(sign * fine, 0.0)
        level = _INK_SHARE * float(np.percentile(strength, 98))
        inked = strength > max(level, 1.0)
        usual = float(np.median(strength[inked])) if inked.any() else 1.0
        pixels = np.asarray(face, dtype=np.float32)
        paper = np.asarray(np.median(pixels.reshape(-1, 3), axis=0), dtype=np.float32)
        far = np.linalg.norm(pixels - paper, axis=2)
        ink_colour = np.asarray(np.median(pixels[far >= np.percentile(far, 97)], axis=0), dtype=np.float32)
        return cls(face, fine, _inner(contrast(_shrunk(face), 11), 2), sign, max(level, 1.0), usual, paper, ink_colour)

    def on_ground(self) -> Image:
        """The card alone in a prompt window."""
        side = round(max(self.face.shape[:2]) * 1.9)
        view = np.full((side, side, 3), _GROUND, dtype=np.uint8)
        height, width = self.face.shape[:2]
        y, x = (side - height) // 2, (side - width) // 2
        view[y : y + height, x : x + width] = self.face
        return view


def _inner(values: Floats, edge: int) -> Floats:
    """The values with the outermost ones, which depend on what lies round the card, set to 0."""
    kept = np.zeros_like(values)
    kept[edge:-edge, edge:-edge] = values[edge:-edge, edge:-edge]
    return kept


@dataclass(frozen=True)
class Found:
    """A place where a print may be: which one, its middle (px of the view), its turn clockwise, and how well it fits.

    ``share`` of the print's ink is seen there; ``clash``: ink seen that is not its own, as a share of what agrees.
    """

    number: int
    x: float
    y: float
    turn_deg: float
    score: float
    share: float = 0.0
    clash: float = 0.0


TURNS = tuple(step * _STEP_DEG for step in range(round(360 / _STEP_DEG)))


def search(view: Image, prints: Sequence[Print], turns: Sequence[float] = TURNS) -> list[Found]:
    """The likeliest places of each print at these turns, at most a few in all, best first."""
    small = contrast(_shrunk(view), 11)
    limit = 4 * float(np.std(small)) + 1
    small = np.clip(small, -limit, limit)
    found: list[Found] = []
    for turn in turns:
        turned = _turned(small, turn)
        found += [place for n, print_ in enumerate(prints) for place in _best(turned, print_, n, turn)]
    best = sorted(found, key=lambda place: -place.score)
    kept: list[Found] = []
    for place in best:
        if len(kept) >= _KEPT or place.score < _LEAST:
            break
        if not any(_alike(place, other) for other in kept):
            kept.append(place)
    return kept


def _turned(values: Floats, turn_deg: float) -> Floats:
    """Values turned counter-clockwise about the middle, so that what was turned clockwise by so much is upright."""
    middle = ((values.shape[1] - 1) / 2, (values.shape[0] - 1) / 2)
    matrix = cv2.getRotationMatrix2D(middle, turn_deg, 1.0)
    return np.asarray(cv2.warpAffine(values, matrix, (values.shape[1], values.shape[0])), dtype=np.float32)


def _best(turned: Floats, print_: Print, number: int, turn_deg: float) -> list[Found]:
    form = print_.coarse
    energy = float((form * form).sum())
    if energy <= 0 or form.shape[0] > turned.shape[0] or form.shape[1] > turned.shape[1]:
        return []
    fit = np.asarray(cv2.matchTemplate(turned, form, cv2.TM_CCORR), dtype=np.float32)
    _, score, _, (x, y) = cv2.minMaxLoc(fit)
    at = np.array([x + (form.shape[1] - 1) / 2, y + (form.shape[0] - 1) / 2])
    middle = np.array([(turned.shape[1] - 1) / 2, (turned.shape[0] - 1) / 2])
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    there = middle + np.array([[c, -s], [s, c]]) @ (at - middle)
    back = (there + 0.5) * _COARSE - 0.5
    return [Found(number, float(back[0]), float(back[1]), turn_deg, float(score) / energy)]


def _alike(one: Found, other: Found) -> bool:
    turn = abs((one.turn_deg - other.turn_deg + 180) % 360 - 180)
    return one.number == other.number and math.dist((one.x, one.y), (other.x, other.y)) < 12 and turn < 20


def agreement(view: Image, print_: Print, place: Found) -> Found:
    """The place made exact, with how much of the print agrees and how much clashes."""
    height, width = print_.face.shape[:2]
    best = _finer(view, print_, place, _FINE_DEG)
    best = _finer(view, print_, best, _FINEST_DEG)
    return _compared(_cut(view, best.x, best.y, best.turn_deg, (width, height)), print_, best)


def agreement_there(view: Image, print_: Print, place: Found) -> Found:
    """How much of another print agrees where a card was found: as it lies there, or the other way up."""
    height, width = print_.face.shape[:2]
    both = []
    for turn in (0.0, 180.0):
        best = _finer(view, print_, replace(place, turn_deg=place.turn_deg + turn), _FINEST_DEG)
        both.append(_compared(_cut(view, best.x, best.y, best.turn_deg, (width, height)), print_, best))
    return max(both, key=lambda found: found.share - 2 * found.clash)


def _finer(view: Image, print_: Print, place: Found, turns: Sequence[float]) -> Found:
    """The best of these turns, and of places a few pixels off."""
    height, width = print_.face.shape[:2]
    best: Found | None = None
    for turn in turns:
        angle = place.turn_deg + turn
        cut = _cut(view, place.x, place.y, angle, (width + 2 * _AROUND_PX, height + 2 * _AROUND_PX))
        form = print_.fine[_RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX]
        fit = np.asarray(cv2.matchTemplate(contrast(cut, _REACH_PX), form, cv2.TM_CCOEFF_NORMED))
        _, score, _, (x, y) = cv2.minMaxLoc(fit)
        if best is None or score > best.score:
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            dx, dy = x - _AROUND_PX - _RIM_PX, y - _AROUND_PX - _RIM_PX
            at = (place.x + c * dx - s * dy, place.y + s * dx + c * dy)
            best = replace(place, x=at[0], y=at[1], turn_deg=angle, score=float(score))
    return best or place


def _cut(view: Image, x: float, y: float, turn_deg: float, size: tuple[int, int]) -> Image:
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    turn = np.array([[c, -s], [s, c]])
    shift = np.array([x, y]) - turn @ np.array([(size[0] - 1) / 2, (size[1] - 1) / 2])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(view, np.column_stack([turn, shift]), size, flags=flags, borderMode=cv2.BORDER_REPLICATE),
        dtype=np.uint8,
    )


def _compared(seen: Image, print_: Print, place: Found) -> Found:
    """Stroke by stroke: ink that is where it should be, ink that is missing, and ink that is not this card's."""
    theirs = contrast(seen, _REACH_PX) * print_.sign
    mine = print_.fine * print_.sign > print_.ink
    total, shows = int(np.count_nonzero(mine)), _shows(seen, print_)
    strength = theirs[mine & shows]
    if not total or not len(strength):
        return place
    level = print_.ink * min(1.3, max(0.5, float(np.median(strength)) / print_.usual))
    agreed = int(np.count_nonzero(mine & shows & _grown(theirs > level)))
    missing = int(np.count_nonzero(mine & shows & ~_grown(theirs > _FAINTER * level)))
    foreign = int(
        np.count_nonzero((theirs > level) & shows & ~_grown(print_.fine * print_.sign > _FAINTER * print_.ink))
    )
    return replace(place, share=agreed / total, clash=(missing + foreign) / max(1, agreed))


def _grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), _TOLERANCE)) > 0


def _shows(seen: Image, print_: Print) -> NDArray[np.bool_]:
    """Where the card itself is seen: its paper's colour or its ink's, or between; what lies over it has others."""
    soft = np.asarray(cv2.GaussianBlur(seen, (0, 0), 1.5), dtype=np.float32)
    plain = np.abs(print_.fine) < print_.ink
    light = _light(soft, print_, plain)
    paper, ink = (np.minimum(colour * light, _BRIGHTEST) for colour in (print_.paper, print_.ink_colour))
    along = ink - paper
    part = np.clip(((soft - paper) @ along) / max(1.0, float(along @ along)), -0.15, 1.15)
    off = np.linalg.norm(soft - paper - part[..., None] * along, axis=2)
    shows = (off < _OTHER_COLOUR).astype(np.uint8)
    shows = np.asarray(cv2.erode(cv2.medianBlur(shows, 9), np.ones((5, 5), np.uint8)))
    edge = np.zeros_like(shows)
    edge[4:-4, 4:-4] = 1
    return np.asarray(shows * edge) > 0


def _light(soft: Floats, print_: Print, plain: NDArray[np.bool_]) -> Floats:
    """How much brighter each colour is now than when the card was learnt, from where most of its paper agrees."""
    ratio = soft[plain] / np.maximum(1.0, np.asarray(print_.face, dtype=np.float32)[plain])
    near = np.abs(np.log(np.maximum(ratio, 0.05))).max(axis=1) < 0.35
    if np.count_nonzero(near) < 100:
        return np.ones(3, dtype=np.float32)
    return np.asarray(np.median(ratio[near], axis=0), dtype=np.float32)
