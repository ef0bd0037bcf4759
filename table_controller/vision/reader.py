"""Reads the cards in a picture: finds their corner indices, names each, and says when it is not sure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from table_controller.cards import FACES, JOKERS, UNKNOWN
from table_controller.errors import InputError
from table_controller.resources import resource
from table_controller.vision.classify import NO_INDEX, VIEWS, IndexClassifier, View, cut_patch
from table_controller.vision.deck_weights import DeckWeights
from table_controller.vision.detect import UNIT_PX, Corner, Detector, IndexDetector
from table_controller.vision.images import Image
from table_controller.vision.jokers import told_by_ink
from table_controller.vision.pairs import join_corners
from table_controller.vision.photo import find_at_any_scale, of_one_size
from table_controller.vision.reading import IndexReading
from table_controller.vision.ultralytics_detector import UltralyticsDetector

INDEX_MM = 16.0
"""How high a corner index (rank above suit) stands on an ordinary card; decks range from 13 to 20 mm."""
CROP_THRESHOLD = 0.22
PHOTO_THRESHOLD = 0.3
FAINT_THRESHOLD = 0.06
"""A quarter as clear as what is read: whether anything could be an index."""
DECK_THRESHOLDS = (CROP_THRESHOLD, 0.18)
"""For an enrolled deck: its classifier has learnt what is no index of it. A table's eye looks as it always does."""
NOT_AN_INDEX = 0.5
"""A corner is dropped when the classifier gives "no index" more than this."""
FAINT = 0.4
"""A doubtful reading of a corner found with less than this is dropped: most such corners are frames and folds."""
JOKER_SURE_FROM = 0.95
"""In a photograph of a deck not enrolled a joker is sure from this on: a word is all there is to it, and words stand on
boxes and telephones too (MARSHALL was 0.76). Of 30 joker corners in rendered photographs of unknown decks one is less.
"""
DETECTOR_FILES = "index_detector.onnx or index_detector.pt"
CLASSIFIER_FILE = "index_classifier.onnx"
WEIGHTS = f"with {DETECTOR_FILES}, and {CLASSIFIER_FILE}"
CROP_VIEWS: tuple[View, ...] = VIEWS[:4]


def weight_files(models_dir: Path | None = None) -> tuple[Path, Path]:
    """The detector's and the classifier's file in ``models_dir`` (the shipped ones when None).

    Raises InputError naming what is missing in ``models_dir``.
    """
    base = models_dir if models_dir is not None else resource("models")
    files = _detector_file(base), base / CLASSIFIER_FILE
    if models_dir is not None:
        _check_folder(base, files)
    return files


def _check_folder(base: Path, files: tuple[Path, Path]) -> None:
    if base.exists() and not base.is_dir():
        raise InputError(f"{base}: this is no folder.", way_out=f"Name the folder {WEIGHTS}.")
    if not base.exists():
        raise InputError(f"{base}: there is no such folder.", way_out=f"Name the folder {WEIGHTS}.")
    missing = [name for file, name in zip(files, (DETECTOR_FILES, CLASSIFIER_FILE), strict=True) if not file.is_file()]
    if missing:
        raise InputError(
            f"{base}: no {' and no '.join(missing)} in this folder.", way_out=f"Name the folder {WEIGHTS}."
        )


def open_detector(file: Path, threads: int = 1) -> Detector:
    """The detector in a file, ours or of ultralytics; raises InputError."""
    return UltralyticsDetector(file, threads) if file.suffix == ".pt" else IndexDetector(file, threads)


