"""R6: writes and fsyncs that fail at any call, short writes, a slow disk, a power cut that loses unsynced bytes."""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from table_controller.errors import JournalError
from table_controller.journal import writer as writer_module
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import replay
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import RealClock, VirtualClock
from table_controller.runtime.loop import TableRuntime
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.core import TableCore
from table_controller.table.effects import Effect

SEEDS = range(5)


def session(seed: int) -> list[ev.Event]:
    """A deal up to some plays: about forty events."""
    table = EventTable(seed)
    table.open()
    table.deal()
    table.sort_and_exchange()
    for _ in range(8):
        table.act()
    return table.events


class Disk:
    """``os`` as the writer knows it, with one call that fails, or writes that take only some bytes."""

    def __init__(self, call: str = "", number: int = -1, *, short: random.Random | None = None) -> None:
        self._call, self._number, self._short = call, number, short
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def _fails(self, name: str) -> bool:
        if name != self._call:
            return False
        self.calls += 1
        return self.calls == self._number + 1

    def write(self, fd: int, data: memoryview) -> int:
        if self._fails("write"):
            os.write(fd, data[: len(data) // 2])  # half of it arrived
            raise OSError(28, "No space left on device")
        return os.write(fd, data[: self._short.randrange(1, len(data) + 1)] if self._short else data)

    def fdatasync(self, fd: int) -> None:
        if self._fails("fdatasync"):
            raise OSError(5, "Input/output error")
        os.fdatasync(fd)


@pytest.mark.parametrize("call", ["write", "fdatasync"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_failure_at_any_call_acts_on_nothing_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, seed: int
) -> None:
    """For every event of the session: refused while the disk fails, posted again, and the same state as without."""
    events = session(seed)
    plain = TableCore()
    for event in events:
        plain.commit(plain.handle(event))
    for failing in range(len(events)):
        path = tmp_path / f"{failing}"
        journal = JournalWriter(path)
        runtime = TableRuntime(TableCore(), journal, VirtualClock())
        acted: list[Effect] = []
        runtime.add(perform=acted.append)
        monkeypatch.setattr(writer_module, "os", Disk(call, failing))
        refused = 0
        for event in events:
            before, state = len(acted), runtime.state.digest()
            try:
                runtime.post(event)
            except JournalError:
                refused += 1
                assert (len(acted), runtime.state.digest()) == (before, state), f"seed {seed}, call {failing}"
        assert refused == 1
        runtime._drain()  # the last event has no other after it that would bring it along
        assert runtime.state.digest() == plain.state.digest(), f"seed {seed}, call {failing}"
        monkeypatch.undo()
        contents = read_journal(path)
        assert (contents.damage, replay(contents.records).mismatch) == ("", None)
        assert sum(r["kind"] == "event" for r in contents.records) == len(events)
        journal.close()


def test_writes_that_take_only_some_bytes_are_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "os", Disk(short=random.Random(6)))
    journal = JournalWriter(tmp_path / "j")
    for number in range(50):
        journal.append({"kind": "note", "text": f"{number} 一行"})
    journal.close()
    monkeypatch.undo()
    contents = read_journal(tmp_path / "j")
    assert (contents.damage, len(contents.records)) == ("", 51)


class PowerCut:
    """Remembers what was synced: only that is sure to be there after a cut."""

    def __init__(self) -> None:
        self.synced = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def fdatasync(self, fd: int) -> None:
        os.fdatasync(fd)
        self.synced = os.fstat(fd).st_size


@pytest.mark.parametrize("seed", SEEDS)
def test_a_power_cut_that_loses_unsynced_writes_loses_no_acknowledged_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """After each event: what was synced is kept, of the next write any part; the state is that of the acknowledged."""
    rng, events = random.Random(seed), session(seed)
    disk = PowerCut()
    monkeypatch.setattr(writer_module, "os", disk)
    journal = JournalWriter(tmp_path / "j")
    runtime = TableRuntime(TableCore(), journal, VirtualClock())
    states: list[tuple[int, str]] = []
    for event in events:
        runtime.post(event)
        states.append((disk.synced, runtime.state.digest()))
    journal.close()
    monkeypatch.undo()
    whole = (tmp_path / "j").read_bytes()
    for number, (synced, digest) in enumerate(states[:-1]):
        kept = rng.randrange(synced, states[number + 1][0])
        (tmp_path / "cut").write_bytes(whole[:kept])
        contents = read_journal(tmp_path / "cut")
        assert contents.damage == "" or contents.torn
        assert replay(contents.records).core.state.digest() == digest, f"seed {seed}, event {number}"


def test_a_second_of_fsync_delays_effects_but_neither_clock_nor_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the disk takes a second the loop goes on: it is counted how often, not timed."""
    slow, waiting = threading.Event(), threading.Event()

    class Slow:
        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

        def fdatasync(self, fd: int) -> None:
            if slow.is_set():
                waiting.set()
                time.sleep(1.0)
                waiting.clear()
            os.fdatasync(fd)

    async def scene() -> tuple[int, list[str]]:
        monkeypatch.setattr(writer_module, "os", Slow())
        journal = JournalWriter(tmp_path / "j")
        runtime = TableRuntime(TableCore(), journal, RealClock(asyncio.get_running_loop()))
        consumer = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        assert await runtime.ask(ev.TableOpened(1, "t", "v", "default")) is None
        slow.set()
        asked = asyncio.create_task(runtime.ask(ev.DealerOnline(2, 1, "f", 1, "emulator")))
        turns = 0
        while not asked.done():
            await asyncio.sleep(0.005)
            turns += 1
            assert not (waiting.is_set() and runtime.state.dealer.online), "acted on before it was durable"
        slow.clear()
        consumer.cancel()
        await asyncio.gather(consumer, return_exceptions=True)
        journal.close()
        return turns, [runtime.fault]

    turns, faults = asyncio.run(scene())
    assert turns > 10
    assert faults == [""]
