"""Plain prompt cards (PASS, 1-10, TD, STOP as venues print them), learnt from pictures and read by their print.

A card is kept as it looks upright. To read one, the print is looked for in every rotation, coarsely; the best places
are refined and compared part by part, so that a thumb over half of the card hides it from nothing that still shows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import UNKNOWN
from table_controller.errors import InputError
from table_controller.geometry import Point, load_geometry
from table_controller.vision.images import Image
from table_controller.vision.plain_match import PX_PER_MM, Found, Print, agreement, agreement_there, search

SURE_SHARE = 0.3
"""So much of a card's print must show and agree."""
SURE_CLASH = 0.13
"""So much may be missing or be other ink, at most, as a share of what agrees."""
SURE_LEAD = 0.04
"""By so much more than three times as much must any other kind clash, or it must agree with much less."""
_LESS = 0.6
_FAINT_SHARE = 0.2
_SIZE_OFF = 0.16
_TWINS = "twins"
_WHOLE = 0.85
_OFF_MAT = 30.0
_EDGE_PX = 12
_ALIKE = 0.6
_TWIN_SHARE = 0.75
_TWIN_CLASH = 0.025


@dataclass(frozen=True)
class PlainSight:
    """A plain prompt card seen: ``kind`` (``??``: not sure), where its middle lies (mm of the window), its turn."""

    kind: str
    confidence: float
    sure: bool
    at: Point
    turn_deg: float

    @property
    def whole(self) -> bool:
        """Whether nothing to speak of lies over it."""
        return self.confidence > _WHOLE

    def corners(self, grow_mm: float = 0.0) -> list[Point]:
        """Its four corners, mm of the window."""
        width, height = load_geometry().prompt_card_mm
        w, h = width / 2 + grow_mm, height / 2 + grow_mm
        c, s = math.cos(math.radians(self.turn_deg)), math.sin(math.radians(self.turn_deg))
        return [
            (self.at[0] + c * x - s * y, self.at[1] + s * x + c * y) for x, y in ((-w, -h), (w, -h), (w, h), (-w, h))
        ]


class PlainPrompts:
    """One venue's plain prompt cards."""

    def __init__(self, faces: Mapping[str, Sequence[Image]], twins: set[tuple[str, str]] | None = None) -> None:
        self._prints = {kind: [Print.of(face) for face in shown] for kind, shown in faces.items() if shown}
        self._twins = _twins(self._prints) if twins is None else twins

    @classmethod
    def learn(cls, samples: Sequence[tuple[str, Image]]) -> PlainPrompts:
        """From (kind, view of a prompt window at PROMPT_PX_PER_MM that shows that one card alone, in any rotation).

        Raises InputError naming the kind whose card cannot be made out.
        """
        faces: dict[str, list[Image]] = {}
        for kind, view in samples:
            face = upright_face(view)
            if face is None:
                raise InputError(
                    f"No prompt card of the size in geometry.toml lies alone in the picture of {kind}.",
                    way_out="Lay that one card into the empty circle, take the hand away, and repeat.",
                )
            faces.setdefault(kind, []).append(face)
        return cls(faces)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that were learnt."""
        return tuple(self._prints)

    @property
    def twins(self) -> tuple[tuple[str, str], ...]:
        """Kinds whose prints cannot be told apart (a 6 and a 9 without a mark): never read as sure."""
        return tuple(sorted(self._twins))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All that was learnt, by name: ``KIND/NUMBER`` is a face, H × W × 3 bytes; ``twins`` are N × 2 kinds."""
        arrays: dict[str, NDArray[Any]] = {
            f"{kind}/{number}": print_.face
            for kind, prints in self._prints.items()
            for number, print_ in enumerate(prints)
        }
        arrays[_TWINS] = np.array(self.twins, dtype="U8").reshape(-1, 2)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PlainPrompts:
        """What ``to_arrays`` gave."""
        faces: dict[str, list[Image]] = {}
        for name in sorted(arrays):
            if name != _TWINS:
                faces.setdefault(name.split("/")[0], []).append(np.asarray(arrays[name], dtype=np.uint8))
        twins = {(str(one), str(other)) for one, other in arrays[_TWINS]} if _TWINS in arrays else None
        return cls(faces, twins)

    def read(self, view: Image) -> PlainSight | None:
        """The uppermost card in a view of a prompt window at PROMPT_PX_PER_MM; None where no learnt card shows."""
        prints = [(kind, print_) for kind, shown in self._prints.items() for print_ in shown]
        found = search(view, [print_ for _, print_ in prints])
        judged = [(agreement(view, prints[place.number][1], place), prints[place.number][0]) for place in found]
        sight = self._decided(judged)
        if sight is None or not sight.sure or sight.whole:
            return sight
        return self._decided([*judged, *self._others_there(view, judged)])

    def _others_there(self, view: Image, judged: Sequence[tuple[Found, str]]) -> list[tuple[Found, str]]:
        """The other kinds where the likeliest was found: what shows of a half-covered 9 may be an 8's too, and the few
        places that the search keeps may all be that one's."""
        best, kind = max(judged, key=lambda pair: pair[0].share - 2 * pair[0].clash)
        others = [(other, print_) for other, shown in self._prints.items() if other != kind for print_ in shown]
        return [(agreement_there(view, print_, best), other) for other, print_ in others]

    def _decided(self, judged: Sequence[tuple[Found, str]]) -> PlainSight | None:
        ranked = sorted(judged, key=lambda pair: pair[0].share - 2 * pair[0].clash, reverse=True)
        if not ranked or ranked[0][0].share < _FAINT_SHARE:
            return None
        best, kind = ranked[0]
        rivals = [
            place
            for place, other in ranked[1:]
            if other != kind and place.share > _LESS * best.share and place.clash < 3 * best.clash + SURE_LEAD
        ]
        twin = any(kind in pair for pair in self._twins)
        sure = best.share >= SURE_SHARE and best.clash <= SURE_CLASH and not rivals and not twin
        at = (best.x / PX_PER_MM, best.y / PX_PER_MM)
        confidence = max(0.0, min(1.0, best.share * (1 - min(1.0, best.clash))))
        return PlainSight(kind if sure else UNKNOWN, confidence, sure, at, best.turn_deg)


