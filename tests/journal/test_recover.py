"""A damaged journal is explained and mended; nothing acknowledged goes without being named."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_controller import cli
from table_controller.journal.reader import read_journal
from table_controller.journal.recover import diagnose, repair
from table_controller.journal.replay import replay
from table_controller.journal.writer import JournalWriter
from table_controller.sim.event_table import EventTable
from tests.journal.written import write_events


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    table = EventTable(3)
    table.open()
    table.deal()
    table.sort_and_exchange()
    for _ in range(8):
        table.act()
    path = tmp_path / "journal.jsonl"
    write_events(path, table.events)
    return path


def flip(path: Path, line: int) -> None:
    """One bit of one record."""
    lines = path.read_bytes().splitlines(keepends=True)
    wrong = bytearray(lines[line])
    wrong[30] ^= 1
    lines[line] = bytes(wrong)
    path.write_bytes(b"".join(lines))


def test_a_whole_journal_is_left_alone(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = journal.read_bytes()
    assert cli.main(["recover", str(journal), "--repair"]) == 0
    assert journal.read_bytes() == before
    assert "whole" in capsys.readouterr().err


def test_a_torn_end_lost_nothing_that_was_acknowledged(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal.write_bytes(journal.read_bytes()[:-7])
    assert cli.main(["recover", str(journal)]) == 0
    assert "never acknowledged" in capsys.readouterr().err


@pytest.mark.parametrize("line", [1, 5, 9])
def test_damage_is_named_kept_and_mended(journal: Path, line: int, capsys: pytest.CaptureFixture[str]) -> None:
    total = len(journal.read_bytes().splitlines())
    flip(journal, line)
    damaged = journal.read_bytes()
    assert cli.main(["recover", str(journal)]) == 65
    assert journal.read_bytes() == damaged, "explaining touches nothing"
    found = diagnose(journal)
    assert (found.records, found.later.total()) == (line, total - line - 1)
    done = repair(journal, found)
    kept, later = done.kept, done.later
    assert kept is not None and kept.read_bytes() == damaged
    assert later is not None and not done.applied
    assert len(later.read_text(encoding="utf-8").splitlines()) == total - line - 1
    contents = read_journal(journal)
    assert contents.damage == ""
    assert contents.records[-1]["kind"] == "recovered"
    assert contents.records[-1]["later"] == total - line - 1
    assert replay(contents.records).mismatch is None
    JournalWriter(journal).close()


def test_two_repairs_keep_both_damaged_files(journal: Path) -> None:
    for name in ("damaged-1", "damaged-2"):
        flip(journal, 4)
        kept = repair(journal, diagnose(journal)).kept
        assert kept is not None and kept.name.endswith(name)


def test_another_file_is_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("hello\n")
    assert cli.main(["recover", str(path)]) == 74
    assert cli.main(["recover", str(tmp_path / "none")]) == 66


def test_a_journal_that_is_being_written_is_not_mended(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table started from its snapshot does not see what is damaged before it."""
    running = JournalWriter(journal, sync=False)
    flip(journal, 5)
    damaged = journal.read_bytes()
    assert cli.main(["recover", str(journal)]) == 65
    assert cli.main(["recover", str(journal), "--repair"]) == 74
    assert "A controller is writing" in capsys.readouterr().err
    assert [path.name for path in journal.parent.iterdir()] == [journal.name]
    assert journal.read_bytes() == damaged
    running.close()
    assert cli.main(["recover", str(journal), "--repair"]) == 0
    assert read_journal(journal).damage == ""
