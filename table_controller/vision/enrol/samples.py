"""Labelled crops: what a deck is learnt from and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from table_controller.cards import FACES
from table_controller.vision.classify import NO_INDEX, PLAIN, IndexClassifier, cut_patch, softmax
from table_controller.vision.detect import Corner, Detector
from table_controller.vision.enrol.labels import Label
from table_controller.vision.images import Image
from table_controller.vision.photo import find_at_any_scale

ENROL_THRESHOLD = 0.12
"""Labels vouch for a corner, so fainter ones are taken than a reader would."""
ROUND_BOX = 0.25
"""How far outside its box, as a share of the box, a label's corner may lie."""
NOTHING = "--"
"""The "card" of a sample in which there is no index."""


@dataclass(frozen=True)
class Sample:
    """An upright patch (``classify.PATCH_PX`` square) with its card, or NOTHING, and the capture it came from."""

    card: str
    patch: Image
    group: int

    @property
    def target(self) -> int:
        """Its place among the classifier's classes."""
        return NO_INDEX if self.card == NOTHING else FACES.index(self.card)


@dataclass(frozen=True)
class Matched:
    """A labelled corner that was found: its card, the corner as it stands upright, and its patch."""

    card: str
    corner: Corner
    patch: Image


def _inside(label: Label, corner: Corner) -> bool:
    x0, y0, x1, y1 = label.box
    dx, dy = ROUND_BOX * (x1 - x0), ROUND_BOX * (y1 - y0)
    return x0 - dx <= corner.centre[0] <= x1 + dx and y0 - dy <= corner.centre[1] <= y1 + dy


def _overlap(label: Label, corner: Corner) -> float:
    """Intersection over union of the label's box and the corner's."""
    a, b = label.box, corner.box()
    wide = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    high = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    both = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - wide * high
    return wide * high / both if both > 0 else 0.0


def pair_up(labels: Sequence[Label], corners: Sequence[Corner]) -> dict[int, int]:
    """Label to corner, by their numbers: the best overlapping first, each once."""
    ranked = sorted(
        ((-_overlap(label, corner), -corner.score, i, j))
        for i, label in enumerate(labels)
        for j, corner in enumerate(corners)
        if _inside(label, corner)
    )
    pairs: dict[int, int] = {}
    for _, _, i, j in ranked:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return pairs


def turned(corner: Corner) -> Corner:
    """The same corner with the other way up."""
    return Corner(corner.score, corner.centre, (-corner.up[0], -corner.up[1]), corner.height_px, corner.width_px)


def upright(
    image: Image, cards: Sequence[str], corners: Sequence[Corner], classifier: IndexClassifier
) -> list[Matched]:
    """Each corner the way up in which its patch looks more like its card."""
    if not corners:
        return []
    both = [corners, [turned(corner) for corner in corners]]
    patches = [[cut_patch(image, corner) for corner in way] for way in both]
    columns = np.array([FACES.index(card) for card in cards])
    chances = []
    for way in patches:
        logits = classifier.logits(classifier.crops(way, [False] * len(way), [PLAIN] * len(way)))
        chances.append(softmax(logits)[np.arange(len(way)), columns])
    ways = (chances[1] > chances[0]).astype(int)
    return [Matched(card, both[way][i], patches[way][i]) for i, (card, way) in enumerate(zip(cards, ways, strict=True))]


def match_photograph(
    image: Image, labels: Sequence[Label], detector: Detector, classifier: IndexClassifier
) -> tuple[list[Matched], list[Label], list[Corner]]:
    """(the labelled corners that were found, the labels near which none was, the corners without a label)."""
    corners = find_at_any_scale(detector, image, ENROL_THRESHOLD)
    pairs = pair_up(labels, corners)
    matched = upright(image, [labels[i].card for i in pairs], [corners[j] for j in pairs.values()], classifier)
    missed = [label for i, label in enumerate(labels) if i not in pairs]
    taken = set(pairs.values())
    return matched, missed, [corner for j, corner in enumerate(corners) if j not in taken]
