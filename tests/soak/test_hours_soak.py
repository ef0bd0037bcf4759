"""R17: table-hours in virtual time through the core: 100 in CI, ``SOAK_HOURS`` (10,000) at length, in parts."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from table_controller.games.guandan.profile import profile_names
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import event_record, journal_hash, replay
from table_controller.journal.writer import JournalWriter
from table_controller.sim.hours import MISHAPS, table_hours
from table_controller.table.core import TableCore
from table_controller.table.events import Event

HOURS = int(os.environ.get("SOAK_HOURS", "10000"))
PART_HOURS = 250
CI_PARTS, CI_HOURS = 4, 25
REPLAYED_HOURS = 4


def hours(seed: int, count: float, **more: bool) -> Any:
    profiles = profile_names()
    try:
        return table_hours(seed, count, profiles[seed % len(profiles)], **more)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}, {count} hours: {error}") from error


@pytest.mark.parametrize("part", range(CI_PARTS))
def test_a_hundred_table_hours(part: int) -> None:
    """Everything that may go wrong did, clocks ran out, and the invariants held."""
    played = hours(part, CI_HOURS)
    assert played.deals > 4 * CI_HOURS
    assert all(played.counted[name] for name in (*MISHAPS, "td_call", "camera_lost")), played.counted
    clocked = part % len(profile_names()) != profile_names().index("national")  # its turns have no limit
    assert bool(played.counted["time_violation"]) == clocked


def written(path: Path, events: list[Event]) -> str:
    """These events in a journal; its hash."""
    journal, core = JournalWriter(path, sync=False), TableCore()
    for event in events:
        outcome = core.handle(event)
        journal.append(event_record(event, outcome, ""))
        core.commit(outcome)
    journal.close()
    contents = read_journal(path)
    again = replay(contents.records)
    assert (contents.damage, again.mismatch) == ("", None)
    assert again.core.state.digest() == core.state.digest()
    return journal_hash(contents.records)


@pytest.mark.parametrize("seed", [1000])
def test_the_same_seed_leaves_the_same_journal(seed: int, tmp_path: Path) -> None:
    tables = [hours(seed, 0.7, keep=True) for _ in range(2)]
    assert tables[0].digest == tables[1].digest
    assert written(tmp_path / "a", tables[0].events) == written(tmp_path / "b", tables[1].events)
    assert hours(seed + 1, 0.7).digest != tables[0].digest


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.runs("cards errors files games table journal sim")
@pytest.mark.parametrize("part", range(max(1, HOURS // PART_HOURS)))
def test_ten_thousand_table_hours(part: int, part_once: Any) -> None:
    """Seeds that CI does not use; the first hours of each part are played twice and must agree."""
    seed = 10_000 + part
    played = hours(seed, PART_HOURS)
    assert hours(seed, REPLAYED_HOURS).digest == hours(seed, REPLAYED_HOURS).digest
    counted = Counter(played.counted)
    part_once("R17", PART_HOURS, seed=seed, deals=played.deals, digest=played.digest[:16],
              events=sum(counted[name] for name in counted if name[0].isupper()))  # fmt: skip
