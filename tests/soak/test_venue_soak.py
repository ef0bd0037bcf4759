"""A very large hall for minutes: nothing lost, order kept, memory flat.

VENUE_SOAK_TABLES and VENUE_SOAK_S set another size and another time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(0),
    pytest.mark.broker,
    pytest.mark.runs(
        "app cards config errors feed files games journal panel runtime table venue web",
        starts="table_controller.app.venue",
        besides="cli",
    ),
]
SECONDS = int(os.environ.get("VENUE_SOAK_S", "600"))
TABLES = int(os.environ.get("VENUE_SOAK_TABLES", "1000"))
SAMPLES = 40
GROWTH, GROWTH_MB = 0.10, 12
"""Memory of the last third may be so much above that of the middle third: what a program still warms up by."""
FOLDER = Path(__file__).parents[1] / "bench"


def bench(name: str) -> Any:
    """A module of the benches, which lie beside the tests."""
    sys.path.insert(0, str(FOLDER))
    try:
        spec = spec_from_file_location(name, FOLDER / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module


class Memory(threading.Thread):
    """Looks at the resident memory of some processes now and then."""

    def __init__(self, parts: dict[str, subprocess.Popen[bytes]], every_s: float) -> None:
        super().__init__(name="memory", daemon=True)
        self.mb: dict[str, list[float]] = {name: [] for name in parts}
        self._parts = {name: psutil.Process(process.pid) for name, process in parts.items()}
        self._every_s, self._stopping = every_s, threading.Event()

    def run(self) -> None:
        while not self._stopping.wait(self._every_s):
            for name, process in self._parts.items():
                self.mb[name].append(process.memory_info().rss / 2**20)

    def stop(self) -> None:
        self._stopping.set()
        self.join()

    def grown(self, name: str) -> tuple[float, float]:
        """Mean of the middle third, and of the last."""
        mb = self.mb[name]
        third = max(1, len(mb) // 3)
        middle, last = mb[third : 2 * third], mb[-third:]
        return sum(middle) / len(middle), sum(last) / len(last)


def test_a_thousand_tables_for_minutes_lose_nothing_and_memory_stays_flat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part_once: Any
) -> None:
    feed = bench("feed_bench")
    monkeypatch.setattr(feed, "TABLES", TABLES)
    monkeypatch.setattr(feed, "SECONDS", SECONDS)
    monkeypatch.setattr(feed, "SETTLE_S", max(60.0, SECONDS / 2))
    watched: list[Memory] = []

    def watch(parts: dict[str, subprocess.Popen[bytes]]) -> None:
        watched.append(Memory(parts, SECONDS / SAMPLES))
        watched[0].start()

    def done() -> None:
        for one in watched:
            one.stop()

    began = time.monotonic()
    told = feed.feed(plain=False, watch=watch, done=done)
    print(f"{TABLES} tables, {SECONDS} s, took {time.monotonic() - began:.0f} s: {told['what']}")
    for name in watched[0].mb:
        middle, last = watched[0].grown(name)
        print(
            f"{name}: {middle:.1f} MB in the middle, {last:.1f} MB at the end, {max(watched[0].mb[name]):.1f} at most"
        )
    assert told["lost"] == told["lost_by_archive"] == told["disorder"] == 0
    for name in watched[0].mb:
        middle, last = watched[0].grown(name)
        assert last < middle * (1 + GROWTH) + GROWTH_MB, name
    part_once("venue", SECONDS, tables=TABLES)
