"""Rendered tables for enrolling: rows as the guide asks for them, and a deck learnt from them in few rounds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from table_controller.geometry import load_geometry
from table_controller.sim.figures.enrolment import lay_stage
from table_controller.sim.scene import Scene
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.enrol import learn
from table_controller.vision.enrol.deck import Deck
from table_controller.vision.enrol.guide import Guide
from table_controller.vision.enrol.opening import weights_name
from table_controller.vision.enrol.plan import Stage, Words
from table_controller.vision.enrol.session import learn_shown
from table_controller.vision.images import Image
from table_controller.vision.reader import open_detector, weight_files

GEOMETRY = load_geometry()


class Rehearsal:
    """A guide before a rendered table: ``lay`` a stage, then ``show`` frames of it."""

    def __init__(self, plan: list[Stage], style: str, seed: int = 1, plain_set: str = "white") -> None:
        self.rng = random.Random(seed)
        self.scene = Scene(self.rng, style=style, plain_set=plain_set)
        detector, classifier = weight_files()
        self.guide = Guide(GEOMETRY, plan, open_detector(detector), IndexClassifier(classifier))
        self.ms = 0

    def lay(self, stage: Stage) -> None:
        lay_stage(self.scene, stage, self.rng)

    def show(self, frames: int = 8, fault: Callable[[Image], Image] = lambda frame: frame) -> list[Words]:
        said: list[Words] = []
        stage = self.guide.stage
        for _ in range(frames):
            said += self.guide.see(fault(self.scene.render()), self.ms)
            self.ms += 100
            if self.guide.stage != stage:
                break
        return said


@pytest.fixture
def rehearse() -> Callable[..., Rehearsal]:
    return Rehearsal


@pytest.fixture(scope="session")
def plan() -> list[Stage]:
    """The first picture of the plan, and one of prompt cards."""
    from table_controller.vision.enrol.plan import stages

    full = stages(("PASS", "1", "2", "TD"))
    return [full[0], full[-1]]


@pytest.fixture(scope="session")
def few_rounds() -> Iterator[None]:
    before, learn.ROUNDS = learn.ROUNDS, 2
    yield
    learn.ROUNDS = before


@pytest.fixture(scope="session")
def shown(plan: list[Stage], few_rounds: None) -> Rehearsal:
    """A rehearsal that ran to its end."""
    rehearsal = Rehearsal(plan, "bridge")
    for stage in plan:
        rehearsal.lay(stage)
        rehearsal.show()
    return rehearsal


@pytest.fixture(scope="session")
def deck(shown: Rehearsal) -> Deck:
    """The deck of that rehearsal, barely trained."""
    classifier = IndexClassifier(weight_files()[1])
    made = learn_shown("hall", shown.guide, classifier, weights_name(), lambda words: None)
    return replace(made, name="hall")


@pytest.fixture
def decks(tmp_path: Path) -> Path:
    return tmp_path / "decks"
