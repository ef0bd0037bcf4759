"""A camera over a quiet table: ``python still_camera.py FILE``: ten frames a second that differ by noise alone."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from table_controller.cards import SEATS
from table_controller.runtime.measure import monotonic_ms
from table_controller.sim.scene import Scene
from table_controller.vision.frames_file import FrameFile

FRAMES = 6
STEP_S = 0.1


def main() -> None:
    """Until ended."""
    scene = Scene(random.Random(5))
    for seat in SEATS:
        scene.hold(seat, ["3S"] * 10)
    frames = [scene.render() for _ in range(FRAMES)]
    file = FrameFile(Path(sys.argv[1]), scene.geometry.frame_px)
    due, number = time.monotonic(), 0
    while True:
        file.write(frames[number % FRAMES], monotonic_ms())
        number += 1
        due = max(due + STEP_S, time.monotonic())
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    main()