class Reader:
    """The two-stage reader. Deterministic: the same picture, weights and machine give the same readings."""

    def __init__(
        self, detector: Detector, classifier: IndexClassifier, name: str, deck: DeckWeights | None = None
    ) -> None:
        self._detector = detector
        self._classifier = classifier
        self.name = name
        self._offset = None if deck is None else deck.offset
        self._knows_jokers = deck is not None
        self._thresholds = (CROP_THRESHOLD, PHOTO_THRESHOLD) if deck is None else DECK_THRESHOLDS

    @classmethod
    def load(cls, models_dir: Path | None = None, threads: int = 1, deck: DeckWeights | None = None) -> Reader:
        """The reader with the weights in ``models_dir`` (the shipped ones when None); raises InputError.

        With the weights of an enrolled ``deck`` it reads that deck.
        A folder may hold ``index_detector.pt`` of ultralytics instead of ``index_detector.onnx``.
        """
        files = weight_files(models_dir)
        detector, classifier = open_detector(files[0], threads), IndexClassifier(files[1], threads, deck)
        digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        return cls(detector, classifier, f"index-reader-{digest[:8]}", deck)

    def read_crop(self, image: Image, px_per_mm: float) -> list[IndexReading]:
        """The readings in a picture of known scale (the table's camera), in one pass; strongest corner first."""
        scale = min(1.0, UNIT_PX / (INDEX_MM * px_per_mm))
        corners = self._detector.find(image, scale, self._thresholds[0])
        return self._name(image, of_one_size(corners, INDEX_MM * px_per_mm), CROP_VIEWS)

    def read_faint(self, image: Image, px_per_mm: float) -> list[IndexReading]:
        """All that might be an index in a picture of known scale, however unlikely; none is judged."""
        scale = min(1.0, UNIT_PX / (INDEX_MM * px_per_mm))
        corners = self._detector.find(image, scale, FAINT_THRESHOLD)
        probs, _ = self._classifier.read([cut_patch(image, corner) for corner in corners], CROP_VIEWS)
        return [_unjudged(corner, row) for corner, row in zip(corners, probs, strict=True)]

    def read_photo(self, image: Image) -> list[IndexReading]:
        """The readings in a photograph of unknown scale; strongest corner first."""
        found = find_at_any_scale(self._detector, image, self._thresholds[1])
        readings = self._name(image, found, VIEWS, from_aside=True)
        return readings if self._knows_jokers else [_joker_in_doubt(reading) for reading in readings]

    def _name(
        self, image: Image, corners: Sequence[Corner], views: Sequence[View], from_aside: bool = False
    ) -> list[IndexReading]:
        patches = [cut_patch(image, corner) for corner in corners]
        probs, turned = self._classifier.read(patches, views)
        if not self._knows_jokers:
            probs = told_by_ink(image, probs, patches, corners)
        readings = []
        for corner, row, half_turn in zip(corners, probs, turned, strict=True):
            up = (-corner.up[0], -corner.up[1]) if half_turn else corner.up
            if row[NO_INDEX] <= NOT_AN_INDEX:
                readings.append(_unjudged(replace(corner, up=up), row))
        judged = [self._judged(reading) for reading in join_corners(readings, self._offset, from_aside)]
        return [reading for reading in judged if not reading.doubtful or reading.found >= FAINT]

    def _judged(self, reading: IndexReading) -> IndexReading:
        """The reading with its card, confidence and doubt by its chances."""
        best = int(reading.probs.argmax())
        if best == NO_INDEX:
            return replace(reading, card=UNKNOWN, confidence=0.0, doubtful=True)
        confidence = float(reading.probs[best])
        return replace(
            reading, card=FACES[best], confidence=confidence, doubtful=confidence < self._classifier.sure_from
        )


def _detector_file(base: Path) -> Path:
    """The shipped kind of weights, or those of ultralytics where a folder holds only them."""
    ours, theirs = base / "index_detector.onnx", base / "index_detector.pt"
    return theirs if theirs.exists() and not ours.exists() else ours


def _joker_in_doubt(reading: IndexReading) -> IndexReading:
    """A joker that is not quite certain is doubtful."""
    weak = reading.card in JOKERS and reading.confidence < JOKER_SURE_FROM
    return replace(reading, doubtful=True) if weak else reading


def _unjudged(corner: Corner, probs: NDArray[np.float32]) -> IndexReading:
    """A reading whose card is still open."""
    return IndexReading(
        card=UNKNOWN,
        confidence=0.0,
        doubtful=True,
        centre=corner.centre,
        up=corner.up,
        height_px=corner.height_px,
        width_px=corner.width_px,
        box=corner.box(),
        found=corner.score,
        probs=probs,
    )


__all__ = ["IndexReading", "Reader"]
