"""R13: the wall clock jumps by an hour, to 1970, back and forth, at every phase: no clock of play notices."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from table_controller.app.restart import elapsed_ms
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import journal_hash, replay
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import VirtualClock
from table_controller.runtime.loop import TableRuntime
from table_controller.sim.event_table import EventTable
from table_controller.table.core import TableCore
from table_controller.table.effects import Effect, SetTimer
from table_controller.table.events import Event

WALLS = (
    "1970-01-01T00:00:00.000+00:00",
    "2026-11-30T20:00:00+00:00",
    "2026-11-30T19:00:00+00:00",
    "2099-01-01T00:00:00+00:00",
)


class JumpingClock(VirtualClock):
    """Its wall label is any time at all."""

    def __init__(self, seed: int) -> None:
        super().__init__(1000)
        self._rng = random.Random(seed)

    def wall(self) -> str:
        return self._rng.choice(WALLS)


def session() -> list[Event]:
    table = EventTable(13)
    table.open()
    table.deal()
    table.sort_and_exchange()
    for _ in range(10):
        table.act()
    return table.events


def run(path: Path, clock: VirtualClock, events: list[Event]) -> tuple[str, list[Effect], str]:
    journal = JournalWriter(path, sync=False)
    runtime = TableRuntime(TableCore(), journal, clock)
    told: list[Effect] = []
    runtime.add(perform=told.append, committed=lambda e, s, effects: told.extend(effects))
    for event in events:
        while clock.next_ms() is not None and (clock.next_ms() or 0) <= event.at_ms:
            clock.run_next()
        runtime.post(event)
    for _ in range(3):
        clock.run_next()  # the clock of play runs out
    journal.close()
    records = read_journal(path).records
    assert replay(records).mismatch is None
    return runtime.state.digest(), told, journal_hash(records)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Event], tuple[str, list[Effect], str]]:
    events = session()
    return events, run(tmp_path_factory.mktemp("wall") / "plain", VirtualClock(1000), events)


@pytest.mark.parametrize("part", range(4))
def test_a_hundred_sessions_of_jumps_are_the_same_game(
    tmp_path: Path, part: int, plain: tuple[list[Event], tuple[str, list[Effect], str]]
) -> None:
    """Every event carries another wall time: state, effects, timers and hash are those of a steady clock."""
    events, expected = plain
    assert any(isinstance(effect, SetTimer) for effect in expected[1])
    for seed in range(25 * part, 25 * part + 25):
        assert run(tmp_path / str(seed), JumpingClock(seed), events) == expected, f"seed {seed}"


def test_a_wall_clock_that_went_back_takes_no_time_from_a_round() -> None:
    for before in WALLS:
        for now in WALLS:
            assert elapsed_ms(before, now) >= 0
            assert elapsed_ms(before, now) == 0 or now > before
