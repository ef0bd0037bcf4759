"""Benches ``rest``, ``memory`` and ``startup``: the real table process, four seated and nobody moving.

Processor time is the whole process tree's (table, vision worker), memory is its PSS: what it would give back if it
ended. A camera's own decoding is not in it: frames come ready, as the Pi's camera gives them; see docs/performance.md.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from real_run import Mosquitto, RealRun, wait_for

from table_controller.geometry import load_geometry

HERE = Path(__file__).parent
SETTLE_S = 12.0
WATCH_S = 30.0
STARTS = 5
FPS = 10
MOST_CORE_PERCENT, MOST_PSS_MB, MOST_READY_S = 15.0, 400.0, 3.0

BARE = """
import json, sys, time
began = time.process_time(), time.monotonic()
import cv2, numpy, psutil
from table_controller.vision.reader import Reader
cv2.setNumThreads(1)
reader = Reader.load()
took = time.process_time() - began[0], time.monotonic() - began[1]
frame = numpy.random.default_rng(1).integers(0, 255, ({high}, {wide}, 3), dtype=numpy.uint8)
reader.read_crop(frame[:600, :600].copy(), 3.0)
began = time.process_time()
for _ in range({rounds}):
    reader.read_crop(frame, 3.0)
print(json.dumps([*took, (time.process_time() - began) / {rounds}, psutil.Process().memory_full_info().pss / 2**20]))
"""


def bare(rounds: int = 2) -> tuple[float, float, float, float]:
    """The recogniser alone in a program: processor and real seconds to load, processor seconds a frame, PSS in MB."""
    wide, high = load_geometry().frame_px
    code = BARE.format(high=high, wide=wide, rounds=rounds)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    cpu, wall, frame, pss = json.loads(done.stdout)
    return cpu, wall, frame, pss


@contextmanager
def table() -> Iterator[RealRun]:
    """A table with camera and broker, started."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frames = Path("/dev/shm") / f"table-bench-{folder.name}"
        camera = subprocess.Popen([sys.executable, str(HERE / "still_camera.py"), str(frames)])
        broker = Mosquitto(folder / "broker")
        run = RealRun(folder, camera=f"frames:{frames}", broker_port=broker.port)
        try:
            wait_for(frames.exists, 60)
            run.ready_s = run.start()
            yield run
        finally:
            run.kill()
            broker.kill()
            camera.kill()
            camera.wait(10)
            frames.unlink(missing_ok=True)


def told(run: RealRun, command: dict[str, Any]) -> None:
    request = urllib.request.Request(
        f"{run.url}/api/command", json.dumps(command).encode(), {"X-Table-Controller": "1"}
    )
    urllib.request.urlopen(request, timeout=10).close()


def seated(run: RealRun) -> dict[str, Any]:
    """Cards dealt by hand, everybody ready: the table plays, and nobody does."""
    told(run, {"do": "dealt_by_hand", "leader": "E"})
    for seat in "ENWS":
        told(run, {"do": "ready", "seat": seat})
    with urllib.request.urlopen(f"{run.url}/api/state", timeout=10) as answer:
        state: dict[str, Any] = json.load(answer)
    assert state["phase"] == "playing", state["phase"]
    return state


def seen(run: RealRun) -> None:
    """Frames came all the while, or nothing was measured."""
    with urllib.request.urlopen(f"{run.url}/api/state", timeout=10) as answer:
        state = json.load(answer)
    assert not state["camera_lost"] and state["health"] == [], (state["camera_lost"], state["health"])


def decoding_ms() -> float:
    """Processor ms of decoding one frame of a 4K UVC camera (JPEG), which a USB camera adds to every frame."""
    picture = np.tile(np.arange(3840, dtype=np.uint16)[None, :, None] // 16, (2160, 1, 3)).astype(np.uint8)
    packed = cv2.imencode(".jpg", cv2.add(picture, np.random.default_rng(1).integers(0, 8, picture.shape, np.uint8)))[1]
    cv2.setNumThreads(1)
    times = []
    for _ in range(5):
        began = time.process_time()
        cv2.imdecode(packed, cv2.IMREAD_COLOR)
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


def rest() -> dict[str, Any]:
    """Share of one core that a table at rest takes."""
    _, _, frame_s, _ = bare()
    with table() as run:
        seated(run)
        time.sleep(SETTLE_S)
        began, used = time.monotonic(), run.cpu_s()
        time.sleep(WATCH_S)
        share = 100 * (run.cpu_s() - used) / (time.monotonic() - began)
        seen(run)
    plain = 100 * frame_s * FPS
    return {
        "product": round(share, 2), "plain": round(plain, 1), "ratio": round(plain / share, 1), "unit": "% of a core",
        "what": f"four seated, nobody moving, {FPS} frames a second: table and vision worker",
        "against": "every frame read whole by the same recogniser", "limit": MOST_CORE_PERCENT,
        "decoding_ms_a_frame_of_a_usb_camera": round(decoding_ms(), 1),
    }  # fmt: skip


def memory() -> dict[str, Any]:
    """PSS of the tree at rest."""
    *_, plain = bare(1)
    with table() as run:
        seated(run)
        time.sleep(SETTLE_S)
        use = run.use()
        seen(run)
    ratio = round(plain / use.pss_mb, 2)
    return {
        "product": round(use.pss_mb, 1), "plain": round(plain, 1), "ratio": ratio, "unit": "MB PSS",
        "what": f"the table's process tree at rest (the table's own process {use.main_mb:.0f})",
        "against": "the recogniser alone, one frame read whole", "limit": MOST_PSS_MB,
        "descriptors": use.descriptors, "threads": use.threads,
    }  # fmt: skip


def startup() -> dict[str, Any]:
    """From the command to ready, with camera and broker there."""
    found = [bare(1)[:2] for _ in range(STARTS)]
    walls, cpus = [], []
    for _ in range(STARTS):
        with table() as run:
            walls.append(run.ready_s)
            cpus.append(run.cpu_s())
    wall = statistics.median(walls)
    plain = statistics.median(wall for _, wall in found)
    return {
        "product": round(wall, 2), "plain": round(plain, 2), "ratio": round(plain / wall, 2), "unit": "s to ready",
        "what": f"table process started, worker loaded, page and feed up (median of {STARTS}; "
        f"processor {statistics.median(cpus):.2f} s)",
        "against": f"the recogniser alone loaded (processor {statistics.median(cpu for cpu, _ in found):.2f} s)",
        "limit": MOST_READY_S, "cpu_s": round(statistics.median(cpus), 2),
    }  # fmt: skip
