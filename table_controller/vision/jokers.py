"""Tells the two jokers apart by the ink of their word: the big one's is red, the small one's black, in most decks.

The network mixes up a small joker with a big one far oftener than any other two cards, for on both the same word
stands. What it makes of the picture beside the word still counts: in some decks both words are black. So the ink shifts
the chances between the two, and never makes a joker of another card. In a picture without any colour it says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from table_controller.cards import FACES
from table_controller.vision.channels import greatest, least
from table_controller.vision.classify import PATCH_INDEX_PX, PATCH_PX, Floats
from table_controller.vision.detect import Corner
from table_controller.vision.images import Image

SMALL, BIG = FACES.index("SJ"), FACES.index("BJ")
BLACK_TO, RED_FROM = 0.2, 0.4
"""Measured on the 90 joker corners of 72 rendered photographs of drawn decks: black ink up to 0.12, red from 0.5."""
ODDS = 15.0
"""So many times likelier is black ink on a small joker than on a big one, and red ink the other way round."""
LIKELY = 0.3
"""Of a corner that is a joker less likely than this nothing is asked."""
INK_FROM = 0.25
COLOURED, COLOURED_SHARE = 60, 0.005
"""A picture has colour when a share of its pixels has channels so far apart (of 255)."""


def redness(patch: Image, aspect: float) -> float:
    """How red the ink of an index is, 0 (black) to about 0.9, whatever the light and however blurred.

    ``patch`` as of ``cut_patch``; ``aspect`` is the index's width by its height. Ink is measured against its paper:
    what it takes off red, as a share of what it takes off green and blue.
    """
    middle, half = PATCH_PX // 2, max(6, round(PATCH_INDEX_PX / 2 * aspect))
    high = PATCH_INDEX_PX // 2 + 1
    part = patch[middle - high : middle + high + 1, middle - half : middle + half + 1].astype(np.float32)
    light = part.sum(2)
    paper = np.median(part[light >= np.quantile(light, 0.8)], axis=0)
    left = np.minimum(part / np.maximum(paper, 1), 1)
    rest = (left[..., 0] + left[..., 1]) / 2
    ink = rest < 1 - INK_FROM
    taken = float((1 - rest)[ink].sum())
    return float((left[..., 2] - rest)[ink].sum()) / taken if taken else 0.0


def has_colour(image: Image) -> bool:
    """Whether a picture shows any colour: a grey photograph cannot tell red ink from black."""
    small = np.asarray(cv2.resize(image, (160, 120), interpolation=cv2.INTER_AREA), np.uint8)
    return bool((greatest(small) - least(small) > COLOURED).mean() > COLOURED_SHARE)


def told_by_ink(image: Image, probs: Floats, patches: Sequence[Image], corners: Sequence[Corner]) -> Floats:
    """N × 55 chances, those of the two jokers shifted by the ink that their corners show."""
    jokers = np.nonzero(probs[:, SMALL] + probs[:, BIG] > LIKELY)[0]
    if not len(jokers):
        return probs
    reds = [redness(patch, corner.width_px / corner.height_px) for patch, corner in zip(patches, corners, strict=True)]
    if max(reds) < RED_FROM and not has_colour(image):
        return probs
    told = probs.copy()
    for i in jokers:
        towards_big = float(np.clip((reds[i] - BLACK_TO) / (RED_FROM - BLACK_TO), 0, 1)) * 2 - 1
        small, big = float(probs[i, SMALL]), float(probs[i, BIG]) * ODDS**towards_big
        told[i, [SMALL, BIG]] = np.array([small, big]) / (small + big) * float(probs[i, SMALL] + probs[i, BIG])
    return told
