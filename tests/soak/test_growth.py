"""What a process keeps does not grow with the deals it has seen: counted at the same place of game after game.

The runtime, its journal on disk, the snapshots, the feed's numbers and its outbox, and the page's state, in virtual
time. Blocks of Python's memory and bytes of SQLite are counted, not the process's size, which says the same less well.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import gc
import json
import random
import statistics
import sys
from pathlib import Path

import pytest

from table_controller.app.reopen import Snapshots
from table_controller.app.table import open_table
from table_controller.feed.envelope import Enveloper
from table_controller.feed.outbox import Outbox
from table_controller.feed.publisher import FeedPublisher
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.hours import HoursTable
from table_controller.table import bygone
from table_controller.table import referee_events as rv
from table_controller.table.core import Outcome
from table_controller.table.effects import AskHuman, Effect
from table_controller.table.events import Event

GAMES, DEALS = 9, 3
BLOCKS_A_DEAL = 100
"""A play that is kept is about ten blocks, and a deal has a hundred; an incident is ten."""
KEPT = 12
SHOWN_EVERY = 25


class Reader:
    """In the broker's place: takes what waits, and acknowledges it."""

    def __init__(self, box: Outbox) -> None:
        self._box = box

    def document(self, topic: str, payload: bytes, *, qos: int = 1) -> None:
        """Nobody keeps it here."""

    def remember(self, topic: str, payload: bytes) -> None:
        """Nor this."""

    def send(self, topic: str, payload: bytes, *, retain: bool = False, seq: int = 0) -> None:
        self._box.put(topic, payload, retain=retain, event=("boot", seq) if seq else None)
        for message in self._box.after(0, 64):
            self._box.acknowledge(message.number)


class WholeTable(HoursTable):
    """The people of the table-hours at a runtime with its adapters."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.clock, self.effects = VirtualClock(1000), []

    def sit_at(self, folder: Path) -> None:
        self.table = open_table(
            self.clock, folder / "journal.jsonl", table="t1", venue="v", profile="default", sync=False
        )
        self.box = Outbox(folder / "outbox.sqlite")
        feed = FeedPublisher(Reader(self.box), self.table.topics, Enveloper("v", "t1", "boot", sync=True), self.clock)
        runtime = self.table.runtime
        self.core = runtime.core
        runtime.add(committed=Snapshots(self.table.journal, self.clock, "boot").committed)
        runtime.add(perform=feed.perform, committed=feed.committed, first=feed.seen)
        runtime.add(perform=self._take_effect)

    def _take_effect(self, effect: Effect) -> None:
        self.effects.append(effect)
        if isinstance(effect, AskHuman):
            self._asked.append(effect.play)

    def wait(self, ms: int) -> None:
        until = self.clock.now_ms() + ms
        self.clock.call_at(until, lambda: None)
        while self.clock.now_ms() < until or self.clock.next_ms() == until:
            self.clock.run_next()
        self.now = self.clock.now_ms()

    def take(self, event: Event) -> Outcome:
        self.effects.clear()
        self.table.runtime.post(event)
        self.counted[type(event).__name__] += 1
        if self.counted.total() % SHOWN_EVERY == 0:
            json.dumps(self.table.snapshot())
        refusals = self.table.runtime.refusals
        refused = refusals[-1][1] if refusals and refusals[-1][0] is event else None
        return Outcome(self.core.state, tuple(self.effects), refused)

    def blocks(self) -> int:
        """What Python holds, between two games, with nothing of the last deal's making on the way."""
        gc.collect()
        return sys.getallocatedblocks()


def sqlite_bytes() -> int:
    """What SQLite holds in this process."""
    used = ctypes.CDLL(_sqlite3.__file__).sqlite3_memory_used
    used.restype = ctypes.c_int64
    return int(used())


def test_a_deal_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bygone, "KEPT", KEPT)
    table = WholeTable(7, mishaps=12)
    table.rng = random.Random(7)
    table.sit_at(tmp_path)
    table.open()
    table.send(rv.MatchSet, by="x", system="计副", deals=DEALS)
    seen: list[int] = []
    for _ in range(GAMES):
        for _ in range(DEALS):
            table.play_deal()
            table.wait(60_000)
            table._referee()
        assert table.core.state.phase == "game_over"
        seen.append(table.blocks())
    raised = table.core.state.incidents[-1].number
    assert raised > 4 * KEPT, "too little went wrong to show anything"
    third = GAMES // 3
    grown = statistics.median(seen[-third:]) - statistics.median(seen[third : 2 * third])
    print(f"blocks after each game: {seen}")
    assert grown < BLOCKS_A_DEAL * DEALS * third, f"{seen}"
    table.box.close()
    table.table.close()


def test_the_outbox_keeps_no_more_of_many_messages_in_memory_than_of_some(tmp_path: Path) -> None:
    box, held = Outbox(tmp_path / "outbox.sqlite"), []
    before = sqlite_bytes()
    for number in range(1, 4001):
        box.put("t", bytes(600), event=("boot", number))
        box.acknowledge(number)
        if number % 1000 == 0:
            held.append(sqlite_bytes() - before)
    box.close()
    assert held[0] > 0
    assert max(held) < 2**19, held
