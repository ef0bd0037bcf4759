"""Commands on a journal hold a few of its records at a time, so that a season's need not fit into memory: counted."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any, ClassVar

import pytest

from table_controller import cli
from table_controller.app import support
from table_controller.app.table import open_table
from table_controller.journal import reader
from table_controller.journal import recover as recovering
from table_controller.journal.record import decode
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.event_table import EventTable
from tests.journal.written import write_events

AT_ONCE = 4


class Noted(dict[str, Any]):
    """A record that says that it is still held."""

    held: ClassVar[weakref.WeakSet[Noted]] = weakref.WeakSet()
    most = read = 0

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record)
        Noted.held.add(self)
        Noted.read += 1
        Noted.most = max(Noted.most, len(Noted.held))


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two deals; from here on every record that is read is counted."""
    table = EventTable(3)
    table.open()
    table.play_deal()
    table.play_deal()
    path = tmp_path / "state" / "journal.jsonl"
    write_events(path, table.events)

    def noted(line: bytes) -> Noted | None:
        record = decode(line)
        return Noted(record) if record is not None else None

    for module in (reader, recovering):
        monkeypatch.setattr(module, "decode", noted)
    Noted.held.clear()
    Noted.most = Noted.read = 0
    return path


def damage(journal: Path, number: int) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[number] = b"x" + lines[number][1:]
    journal.write_bytes(b"".join(lines))


@pytest.mark.parametrize("words", ["replay", "recover", "record", "record --as slip", "record --as csv"])
def test_what_reads_a_journal_holds_a_few_records_at_a_time(
    journal: Path, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *more = words.split()
    assert cli.main([command, str(journal), *more]) == 0
    assert Noted.read > 150
    assert Noted.most <= AT_ONCE


@pytest.mark.parametrize("number", [0, 5, 90])
def test_so_does_what_mends_one(journal: Path, number: int) -> None:
    damage(journal, number)
    assert cli.main(["recover", str(journal), "--repair"]) == 0
    assert Noted.read > 150
    assert Noted.most <= AT_ONCE


def test_so_does_a_start(journal: Path) -> None:
    open_table(VirtualClock(), journal, table="t1", venue="v", profile="default", sync=False).close()
    assert Noted.read > 150
    assert Noted.most <= AT_ONCE


def test_a_bundle_holds_the_tail_it_packs(journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(support, "TAIL", 20)
    (tmp_path / "table.toml").write_text(
        "[table]\nid = 't1'\n[camera]\nsource = 'folder:none'\n[dealer]\nport = 'none'\n[feed]\nhost = ''\n"
        "[web]\nport = 1\n"
    )
    assert cli.main(["support", "--config", "table.toml"]) == 0
    assert Noted.read > 150
    assert 20 <= Noted.most <= 20 + AT_ONCE
