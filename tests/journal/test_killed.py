"""R4: SIGKILL at random instants of a live table: nothing acknowledged is lost, nothing is commanded twice.

The kills also fall into the writing of snapshots, and between two lives the snapshot is spoilt, or is an older one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from table_controller.app.reopen import reopen
from table_controller.journal import snapshot as snapshots
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import replay
from table_controller.journal.snapshot import snapshot_path
from table_controller.table.core import TableCore
from table_controller.table.events import Event
from table_controller.table.state import TableState

LIVE = Path(__file__).with_name("live_table.py")
READY_S = 3.0
MARGIN = 5
"""CI machines are shared: the bound is held with this margin here, and tightly on a quiet machine."""

KINDS = ("whole", "torn", "flipped", "older", "removed", "another program's")
"""How the next life finds the snapshot."""


def script(seed: int) -> list[Event]:
    spec = importlib.util.spec_from_file_location("live_table", LIVE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    events: list[Event] = module.script(seed)
    return events


def live_until_killed(folder: Path, seed: int, rng: random.Random) -> tuple[int, bool]:
    """Run the table and kill it after a random number of events, in the middle of what follows; (last told, ended)."""
    began = time.monotonic()
    child = subprocess.Popen([sys.executable, str(LIVE), str(folder), str(seed)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    assert time.monotonic() - began < READY_S * MARGIN
    told, ended, wanted = -1, False, rng.randrange(2, 60)
    for line in child.stdout:
        if line == "end\n":
            ended = True
            break
        told, wanted = int(line), wanted - 1
        if not wanted:
            time.sleep(rng.random() * 0.004)
            break
    child.send_signal(signal.SIGKILL)
    rest = child.stdout.read().split()
    child.wait()
    child.stdout.close()
    numbers = [int(word) for word in rest if word.isdigit()]
    return max([told, *numbers]), ended or "end" in rest


def check(folder: Path, events: list[Event], told: int) -> TableState:
    """Nothing was lost, nothing is commanded twice; returns the state that the next life must begin with."""
    contents = read_journal(folder / "journal")
    assert contents.damage == "" or contents.torn
    kept = [record for record in contents.records if record["kind"] == "event"]
    assert len(kept) > told, "an acknowledged event was lost"
    core = TableCore()
    for event in events[: len(kept)]:
        core.commit(core.handle(event))
    again = replay(contents.records)
    assert again.mismatch is None
    assert again.core.state.digest() == core.state.digest()
    acts = (folder / "acts").read_text().splitlines()
    assert len(acts) == len(set(acts)), "a command was given twice"
    return core.state


def spoil(folder: Path, rng: random.Random, oldest: list[bytes], how: str) -> bool:
    """What a power cut, a bad disk, a copied folder or an upgrade makes of a snapshot; False where there is none."""
    path = snapshot_path(folder / "journal")
    if not path.exists():
        return False
    data = path.read_bytes()
    oldest.append(data)
    if how == "torn":
        path.write_bytes(data[: rng.randrange(len(data))])
    elif how == "flipped":
        place = rng.randrange(len(data))
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :])
    elif how == "removed":
        path.unlink()
    elif how == "older":
        path.write_bytes(oldest[0])
    elif how == "another program's":
        _, snapshot = pickle.loads(data[len(snapshots._MAGIC) + 32 :])
        body = pickle.dumps(("0.0.9+00000000", snapshot))
        path.write_bytes(snapshots._MAGIC + hashlib.sha256(body).digest() + body)
    used = snapshots.load(path, folder / "journal") is not None
    assert used == (how in ("whole", "older")), how
    return True


def kill_many(folder: Path, kills: int, seed: int) -> Counter[str]:
    rng, done, table, how = random.Random(seed), 0, 0, Counter[str]()
    while done < kills:
        place = folder / str(table)
        place.mkdir()
        events = script(seed + table)
        ended, oldest = False, list[bytes]()
        while not ended and done < kills:
            told, ended = live_until_killed(place, seed + table, rng)
            try:
                state, kind = check(place, events, told), KINDS[how.total() % len(KINDS)]
                how[kind] += spoil(place, rng, oldest, kind)
                assert reopen(place / "journal").core.state == state, kind
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, table {table}, kill {done}: {error}") from error
            done += 1
        table += 1
    return how


def test_a_killed_table_loses_nothing_and_commands_nothing_twice(tmp_path: Path) -> None:
    how = kill_many(tmp_path, int(os.environ.get("KILLS", "30")), 4)
    assert all(how[kind] for kind in KINDS), how


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.runs("app cards errors feed files games table journal runtime sim", starts="tests/journal/live_table.py")
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_kills(tmp_path: Path, part: int, part_once: Any) -> None:
    """In ten parts, each with seeds of its own."""
    kill_many(tmp_path, 100, 40 + 1000 * part)
    part_once("R4", 100, seed=40 + 1000 * part)