def upright_face(view: Image) -> Image | None:
    """The one card that lies in a view of a prompt window, cut out upright (or upside down); None where none does."""
    strip = np.concatenate([view[:_EDGE_PX].reshape(-1, 3), view[-_EDGE_PX:].reshape(-1, 3)])
    off = np.abs(view.astype(np.float32) - np.median(strip, axis=0)).max(axis=2)
    mask = (off > _OFF_MAT).astype(np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9))
    solid = cv2.morphologyEx(cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel), cv2.MORPH_CLOSE, np.ones((25, 25)))
    outlines, _ = cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return None
    (x, y), (a, b), turn = cv2.minAreaRect(max(outlines, key=cv2.contourArea))
    if a > b:
        a, b, turn = b, a, turn + 90
    width, height = load_geometry().prompt_card_mm
    if abs(a / (width * PX_PER_MM) - 1) > _SIZE_OFF or abs(b / (height * PX_PER_MM) - 1) > _SIZE_OFF:
        return None
    return cut_upright(view, (x, y), turn)


def cut_upright(view: Image, at: Point, turn_deg: float) -> Image:
    """A card's rectangle cut from a view: its middle at ``at`` (px), turned clockwise by ``turn_deg``."""
    width, height = (round(side * PX_PER_MM) for side in load_geometry().prompt_card_mm)
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    turn = np.array([[c, -s], [s, c]])
    shift = np.array(at) - turn @ np.array([(width - 1) / 2, (height - 1) / 2])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    matrix = np.column_stack([turn, shift])
    return np.asarray(
        cv2.warpAffine(view, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
    )


def _twins(prints: Mapping[str, Sequence[Print]]) -> set[tuple[str, str]]:
    """Pairs of kinds of which one, upright or upside down, agrees with the other."""
    twins: set[tuple[str, str]] = set()
    for kind, shown in prints.items():
        view = shown[0].on_ground()
        for other, theirs in prints.items():
            places = [] if other == kind else search(view, [theirs[0]], (0.0, 180.0))
            compared = [agreement(view, theirs[0], place) for place in places if place.score > _ALIKE]
            if any(place.share > _TWIN_SHARE and place.clash < _TWIN_CLASH for place in compared):
                first, second = sorted((kind, other))
                twins.add((first, second))
    return twins
