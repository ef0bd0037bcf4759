"""A quiet table costs next to nothing beside detection on every frame."""

from __future__ import annotations

import random
import time

from table_controller.cards import SEATS
from table_controller.geometry import load_geometry
from table_controller.sim.scene import Scene
from table_controller.vision.gate_bench import measure_gate
from table_controller.vision.reader import Reader


def test_the_share_of_a_quiet_table_is_small(reader: Reader) -> None:
    scene = Scene(random.Random(1))
    for seat in SEATS:
        scene.lay(seat, ["5S", "6S", "KD"])
    frames = [scene.render() for _ in range(3)]
    figures = measure_gate(load_geometry(), reader, frames, lambda: time.process_time() * 1000, quiet=60, always=2)
    assert 0 < figures.share < 0.1
    assert abs(figures.quiet_minute_s - figures.quiet_ms * 0.6) < 1e-9
