"""Whatever stands in a journal's place: the start says what to do, and doing just that leads to a table that starts."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from table_controller import cli
from table_controller.app.reopen import Snapshots
from table_controller.app.table import open_table
from table_controller.errors import TableError
from table_controller.journal import recover as module
from table_controller.journal.reader import Records, read_journal
from table_controller.journal.record import encode
from table_controller.journal.snapshot import snapshot_path
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import VirtualClock
from table_controller.runtime.loop import TableRuntime
from table_controller.sim.event_table import EventTable
from table_controller.table.core import TableCore

HEADER = {"program": "0.1.0+x", "table": "t1", "venue": "v"}


def play(journal: Path, every: int = 0) -> None:
    """A deal up to some plays, with a snapshot after so many events."""
    script = EventTable(3)
    script.open()
    script.deal()
    script.sort_and_exchange()
    writer, clock = JournalWriter(journal, header=HEADER, sync=False), VirtualClock()
    runtime = TableRuntime(TableCore(), writer, clock)
    if every:
        runtime.add(committed=Snapshots(writer, clock, "", every).committed)
    for event in script.events:
        runtime.post(event)
    writer.close()


def start(journal: Path, table: str = "t1") -> str:
    """What a start says: the words of its error, or nothing."""
    try:
        opened = open_table(VirtualClock(), journal, table=table, venue="v", profile="default", sync=False)
    except TableError as error:
        return error.line()
    opened.begin()
    opened.close()
    return ""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "state of 1"
    made.mkdir()
    return made


@pytest.fixture
def journal(folder: Path) -> Path:
    path = folder / "journal.jsonl"
    play(path)
    return path


def settings(journal: Path) -> Path:
    """A table.toml for ``doctor``."""
    path = journal.parent / "table.toml"
    path.write_text(
        f"[table]\nid = 't1'\n[camera]\nsource = 'folder:none'\n[dealer]\nport = 'none'\n[feed]\nhost = ''\n"
        f"[web]\nport = 1\n[state]\ndirectory = '{journal.parent}'\n",
        encoding="utf-8",
    )
    return path


def follow(said: str, *, also: str = "") -> int:
    """Carry out the command that a sentence names, as it stands there; returns its exit status."""
    begins = [f"{word} {quote}" for word in ("table-controller recover", "mv") for quote in ("/", "'")]
    place = max(said.find(words) for words in begins)
    assert place >= 0, said
    words = shlex.split(said[place:].split(" explains", maxsplit=1)[0] + also)
    if words[0] == "mv":
        shutil.move(words[1], words[2])
        return 0
    return cli.main(words[1:])


def lines(journal: Path) -> list[bytes]:
    return journal.read_bytes().splitlines(keepends=True)


def flipped(line: bytes, place: int = 20) -> bytes:
    return line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]


@pytest.mark.parametrize("keep", [0, 1, 9], ids=["empty", "one byte", "nine bytes"])
def test_a_file_that_was_never_begun_is_begun(journal: Path, keep: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A power cut at the very first start."""
    journal.write_bytes(journal.read_bytes()[:keep])
    assert cli.main(["recover", str(journal)]) == 0
    said = capsys.readouterr().err
    assert ("It is empty" if keep == 0 else "never acknowledged") in said
    assert start(journal) == ""


