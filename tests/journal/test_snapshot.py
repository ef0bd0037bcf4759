"""A start from a snapshot is the start from the whole journal, or it is the whole journal that is read."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from table_controller.app import reopen as module
from table_controller.app.reopen import Reopened, Snapshots, reopen
from table_controller.errors import JournalError
from table_controller.journal import reader
from table_controller.journal import snapshot as snapshots
from table_controller.journal.program import program
from table_controller.journal.reader import read_end, read_journal
from table_controller.journal.replay import replay
from table_controller.journal.snapshot import snapshot_path
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import VirtualClock
from table_controller.runtime.loop import TableRuntime
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.core import TableCore


def played(journal: Path, every: int = 30, deals: int = 2) -> None:
    """A session with a snapshot after so many events."""
    script = EventTable(5)
    script.open()
    for _ in range(deals):
        script.play_deal()
    writer, clock = JournalWriter(journal, sync=False), VirtualClock()
    writer.append({"kind": "boot", "boot": "b1"})
    runtime = TableRuntime(TableCore(), writer, clock)
    runtime.add(committed=Snapshots(writer, clock, "b1", every).committed)
    for event in script.events:
        runtime.post(event)
    writer.close()


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    played(path)
    return path


def whole(journal: Path) -> Reopened:
    snapshot_path(journal).unlink(missing_ok=True)
    return reopen(journal)


@pytest.fixture
def handled(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every event that a core is given."""
    given: list[object] = []
    handle = TableCore.handle

    def counted(core: TableCore, event: object) -> object:
        given.append(event)
        return handle(core, event)  # type: ignore[arg-type]

    monkeypatch.setattr(TableCore, "handle", counted)
    return given


def events_of(journal: Path) -> int:
    return sum(record["kind"] == "event" for record in read_journal(journal).records)


def test_the_state_is_that_of_the_whole_journal_at_a_fraction_of_the_work(journal: Path, handled: list[object]) -> None:
    short = reopen(journal)
    assert len(handled) < 30
    handled.clear()
    long = whole(journal)
    assert len(handled) == events_of(journal) > 150
    assert short.since is not None
    assert short.core.state.digest() == long.core.state.digest()
    assert short.core.state == long.core.state
    assert short.core.state.past
    assert (short.at_ms, short.told, short.recovered) == (long.at_ms, long.told, long.recovered)
    assert long.told[0] == "b1"
    assert long.told[1] > 100


@pytest.mark.parametrize("with_snapshot", [True, False])
def test_a_journal_goes_on_after_it_unbroken(journal: Path, with_snapshot: bool) -> None:
    before = reopen(journal) if with_snapshot else whole(journal)
    writer = JournalWriter(journal, sync=False, since=before.since)
    runtime = TableRuntime(before.core, writer, VirtualClock())
    script = EventTable(5)
    script.open()
    script.play_deal()
    script.play_deal()
    script.events.clear()
    script.play_deal()
    for event in script.events:
        runtime.post(event)
    writer.close()
    contents = read_journal(journal)
    assert contents.damage == ""
    again = replay(contents.records)
    assert again.mismatch is None
    assert again.core.state.digest() == runtime.state.digest() == script.core.state.digest()


def cut(journal: Path, snapshot: Path) -> None:
    snapshot.write_bytes(snapshot.read_bytes()[:-10])


def flip(journal: Path, snapshot: Path) -> None:
    data = bytearray(snapshot.read_bytes())
    data[len(data) // 2] ^= 1
    snapshot.write_bytes(data)


def shorter_journal(journal: Path, snapshot: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:60]))


def another_journal(journal: Path, snapshot: Path) -> None:
    kept = snapshot.read_bytes()
    journal.unlink()
    played(journal, every=10_000, deals=1)
    snapshot.write_bytes(kept)


def _number(found: Reopened) -> int:
    assert found.since is not None
    return found.since.number


def nothing(journal: Path, snapshot: Path) -> None:
    snapshot.write_bytes(b"")


