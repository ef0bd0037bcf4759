"""Names the card of a corner index: an upright crop round it, several slightly different views, both half turns.

The network's file says the crop it wants (``crop_width``, ``crop_height``; ``centre_x``, ``centre_y``, ``index_px``:
where and how high the index stands in it) and its calibration (``temperature``, ``sure_from``). The classes are the 54
faces and, last, "no index".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import FACES, JOKERS
from table_controller.errors import InputError
from table_controller.vision.deck_weights import DeckWeights
from table_controller.vision.detect import Corner, open_session
from table_controller.vision.images import Image
from table_controller.vision.onnx_file import OnnxFile, open_bytes

PATCH_PX = 128
PATCH_INDEX_PX = 40
"""A patch is a square of this side in whose middle the index stands upright, this high."""
CLASSES = len(FACES) + 1
NO_INDEX = len(FACES)
JOKERS_FROM = len(FACES) - len(JOKERS)
HALF = 0.5
BATCH = 64

SECOND_VIEWS = 2
"""In so many views the shipped weights look again at what an enrolled deck's weights have read."""
NOTHING_FROM = 0.5
"""What the shipped weights give more than this as "no index" is none, whatever the deck's weights say."""
JOKER_NOTHING_FROM = 0.2
"""The same where the deck's weights see a joker: a column of black pips under a card's edge looks like its word."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class View:
    """How a view differs from the plain crop: size, turn (radians) and shift (in index heights)."""

    size: float = 1.0
    turn: float = 0.0
    dx: float = 0.0
    dy: float = 0.0


PLAIN = View()
VIEWS: tuple[View, ...] = (
    PLAIN,
    View(0.9, 0.1),
    View(1.12, -0.1),
    View(1.0, 0.12, 0.05, 0.04),
    View(1.0, -0.12, -0.05, -0.04),
    View(0.94, 0.0, -0.04, 0.06),
    View(1.08, 0.0, 0.04, -0.06),
)


def cut_patch(image: Image, corner: Corner) -> Image:
    """The square patch round a corner, index upright and ``PATCH_INDEX_PX`` high; shrunk without aliasing."""
    scale = PATCH_INDEX_PX / max(corner.height_px, 4.0)
    ux, uy = corner.up
    turn = scale * np.array([[-uy, ux], [-ux, -uy]])
    centre = np.array(corner.centre)
    source = image
    if scale < 0.9:
        reach = 0.75 * PATCH_PX / scale + 2
        x0, y0 = (max(0, math.floor(c - reach)) for c in centre)
        x1, y1 = math.ceil(centre[0] + reach), math.ceil(centre[1] + reach)
        part = image[y0:y1, x0:x1]
        if min(part.shape[:2]) > 4:
            size = (max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale)))
            source = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
            shrink = np.array([size[0] / part.shape[1], size[1] / part.shape[0]])
            centre = (centre - (x0, y0)) * shrink
            turn = turn / shrink
    shift = (PATCH_PX - 1) / 2 - turn @ (centre - 0.5)
    matrix = np.column_stack([turn, shift])
    return np.asarray(
        cv2.warpAffine(source, matrix, (PATCH_PX, PATCH_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        np.uint8,
    )


@dataclass(frozen=True)
class CropShape:
    """The crop a network wants: its size, and where in it the index's centre is and how high the index; pixels."""

    width: int
    height: int
    centre_x: float
    centre_y: float
    index_px: float


def view_matrix(view: View, half_turn: bool, shape: CropShape) -> NDArray[np.float64]:
    """The 2 × 3 matrix from crop pixels to patch pixels."""
    scale = PATCH_INDEX_PX / shape.index_px * view.size
    angle = view.turn + (math.pi if half_turn else 0.0)
    turn = scale * np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    middle = np.array([shape.centre_x, shape.centre_y])
    centre = np.array([(PATCH_PX - 1) / 2 + view.dx * PATCH_INDEX_PX, (PATCH_PX - 1) / 2 + view.dy * PATCH_INDEX_PX])
    return np.column_stack([turn, centre - turn @ middle])


def normalise(crops: NDArray[np.uint8]) -> Floats:
    """N × H × W × 3 bytes as N × 3 × H × W numbers, each crop's mean and contrast evened out (over its channels)."""
    values = crops.astype(np.float32) / 255
    mean = values.mean((1, 2, 3), keepdims=True)
    spread = values.std((1, 2, 3), keepdims=True, ddof=1)
    return np.ascontiguousarray(((values - mean) / (spread + 0.05)).transpose(0, 3, 1, 2))


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True), np.float32)


def _session_for(path: Path, threads: int, deck: DeckWeights) -> Any:
    """The network with a deck's layers in it; raises InputError when the deck was learnt with another network."""
    try:
        data = OnnxFile(path.read_bytes(), str(path)).with_weights(deck.arrays)
    except ValueError as error:
        raise InputError(f"{path}: the deck was learnt with other weights.", way_out="Enrol the deck again.") from error
    except OSError as error:
        raise InputError(f"{path}: it cannot be read ({error.strerror}).", way_out="Restore the file.") from error
    return open_bytes(data, threads, str(path))