def test_a_header_that_is_damaged_loses_no_event(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *rest = lines(journal)
    journal.write_bytes(flipped(first) + b"".join(rest))
    said = start(journal)
    assert "first record" in said and str(journal) in said
    assert follow(said) == 65
    explained = capsys.readouterr().err
    assert f"{len(rest)} whole records stand" in explained and "1 TableOpened" in explained
    assert "of the table 't1'" in explained
    assert follow(said, also=" --repair") == 0
    assert "every record after it was applied" in capsys.readouterr().err
    records = list(Records(journal))
    events = [record["event"] for record in records if record["kind"] == "event"]
    assert [record["kind"] for record in (records[0], records[-1])] == ["header", "recovered"]
    assert len(events) == len(rest)
    assert (journal.parent / "journal.jsonl.damaged-1").read_bytes() == flipped(first) + b"".join(rest)
    assert start(journal) == ""


def test_a_first_record_that_is_lost_with_events_begins_anew_beside_what_is_kept(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = lines(journal)
    journal.write_bytes(flipped(whole[0]) + whole[1] + flipped(whole[2]) + b"".join(whole[3:]))
    assert follow(said := start(journal), also=" --repair") == 0
    told = capsys.readouterr().err
    assert "journal.jsonl.damaged-1" in told and "journal.jsonl.later-1" in told
    later = (journal.parent / "journal.jsonl.later-1").read_text(encoding="utf-8").splitlines()
    assert len(later) == len(whole) - 2
    first, last = list(Records(journal))
    assert (first["table"], last["later"], last["applied"], said != "") == ("t1", len(whole) - 2, False, True)
    assert start(journal) == ""


@pytest.mark.parametrize("size", [1, 4096, 70_000])
def test_zeros_are_kept_and_a_journal_begins_anew(folder: Path, size: int, capsys: pytest.CaptureFixture[str]) -> None:
    journal = folder / "journal.jsonl"
    journal.write_bytes(bytes(size))
    assert follow(start(journal), also=" --repair") == 0
    assert (folder / "journal.jsonl.damaged-1").stat().st_size == size
    assert start(journal) == ""


@pytest.mark.parametrize("content", [b"# a page\n", bytes(range(256)) * 40], ids=["text", "noise"])
def test_what_is_no_journal_is_not_touched_and_moved_by_hand(
    folder: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = folder / "journal.jsonl"
    journal.write_bytes(content)
    assert follow(start(journal), also=" --repair") == 74
    said = capsys.readouterr().err
    assert "is not a journal" in said
    assert journal.read_bytes() == content
    assert follow(said) == 0
    assert (folder / "journal.jsonl.aside").read_bytes() == content
    assert start(journal) == ""


def test_a_folder_in_its_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = folder / "journal.jsonl"
    journal.mkdir()
    assert cli.main(["recover", str(journal), "--repair"]) == 66
    for said in (capsys.readouterr().err, start(journal)):
        assert "Is a directory" in said
    assert follow(said) == 0
    assert start(journal) == ""


def test_the_state_folder_named_instead_of_the_journal(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["recover", str(journal.parent)]) == 66
    assert f"Name the journal in it: {journal}" in capsys.readouterr().err


def test_a_newer_programs_journal_is_left_to_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = folder / "journal.jsonl"
    data = {"kind": "header", "version": 2, "n": 0, "prev": "0" * 64, "program": "9.9+x", "table": "t1"}
    journal.write_bytes(encode(data))
    for command in ("recover", "replay"):
        assert cli.main([command, str(journal)]) == 74
        assert "newer program: 9.9+x" in capsys.readouterr().err
    assert "newer program: 9.9+x" in start(journal)
    assert cli.main(["recover", str(journal), "--repair"]) == 74
    assert journal.read_bytes() == encode(data)


def test_an_event_that_only_a_newer_program_knows(folder: Path) -> None:
    journal = folder / "journal.jsonl"
    writer = JournalWriter(journal, header={**HEADER, "program": "9.9+x"}, sync=False)
    writer.append({"kind": "event", "event": {"type": "CardsThrown", "at_ms": 1}, "state": "", "seen": "", "wall": ""})
    writer.close()
    said = start(journal)
    assert "written by 9.9+x" in said and "CardsThrown" in said and "install.sh rollback" in said


def test_another_tables_journal(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = start(journal, table="t2")
    assert "of table 't1', not of 't2'" in said
    assert follow(said) == 0
    assert start(journal, table="t2") == ""


@pytest.mark.parametrize("keep", [None, 0, 4])
def test_records_that_only_a_snapshot_tells_of_are_missed(
    folder: Path, keep: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journal gone, emptied, or an older copy of it: it ends before its snapshot was written."""
    journal = folder / "journal.jsonl"
    play(journal, every=5)
    number = read_journal(journal).records[-1]["n"] + 1
    if keep is None:
        journal.unlink()
    else:
        journal.write_bytes(b"".join(lines(journal)[:keep]))
    said = start(journal)
    assert "its snapshot was written after" in said
    assert follow(said) == 65
    assert "these are gone" in capsys.readouterr().err
    assert follow(said, also=" --repair") == 0
    last = read_journal(journal).records[-1]
    assert (last["kind"], number - 5 <= last["missing"] + (keep or 0) <= number) == ("recovered", True)
    assert not snapshot_path(journal).exists()
    assert list(folder.glob("journal.snapshot.kept-1"))
    assert start(journal) == ""


def test_a_table_that_starts_behind_the_damage_is_not_taken_back(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = folder / "journal.jsonl"
    play(journal, every=5)
    whole = lines(journal)
    journal.write_bytes(b"".join([*whole[:4], flipped(whole[4]), *whole[5:]]))
    before = journal.read_bytes()
    assert start(journal) == ""
    assert cli.main(["recover", str(journal), "--repair"]) == 65
    said = capsys.readouterr().err
    assert "starts all the same" in said and f"rm '{snapshot_path(journal)}'" in said
    assert journal.read_bytes() == before
    snapshot_path(journal).unlink()
    assert cli.main(["recover", str(journal), "--repair"]) == 0
    assert start(journal) == ""


@contextmanager
def nobody() -> Iterator[None]:
    """As a user without rights; whoever runs the tests without any is one already."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def open_to_all(folder: Path) -> None:
    for place in (folder, *folder.parents):
        if place.stat().st_uid == os.geteuid() and not place.stat().st_mode & 0o001:
            place.chmod(0o755)


@pytest.mark.parametrize("mode", [0o000, 0o444], ids=["unreadable", "not writable"])
def test_a_journal_without_rights(journal: Path, mode: int, capsys: pytest.CaptureFixture[str]) -> None:
    open_to_all(journal.parent)
    journal.chmod(mode)
    with nobody():
        said = start(journal)
        read = cli.main(["recover", str(journal)])
    journal.chmod(0o640)
    assert "Permission denied" in said and "chown" in said and shlex.quote(str(journal)) in said
    assert (read, "Run it with sudo" in capsys.readouterr().err) == ((66, True) if mode == 0 else (0, False))


def test_a_full_disk_leaves_everything_as_it_was(
    journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = lines(journal)
    journal.write_bytes(b"".join([*whole[:4], flipped(whole[4]), *whole[5:]]))
    before = {path.name: path.read_bytes() for path in journal.parent.iterdir()}
    steps = ("_copy", "_save", "_keep", "sync_folder", "JournalWriter")

    def full(*args: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    for step in steps:
        with monkeypatch.context() as patch:
            patch.setattr(module, step, full)
            assert cli.main(["recover", str(journal), "--repair"]) == 74, step
        assert {path.name: path.read_bytes() for path in journal.parent.iterdir()} == before, step
        assert "It was left as it is. Free some space" in capsys.readouterr().err
    assert cli.main(["recover", str(journal), "--repair"]) == 0


@pytest.mark.parametrize("step", ["_save", "_set_snapshot_aside", "_keep", "sync_folder"])
def test_a_repair_that_is_killed_can_be_run_again(journal: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At no moment is there no journal: a start then would begin anew in silence."""
    whole = lines(journal)
    journal.write_bytes(b"".join([*whole[:4], flipped(whole[4]), *whole[5:]]))

    class Killed(BaseException):
        pass

    def kill(*args: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, step, kill)
        with pytest.raises(Killed):
            cli.main(["recover", str(journal), "--repair"])
    assert start(journal) != ""
    assert cli.main(["recover", str(journal), "--repair"]) == 0
    assert start(journal) == ""
    assert any(path.read_bytes().count(b"\n") == len(whole) for path in journal.parent.glob("*.damaged-*"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_mends_stays_the_tables(journal: Path) -> None:
    """``sudo table-controller recover … --repair``: the table's service must still be able to write it."""
    whole = lines(journal)
    journal.write_bytes(b"".join([*whole[:4], flipped(whole[4]), *whole[5:]]))
    os.chown(journal, 1234, 2345)
    journal.chmod(0o640)
    assert cli.main(["recover", str(journal), "--repair"]) == 0
    for name in ("journal.jsonl", "journal.jsonl.damaged-1", "journal.jsonl.later-1"):
        found = (journal.parent / name).stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 2345, 0o640), name


@pytest.mark.parametrize("every", [1, 4])
def test_one_damaged_byte_anywhere_is_mended_or_said(journal: Path, every: int, tmp_path: Path) -> None:
    """Each record in turn: nothing is dropped that is neither applied nor kept and named."""
    whole = lines(journal)
    for number in range(0, len(whole), every):
        place = tmp_path / f"{every}-{number}" / "journal.jsonl"
        place.parent.mkdir()
        place.write_bytes(b"".join([*whole[:number], flipped(whole[number], 12), *whole[number + 1 :]]))
        assert start(place) != ""
        assert cli.main(["recover", str(place), "--repair"]) == 0
        last = read_journal(place).records[-1]
        kept = 0 if last["applied"] or not last["later"] else len(lines(place.parent / "journal.jsonl.later-1"))
        assert last["later"] == (len(whole) - number - 1)
        assert kept == (0 if last["applied"] else last["later"])
        assert start(place) == ""


def test_the_end_of_the_last_line_damaged_is_no_torn_record(journal: Path) -> None:
    """It was acknowledged: it is not cut off in silence."""
    data = journal.read_bytes()
    journal.write_bytes(data[:-1] + b"\x0b")
    assert "is damaged" in start(journal)
    assert journal.read_bytes() == data[:-1] + b"\x0b"


def test_doctor_says_how_the_journal_is(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said() -> str:
        cli.main(["doctor", "--config", str(settings(journal))])
        return next(line for line in capsys.readouterr().out.splitlines() if line[4:12].strip() == "journal")

    assert "records, whole" in said()
    whole = lines(journal)
    journal.write_bytes(flipped(whole[0]) + b"".join(whole[1:]))
    assert said().startswith("--") and follow(said(), also=" --repair") == 0
    assert "records, whole" in said()
    journal.unlink()
    play(journal)
    journal.write_bytes(encode({**HEADER, "kind": "header", "n": 0, "prev": "0" * 64, "version": 1, "table": "t9"}))
    assert "of table 't9'" in said()
    journal.unlink()
    assert "begins with the first start" in said()
