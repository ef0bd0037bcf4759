"""A live simulated table as a process that may be killed: ``python live_table.py FOLDER SEED``.

Goes on from FOLDER/journal and its snapshot, which it writes anew every few events; prints the number of each event
once it stands, and keeps what it commanded in FOLDER/acts.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from table_controller.app.reopen import Reopened, Snapshots, reopen
from table_controller.journal.program import program
from table_controller.journal.reader import Records
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import VirtualClock
from table_controller.runtime.loop import TableRuntime
from table_controller.sim.event_table import EventTable
from table_controller.table.core import TableCore
from table_controller.table.effects import Effect, PlanDeal, RunDeal
from table_controller.table.events import Event

EVERY = 5
"""Events between two snapshots: a kill often falls into the writing of one."""


def script(seed: int) -> list[Event]:
    """The same events for the same seed: three deals."""
    table = EventTable(seed)
    table.open()
    for _ in range(3):
        table.play_deal()
    return table.events


def main(folder: Path, seed: int) -> None:
    journal = folder / "journal"
    before = reopen(journal) if journal.exists() else Reopened(TableCore())
    writer, clock = JournalWriter(journal, header={"program": program()}, since=before.since), VirtualClock(0)
    runtime = TableRuntime(before.core, writer, clock)
    runtime.add(committed=Snapshots(writer, clock, "", EVERY).committed)
    done = sum(record["kind"] == "event" for record in Records(journal))
    acts = os.open(folder / "acts", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    number = done

    def perform(effect: Effect) -> None:
        if isinstance(effect, PlanDeal | RunDeal):
            os.write(acts, f"{number} {type(effect).__name__} {effect.job}\n".encode())

    runtime.add(perform=perform)
    print("ready", flush=True)
    for number, event in enumerate(script(seed)):
        if number >= done:
            runtime.post(event)
            print(number, flush=True)
    print("end", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
