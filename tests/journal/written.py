"""A journal of events as a table writes it, for tests that read one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from table_controller.journal.replay import event_record
from table_controller.journal.writer import JournalWriter
from table_controller.table.core import TableCore
from table_controller.table.events import Event


def write_events(path: Path, events: Iterable[Event]) -> None:
    """The journal of table t1 to which these came, made anew."""
    writer, core = JournalWriter(path, header={"table": "t1"}, sync=False), TableCore()
    for event in events:
        outcome = core.handle(event)
        writer.append(event_record(event, outcome, "2026-11-30T10:00:00"))
        core.commit(outcome)
    writer.close()
