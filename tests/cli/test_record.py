"""``record`` and ``profile``: a match on paper, as data, and moved to another table; the rules as people read them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from table_controller import cli
from table_controller.app import record_forms
from table_controller.app.record import record_of
from table_controller.app.record_matches import Match
from table_controller.journal.replay import event_record
from table_controller.journal.writer import JournalWriter
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.bygone import KEPT, LONG_AGO
from table_controller.table.core import TableCore


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A match of two deals, with a penalty and a deal lost by a foul, in a journal."""
    table = EventTable(4)
    table.open()
    table.send(rv.MatchSet, by="director", system="计副", deals=2, names=("甲", "乙", "丙", "<丁>"))
    table.play_deal()
    table.send(rv.ResultEntered, seat="S")
    table.send(rv.ResultChecked, seat="E")
    table.deal()
    table.sort_and_exchange()
    table.act()
    table.send(rv.DisputeRaised, seat="N", play=table.core.state.actions[0].number, reason="<b>six</b>")
    table.send(rv.IrregularityNoted, kind="hidden_card", seat="W", by="ref")
    number = table.core.state.incidents[-1].number
    table.send(rv.Ruled, incident=number, penalty="foul", by="head", role="head_referee", reason="seen")
    path = tmp_path / "journal.jsonl"
    writer, core = JournalWriter(path, header={"program": "1", "table": "t1", "venue": "v"}), TableCore()
    for event in table.events:
        outcome = core.handle(event)
        writer.append(event_record(event, outcome, wall=f"2026-11-30T10:{event.at_ms // 60000 % 60:02}"))
        core.commit(outcome)
    writer.close()
    return path


def written(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["record", *arguments]) == 0
    return capsys.readouterr().out


