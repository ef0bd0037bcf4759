"""The long columns of tests that CI runs shorter: the same tests with larger figures, in parts that are kept."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from table_controller.journal.reader import parse_journal
from table_controller.journal.replay import event_record
from table_controller.journal.writer import JournalWriter
from table_controller.panel.debounce import QUIET_MS, Debouncer
from table_controller.sim.event_table import EventTable
from table_controller.table.core import TableCore

ROOT = Path(__file__).parents[2]
FLIPS, FLIP_PARTS = 100_000, 10
CORE = ("cards", "errors", "games", "table")
BRUTE_FORCE, HOSTILE = "tests/rules/test_engine_brute_force.py", "tests/cli/test_hostile.py"
BROKER, BROKER_PARTS = "tests/feed/test_broker_troubles.py", 4

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]


def again(tests: str, words: tuple[str, ...] = (), **environment: str) -> None:
    """A test of CI with other figures, in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", "0", *words, tests]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{environment} {done.stdout[-3000:]}"


@pytest.mark.runs(*CORE, "sim tests/property/*.py", starts="tests/property/test_core_properties.py")
@pytest.mark.parametrize("part", range(10))
def test_properties_of_the_core(part: int, part_once: Any) -> None:
    """R2 in ten parts; hypothesis's seed is the part's number."""
    again("tests/property", ("--hypothesis-seed", str(part)), PROPERTY_EXAMPLES="1000")
    part_once("R2", 1000, seed=part)


@pytest.mark.runs(BRUTE_FORCE, "cards errors games", starts=BRUTE_FORCE)
def test_ten_thousand_hands(part_once: Any) -> None:
    """R3."""
    again(BRUTE_FORCE, BRUTE_FORCE_HANDS="10000")
    part_once("R3", 10_000)


@pytest.mark.broker
@pytest.mark.runs(*CORE, BROKER, "feed files journal runtime", starts=BROKER)
@pytest.mark.parametrize("part", range(BROKER_PARTS))
def test_a_thousand_troubles_of_the_broker(part: int, part_once: Any) -> None:
    """R10, each part with a day offline."""
    seed = 1000 + part
    again(BROKER, BROKER_TROUBLES=str(1000 // BROKER_PARTS), BROKER_SEED=str(seed), BROKER_DAY="20000")
    part_once("R10", 1000 // BROKER_PARTS, seed=seed)


@pytest.mark.runs(*CORE, HOSTILE, "files journal sim feed", starts=HOSTILE)
def test_a_hundred_thousand_hostile_commands(part_once: Any) -> None:
    """R11."""
    again(HOSTILE, HOSTILE="100000")
    part_once("R11", 100_000)


@pytest.mark.runs(*CORE, "files journal sim")
@pytest.mark.parametrize("part", range(FLIP_PARTS))
def test_flipped_bits_of_a_journal(part: int, tmp_path: Path, part_once: Any) -> None:
    """R5: the exact prefix, never another state."""
    table = EventTable(part)
    table.open()
    table.deal()
    table.sort_and_exchange()
    for _ in range(4):
        table.act()
    journal, core = JournalWriter(tmp_path / "j", sync=False), TableCore()
    for event in table.events:
        outcome = core.handle(event)
        journal.append(event_record(event, outcome, "w"))
        core.commit(outcome)
    journal.close()
    data = (tmp_path / "j").read_bytes()
    whole, rng = parse_journal(data).records, random.Random(part)
    for _ in range(FLIPS // FLIP_PARTS):
        place, bit = rng.randrange(len(data)), rng.randrange(8)
        flipped = bytearray(data)
        flipped[place] ^= 1 << bit
        got = parse_journal(bytes(flipped)).records
        where = f"seed {part}, byte {place}, bit {bit}"
        assert got == whole[: len(got)], where
        assert len(got) <= data[:place].count(b"\n") or data[place] == 10, where
    part_once("R5", FLIPS // FLIP_PARTS, seed=part)


@pytest.mark.runs("panel")
def test_bounce_trains(part_once: Any) -> None:
    """R14."""
    rng = random.Random(14_000)
    for number in range(100_000):
        button, at, presses, level = Debouncer(), 1000, [], False
        for _ in range(rng.randrange(1, 12)):
            level = not level
            if button.edge(at, pressed=level):
                presses.append(at)
            at += rng.randrange(0, QUIET_MS)
        assert presses == [1000], f"seed 14000, number {number}"
    part_once("R14", 100_000)
