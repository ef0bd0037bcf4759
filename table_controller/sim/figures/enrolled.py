"""A drawn deck enrolled as a venue would: shown to the guide on a rendered table, row by row."""

from __future__ import annotations

import random
from pathlib import Path

from table_controller.errors import DeviceError
from table_controller.geometry import Geometry, load_geometry
from table_controller.sim import poses
from table_controller.sim.scene import Scene
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.enrol.guide import Guide
from table_controller.vision.enrol.plan import Stage, stages
from table_controller.vision.enrol.teach import learn
from table_controller.vision.reader import Reader, open_detector, weight_files

_MOST_FRAMES = 60


def enrolled_reader(style: str, models: Path | None = None) -> Reader:
    """The reader of a drawn deck after its enrolment; raises DeviceError when the guide is never content."""
    geometry, rng = load_geometry(), random.Random(f"enrol {style}")
    detector_file, classifier_file = weight_files(models)
    classifier = IndexClassifier(classifier_file)
    guide = Guide(geometry, stages(), open_detector(detector_file), classifier)
    scene = Scene(random.Random(rng.getrandbits(32)), style=style)
    clock_ms = 0
    for number, stage in enumerate(stages()):
        _show(scene, stage, geometry, rng)
        for _ in range(_MOST_FRAMES):
            guide.see(scene.render(), clock_ms)
            clock_ms += 100
            if guide.stage > number:
                break
        else:
            raise DeviceError(
                f"The deck {style} could not be enrolled from rendered pictures: picture {number + 1} was refused."
            )
        scene.sweep()
    collected = guide.collected
    lesson = learn(collected.samples, classifier, collected.facts.offset)
    reader = Reader.load(models, 1, lesson.weights)
    reader.name = f"{reader.name}+{style}"
    return reader


def _show(scene: Scene, stage: Stage, geometry: Geometry, rng: random.Random) -> None:
    """Lay what a stage asks for, as an operator lays it with care."""
    centre = geometry.centre_side_mm / 2 + geometry.play_band_mm / 2
    for seat, cards in stage.rows.items():
        room = geometry.centre_side_mm - 10
        pitch = min(20.0, (room - geometry.card_mm[0]) / (len(cards) - 1))
        row = poses.row(len(cards), (0.0, centre + rng.uniform(-2, 2)), [pitch] * (len(cards) - 1),
                        tidy=0.9, card_mm=geometry.card_mm, rng=rng)  # fmt: skip
        scene.lay(seat, cards, at=row)