def test_the_record_as_json_holds_results_games_penalties_and_plays(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(written(capsys, str(journal)))
    assert [line["deal"] for line in told["results"]] == [1, 2]
    assert told["results"][1]["foul"] == "EW"
    assert told["match"]["played"][0]["by"] == "play"
    assert told["penalties"][0]["penalty"] == "foul"
    assert len(told["deals"][0]["plays"]) > 20
    assert told["incidents"][-1]["history"][-1][2] == "head"
    assert told["evidence"]["chain"]


def test_the_results_as_csv(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(written(capsys, str(journal), "--as", "csv").splitlines()))
    assert [row["deal"] for row in rows] == ["1", "2"]
    assert (rows[0]["entered"], rows[0]["checked"], rows[1]["note"]) == ("S", "E", "foul EW")


def test_the_forms_name_players_rule_and_penalty_and_escape_what_people_wrote(
    journal: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    slip = written(capsys, str(journal), "--as", "slip")
    assert "甲" in slip
    assert "&lt;丁&gt;" in slip
    assert "犯规" in slip
    notice = written(capsys, str(journal), "--as", "notice", "--incident", "2")
    assert "犯规，本副判负" in notice
    assert "000 L229" in notice
    out = tmp_path / "appeal.html"
    written(capsys, str(journal), "--as", "appeal", "--incident", "1", "--out", str(out))
    appeal = out.read_text(encoding="utf-8")
    assert "&lt;b&gt;six&lt;/b&gt;" in appeal
    assert "申述理由" in appeal
    assert "本轮规定结束时间后30分钟内" in appeal


def test_a_notice_says_what_class_one_costs_and_that_a_penalty_was_overturned() -> None:
    table = EventTable(4)
    table.open()
    table.send(rv.IrregularityNoted, kind="phone_on", seat="E", by="Li")
    table.send(rv.Ruled, incident=1, penalty="class_1", by="Li", role="head_referee")

    def notice() -> str:
        whole = record_of(Match(table.core.state), table.now, {}) | {"evidence": {"chain": ""}}
        return record_forms.notice(whole, whole["incidents"][0])

    assert "第一类判罚，扣2场分 / class 1, 2 points off" in notice()
    table.send(ev.IncidentUpdated, incident=1, status="overturned", by="Li")
    assert "已撤销 / overturned" in notice()
    assert "扣2场分" not in notice()


def test_a_form_without_its_incident_is_told_which_there_are(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", str(journal), "--as", "notice"]) == 64
    assert "Incidents: 1, 2" in capsys.readouterr().err


def test_a_carried_match_goes_on_at_another_table(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = written(capsys, str(journal), "--as", "carry")
    spare = EventTable(9)
    spare.send(ev.TableOpened, table="spare", venue="v", profile="default")
    assert spare.send(rv.MatchCarried, document=document, by="ref").refusal is None
    assert spare.core.state.match.played[0]["winner"] in ("EW", "NS", None)
    assert spare.core.state.phase == "game_over"


def test_a_file_that_is_no_journal_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x"
    path.write_text("hello")
    assert cli.main(["record", str(path)]) == 74
    assert "is not a journal" in capsys.readouterr().err


def test_a_profile_is_shown_with_meaning_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["profile", "show", "huaian"]) == 0
    said = capsys.readouterr().out
    assert "漏报逐次处理" in said
    assert "000 L169-L171" in said


def test_two_profiles_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["profile", "diff", "national", "default"]) == 0
    said = capsys.readouterr().out
    assert "play_warning_ms" in said
    assert "report_limit" not in said
    own = tmp_path / "ours.toml"
    own.write_text('inherits = "huaian"\n[report]\nreport_limit = 6\n', encoding="utf-8")
    assert cli.main(["profile", "diff", "huaian", str(own)]) == 0
    assert "report_limit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[report]\nreport_limitt = 6\n", "report_limitt"),
        ("[reports]\nreport_limit = 6\n", "reports"),
        ("[report]\nreport_limit = 'six'\n", "a whole number"),
        ("[report]\nreport_by = 'song'\n", "song"),
        ("inherits = 'ours'\n", "ours"),
        ("= 3", "TOML"),
    ],
)
def test_a_wrong_profile_names_what_is_wrong(
    tmp_path: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "ours.toml"
    own.write_text(text, encoding="utf-8")
    assert cli.main(["profile", "show", str(own)]) == 78
    assert words in capsys.readouterr().err


def test_incidents_that_the_table_has_dropped_are_in_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = EventTable()
    table.open()
    for _ in range(KEPT + 2):
        table.send(rv.IrregularityNoted, kind="light", seat="E", by="ref")
    for round_ in (2, 3):
        table.send(rv.MatchSet, by="director", system="计局", round=round_)
    assert table.core.state.incidents[0].number == 3
    path, core = tmp_path / "journal.jsonl", TableCore()
    writer = JournalWriter(path, sync=False)
    for event in table.events:
        outcome = core.handle(event)
        writer.append(event_record(event, outcome, ""))
        core.commit(outcome)
    writer.close()
    told = json.loads(written(capsys, str(path)))["incidents"]
    assert [one["number"] for one in told] == [*range(1, KEPT + 3)]
    assert (told[0]["status"], told[1]["reason"], told[2]["status"]) == ("resolved", LONG_AGO, "open")


@pytest.mark.parametrize("form", ["json", "csv", "slip", "carry"])
def test_a_record_of_a_damaged_journal_says_that_it_is_not_whole(
    journal: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(journal.read_bytes())
    data[len(data) * 3 // 4] ^= 4
    journal.write_bytes(data)
    assert cli.main(["record", str(journal), "--as", form]) == 65
    told = capsys.readouterr()
    assert "NOT WHOLE: the journal is damaged, record" in told.err
    assert "不完整" in told.err
    assert told.out
    assert form not in ("json", "slip") or "damaged, record" in told.out, "on the paper too"


def test_a_record_whose_last_line_a_power_cut_left_is_whole(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal.write_bytes(journal.read_bytes() + b"0000")
    assert cli.main(["record", str(journal), "--as", "slip"]) == 0
    assert "WHOLE" not in "".join(capsys.readouterr())


def test_a_record_whose_end_only_the_snapshot_knows_of_says_so(
    journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("table_controller.app.record.claimed", lambda path: SimpleNamespace(number=10_000))
    assert cli.main(["record", str(journal), "--as", "csv"]) == 65
    assert "records are gone from the journal's end" in capsys.readouterr().err
