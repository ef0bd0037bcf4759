"""A guided enrolment, or the one-minute check of a deck, before a camera: frames from a source, words to a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from table_controller.cards import FACES, UNKNOWN
from table_controller.errors import DeviceError
from table_controller.geometry import Geometry, load_geometry
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.enrol.deck import Deck
from table_controller.vision.enrol.guide import Guide
from table_controller.vision.enrol.opening import weights_name
from table_controller.vision.enrol.plan import Words, check_stage, stages
from table_controller.vision.enrol.samples import NOTHING
from table_controller.vision.enrol.teach import Collected, Tell, learn, make_deck
from table_controller.vision.images import Image
from table_controller.vision.plain_prompts import PlainPrompts
from table_controller.vision.reader import open_detector, weight_files
from table_controller.vision.sources import NowMs, open_source

Say = Callable[[Words], None]


def prompt_kinds(geometry: Geometry) -> tuple[str, ...]:
    """The kinds of prompt card, each once, as they lie in a box."""
    return tuple(dict.fromkeys(geometry.prompt_box))


def watch(
    guide: Guide, source_name: str, geometry: Geometry, now_ms: NowMs, say: Say, lost: str = "nothing was learnt"
) -> None:
    """Show a guide the frames of a source until it is done; raises DeviceError when the source ends before: then
    ``lost`` says what came of it."""
    source = open_source(source_name, geometry, now_ms)
    try:
        while not guide.done:
            grab = source.read()
            if grab is None:
                raise DeviceError(
                    f"{source_name} ended at picture {guide.stage + 1}; {lost}.",
                    way_out="Show every picture that is asked for.",
                )
            for words in guide.see(*grab):
                say(words)
    finally:
        source.close()


def enrol_at_table(
    name: str, source: str, now_ms: NowMs, say: Say, tell: Tell, models_dir: Path | None = None, *, prompts: bool = True
) -> Deck:
    """Guide an operator through showing a deck (and plain prompt cards), then learn it. Raises TableError."""
    geometry = load_geometry()
    detector_file, classifier_file = weight_files(models_dir)
    classifier = IndexClassifier(classifier_file)
    plan = stages(prompt_kinds(geometry) if prompts else ())
    guide = Guide(geometry, plan, open_detector(detector_file), classifier)
    watch(guide, source, geometry, now_ms, say)
    say(Words("正在学习，请稍候……", "Learning; a moment please …"))
    return learn_shown(name, guide, classifier, weights_name(models_dir), tell)


def learn_shown(name: str, guide: Guide, classifier: IndexClassifier, weights: str, tell: Tell) -> Deck:
    """The deck that a guide has been shown. Raises InputError."""
    return learn_collected(name, guide.collected, tuple(guide.prompts), classifier, weights, tell)


def learn_collected(
    name: str,
    collected: Collected,
    prompts: tuple[tuple[str, Image], ...],
    classifier: IndexClassifier,
    weights: str,
    tell: Tell,
) -> Deck:
    """The deck of what a guide collected. Raises InputError."""
    if prompts:
        PlainPrompts.learn(prompts)
    lesson = learn(collected.samples, classifier, collected.facts.offset, tell)
    return make_deck(name, weights, collected, lesson, prompts)


def check_at_table(
    deck: Deck, source: str, now_ms: NowMs, say: Say, models_dir: Path | None = None
) -> tuple[int, list[tuple[str, str]]]:
    """(corners compared, (laid, read) where they differ) of one picture with a handful of the deck's cards."""
    geometry = load_geometry()
    detector_file, classifier_file = weight_files(models_dir)
    classifier = IndexClassifier(classifier_file, 1, deck.learnt)
    guide = Guide(geometry, [check_stage()], open_detector(detector_file), classifier)
    watch(guide, source, geometry, now_ms, say, "nothing was compared")
    return compare(guide, classifier)


def compare(guide: Guide, classifier: IndexClassifier) -> tuple[int, list[tuple[str, str]]]:
    """(corners, (laid, read) where they differ or are doubtful) of what a guide was shown, read by a classifier."""
    samples = [sample for sample in guide.collected.samples if sample.card != NOTHING]
    chances, _ = classifier.read([sample.patch for sample in samples])
    differ = []
    for sample, row in zip(samples, chances, strict=True):
        best = int(np.argmax(row[: len(FACES)]))
        read = FACES[best] if row[best] >= classifier.sure_from else UNKNOWN
        if read != sample.card:
            differ.append((sample.card, read))
    return len(samples), differ
