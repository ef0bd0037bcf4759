"""Makes the first kept journals: ``python tests/journal/make_kept.py``. Later ones come by ``replay --keep``.

A journal that is kept is never made again to please a new version: see docs/reliability.md.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from table_controller.journal.kept import keep_journal
from table_controller.journal.program import program
from table_controller.journal.reader import Records
from table_controller.journal.replay import event_record, replay
from table_controller.journal.writer import JournalWriter
from table_controller.sim.event_table import EventTable
from table_controller.sim.hours import HoursTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.core import TableCore
from table_controller.table.events import Event

KEPT = Path(__file__).with_name("kept")


def evening(profile: str) -> list[Event]:
    """Two or three deals with mishaps."""
    table = HoursTable(40, keep=True, mishaps=8)
    table.play(0.35, profile)
    return table.events


def referee() -> list[Event]:
    """A doubtful play corrected, play rolled back, a foul given and overturned, a warning, a resync, a call."""
    table = EventTable(77)
    table.open("default")
    table.deal()
    table.sort_and_exchange()
    for _ in range(9):
        table.act()
    deal = table.core.state.deal
    assert deal is not None
    table.send(ev.CardsSeen, seat=deal.turn, cards=("3S", "9D"), doubtful=(0,))
    table.send(rv.RolledBack, play=len(table.core.state.actions) - 1, by="ref")
    table.send(ev.AreaCleared, seat=deal.turn)
    for seat, kind, penalty in (("E", "serious", "foul"), ("N", "hidden_card", "warning")):
        table.send(rv.IrregularityNoted, kind=kind, seat=seat, by="ref")
        number = len(table.core.state.incidents)
        table.send(rv.Ruled, incident=number, penalty=penalty, by="head", role="head_referee")
        if penalty == "foul":
            table.send(ev.IncidentUpdated, incident=number, status="overturned", by="head", reason="seen wrongly")
    table.send(ev.PlayCorrected, play=2, cards=("4S",), by="ref", reason="misread")
    table.send(ev.CameraLost, reason="unplugged")
    table.send(ev.CameraBack)
    table.send(ev.TdPressed, seat="S")
    table.send(ev.ResumeRequested, by="ref")
    table.send(ev.Resync, by="ref", turn="E", counts=(20, 21, 22, 19))
    table.send(ev.CardsSeen, seat="E", cards=("7S",))
    table.send(ev.PassPressed, seat="N")
    return table.events


def machine() -> list[Event]:
    """A jam that goes on, a void deal, a cable pulled, wrong hands, and at last people who deal."""
    table = EventTable(78)
    table.open("default")
    table.send(ev.DealRequested, by="panel", leader="E")
    table.send(ev.DealPlanned, job=1, pack="A", plan="ENWS" * 27, nonce="00", commitment="c")
    table.send(ev.DealFailed, job=1, code="JAM", place="feeder", message="stuck", void=False)
    table.send(ev.DealerCleared)
    table.send(ev.DealFailed, job=1, code="MISCOUNT", place="tray", message="26", void=True)
    table.send(ev.DealerCleared)
    table.send(ev.DealerOffline, message="unplugged")
    table.send(ev.DealerOnline, boot=2, firmware="x", protocol=1, kind="emulator")
    table.send(ev.StopRequested, by="panel")
    table.send(ev.DealtByHand, by="ref", leader="W")
    for seat in ("E", "N", "W", "S"):
        table.send(ev.ReadyPressed, seat=seat)
    table.send(ev.CardsSeen, seat="W", cards=("5S", "5D"))
    table.send(ev.PromptLaid, seat="S", kind="PASS")
    return table.events


MADE: dict[str, Callable[[], list[Event]]] = {
    **{f"profile-{name}": lambda name=name: evening(name) for name in ("base", "default", "huaian", "national")},  # type: ignore[misc]
    "corrections-and-overturn": referee,
    "machine-faults": machine,
}


def main() -> None:
    """Write those that are not there yet."""
    for name, make in MADE.items():
        if (KEPT / f"{name}.json").exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.jsonl"
            writer = JournalWriter(path, header={"program": program(), "table": "t1", "venue": "v"}, sync=False)
            core = TableCore()
            for event in make():
                outcome = core.handle(event)
                writer.append(event_record(event, outcome, f"virtual {event.at_ms / 1000:.3f} s"))
                core.commit(outcome)
            writer.close()
            records = Records(path)
            print(keep_journal(path, records, replay(records), KEPT).name, core.state.phase)


if __name__ == "__main__":
    main()
