"""A rendered table under the table's eye, in virtual time."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from table_controller.geometry import load_geometry
from table_controller.sim.scene import Scene
from table_controller.table.events import Event
from table_controller.vision.eye import Eye
from table_controller.vision.reader import Reader


class Table:
    """A scene, an eye, and the frames between them at 10 a second."""

    def __init__(self, reader: Reader, seed: int, style: str, evidence: Path | None) -> None:
        self.rng = random.Random(seed)
        self.scene = Scene(self.rng, style=style)
        self.eye = Eye(load_geometry(), reader, evidence)
        self.ms = 0
        self.look()

    def frames(self, count: int) -> list[Event]:
        events: list[Event] = []
        for _ in range(count):
            events += self.eye.see(self.scene.render(), self.ms)
            self.ms += 100
        return events

    def look(self, most: int = 12) -> list[Event]:
        """Frames until nothing is pending."""
        events: list[Event] = []
        for _ in range(most):
            events += self.frames(1)
            if not self.eye.pending:
                break
        return events


@pytest.fixture(scope="session")
def reader() -> Reader:
    return Reader.load()


@pytest.fixture
def make_table(reader: Reader) -> Callable[..., Table]:
    def make(seed: int = 1, style: str = "classic", evidence: Path | None = None) -> Table:
        return Table(reader, seed, style, evidence)

    return make
