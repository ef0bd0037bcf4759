"""An enrolled deck, and the one file it is kept in: a zip of a JSON sheet and plain arrays.

The file holds the labelled crops too, so a deck can be learnt again when the shipped weights change.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import FACES
from table_controller.errors import InputError
from table_controller.vision.classify import CLASSES, PATCH_PX
from table_controller.vision.deck_weights import DeckWeights
from table_controller.vision.enrol.samples import NOTHING, Sample
from table_controller.vision.images import Image

FORMAT, VERSION = "table-controller deck", 1
MAX_FILE_BYTES = 200 * 1024 * 1024
MAX_MEMBER_BYTES = 400 * 1024 * 1024
MAX_SAMPLES = 20_000
JPEG_QUALITY = 94
SHEET, LAYERS, CROPS, PROMPTS = "deck.json", "layers.npz", "crops.npz", "prompts.npz"


@dataclass(frozen=True)
class DeckFacts:
    """What is known of a deck's print, lengths in index heights, and where the deck was learnt.

    ``aspect``: an index's width. ``across``, ``down``: from one corner's index to the other's, to the right and down;
    None when no card showed both.
    """

    aspect: float
    across: float | None = None
    down: float | None = None
    sources: tuple[str, ...] = ()
    how: str = "photographs"

    @property
    def offset(self) -> tuple[float, float] | None:
        """From one corner's index to the other's: index heights to the right and down."""
        return None if self.across is None or self.down is None else (self.across, self.down)


@dataclass(frozen=True)
class Deck:
    """A deck: what it was learnt from, with which weights, and what came of it.

    ``weights`` names the classifier's file; ``confusion`` counts, for each class (rows), what it was read as when kept
    back (columns). ``prompts`` are crops of prompt cards by kind.
    """

    name: str
    weights: str
    learnt: DeckWeights
    facts: DeckFacts
    samples: tuple[Sample, ...]
    confusion: NDArray[np.int64]
    prompts: tuple[tuple[str, Image], ...] = field(default=())


def _packed(images: list[Image]) -> dict[str, NDArray[Any]]:
    """Pictures as JPEG after JPEG in one array of bytes, and where each ends."""
    blobs = [np.asarray(cv2.imencode(".jpg", i, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]).ravel() for i in images]
    ends = np.cumsum([len(blob) for blob in blobs]).astype(np.int64)
    return {"bytes": np.concatenate(blobs) if blobs else np.zeros(0, np.uint8), "ends": ends}


def _unpacked(arrays: dict[str, NDArray[Any]], count: int) -> list[Image]:
    data, ends = arrays["bytes"], arrays["ends"]
    if data.dtype != np.uint8 or data.ndim != 1 or ends.shape != (count,) or (count and int(ends[-1]) != len(data)):
        raise ValueError("crops")
    starts = [0, *ends.tolist()][:-1]
    images = []
    for start, end in zip(starts, ends.tolist(), strict=True):
        if not 0 <= start < end:
            raise ValueError("crops")
        image = cv2.imdecode(data[start:end], cv2.IMREAD_COLOR_BGR)
        if image is None:
            raise ValueError("crop")
        images.append(np.asarray(image, np.uint8))
    return images


def as_kept(patch: Image) -> Image:
    """A patch as it comes back from a file, so that a deck learns the same now and later."""
    return _unpacked(_packed([patch]), 1)[0]


def _npz(arrays: dict[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def to_bytes(deck: Deck) -> bytes:
    """The deck as the bytes of its file."""
    sheet = {
        "format": FORMAT,
        "version": VERSION,
        "name": deck.name,
        "weights": deck.weights,
        "facts": asdict(deck.facts),
        "temperature": deck.learnt.temperature,
        "sure_from": deck.learnt.sure_from,
        "strange_jokers": deck.learnt.strange_jokers,
        "cards": [sample.card for sample in deck.samples],
        "groups": [sample.group for sample in deck.samples],
        "prompts": [kind for kind, _ in deck.prompts],
        "confusion": deck.confusion.tolist(),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(SHEET, json.dumps(sheet, ensure_ascii=False))
        file.writestr(LAYERS, _npz(dict(deck.learnt.arrays)))
        file.writestr(CROPS, _npz(_packed([sample.patch for sample in deck.samples])))
        file.writestr(PROMPTS, _npz(_packed([image for _, image in deck.prompts])))
    return buffer.getvalue()


def from_bytes(data: bytes, place: str) -> Deck:
    """The deck in the bytes of a file; raises InputError naming ``place`` when it is none, damaged or of a later kind.

    Nothing in it is run or unpacked to disk.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            sheet = json.loads(_member(file, SHEET))
            if not isinstance(sheet, dict) or sheet.get("format") != FORMAT:
                raise _foreign(place)
            if sheet.get("version") != VERSION:
                raise InputError(
                    f"{place}: this deck was written by another version ({sheet.get('version')}; ours is {VERSION}).",
                    way_out="Update the table, or enrol the deck here.",
                )
            arrays = {name: _arrays(_member(file, name)) for name in (LAYERS, CROPS, PROMPTS)}
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        raise _foreign(place) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(place) from error
    try:
        return _deck(sheet, arrays)
    except (KeyError, TypeError, ValueError, OverflowError, cv2.error) as error:
        raise _damaged(place) from error


