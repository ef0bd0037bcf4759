"""The first settings asked for and written; a bundle for whoever helps that holds no secret."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from table_controller import cli
from table_controller.app.wizard import QUESTIONS, as_toml, interview
from table_controller.config import load_config, parse_config
from table_controller.journal.replay import event_record
from table_controller.journal.writer import JournalWriter
from table_controller.sim.event_table import EventTable
from table_controller.table.carry import document
from table_controller.table.core import TableCore


def test_answers_are_checked_as_they_are_given_and_asked_again() -> None:
    data: dict[str, object] = {"web": {"port": 9000}}
    answers = iter(["a/b", "table-7", *[""] * (len(QUESTIONS) - 1)])
    asked: list[str] = []

    def ask(words: str) -> str:
        asked.append(words)
        return next(answers)

    interview(data, ask)
    assert data["table"] == {"id": "table-7"}
    assert data["web"] == {"port": 9000}
    assert asked[0].startswith("本桌名称 / this table's name")
    assert len(asked) == len(QUESTIONS) + 1


def test_a_table_without_a_broker_is_answered_and_what_no_table_would_take_is_asked_again() -> None:
    data: dict[str, Any] = {}
    given = {
        "table.profile": ["nonsense", "huaian"], "camera.source": ["usb:0", "v4l2:1"],
        "table.officiating": ["perhaps", "enforce"], "feed.host": ["-"],
    }  # fmt: skip
    answers = iter([word for question in QUESTIONS for word in given.get(question.key, [""])])
    interview(data, lambda words: next(answers))
    config = parse_config(as_toml(data), "t")
    assert (config.table.profile, config.camera.source, config.table.officiating) == ("huaian", "v4l2:1", "enforce")
    assert config.feed.host == ""
    assert next(answers, None) is None


def test_answers_that_end_early_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))

    def ended(words: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    assert cli.main(["setup", "--config", str(tmp_path / "t.toml")]) == 64
    assert "nothing was written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_writes_is_still_read_by_the_tables_service(tmp_path: Path) -> None:
    """``sudo table-controller setup``: a new file has the folder's group, one written anew keeps its own."""
    os.chown(tmp_path, -1, 1234)
    path = tmp_path / "table.toml"
    for gid in (1234, 2345):
        assert cli.main(["setup", "--config", str(path), "--set", "table.id=t7"]) == 0
        assert (path.stat().st_gid, path.stat().st_mode & 0o777) == (gid if gid == 1234 else 2345, 0o640)
        os.chown(path, -1, 2345)


def test_set_writes_a_file_that_the_table_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "etc" / "table.toml"
    words = ["--set", "table.id=t7", "--set", "camera.evidence=false", "--set", "web.port=8081"]
    assert cli.main(["setup", "--config", str(path), *words]) == 0
    config = load_config(path)
    assert (config.table.id, config.camera.evidence, config.web.port) == ("t7", False, 8081)
    assert path.stat().st_mode & 0o777 == 0o640
    assert cli.main(["setup", "--config", str(path), "--set", "table.venue=厅 1\\"]) == 78
    assert cli.main(["setup", "--config", str(path), "--set", 'camera.source=folder:a"b\\c']) == 0
    assert load_config(path).camera.source == 'folder:a"b\\c'
    assert load_config(path).table.id == "t7"
    assert parse_config((tmp_path / "etc" / "table.toml.before").read_text(encoding="utf-8"), "x").table.id == "t7"
    strange = ("web.port=²", "web.port=--1", "table.id=a\udc80", "table.id=a\x00", "feed.host=\x1b[2J")
    for wrong in ("nonsense", "table.nonsense=1", "web.port=none", *strange):
        assert cli.main(["setup", "--config", str(path), "--set", wrong]) in (64, 78)
    assert cli.main(["setup", "--config", str(path)]) == 64, "nobody is at the terminal"
    assert "Traceback" not in capsys.readouterr().err


def test_the_bundle_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of its files, its addresses, its environment, its comments, or of a match that came from another table."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MQTT_PASSWORD", "very-secret-environment")
    (tmp_path / "password").write_text("very-secret-word\n")
    table = EventTable(3)
    table.open()
    table.deal()
    writer, core = JournalWriter(tmp_path / "state" / "journal.jsonl", header={"table": "t"}, sync=False), TableCore()
    for event in table.events:
        outcome = core.handle(event)
        writer.append(event_record(event, outcome, "w"))
        core.commit(outcome)
    carried = document("t2", [{"type": "DealPlanned", "plan": "very-secret-plan"}])
    writer.append({"kind": "event", "event": {"type": "MatchCarried", "document": carried, "by": "x"}, "wall": ""})
    writer.close()
    config = tmp_path / "table.toml"
    config.write_text(
        "# very-secret-comment\n[web]\nurl = 'http://admin:very-secret-url@10.0.0.7:8080'\n"
        "[camera]\nsource = 'folder:none'\n[dealer]\nport = 'none'\n"
        "[feed]\nhost = '127.0.0.1'\nusername = 't'\npassword_file = 'password'\n"
    )
    assert cli.main(["support", "--config", str(config), "--out", "bundle.tar.gz"]) == 0
    with tarfile.open(tmp_path / "bundle.tar.gz") as bundle:
        texts = {name: bundle.extractfile(name).read().decode() for name in bundle.getnames()}  # type: ignore[union-attr]
    everything = "".join(texts.values())
    assert "very-secret" not in everything
    assert "http://(left out)@10.0.0.7:8080" in everything
    assert "ENWSENWS" not in everything, "the plan of a deal under way"
    assert json.loads(texts["support/settings.json"])["feed"]["password_file"] == "password"
    assert len(texts["support/journal-tail.jsonl"].splitlines()) > len(table.events)
    assert (tmp_path / "bundle.tar.gz").stat().st_mode & 0o777 == 0o600
