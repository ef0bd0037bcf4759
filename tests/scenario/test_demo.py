"""Whole simulated tables: the real firmware deals, rendered frames are read, a real broker carries the feed.

The five hurried deals that are played here are clean: nobody is accused.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from table_controller.journal.reader import read_journal
from table_controller.journal.replay import replay
from table_controller.table.codec import from_data
from table_controller.table.events import CardsSeen

pytestmark = [pytest.mark.avr, pytest.mark.broker, pytest.mark.timeout(900)]
KEYS = {
    "deals", "plays", "passes", "reports", "misreads", "doubtful", "incidents", "dealer", "recogniser", "broker",
    "feed_events", "feed_lost", "journal", "journal_hash", "virtual_s", "wall_s",
}  # fmt: skip


def result(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return data


def accused(journal: Path) -> list[str]:
    """The incidents of a run of clean deals, but questions about a reading."""
    state = replay(read_journal(journal).records).core.state
    return [i.kind for i in state.incidents if i.kind != "conservation" and not i.kind.startswith("doubtful")]


def test_two_deals_end_by_themselves_and_are_read_right(tmp_path: Path, table_controller: Any) -> None:
    """The same seed gives the same journal hash; a replay reproduces the state."""
    journals = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    runs = [
        result(
            table_controller(
                "demo", "--deals", str(deals), "--seed", "7", "--headless", "--fast", "--journal", str(path)
            )
        )
        for deals, path in zip((2, 2), journals, strict=True)
    ]
    first = runs[0]
    assert set(first) == KEYS
    assert (first["deals"], first["dealer"], first["broker"]) == (2, "avr", "mosquitto")
    assert (first["misreads"], accused(journals[0])) == (0, [])
    assert first["doubtful"] <= 4
    assert first["feed_lost"] == 0
    assert first["plays"] > 40
    assert runs[1]["journal_hash"] == first["journal_hash"]
    assert "The replay reproduces the state." in table_controller("replay", str(journals[0])).stdout


def test_run_reads_a_recording(tmp_path: Path, table_controller: Any) -> None:
    """The main job on recorded material: the plays of a recorded deal are committed as they were seen live."""
    pictures, journal = tmp_path / "pictures", tmp_path / "live.jsonl"
    table_controller(
        "sim", "--deals", "1", "--seed", "5", "--emulator", "--record", str(pictures), "--journal", str(journal)
    )
    shown = [from_data(r["event"]) for r in read_journal(journal).records if r["kind"] == "event"]
    plays = [(e.seat, e.cards) for e in shown if isinstance(e, CardsSeen)]
    assert accused(journal) == []
    for extra in sorted(pictures.iterdir())[9:]:
        extra.unlink()
    config = tmp_path / "table.toml"
    config.write_text(
        f"[camera]\nsource = 'folder:{pictures}'\n[dealer]\nport = 'none'\n[feed]\nhost = ''\n[web]\nport = 0\n"
        f"[panel]\nenabled = false\n[state]\ndirectory = '{tmp_path}/state'\n"
    )
    done = table_controller("run", "--config", str(config))
    read = [from_data(r["event"]) for r in read_journal(tmp_path / "state" / "journal.jsonl").records
            if r["kind"] == "event"]  # fmt: skip
    again = [(e.seat, e.cards) for e in read if isinstance(e, CardsSeen)]
    assert len(again) >= 3
    assert again == plays[: len(again)]
    assert f"plays {len(again)}" in done.stdout
    assert list((tmp_path / "state" / "evidence").iterdir())


def test_without_the_tools_the_demo_runs_on_what_is_there(tmp_path: Path, table_controller: Any) -> None:
    """No AVR tools and no mosquitto: the emulator and the pip-installed broker."""
    done = table_controller(
        "demo", "--deals", "2", "--seed", "2", "--headless", "--fast", "--emulator", "--broker", "builtin",
        "--profile", "huaian", "--journal", str(tmp_path / "journal.jsonl"),
    )  # fmt: skip
    data = result(done)
    assert (data["dealer"], data["broker"], data["feed_lost"]) == ("emulator", "iotcore", 0)
    assert "iotcore" in done.stderr
    assert (data["misreads"], accused(tmp_path / "journal.jsonl")) == (0, [])
