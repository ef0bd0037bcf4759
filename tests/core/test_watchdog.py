"""The watchdog is fed while events are taken in time, and systemd is told in its own words."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path

from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import RealClock
from table_controller.runtime.loop import TableRuntime
from table_controller.runtime.notify import Notifier
from table_controller.table import events as ev
from table_controller.table.core import TableCore


def test_the_service_manager_hears_ready_alive_and_stopping(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(address)
        notifier = Notifier(address)
        notifier.starting("reading the journal: 40%")
        notifier.ready("table-1, standby")
        notifier.alive("playing")
        notifier.stopping()
        words = [heard.recv(200).decode() for _ in range(4)]
    assert words.pop(0) == "EXTEND_TIMEOUT_USEC=60000000\nSTATUS=reading the journal: 40%"
    assert words == ["READY=1\nSTATUS=table-1, standby", "WATCHDOG=1\nSTATUS=playing", "STOPPING=1"]
    notifier.alive("nobody listens any more")
    Notifier("").ready("nobody ever did")


class StuckJournal(JournalWriter):
    """A disk that does not answer until it is let go."""

    let_go = threading.Event()

    def append(self, data: dict[str, object]) -> None:
        if data["kind"] == "event":
            self.let_go.wait(20)
        super().append(data)


def test_a_stuck_disk_is_seen_as_an_event_that_waits(tmp_path: Path) -> None:
    async def scene() -> tuple[int, int, int]:
        clock = RealClock(asyncio.get_running_loop())
        journal = StuckJournal(tmp_path / "journal")
        runtime = TableRuntime(TableCore(), journal, clock)
        consumer = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        before = runtime.waiting_ms()
        runtime.post(ev.TableOpened(1, "t", "v", "default"))
        await asyncio.sleep(0.25)
        stuck = runtime.waiting_ms()
        StuckJournal.let_go.set()
        for _ in range(200):
            await asyncio.sleep(0.02)
            if runtime.state.table:
                break
        after = runtime.waiting_ms()
        consumer.cancel()
        await asyncio.gather(consumer, return_exceptions=True)
        journal.close()
        return before, stuck, after

    before, stuck, after = asyncio.run(scene())
    assert (before, after) == (0, 0)
    assert stuck >= 150


def test_a_consumer_that_sleeps_on_is_seen_by_what_waits_for_it(tmp_path: Path) -> None:
    """Nobody takes the event up: it waits all the same."""

    async def scene() -> tuple[int, int]:
        journal = JournalWriter(tmp_path / "journal")
        runtime = TableRuntime(TableCore(), journal, RealClock(asyncio.get_running_loop()))
        consumer = asyncio.create_task(runtime.run())
        await asyncio.sleep(0)
        runtime._wake = asyncio.Event()  # the one that the consumer does not wait for
        idle = runtime.waiting_ms()
        runtime.post(ev.TableOpened(1, "t", "v", "default"))
        await asyncio.sleep(0.2)
        waited = runtime.waiting_ms()
        consumer.cancel()
        await asyncio.gather(consumer, return_exceptions=True)
        journal.close()
        return idle, waited

    idle, waited = asyncio.run(scene())
    assert idle == 0
    assert waited >= 150
