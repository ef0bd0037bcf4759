"""From labelled samples to a deck: its head, its calibration on captures kept back, and what it confuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from table_controller.errors import InputError
from table_controller.vision.classify import CLASSES, NO_INDEX, IndexClassifier, softmax
from table_controller.vision.deck_head import DeckHead, Floats, to_faces
from table_controller.vision.detect import Detector
from table_controller.vision.enrol.deck import Deck, DeckFacts, as_kept
from table_controller.vision.enrol.labels import Label
from table_controller.vision.enrol.learn import Features, fit, gather
from table_controller.vision.enrol.offsets import usual_offset
from table_controller.vision.enrol.samples import Matched, Sample, match_photograph
from table_controller.vision.images import Image, load_photo

FOLDS = 3
HOLD = 1e-5
MIN_SAMPLES = 20
TEMPERATURES = np.geomspace(0.5, 3, 40)
SURE_BETWEEN = (0.6, 0.97)
WRONG_AT_MOST = 0.002

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Lesson:
    """What came of learning: the head, and what each kept-back sample was read as (N × 55 chances)."""

    head: DeckHead
    kept_back: Floats

    def confusion(self, targets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts by class (rows) and what it was read as (columns)."""
        table = np.zeros((CLASSES, CLASSES), np.int64)
        np.add.at(table, (targets, self.kept_back.argmax(1)), 1)
        return table


def _folds(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which of FOLDS parts each sample is kept back with: captures stay whole where there are enough of them."""
    kinds = np.unique(groups)
    if len(kinds) < FOLDS:
        return np.arange(len(groups)) % FOLDS
    order = np.random.default_rng(len(kinds)).permutation(len(kinds))
    return np.asarray(order[np.searchsorted(kinds, groups)] % FOLDS, np.int64)


def _averaged(logits: Floats, sample: NDArray[np.int64], count: int, temperature: float) -> Floats:
    """Each sample's chances over its crops."""
    chances = np.zeros((count, CLASSES), np.float32)
    np.add.at(chances, sample, softmax(logits / temperature))
    return np.asarray(chances / np.maximum(np.bincount(sample, minlength=count)[:, None], 1), np.float32)


def calibrate(logits: Floats, sample: NDArray[np.int64], targets: NDArray[np.int64]) -> tuple[float, float, Floats]:
    """(temperature, sure_from, chances) by kept-back crops: the likeliest temperature, and a confidence from which at
    most ``WRONG_AT_MOST`` of what was read is wrong."""
    count, own = len(targets), np.arange(len(targets))
    tried = [_averaged(logits, sample, count, float(t)) for t in TEMPERATURES]
    losses = [-np.log(np.maximum(chances[own, targets], 1e-5)).mean() for chances in tried]
    best = int(np.argmin(losses))
    chances = tried[best]
    faces = chances.argmax(1) != NO_INDEX
    confidence, right = chances.max(1)[faces], (chances.argmax(1) == targets)[faces]
    order = np.argsort(-confidence)
    wrong = np.cumsum(~right[order]) / np.arange(1, len(order) + 1)
    good = np.nonzero(wrong <= WRONG_AT_MOST)[0]
    lowest = float(confidence[order[good[-1]]]) if len(good) else SURE_BETWEEN[1]
    return float(TEMPERATURES[best]), float(np.clip(lowest, *SURE_BETWEEN)), chances


def learn(samples: Sequence[Sample], classifier: IndexClassifier, tell: Tell = lambda words: None) -> Lesson:
    """Learn a head from samples; raises InputError when they are too few."""
    if len(samples) < MIN_SAMPLES:
        raise InputError(
            f"{len(samples)} labelled corners are too few to learn a deck from.",
            way_out=f"Label {MIN_SAMPLES} or more.",
        )
    features = gather(samples, classifier, tell=lambda share: tell(f"learning: crops {share:.0%}"))
    targets = np.array([sample.target for sample in samples])
    folds = _folds(np.array([sample.group for sample in samples]))
    logits = np.zeros_like(features.logits)
    for fold in range(FOLDS):
        tell(f"learning: trial {fold + 1} of {FOLDS}")
        inside = folds[features.sample] == fold
        logits[inside] = _corrected(features, *fit(features, targets, np.nonzero(~inside)[0], HOLD), inside)
    temperature, sure_from, chances = calibrate(logits, features.sample, targets)
    weight, bias = fit(features, targets, np.arange(len(features.sample)), HOLD)
    return Lesson(DeckHead(features.basis @ weight, bias, temperature, sure_from), chances)


def _corrected(features: Features, weight: Floats, bias: Floats, rows: NDArray[np.bool_]) -> Floats:
    return np.asarray(features.logits[rows] + to_faces(features.values[rows] @ weight + bias), np.float32)


@dataclass(frozen=True)
class Collected:
    """What labelled photographs gave: samples, facts of the print, and the labels near which no corner was found."""

    samples: tuple[Sample, ...]
    facts: DeckFacts
    missed: tuple[tuple[str, Label], ...]


def collect(
    files: Mapping[str, Path],
    labels: Mapping[str, Sequence[Label]],
    detector: Detector,
    classifier: IndexClassifier,
    tell: Tell = lambda words: None,
) -> Collected:
    """Find the labelled corners in photographs; raises InputError for a photograph that cannot be read or a box
    outside it."""
    samples: list[Sample] = []
    missed: list[tuple[str, Label]] = []
    by_photograph: list[list[Matched]] = []
    for number, (name, file) in enumerate(files.items()):
        tell(f"photograph {number + 1} of {len(files)}: {name}")
        photo = load_photo(file)
        marks = [_reduced(label, photo.reduction) for label in labels[name]]
        _check_boxes(marks, photo.image, name)
        matched, away, _ = match_photograph(photo.image, marks, detector, classifier)
        samples += [Sample(found.card, as_kept(found.patch), number) for found in matched]
        missed += [(name, label) for label in away]
        by_photograph.append(matched)
    corners = [found.corner for matched in by_photograph for found in matched]
    aspect = float(np.median([c.width_px / c.height_px for c in corners])) if corners else 0.0
    across, down = usual_offset(by_photograph)
    return Collected(tuple(samples), DeckFacts(aspect, across, down, tuple(files)), tuple(missed))


def _reduced(label: Label, reduction: int) -> Label:
    x0, y0, x1, y1 = (value / reduction for value in label.box)
    return replace(label, box=(x0, y0, x1, y1))


def _check_boxes(labels: Sequence[Label], image: Image, name: str) -> None:
    height, width = image.shape[:2]
    for label in labels:
        x, y = (label.box[0] + label.box[2]) / 2, (label.box[1] + label.box[3]) / 2
        if not (0 <= x <= width and 0 <= y <= height):
            raise InputError(
                f"{name}: the box of {label.card} lies outside the picture ({width} × {height}).",
                way_out="Boxes are pixels of this very file.",
            )


def make_deck(name: str, weights: str, collected: Collected, lesson: Lesson) -> Deck:
    """The deck to keep."""
    targets = np.array([sample.target for sample in collected.samples])
    return Deck(name, weights, lesson.head, collected.facts, collected.samples, lesson.confusion(targets))


def learn_again(deck: Deck, weights: str, classifier: IndexClassifier, tell: Tell = lambda words: None) -> Deck:
    """The same deck, learnt anew from its own crops with other weights."""
    lesson = learn(deck.samples, classifier, tell)
    targets = np.array([sample.target for sample in deck.samples])
    return replace(deck, weights=weights, head=lesson.head, confusion=lesson.confusion(targets))
