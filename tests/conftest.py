"""For every test: the same environment and the same random examples; and nothing may be left running behind it.

For the long ones: a part that has passed is not run again by the same program (tests/parts.py).
"""

from __future__ import annotations

import asyncio
import asyncio.runners
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import psutil
import pytest
from hypothesis import settings

from tests import parts

PATIENCE_S = 3.0
"""How long threads and children may take to end after a test that has told them to."""

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's own settings reach a test. Knowingly missing AVR tools stay declared: that is for the tests."""
    for name in os.environ:
        if name.startswith("TABLE_CONTROLLER_") and name != "TABLE_CONTROLLER_NO_AVR":
            monkeypatch.delenv(name)


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not thread.daemon}


def _children() -> set[psutil.Process]:
    return {child for child in psutil.Process().children() if child.is_running()}


def _named(child: psutil.Process) -> str:
    try:
        return f"process {child.pid} {' '.join(child.cmdline()[:4])}"
    except psutil.Error:
        return f"process {child.pid}"


def _is_helper(child: psutil.Process) -> bool:
    """Python's own resource tracker and fork server live as long as the interpreter does."""
    try:
        words = " ".join(child.cmdline())
        return child.status() == psutil.STATUS_ZOMBIE or "resource_tracker" in words or "forkserver" in words
    except psutil.Error:
        return True


def left_behind(threads: set[threading.Thread], children: set[psutil.Process], patience_s: float) -> list[str]:
    """What runs now and did not run before, after waiting ``patience_s`` for it to end; in words."""
    end = time.monotonic() + patience_s
    while True:
        new = [f"thread {thread.name}" for thread in _threads() - threads]
        new += [_named(child) for child in _children() - children if not _is_helper(child)]
        if not new or time.monotonic() >= end:
            return new
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def nothing_left_running(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test that leaves a thread, a child process or an asyncio task behind fails.

    What a fixture of a wider scope started before the test is that fixture's. ``asyncio.run`` cancels in silence what
    its main coroutine forgot: here it is noted.
    """
    forgotten: list[str] = []
    cancel_all = asyncio.runners._cancel_all_tasks  # type: ignore[attr-defined]

    def note_and_cancel(loop: asyncio.AbstractEventLoop) -> None:
        forgotten.extend(f"task {task.get_name()}" for task in asyncio.all_tasks(loop))
        cancel_all(loop)

    monkeypatch.setattr(asyncio.runners, "_cancel_all_tasks", note_and_cancel)
    threads, children = _threads(), _children()
    yield
    found = left_behind(threads, children, PATIENCE_S) + forgotten
    if found:
        pytest.fail(f"left running: {', '.join(found)}", pytrace=False)


@pytest.fixture
def part_once(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Call it with row and count once a part has passed. A part that has passed before is not run again."""
    marker = request.node.get_closest_marker("runs")
    assert marker is not None, "a long test names what it runs: pytest.mark.runs"
    name, program = request.node.nodeid, parts.program(request.path, marker.args)
    for line in parts.kept():
        if (line["test"], line["program"]) == (name, program):
            pytest.skip(f"passed on {line['date'][:10]} by the same program")
    began = time.monotonic()

    def keep(row: str, count: int, **more: Any) -> None:
        date, seconds = datetime.now(UTC).isoformat(timespec="seconds"), round(time.monotonic() - began, 1)
        line = {"row": row, "test": name, "count": count, "date": date, "program": program, "seconds": seconds}
        parts.keep({**line, **more})

    return keep
