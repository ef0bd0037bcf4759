"""A guided enrolment inside the worker of a running table: what it asks for, what is amiss, what it has read so far."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from table_controller.geometry import Geometry
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.enrol.guide import Finder, Guide, Mark
from table_controller.vision.enrol.plan import Words, stages
from table_controller.vision.enrol.session import prompt_kinds
from table_controller.vision.enrol.teach import Collected
from table_controller.vision.images import Image
from table_controller.vision.reader import open_detector, weight_files

Prompts = tuple[tuple[str, Image], ...]


class LiveEnrolment:
    """Give it frames until ``done``. It reads with the shipped weights, whatever deck the table reads with."""

    def __init__(self, geometry: Geometry, finder: Finder, models_dir: Path | None, *, prompts: bool) -> None:
        detector_file, classifier_file = weight_files(models_dir)
        plan = stages(prompt_kinds(geometry) if prompts else ())
        self._guide = Guide(geometry, plan, open_detector(detector_file), IndexClassifier(classifier_file), finder)
        self._steps = len(plan)
        self._amiss: list[Words] = []

    @property
    def done(self) -> bool:
        """Whether every picture was taken."""
        return self._guide.done

    @property
    def result(self) -> tuple[Collected, Prompts]:
        """What is to be learnt, once done."""
        return self._guide.collected, tuple(self._guide.prompts)

    @property
    def marks(self) -> list[Mark]:
        """What was read in the last picture: nothing that was not asked for."""
        return self._guide.marks

    def see(self, frame: Image, grab_ms: int) -> bool:
        """Take in a frame; whether there is something new to tell."""
        stage, asked = self._guide.stage, self._guide.asked
        said = [words for words in self._guide.see(frame, grab_ms) if not asked or words != asked]
        if self._guide.stage != stage:
            self._amiss = []
            return True
        if said and said != self._amiss:
            self._amiss = said
            return True
        return False

    def report(self) -> dict[str, Any]:
        """``step`` of ``steps`` (from 1), ``asks``, ``amiss``, ``repeats``: words in both languages."""
        asked = self._guide.asked
        return {
            "step": min(self._guide.stage + 1, self._steps),
            "steps": self._steps,
            "asks": _both(asked) if asked else {"zh": "", "en": ""},
            "amiss": [_both(words) for words in self._amiss],
            "read": len(self.marks),
            "repeats": self._guide.repeats,
        }


def _both(words: Words) -> dict[str, str]:
    return {"zh": words.zh, "en": words.en}