def _foreign(place: str) -> InputError:
    return InputError(f"{place}: this is not an enrolled deck.", way_out="Name a file that `deck export` wrote.")


def _damaged(place: str) -> InputError:
    return InputError(f"{place}: the deck is damaged.", way_out="Copy it again, or enrol the deck again.")


def _member(file: zipfile.ZipFile, name: str) -> bytes:
    if file.getinfo(name).file_size > MAX_MEMBER_BYTES:
        raise ValueError(name)
    return file.read(name)


def _arrays(data: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _deck(sheet: dict[str, Any], arrays: dict[str, dict[str, NDArray[Any]]]) -> Deck:
    cards, groups, kinds = sheet["cards"], sheet["groups"], sheet["prompts"]
    if len(cards) > MAX_SAMPLES or len(cards) != len(groups) or any(c != NOTHING and c not in FACES for c in cards):
        raise ValueError("cards")
    patches = _unpacked(arrays[CROPS], len(cards))
    if any(patch.shape != (PATCH_PX, PATCH_PX, 3) for patch in patches):
        raise ValueError("crops")
    confusion = np.array(sheet["confusion"], np.int64)
    if confusion.shape != (CLASSES, CLASSES):
        raise ValueError("confusion")
    prompts = _unpacked(arrays[PROMPTS], len(kinds))
    facts = DeckFacts(**{**sheet["facts"], "sources": tuple(map(str, sheet["facts"]["sources"]))})
    return Deck(
        str(sheet["name"]),
        str(sheet["weights"]),
        _learnt(sheet, arrays[LAYERS], facts),
        facts,
        tuple(Sample(card, patch, int(group)) for card, patch, group in zip(cards, patches, groups, strict=True)),
        confusion,
        tuple(zip(map(str, kinds), prompts, strict=True)),
    )


def _learnt(sheet: dict[str, Any], arrays: dict[str, NDArray[Any]], facts: DeckFacts) -> DeckWeights:
    temperature, sure_from = float(sheet["temperature"]), float(sheet["sure_from"])
    layers = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    if not layers or not all(np.isfinite(array).all() for array in layers.values()):
        raise ValueError("layers")
    if not 0.05 < temperature < 20 or not 0 <= sure_from <= 1:
        raise ValueError("calibration")
    strange = sheet.get("strange_jokers", False)
    return DeckWeights(layers, temperature, sure_from, facts.offset, strange is True)


def read_deck_file(path: Path) -> Deck:
    """The deck in a file; raises InputError."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path}: too large for a deck.", way_out="Name a file that `deck export` wrote.")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: it cannot be read ({error.strerror}).", way_out="Check the name.") from error
    return from_bytes(data, str(path))
