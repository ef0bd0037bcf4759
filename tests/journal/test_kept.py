"""R21: every journal kept in the repository replays to what people saw; another version's are told apart in words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from table_controller import cli
from table_controller.errors import JournalError
from table_controller.journal.kept import Kept, kept_journals
from table_controller.journal.program import essence, program
from table_controller.journal.reader import read_journal
from table_controller.journal.record import encode, line_hash
from table_controller.journal.replay import replay
from table_controller.table.codec import from_data
from table_controller.table.core import TableCore

KEPT = Path(__file__).with_name("kept")
NAMES = [kept.path.name for kept in kept_journals(KEPT)]


def kept(name: str) -> Kept:
    return next(found for found in kept_journals(KEPT) if found.path.name == name)


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_journal_replays_to_what_people_saw(name: str) -> None:
    assert kept(name).problem() == "", f"{name}: docs/reliability.md says what to do"


def test_every_profile_faults_corrections_and_an_overturned_ruling_are_kept() -> None:
    records = [record for found in kept_journals(KEPT) for record in read_journal(found.path).records]
    events = [record["event"] for record in records if record["kind"] == "event"]
    assert {e["profile"] for e in events if e["type"] == "TableOpened"} >= {"default", "huaian", "national"}
    assert any(e["type"] == "IncidentUpdated" and e["status"] == "overturned" for e in events)
    types = {e["type"] for e in events}
    assert types >= {"DealFailed", "PlayCorrected", "RolledBack", "Resync", "CameraLost", "Ruled", "TimerFired"}
    assert any("refused" in record for record in records)


def rewritten(path: Path, source: Kept, change: Any) -> Path:
    """A kept journal as this program would write it, with each record changed and its chain made anew."""
    lines, previous, core = [], "0" * 64, TableCore()
    for record in read_journal(source.path).records:
        if record["kind"] == "event":
            core.commit(core.handle(from_data(record["event"])))
            record |= {"state": core.state.digest()[:16], "seen": essence(core.state)}
        made = {**change(dict(record)), "prev": previous}
        lines.append(encode(made))
        previous = line_hash(lines[-1])
    path.write_bytes(b"".join(lines))
    return path


def as_of(version: str, **changes: Any) -> Any:
    """Changes of a record by its number, and the program's name in the header."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        if record["kind"] == "header":
            return {**record, "program": version}
        return {**record, **changes} if record["n"] >= 7 else record

    return change


def test_another_version_that_only_keeps_more_is_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = rewritten(tmp_path / "old.jsonl", kept("machine-faults.jsonl.gz"), as_of("0.0.9+old", state="0" * 16))
    found = replay(read_journal(old).records)
    assert (found.mismatch, found.differs, found.same, found.writer) == (7, None, True, "0.0.9+old")
    assert cli.main(["replay", str(old)]) == 0
    assert "Written by 0.0.9+old" in (said := capsys.readouterr().out) and "same public state" in said


def test_another_version_that_judged_otherwise_is_named_with_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = as_of("0.0.9+old", state="0" * 16, seen="f" * 16)
    old = rewritten(tmp_path / "old.jsonl", kept("machine-faults.jsonl.gz"), other)
    assert cli.main(["replay", str(old)]) == 65
    assert "From record 7 on this version judges differently" in capsys.readouterr().out
    assert cli.main(["recover", str(old)]) == 0
    assert "0.0.9+old" in capsys.readouterr().err


def test_a_journal_of_this_very_program_that_differs_is_a_fault_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = rewritten(tmp_path / "own.jsonl", kept("machine-faults.jsonl.gz"), as_of(program(), state="0" * 16, seen="f"))
    assert cli.main(["replay", str(own)]) == 65
    assert "report it" in capsys.readouterr().out


def test_where_nothing_was_recorded_of_what_people_saw_nothing_is_claimed(tmp_path: Path) -> None:
    def change(record: dict[str, Any]) -> dict[str, Any]:
        record.pop("seen", None)
        return as_of("0.0.8", state="0" * 16)(record)  # type: ignore[no-any-return]

    found = replay(read_journal(rewritten(tmp_path / "j", kept("machine-faults.jsonl.gz"), change)).records)
    assert not found.same
    assert "not recorded" in found.words()


def test_a_difference_must_be_written_down_with_its_record(tmp_path: Path) -> None:
    source = kept("machine-faults.jsonl.gz")
    other = rewritten(tmp_path / "j", source, as_of("0.0.9", state="0" * 16, seen="f" * 16))
    packed = tmp_path / "j.jsonl.gz"
    packed.write_bytes(gzip.compress(other.read_bytes()))
    assert "judges differently" in Kept(packed, source.expected).problem()
    told = {**source.expected, "differs": {"from": 7, "why": "a jam no longer voids the deal"}}
    assert Kept(packed, told).problem() == ""
    wrong = {**source.expected, "differs": {"from": 9, "why": "x"}}
    assert "not from 9 as written" in Kept(packed, wrong).problem()


def test_a_journal_is_added_by_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = tmp_path / "evening.jsonl"
    journal.write_bytes(gzip.decompress(kept("profile-base.jsonl.gz").path.read_bytes()))
    folder = tmp_path / "kept"
    assert cli.main(["replay", str(journal), "--keep", str(folder)]) == 0
    assert [found.problem() for found in kept_journals(folder)] == [""]
    assert json.loads((folder / "evening.json").read_text())["events"] > 100
    assert cli.main(["replay", str(folder / "evening.jsonl.gz")]) == 0
    journal.write_bytes(journal.read_bytes()[:-9])
    assert cli.main(["replay", str(journal), "--keep", str(folder)]) == JournalError("x").exit_status
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8bno")
    assert cli.main(["replay", str(tmp_path / "broken.gz")]) == 66
    assert "not a packed journal" in capsys.readouterr().err


def test_a_table_that_goes_on_under_another_program_says_so_in_its_journal(tmp_path: Path) -> None:
    from table_controller.app.table import open_table
    from table_controller.runtime.clock import VirtualClock

    old = as_of("0.0.9+old", state="0" * 16, seen="f" * 16)
    path = rewritten(tmp_path / "journal.jsonl", kept("machine-faults.jsonl.gz"), old)
    table = open_table(VirtualClock(), path, table="t1", venue="v", profile="default")
    assert "From record 7 on this version judges differently" in table.recovered
    table.close()
    assert read_journal(path).records[-1]["program"] == program()
    again = open_table(VirtualClock(), path, table="t1", venue="v", profile="default")
    again.close()
    assert [r["kind"] for r in read_journal(path).records].count("program") == 1
