"""How long enrolling a drawn deck at a rendered table takes, and how its cards are read before and after."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from table_controller.cards import FACES, SEATS, Seat
from table_controller.geometry import Geometry, load_geometry
from table_controller.sim.poses import Pose
from table_controller.sim.scene import Scene
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.enrol.deck import Deck
from table_controller.vision.enrol.guide import Guide
from table_controller.vision.enrol.opening import weights_name
from table_controller.vision.enrol.plan import Stage, stages
from table_controller.vision.enrol.session import learn_shown, prompt_kinds
from table_controller.vision.mat import MatFinder, glimpse_of, play_window
from table_controller.vision.reader import Reader, open_detector, weight_files

_FRAME_MS = 100
_FRAMES = 12
_PX_PER_MM = 3.0
_WIDEST_MM = 24.0


@dataclass(frozen=True)
class EnrolFigure:
    """``table_s`` of CPU for looking, ``learn_s`` for learning; corners (right, wrong, missed) before and after."""

    table_s: float
    learn_s: float
    samples: int
    repeats: int
    before: tuple[int, int, int]
    after: tuple[int, int, int]


def lay_row(scene: Scene, seat: Seat, cards: Sequence[str], rng: random.Random) -> None:
    """Lay a row over a seat's play area as the guide asks: a little careless, each card on the one to its left."""
    geometry, last = scene.geometry, len(cards) - 1
    pitch = min(_WIDEST_MM, (geometry.centre_side_mm - 6 - geometry.card_mm[0]) / max(1, last))
    v = geometry.centre_side_mm / 2 + geometry.play_band_mm / 2
    poses = [Pose((i - last / 2) * pitch, v + rng.uniform(-3, 3), rng.gauss(0, 2)) for i in range(len(cards))]
    scene.lay(seat, cards, at=poses)


def lay_stage(scene: Scene, stage: Stage, rng: random.Random) -> None:
    """Clear the table, then lay what a stage asks for."""
    for seat in SEATS:
        scene.clear(seat)
        scene.clear_prompts(seat)
    for seat, cards in stage.rows.items():
        lay_row(scene, seat, cards, rng)
    for seat, kind in stage.prompts.items():
        scene.lay_prompt(seat, kind)


def rehearse(guide: Guide, plan: Sequence[Stage], scene: Scene, rng: random.Random) -> None:
    """Show a guide every stage; raises RuntimeError when it does not take one."""
    now_ms = 0
    for number, stage in enumerate(plan):
        lay_stage(scene, stage, rng)
        for _ in range(_FRAMES):
            guide.see(scene.render(), now_ms)
            now_ms += _FRAME_MS
            if guide.stage > number:
                break
        else:
            raise RuntimeError(f"picture {number + 1} was not taken")


def count(reader: Reader, scene: Scene, rows: dict[Seat, tuple[str, ...]]) -> tuple[int, int, int]:
    """(right, wrong, missed) cards of rows that lie on a table, by sure readings anywhere in their seat's area."""
    geometry: Geometry = load_geometry()
    frame = scene.render()
    pose = MatFinder(geometry).find(frame, glimpse_of(frame))
    right = wrong = missed = 0
    for seat, cards in rows.items():
        if pose is None:
            missed += len(cards)
            continue
        view = play_window(geometry, seat).view(frame, pose, _PX_PER_MM)
        sure = {reading.card for reading in reader.read_crop(view, _PX_PER_MM) if not reading.doubtful}
        right += len(sure & set(cards))
        missed += len(set(cards) - sure)
        wrong += len(sure - set(cards))
    return right, wrong, missed


def enrol_rendered(
    style: str = "drawn-17", seed: int = 1, models_dir: Path | None = None, scenes: int = 4
) -> tuple[EnrolFigure, Deck]:
    """Enrol a drawn deck (and a plain set of prompt cards) at a rendered table; then read it under other lights."""
    detector_file, classifier_file = weight_files(models_dir)
    detector, classifier = open_detector(detector_file), IndexClassifier(classifier_file)
    geometry, rng = load_geometry(), random.Random(seed)
    plan = stages(prompt_kinds(geometry))
    guide = Guide(geometry, plan, detector, classifier)
    begun = time.process_time()
    rehearse(guide, plan, Scene(rng, style=style, plain_set="white"), rng)
    shown = time.process_time()
    deck = learn_shown("bench", guide, classifier, weights_name(models_dir), lambda words: None)
    learnt = time.process_time()
    readers = Reader.load(models_dir), Reader.load(models_dir, 1, deck.learnt)
    sums = [[0, 0, 0], [0, 0, 0]]
    for number in range(scenes):
        fresh = random.Random(seed * 1000 + number)
        cards = fresh.sample(FACES, 48)
        rows = {seat: tuple(cards[i * 12 : i * 12 + 12]) for i, seat in enumerate(SEATS)}
        scene = Scene(fresh, style=style)
        lay_stage(scene, Stage(plan[0].words, rows), fresh)
        for reader, total in zip(readers, sums, strict=True):
            for place, value in enumerate(count(reader, scene, rows)):
                total[place] += value
    before, after = ((one[0], one[1], one[2]) for one in sums)
    figure = EnrolFigure(shown - begun, learnt - shown, len(deck.samples), guide.repeats, before, after)
    return figure, deck
