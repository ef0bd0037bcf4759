"""Behind the set-up page: the worker's picture, corners in the pixels of its frame, and the demo's camera."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from table_controller.app.demo import _open_page
from table_controller.app.setup import CameraSetup
from table_controller.app.simulation import DemoOptions
from table_controller.errors import InputError
from table_controller.runtime.clock import RealClock
from table_controller.vision.corner_file import stored_corners

HALF = [(45, 45), (1030, 45), (1030, 1030), (45, 1030)]


class Worker:
    """Answers as the vision client does, with a camera of half the frame asked for."""

    def __init__(self) -> None:
        self.last_picture: bytes | None = None
        self.last_report: dict[str, Any] | None = None
        self.aligned: list[Any] = []

    def request_picture(self) -> None:
        self.last_picture, self.last_report = b"jpeg", {"frame_px": [1080, 1080]}

    def align(self, corners: Any) -> None:
        self.aligned.append(corners)


async def no_wait(_: int) -> None:
    return None


def test_corners_are_judged_by_the_frame_they_were_clicked_in(tmp_path: Path) -> None:
    worker = Worker()
    setup = CameraSetup(lambda: worker, no_wait, tmp_path / "corners.json")  # type: ignore[arg-type, return-value]
    assert asyncio.run(setup.look()) == (b"jpeg", {"frame_px": [1080, 1080]})
    setup.align(HALF)
    kept = stored_corners(tmp_path / "corners.json")
    assert kept is not None and kept.corners == tuple(worker.aligned[0])
    with pytest.raises(InputError, match="1080 × 1080"):
        setup.align([(45, 45), (2060, 45), (2060, 2060), (45, 2060)])


def test_the_demo_shows_its_camera_on_the_set_up_page() -> None:
    async def opened() -> tuple[bytes, dict[str, Any]] | None:
        table = SimpleNamespace(
            page=None, outbox=None, snapshot=dict, draw_leader=lambda: "E", clock=SimpleNamespace(now_ms=lambda: 0),
            runtime=SimpleNamespace(ask=no_wait, add=lambda committed: None), panel=None,
        )  # fmt: skip
        options = DemoOptions(port=0)
        simulation = SimpleNamespace(table=table, options=options, vision=Worker(), link=SimpleNamespace())
        await _open_page(simulation, options, RealClock(asyncio.get_running_loop()))  # type: ignore[arg-type]
        page: Any = table.page
        try:
            looked: tuple[bytes, dict[str, Any]] | None = await page.setup.look()
            return looked
        finally:
            await page.stop()

    shown = asyncio.run(opened())
    assert shown is not None
    assert shown[0] == b"jpeg"
