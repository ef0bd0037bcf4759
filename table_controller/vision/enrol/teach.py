"""From labelled samples to a deck: its weights, its calibration on captures kept back, and what it confuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from table_controller.cards import JOKERS
from table_controller.errors import InputError
from table_controller.vision.classify import (
    CLASSES,
    JOKER_NOTHING_FROM,
    NO_INDEX,
    VIEWS,
    Floats,
    IndexClassifier,
    cut_patch,
    softmax,
)
from table_controller.vision.deck_weights import DeckWeights
from table_controller.vision.detect import Corner, Detector
from table_controller.vision.enrol.deck import Deck, DeckFacts, as_kept
from table_controller.vision.enrol.labels import Label
from table_controller.vision.enrol.learn import train
from table_controller.vision.enrol.offsets import usual_offset
from table_controller.vision.enrol.samples import NOTHING, Matched, Sample, match_photograph
from table_controller.vision.images import Image, load_photo

MIN_SAMPLES = 20
HOTTER = np.geomspace(1, 2, 30)
SURE_BETWEEN = (0.55, 0.57)
"""A deck's own corners kept back are few, so what they say of its confidences is only roughly right."""
WRONG_AT_MOST = 0.004
SURELY_NOTHING = 0.9
STRANGE_SHARE = 0.25
NOTHING_AT_MOST = 5
"""For each photograph."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Lesson:
    """What came of learning: the weights, and what each kept-back sample was read as (N × 55 chances)."""

    weights: DeckWeights
    kept_back: Floats

    def confusion(self, targets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts by class (rows) and what it was read as (columns)."""
        table = np.zeros((CLASSES, CLASSES), np.int64)
        np.add.at(table, (targets, self.kept_back.argmax(1)), 1)
        return table


def calibrate(logits: Floats, targets: NDArray[np.int64], least: float) -> tuple[float, float, Floats]:
    """(temperature, sure_from, N × 55 chances) by V × N × 55 logits of samples kept back.

    The likeliest temperature, no lower than ``least``, and a confidence from which at most ``WRONG_AT_MOST`` of what is
    read is wrong. What an operator lays with care is easier than play: it makes nobody surer than the shipped weights.
    """
    temperatures = least * HOTTER
    own = np.arange(len(targets))
    tried = [softmax(logits / float(t)).mean(0) for t in temperatures]
    losses = [-np.log(np.maximum(chances[own, targets], 1e-5)).mean() for chances in tried]
    best = int(np.argmin(losses))
    chances = tried[best]
    faces = chances.argmax(1) != NO_INDEX
    confidence, right = chances.max(1)[faces], (chances.argmax(1) == targets)[faces]
    order = np.argsort(-confidence)
    wrong = np.cumsum(~right[order]) / np.arange(1, len(order) + 1)
    good = np.nonzero(wrong <= WRONG_AT_MOST)[0]
    lowest = float(confidence[order[good[-1]]]) if len(good) else SURE_BETWEEN[1]
    return float(temperatures[best]), float(np.clip(lowest, *SURE_BETWEEN)), chances


def learn(
    samples: Sequence[Sample],
    classifier: IndexClassifier,
    offset: tuple[float, float] | None = None,
    tell: Tell = lambda words: None,
) -> Lesson:
    """Learn from samples; raises InputError when they are too few."""
    labelled = sum(sample.card != NOTHING for sample in samples)
    if labelled < MIN_SAMPLES:
        raise InputError(
            f"Labelled corners found: {labelled}. That is too few to learn a deck from.",
            way_out=f"Label {MIN_SAMPLES} or more.",
        )
    weights, kept_back = train(samples, classifier, lambda share: tell(f"learning: {share:.0%}"))
    targets = np.array([sample.target for sample in samples])
    temperature, sure_from, chances = calibrate(kept_back, targets, classifier.temperature)
    strange = jokers_are_strange(samples, classifier)
    return Lesson(DeckWeights(weights, temperature, sure_from, offset, strange), chances)


def jokers_are_strange(samples: Sequence[Sample], classifier: IndexClassifier) -> bool:
    """Whether the shipped weights see no index on a deck's jokers, as with words in ornate letters."""
    patches = [sample.patch for sample in samples if sample.card in JOKERS]
    if not patches:
        return False
    chances, _ = classifier.read(patches, VIEWS[:2])
    return bool((chances[:, NO_INDEX] > JOKER_NOTHING_FROM).mean() > STRANGE_SHARE)


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
        matched, away, free = match_photograph(photo.image, marks, detector, classifier)
        samples += [Sample(found.card, as_kept(found.patch), number) for found in matched]
        samples += [Sample(NOTHING, as_kept(patch), number) for patch in _nothing(photo.image, free, classifier)]
        missed += [(name, label) for label in away]
        by_photograph.append(matched)
    corners = [found.corner for matched in by_photograph for found in matched]
    aspect = float(np.median([c.width_px / c.height_px for c in corners])) if corners else 0.0
    across, down = usual_offset(by_photograph)
    return Collected(tuple(samples), DeckFacts(aspect, across, down, tuple(files)), tuple(missed))


def _nothing(image: Image, corners: Sequence[Corner], classifier: IndexClassifier) -> list[Image]:
    """Patches of what the detector took for an index and the classifier is sure is none."""
    patches = [cut_patch(image, corner) for corner in corners]
    chances, _ = classifier.read(patches, VIEWS[:2])
    sure = [patch for patch, row in zip(patches, chances, strict=True) if row[NO_INDEX] > SURELY_NOTHING]
    return sure[:NOTHING_AT_MOST]


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


def make_deck(
    name: str, weights: str, collected: Collected, lesson: Lesson, prompts: tuple[tuple[str, Image], ...] = ()
) -> Deck:
    """The deck to keep."""
    targets = np.array([sample.target for sample in collected.samples])
    confusion = lesson.confusion(targets)
    return Deck(name, weights, lesson.weights, collected.facts, collected.samples, confusion, prompts)


def learn_again(deck: Deck, weights: str, classifier: IndexClassifier, tell: Tell = lambda words: None) -> Deck:
    """The same deck, learnt anew from its own crops with other weights."""
    lesson = learn(deck.samples, classifier, deck.facts.offset, tell)
    targets = np.array([sample.target for sample in deck.samples])
    return replace(deck, weights=weights, learnt=lesson.weights, confusion=lesson.confusion(targets))
