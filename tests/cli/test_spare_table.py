"""A spare table takes over a match: one document, one command, paused with everything that was open."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from table_controller.journal.program import program
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import event_record, replay
from table_controller.journal.writer import JournalWriter
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.core import TableCore

TAKEN_OVER_S = 120.0
"""Two minutes; what people do in them (put the camera and the mat there) is theirs."""


def broken_off(folder: Path) -> EventTable:
    """A table that died in its second deal, with an incident open."""
    table = EventTable(9)
    table.open()
    table.play_deal()
    table.deal()
    table.sort_and_exchange()
    for _ in range(7):
        table.act()
    table.send(ev.TdPressed, seat="S")
    journal = JournalWriter(folder / "journal.jsonl", header={"program": program(), "table": "t1", "venue": "v"})
    core = TableCore()
    for event in table.events:
        outcome = core.handle(event)
        journal.append(event_record(event, outcome, "2026-11-30T10:00:00.000+00:00"))
        core.commit(outcome)
    journal.close()
    return table


def test_a_spare_table_goes_on_with_the_match(tmp_path: Path) -> None:
    table = broken_off(tmp_path)
    document, config = tmp_path / "match.json", tmp_path / "spare.toml"
    config.write_text(
        f"[table]\nid = 't9'\nvenue = 'v'\n[camera]\nsource = 'frames:{tmp_path}/none'\n[dealer]\nport = 'none'\n"
        f"[feed]\nhost = ''\n[web]\nport = 0\n[panel]\nenabled = false\n[state]\ndirectory = '{tmp_path}/spare'\n"
    )
    began = time.monotonic()
    cli = [sys.executable, "-m", "table_controller"]
    journal = str(tmp_path / "journal.jsonl")
    subprocess.run([*cli, "record", journal, "--as", "carry", "--out", str(document)], check=True, timeout=100)
    spare = subprocess.Popen(
        [*cli, "run", "--degraded", "--config", str(config), "--carry", str(document)],
        stderr=subprocess.PIPE, text=True, env=os.environ,
    )  # fmt: skip
    killer = threading.Timer(100, spare.kill)
    killer.start()
    assert spare.stderr is not None
    said: list[str] = []
    for line in spare.stderr:
        said.append(line)
        if " is ready: " in line:
            break
    took_s = time.monotonic() - began
    killer.cancel()
    spare.terminate()
    spare.communicate(timeout=60)
    assert any("is ready" in line for line in said), said
    assert took_s < TAKEN_OVER_S
    state, before = replay(read_journal(tmp_path / "spare" / "journal.jsonl").records).core.state, table.core.state
    assert (state.table, state.deal_number, state.levels) == ("t9", before.deal_number, before.levels)
    assert [a.cards for a in state.actions] == [a.cards for a in before.actions]
    assert [(i.kind, i.status) for i in state.incidents] == [(i.kind, i.status) for i in before.incidents]
    assert state.phase == "paused"
    assert not state.clock.running
    assert any("the match goes on: deal 2" in line for line in said)
