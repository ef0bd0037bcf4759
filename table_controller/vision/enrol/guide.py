"""Guides an operator through enrolling a deck at the table: frames in, words out. Knows no clock and no camera.

Each stage of the plan is asked for; when the table has changed and come to rest, a few frames are taken and checked;
what is amiss is said, and the stage is taken again when the table has changed or after RETRY_MS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from table_controller.cards import SEATS, Seat
from table_controller.geometry import Geometry
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.detect import Detector
from table_controller.vision.enrol.deck import DeckFacts, as_kept
from table_controller.vision.enrol.faults import blurred, in_words, no_mat, poor_light, prompt_fault, row_faults
from table_controller.vision.enrol.offsets import usual_offset
from table_controller.vision.enrol.plan import Stage, Words
from table_controller.vision.enrol.row_match import VIEW_PX_PER_MM, Row, match_row
from table_controller.vision.enrol.samples import NOTHING, Matched, Sample
from table_controller.vision.enrol.teach import Collected
from table_controller.vision.gate import GATE_PX_PER_MM, AreaGate, play_border, prompt_border
from table_controller.vision.hints import Hint
from table_controller.vision.images import Image
from table_controller.vision.mat import GLIMPSE, MatFinder, MatPose, Window, glimpse_of, play_window, prompt_window
from table_controller.vision.plain_prompts import upright_face
from table_controller.vision.prompt_reader import PROMPT_PX_PER_MM

REST_FRAMES = 3
"""So many frames without movement before a picture is taken."""
SHOTS = 2
"""Frames kept of each stage: their noise differs."""
RETRY_MS = 4_000
POOR_REFUSALS = 3
"""So often a picture with all cards seen in it is refused for its light or focus."""
NO_MAT_MS = 3_000


class Finder(Protocol):
    """Finds the mat in a frame."""

    def find(self, frame: Image, glimpse: Image) -> MatPose | None:
        """Its pose, or None."""


class Mark(NamedTuple):
    """A card of a stage that was found where it was asked for: its name and place (mm in the seat's frame)."""

    seat: Seat
    card: str
    u: float
    v: float


class Guide:
    """The guided enrolment: ``see`` takes frames until ``done``; ``collected`` and ``prompts`` then hold all."""

    def __init__(
        self,
        geometry: Geometry,
        plan: Sequence[Stage],
        detector: Detector,
        classifier: IndexClassifier,
        finder: Finder | None = None,
    ) -> None:
        """``finder``: what finds the mat, where it is not by its fiducials."""
        self._plan = list(plan)
        self._detector = detector
        self._classifier = classifier
        self._finder: Finder = finder or MatFinder(geometry)
        self._plays = {seat: play_window(geometry, seat) for seat in SEATS}
        self._circle = geometry.prompt_centre
        self._circles = {seat: prompt_window(geometry, seat) for seat in SEATS}
        windows = [*self._plays.values(), *self._circles.values()]
        self._windows: list[Window] = windows
        borders = [play_border(w)[0] for w in self._plays.values()] + [prompt_border(w) for w in self._circles.values()]
        self._gates = [AreaGate(border, border) for border in borders]
        self.stage = 0
        self._asked = self._refused = False
        self._poor = 0
        self._taken: list[dict[str, Row]] = []
        self._tried_ms = self._mat_ms = 0
        self._samples: list[Sample] = []
        self._matched: list[list[Matched]] = []
        self._doubted: set[tuple[str, str]] = set()
        self.prompts: list[tuple[str, Image]] = []
        self.marks: list[Mark] = []
        """What was read in the last picture."""
        self.repeats = 0

    @property
    def done(self) -> bool:
        """Whether every stage was taken."""
        return self.stage >= len(self._plan)

    @property
    def collected(self) -> Collected:
        """The labelled corners, and what is known of the print."""
        corners = [found.corner for matched in self._matched for found in matched]
        aspect = float(np.median([c.width_px / c.height_px for c in corners])) if corners else 0.0
        facts = DeckFacts(aspect, *usual_offset(self._matched), (), "table")
        return Collected(tuple(self._samples), facts, ())

    @property
    def asked(self) -> Words | None:
        """What is asked for now."""
        return None if self.done else self._ask()

    def see(self, frame: Image, grab_ms: int) -> list[Words]:
        """Take in a frame (BGR); returns what is to be said now."""
        said: list[Words] = []
        if self.done:
            return said
        if not self._asked:
            self._asked = True
            self._mat_ms = grab_ms
            said.append(self._ask())
        glimpse = glimpse_of(frame)
        pose = self._finder.find(frame, glimpse)
        if pose is None:
            return said + self._without_mat(grab_ms)
        self._mat_ms = grab_ms
        if self._due(glimpse, pose, grab_ms):
            said += self._take(frame, pose, grab_ms)
        return said

    def _ask(self) -> Words:
        words = self._plan[self.stage].words
        count = f"{self.stage + 1}/{len(self._plan)}"
        return Words(f"【{count}】{words.zh}", f"[{count}] {words.en}")

    def _without_mat(self, grab_ms: int) -> list[Words]:
        if grab_ms - self._mat_ms < NO_MAT_MS:
            return []
        self._mat_ms = grab_ms
        return [no_mat()]

    def _due(self, glimpse: Image, pose: MatPose, grab_ms: int) -> bool:
        """Whether the table lies still and looks other than when it was last taken, or a refused one waited enough."""
        states = [
            gate.look(window.view(glimpse, pose, GATE_PX_PER_MM, GLIMPSE))
            for gate, window in zip(self._gates, self._windows, strict=True)
        ]
        if min(state.rest for state in states) < REST_FRAMES:
            self._taken.clear()
            return False
        again = self._refused and grab_ms - self._tried_ms >= RETRY_MS
        return bool(self._taken) or again or any(state.changed for state in states)

    def _take(self, frame: Image, pose: MatPose, grab_ms: int) -> list[Words]:
        stage = self._plan[self.stage]
        if stage.prompts:
            return self._take_prompts(stage, frame, pose, grab_ms)
        views = {seat: self._plays[seat].view(frame, pose, VIEW_PX_PER_MM) for seat in stage.rows}
        rows = {seat: self._row(views[seat], seat, cards) for seat, cards in stage.rows.items()}
        self.marks = [self._mark(seat, found) for seat, row in rows.items() for found in row.matched]
        faults = [words for seat in stage.rows for words in row_faults(seat, rows[seat], self._doubted)]
        small = {seat: self._plays[seat].view(frame, pose, GATE_PX_PER_MM) for seat in stage.rows}
        light, blur = poor_light(small), blurred(views, VIEW_PX_PER_MM)
        poor = [*light, *blur]
        if faults or self._poor_matters(poor):
            return self._refuse([*in_words(poor), *faults], grab_ms)
        self._taken.append({str(seat): row for seat, row in rows.items()})
        return self._accept() if len(self._taken) >= SHOTS else []

    def _poor_matters(self, poor: Sequence[Hint]) -> bool:
        """Whether light or focus is to be put right first. Where every card is seen all the same it is asked for
        POOR_REFUSALS times: a hall may have no better lamp, and what its plays look like may be learnt too."""
        self._poor += bool(poor) and not self._taken
        return bool(poor) and self._poor <= POOR_REFUSALS

    def _mark(self, seat: Seat, found: Matched) -> Mark:
        return Mark(seat, found.card, *self._plays[seat].to_seat(*found.corner.centre, VIEW_PX_PER_MM))

    def _row(self, view: Image, seat: Seat, cards: tuple[str, ...]) -> Row:
        return match_row(view, self._plays[seat], cards, self._detector, self._classifier)

    def _take_prompts(self, stage: Stage, frame: Image, pose: MatPose, grab_ms: int) -> list[Words]:
        views = {seat: self._circles[seat].view(frame, pose, PROMPT_PX_PER_MM) for seat in stage.prompts}
        unread = [seat for seat, view in views.items() if upright_face(view) is None]
        u, v = self._circle
        self.marks = [Mark(seat, stage.prompts[seat], u, v) for seat in views if seat not in unread]
        faults = [prompt_fault(seat, stage.prompts[seat]) for seat in unread]
        if faults:
            return self._refuse(faults, grab_ms)
        self.prompts += [(stage.prompts[seat], view) for seat, view in views.items()]
        return self._accept()

    def _refuse(self, faults: list[Words], grab_ms: int) -> list[Words]:
        said = faults if not self._refused or any(self._changed()) else []
        self.repeats += not self._refused
        self._refused, self._tried_ms = True, grab_ms
        self._taken.clear()
        self._rest()
        return said

    def _changed(self) -> list[bool]:
        return [gate.accepted is None or gate.present is not gate.accepted for gate in self._gates]

    def _rest(self) -> None:
        for gate in self._gates:
            gate.accept()

    def _accept(self) -> list[Words]:
        for shot in self._taken:
            for number, row in enumerate(shot.values()):
                group = self.stage * len(SEATS) + number
                self._samples += [Sample(found.card, as_kept(found.patch), group) for found in row.matched]
                self._samples += [Sample(NOTHING, as_kept(patch), group) for patch in row.nothing]
                self._matched.append(list(row.matched))
        self._taken.clear()
        self._rest()
        self._doubted.clear()
        self._refused = self._asked = False
        self._poor = 0
        self.stage += 1
        count = f"{self.stage}/{len(self._plan)}"
        said = [Words(f"第 {count} 张已拍好。", f"Picture {count} is taken.")]
        if not self.done:
            self._asked = True
            said.append(self._ask())
        return said