@pytest.mark.parametrize("spoil", [shorter_journal, another_journal])
def test_a_journal_that_ends_before_its_snapshot_is_refused(journal: Path, spoil: Callable[[Path, Path], None]) -> None:
    spoil(journal, snapshot_path(journal))
    with pytest.raises(JournalError, match="its snapshot was written after"):
        reopen(journal)


@pytest.mark.parametrize("spoil", [cut, flip, nothing])
def test_a_snapshot_in_doubt_is_not_used(
    journal: Path, spoil: Callable[[Path, Path], None], handled: list[object]
) -> None:
    spoil(journal, snapshot_path(journal))
    handled.clear()
    found = reopen(journal)
    assert len(handled) == events_of(journal)
    assert found.core.state.digest() == replay(read_journal(journal).records).core.state.digest()


def test_a_long_journal_is_read_record_by_record_and_its_reader_says_how_far(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot_path(journal).unlink()
    monkeypatch.setattr(reader, "TELL_EVERY", 100)
    told: list[float] = []
    before = reopen(journal, told.append)
    assert len(told) == len(read_journal(journal).records) // 100 > 1
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] <= 1
    contents = read_journal(journal)
    assert before.since is not None
    assert (before.since.number, before.since.offset) == (len(contents.records), contents.good_bytes)
    assert before.since.previous == contents.last_hash
    assert before.written_by == contents.records[0].get("program", "")


def test_after_a_long_start_the_first_event_brings_a_snapshot(journal: Path, handled: list[object]) -> None:
    before = whole(journal)
    writer, clock = JournalWriter(journal, sync=False, since=before.since), VirtualClock()
    writer.append({"kind": "program", "program": program()})
    runtime = TableRuntime(before.core, writer, clock)
    runtime.add(committed=Snapshots(writer, clock, "b2").committed)
    runtime.post(ev.CameraLost(before.at_ms + 1, "unplugged"))
    writer.close()
    handled.clear()
    assert reopen(journal).core.state.camera_lost == "unplugged"
    assert handled == []


@pytest.mark.parametrize("end", [b"12ab", b"00000000 {}\n"])
def test_what_follows_the_good_records_of_a_whole_journal_is_cut_or_refused(journal: Path, end: bytes) -> None:
    before, good = whole(journal), journal.read_bytes()
    journal.write_bytes(good + end)
    if end.endswith(b"\n"):
        words = f"record {_number(before)} at byte {len(good)} is damaged"
        with pytest.raises(JournalError, match=words):
            JournalWriter(journal, since=before.since)
        with pytest.raises(JournalError, match=words):
            reopen(journal)
        assert journal.read_bytes() == good + end
    else:
        JournalWriter(journal, since=reopen(journal).since).close()
        assert journal.read_bytes() == good


def test_another_programs_snapshot_is_not_used(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "program", lambda: "0.2.0+ffffffff")
    assert snapshots.load(snapshot_path(journal), journal) is None


def test_a_file_that_would_call_something_is_refused(journal: Path) -> None:
    class Calls:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path, ("/etc/passwd",))

    body = pickle.dumps((program(), Calls()))
    snapshot_path(journal).write_bytes(snapshots._MAGIC + hashlib.sha256(body).digest() + body)
    assert snapshots.load(snapshot_path(journal), journal) is None


def test_damage_after_the_snapshot_is_named_by_its_place_in_the_whole(journal: Path) -> None:
    since = reopen(journal).since
    assert since is not None
    data = bytearray(journal.read_bytes())
    data[since.offset + 40] ^= 1
    end = read_end(_written(journal, bytes(data)), since.number, since.offset, since.previous)
    assert end.damage == read_journal(journal).damage
    assert f"record {since.number} at byte {since.offset}" in end.damage


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_disk_that_takes_no_snapshot_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "snapshot_path", lambda journal: tmp_path / "no" / "folder")
    played(tmp_path / "journal.jsonl", every=10)
    assert read_journal(tmp_path / "journal.jsonl").damage == ""