class IndexClassifier:
    """The classifier network over ONNX Runtime; with a ``deck``'s weights it reads that deck better.

    A deck is learnt from cards laid with care, which show hardly anything that only looks like an index: indices half
    covered, pips, frames of courts. So the shipped weights keep their say in what is none.
    """

    def __init__(self, path: Path, threads: int = 1, deck: DeckWeights | None = None) -> None:
        self.path = path
        self._shipped = None if deck is None else IndexClassifier(path, threads)
        self._strange_jokers = deck is not None and deck.strange_jokers
        self._session = open_session(path, threads) if deck is None else _session_for(path, threads, deck)
        self._input = self._session.get_inputs()[0].name
        self._logits_name = self._session.get_outputs()[0].name
        facts: dict[str, Any] = self._session.get_modelmeta().custom_metadata_map
        try:
            size = (int(facts["crop_width"]), int(facts["crop_height"]))
            self.shape = CropShape(*size, *(float(facts[key]) for key in ("centre_x", "centre_y", "index_px")))
            self.temperature = float(facts["temperature"])
            self.sure_from = float(facts["sure_from"])
        except (KeyError, ValueError) as error:
            raise InputError(f"{path}: it does not say which crop it wants.", way_out="Restore the file.") from error
        if deck is not None:
            self.temperature, self.sure_from = deck.temperature, deck.sure_from

    def crops(self, patches: Sequence[Image], turns: Sequence[bool], views: Sequence[View]) -> Image:
        """N × height × width × 3: the network's crop of each patch, seen as its view says."""
        return np.stack(
            [
                cv2.warpAffine(
                    patch,
                    view_matrix(view, turned, self.shape),
                    (self.shape.width, self.shape.height),
                    flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                    borderMode=cv2.BORDER_REPLICATE,
                )
                for patch, turned, view in zip(patches, turns, views, strict=True)
            ]
        ).astype(np.uint8, copy=False)

    def _logits(self, patches: Sequence[Image], turns: Sequence[bool], view: View) -> Floats:
        return self.logits(self.crops(patches, turns, [view] * len(patches)))

    def logits(self, crops: Image) -> Floats:
        """N × 55 logits of N crops."""
        data = normalise(crops)
        parts = [
            self._session.run([self._logits_name], {self._input: data[i : i + BATCH]})[0]
            for i in range(0, len(data), BATCH)
        ]
        return np.concatenate(parts)

    def read(self, patches: Sequence[Image], views: Sequence[View] = VIEWS) -> tuple[Floats, list[bool]]:
        """(N × 55 probabilities, for each patch whether it stood on its head), averaged over ``views``."""
        if not patches:
            return np.zeros((0, CLASSES), np.float32), []
        count = len(patches)
        first = self._logits([*patches, *patches], [False] * count + [True] * count, views[0])
        both = softmax(first / self.temperature).reshape(2, count, CLASSES)
        best = both[:, :, :NO_INDEX].max(2)
        turned = [bool(t) for t in best[1] > best[0]]
        logits = first.reshape(2, count, CLASSES)[np.array(turned, int), np.arange(count)]
        probs = softmax(logits / self.temperature)
        for view in views[1:]:
            probs = probs + softmax(self._logits(patches, turned, view) / self.temperature)
        chances = np.asarray(probs / len(views), np.float32)
        return self._less_nothing(chances, patches, turned, views), turned

    def _less_nothing(
        self, chances: Floats, patches: Sequence[Image], turned: Sequence[bool], views: Sequence[View]
    ) -> Floats:
        """A deck's chances, those of the shipped weights where these see no index."""
        if self._shipped is None:
            return chances
        shipped, again = self._shipped, views[:SECOND_VIEWS]
        each = [softmax(shipped._logits(patches, turned, view) / shipped.temperature) for view in again]
        second = np.asarray(np.mean(each, axis=0), np.float32)
        none = no_index(second, chances, self._strange_jokers)
        return np.where(none[:, None], second, chances)


def no_index(shipped: Floats, deck: Floats, strange_jokers: bool) -> NDArray[np.bool_]:
    """Which of N corners the shipped weights' chances (N × 55) take from a deck's: there is no index for them.

    They are not asked about jokers where the deck's own look so strange to them that they see no index there.
    """
    nothing = shipped[:, NO_INDEX]
    joker = deck[:, JOKERS_FROM:NO_INDEX].sum(1) > HALF
    if strange_jokers:
        return np.asarray((nothing > NOTHING_FROM) & ~joker)
    return np.asarray((nothing > NOTHING_FROM) | (joker & (nothing > JOKER_NOTHING_FROM)))
