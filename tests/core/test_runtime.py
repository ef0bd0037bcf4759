"""The loop under asyncio: effects wait for the disk, a full disk is shown and survived, timers post their events."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from table_controller.app.restart import elapsed_ms
from table_controller.errors import JournalError
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import replay
from table_controller.journal.writer import JournalWriter
from table_controller.runtime import loop as loop_module
from table_controller.runtime.clock import RealClock
from table_controller.runtime.loop import TableRuntime
from table_controller.table import events as ev
from table_controller.table.core import TableCore
from table_controller.table.effects import Effect


class FullDisk(JournalWriter):
    """A journal whose disk is full for a while."""

    full = False

    def append(self, data: dict[str, Any]) -> None:
        if self.full:
            raise JournalError("The journal cannot be written: No space left on device.")
        super().append(data)


class SlowDisk(JournalWriter):
    """A journal whose disk waits for a gate."""

    def __init__(self, path: Path) -> None:
        self.gate, self.at_work = threading.Event(), threading.Event()
        self.gate.set()
        super().__init__(path)

    def append(self, data: dict[str, Any]) -> None:
        self.at_work.set() if data["kind"] == "event" else None
        self.gate.wait()
        super().append(data)


async def until(condition: Any, seconds: float = 10) -> None:
    for _ in range(int(seconds * 100)):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("waited too long")


def test_a_full_disk_stops_effects_is_shown_and_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_module, "RETRY_MS", 50)

    async def scenario() -> None:
        journal = FullDisk(tmp_path / "j")
        runtime = TableRuntime(TableCore(), journal, RealClock(asyncio.get_running_loop()))
        acted: list[Effect] = []
        runtime.add(perform=acted.append)
        task = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        runtime.post(ev.TableOpened(1, "t", "v", "default"))
        await until(lambda: runtime.state.table == "t")
        before = len(acted)
        journal.full = True
        runtime.post(ev.DealerOnline(2, 1, "f", 1, "emulator"))
        runtime.post(ev.DealRequested(3, "x", "E"))
        await until(lambda: runtime.fault)
        await asyncio.sleep(0.2)
        assert len(acted) == before
        assert not runtime.state.dealer.online
        journal.full = False
        await until(lambda: runtime.state.phase == "dealing")
        assert runtime.fault == ""
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        again = replay(read_journal(tmp_path / "j").records)
        assert (again.events, again.mismatch) == (3, None)
        journal.close()

    asyncio.run(scenario())


def test_a_defect_of_ours_leaves_the_old_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        journal = JournalWriter(tmp_path / "j")
        runtime = TableRuntime(TableCore(), journal, RealClock(asyncio.get_running_loop()))
        task = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        runtime.post(ev.TableOpened(1, "t", "v", "default"))
        await until(lambda: runtime.state.table == "t")
        digest = runtime.state.digest()

        def broken(event: ev.Event) -> None:
            raise ZeroDivisionError

        handle = runtime.core.handle
        monkeypatch.setattr(runtime.core, "handle", broken)
        runtime.post(ev.CameraLost(5, "x"))
        await until(lambda: runtime.refusals)
        assert runtime.refusals[-1][1].code == "DEFECT"
        assert runtime.state.digest() == digest
        monkeypatch.setattr(runtime.core, "handle", handle)
        runtime.post(ev.CameraLost(6, "y"))
        await until(lambda: runtime.state.camera_lost == "y")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        journal.close()

    asyncio.run(scenario())


def test_a_stopped_table_leaves_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked while it is being written: that record is whole. Asked behind it or later: nobody waits for ever."""
    monkeypatch.setattr(loop_module, "RETRY_MS", 60_000)

    async def scenario() -> None:
        journal = SlowDisk(tmp_path / "j")
        runtime = TableRuntime(TableCore(), journal, RealClock(asyncio.get_running_loop()))
        task = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        journal.gate.clear()
        asked = [
            asyncio.create_task(runtime.ask(event))
            for event in (ev.TableOpened(1, "t", "v", "default"), ev.CameraLost(2, "x"))
        ]
        await until(journal.at_work.is_set)
        task.cancel()
        await asyncio.sleep(0.05)
        assert not task.done()
        journal.gate.set()
        await asyncio.gather(task, return_exceptions=True)
        journal.close()
        ends = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ends)
        late = await asyncio.wait_for(runtime.ask(ev.CameraLost(3, "y")), 5)
        assert late is not None
        assert late.code == "STOPPING"
        assert [r["kind"] for r in read_journal(tmp_path / "j").records][1:] == ["event"]

    asyncio.run(scenario())


def test_a_table_with_a_full_disk_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_module, "RETRY_MS", 60_000)

    async def scenario() -> None:
        journal = FullDisk(tmp_path / "j")
        runtime = TableRuntime(TableCore(), journal, RealClock(asyncio.get_running_loop()))
        task = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        journal.full = True
        runtime.post(ev.TableOpened(1, "t", "v", "default"))
        await until(lambda: runtime.fault)
        task.cancel()
        await asyncio.wait([task], timeout=5)
        assert task.cancelled()
        journal.close()

    asyncio.run(scenario())


def test_timers_fire_with_the_stamp_they_were_set_for(tmp_path: Path) -> None:
    async def scenario() -> None:
        clock = RealClock(asyncio.get_running_loop())
        journal = JournalWriter(tmp_path / "j")
        runtime = TableRuntime(TableCore(), journal, clock)
        fired: list[ev.Event] = []
        runtime.add(committed=lambda event, state, effects: fired.append(event))
        task = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        start = clock.now_ms() - 59_900
        runtime.post(ev.TableOpened(start, "t", "v", "default"))
        runtime.post(ev.DealtByHand(start, "x", "W"))
        await until(lambda: runtime.state.phase == "playing")
        timer = next(event for event in fired if isinstance(event, ev.TimerFired))
        assert (timer.name, timer.at_ms) == ("sorting", start + 60_000)
        assert runtime.state.deal is not None
        assert runtime.state.deal.turn == "W"
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        journal.close()

    asyncio.run(scenario())


def test_time_gone_by_is_told_by_the_wall_clock() -> None:
    assert elapsed_ms("2026-11-30T10:00:00.000+00:00", "2026-11-30T10:01:30.500+00:00") == 90_500
    assert elapsed_ms("2026-11-30T10:01:00+00:00", "2026-11-30T10:00:00+00:00") == 0
    assert elapsed_ms("virtual 12", "2026-11-30T10:00:00+00:00") == 0


def test_an_adapter_that_raises_does_not_stop_the_game(tmp_path: Path) -> None:
    async def scenario() -> None:
        journal = JournalWriter(tmp_path / "j")
        runtime = TableRuntime(TableCore(), journal, RealClock(asyncio.get_running_loop()))
        told: list[Effect] = []

        def broken(effect: Effect) -> None:
            raise OSError("the outbox's disk is full")

        runtime.add(perform=broken)
        runtime.add(perform=told.append)
        task = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        assert await runtime.ask(ev.TableOpened(1, "t", "v", "default")) is None
        assert await runtime.ask(ev.DealerOnline(2, 1, "f", 1, "emulator")) is None
        assert runtime.state.dealer.online
        assert told, "the adapters after it are told all the same"
        assert runtime.adapter_errors == len(told)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        journal.close()

    asyncio.run(scenario())
