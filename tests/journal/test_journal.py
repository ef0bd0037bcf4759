"""The journal: exact prefix at every byte, no flipped bit taken, and a replay that gives the same state."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from table_controller.errors import JournalError
from table_controller.journal.reader import parse_journal, read_journal
from table_controller.journal.record import decode, encode
from table_controller.journal.replay import journal_hash, replay
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import VirtualClock
from table_controller.runtime.loop import TableRuntime
from table_controller.table import events as ev
from table_controller.table.core import TableCore
from table_controller.table.effects import Effect


def played(path: Path) -> TableRuntime:
    """A short real session in a journal."""
    clock = VirtualClock(1000)
    journal = JournalWriter(path)
    runtime = TableRuntime(TableCore(), journal, clock)
    runtime.post(ev.TableOpened(1000, "t1", "v", "default"))
    runtime.post(ev.DealerOnline(1100, 7, "fw", 1, "emulator"))
    runtime.post(ev.DealRequested(1200, "panel", "E"))
    runtime.post(ev.DealPlanned(1300, 1, "A", "ENWS" * 27, "00", "c"))
    runtime.post(ev.DealDone(1400, 1, (27, 27, 27, 27, 0)))
    for seat in ("E", "N", "W", "S"):
        runtime.post(ev.ReadyPressed(1500, seat))
    runtime.post(ev.CardsSeen(2000, "E", ("5S", "5D"), confidence=0.987654321))
    runtime.post(ev.PromptLaid(2500, "N", "PASS", 24))
    runtime.post(ev.TableOpened(2600, "again", "v", "default"))
    while runtime.clock.now_ms() < 40_000 and clock.run_next():
        pass
    journal.close()
    return runtime


def test_replay_reproduces_the_state(tmp_path: Path) -> None:
    runtime = played(tmp_path / "j")
    contents = read_journal(tmp_path / "j")
    again = replay(contents.records)
    assert contents.damage == ""
    assert again.mismatch is None
    assert again.refused == 1
    assert again.core.state.digest() == runtime.state.digest()
    assert runtime.state.incidents[-1].kind == "time_violation"


def test_cut_at_every_byte_gives_the_exact_prefix(tmp_path: Path) -> None:
    played(tmp_path / "j")
    data = (tmp_path / "j").read_bytes()
    whole = parse_journal(data).records
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
    for cut in range(len(data) + 1):
        expected = sum(end <= cut for end in ends)
        contents = parse_journal(data[:cut])
        assert contents.records == whole[:expected]
        assert bool(contents.damage) == (cut not in (0, *ends))


def test_no_flipped_bit_is_taken(tmp_path: Path) -> None:
    played(tmp_path / "j")
    data = (tmp_path / "j").read_bytes()
    whole = parse_journal(data).records
    rng = random.Random(11)
    for _ in range(2000):
        place = rng.randrange(len(data))
        flipped = bytearray(data)
        flipped[place] ^= 1 << rng.randrange(8)
        got = parse_journal(bytes(flipped)).records
        line = data[:place].count(b"\n")
        assert got == whole[: len(got)]
        assert len(got) <= line or data[place] == 10


def test_a_torn_journal_is_continued_after_its_last_good_record(tmp_path: Path) -> None:
    played(tmp_path / "j")
    data = (tmp_path / "j").read_bytes()
    (tmp_path / "j").write_bytes(data[:-7])
    good = read_journal(tmp_path / "j").records
    writer = JournalWriter(tmp_path / "j")
    writer.append({"kind": "note", "text": "after the cut"})
    writer.close()
    contents = read_journal(tmp_path / "j")
    assert contents.damage == ""
    assert contents.records[:-1] == good


@pytest.mark.parametrize("call", ["write", "fdatasync"])
@pytest.mark.parametrize("k", range(5))
def test_nothing_is_acted_on_before_it_is_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, k: int
) -> None:
    clock = VirtualClock()
    runtime = TableRuntime(TableCore(), JournalWriter(tmp_path / "j"), clock)
    acted: list[Effect] = []
    runtime.add(perform=acted.append)
    real, calls = getattr(os, call), [0]

    def failing(*args: object) -> object:
        calls[0] += 1
        if calls[0] == k + 1:
            raise OSError(28, "No space left on device")
        return real(*args)

    monkeypatch.setattr(os, call, failing)
    sequence = [
        ev.TableOpened(1, "t", "v", "default"),
        ev.DealerOnline(2, 1, "f", 1, "emulator"),
        ev.DealRequested(3, "x", "E"),
        ev.DealPlanned(4, 1, "A", "ENWS" * 27, "0", "c"),
        ev.DealDone(5, 1, (27, 27, 27, 27, 0)),
    ]
    for number, event in enumerate(sequence):
        before = len(acted)
        if number == k:
            with pytest.raises(JournalError, match="cannot be written"):
                runtime.post(event)
            assert len(acted) == before
            assert replay(read_journal(tmp_path / "j").records).events == number
            break
        runtime.post(event)
    monkeypatch.undo()
    runtime.post(ev.StopRequested(9, "resumes"))
    assert replay(read_journal(tmp_path / "j").records).mismatch is None


def test_the_hash_covers_events_and_not_confidences(tmp_path: Path) -> None:
    played(tmp_path / "a")
    played(tmp_path / "b")
    records = read_journal(tmp_path / "a").records
    assert journal_hash(records) == journal_hash(read_journal(tmp_path / "b").records)
    for record in records:
        if record["kind"] == "event" and record["event"]["type"] == "CardsSeen":
            record["event"]["confidence"] = 0.5
    assert journal_hash(records) == journal_hash(read_journal(tmp_path / "b").records)
    for record in records:
        if record["kind"] == "event" and record["event"]["type"] == "CardsSeen":
            record["event"]["at_ms"] += 1
    assert journal_hash(records) != journal_hash(read_journal(tmp_path / "b").records)


def test_what_is_no_journal_or_is_damaged_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    played(tmp_path / "j")
    data = (tmp_path / "j").read_bytes()
    lines = data.splitlines(keepends=True)
    for name, content, words in (
        ("text", b"# A page of text\n\nand more of it\n", "not a journal"),
        ("damaged", b"".join([*lines[:3], lines[3].replace(b"event", b"evXnt", 1), *lines[4:]]), "damaged"),
        ("missing", b"".join([*lines[:3], *lines[4:]]), "damaged"),
        ("last", data[:-5] + b"X" + data[-4:], "damaged"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(JournalError, match=words):
            JournalWriter(path)
        assert path.read_bytes() == content


def test_two_controllers_cannot_write_one_journal(tmp_path: Path) -> None:
    first = JournalWriter(tmp_path / "j")
    with pytest.raises(JournalError, match="Another controller"):
        JournalWriter(tmp_path / "j")
    first.close()
    JournalWriter(tmp_path / "j").close()


def test_a_record_that_was_replaced_breaks_the_chain(tmp_path: Path) -> None:
    """Its own checks are right; the next record knows the one that stood there."""
    played(tmp_path / "j")
    lines = (tmp_path / "j").read_bytes().splitlines(keepends=True)
    record = decode(lines[4])
    assert record is not None
    lines[4] = encode({**record, "wall": "another time"})
    contents = parse_journal(b"".join(lines))
    assert len(contents.records) == 5
    assert "does not continue the chain" in contents.damage
