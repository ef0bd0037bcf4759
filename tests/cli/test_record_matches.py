"""The record holds every game of a match and every match of a session, with the levels as they stand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from table_controller import cli
from table_controller.journal.replay import event_record
from table_controller.journal.writer import JournalWriter
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.carry import document
from table_controller.table.codec import to_data
from table_controller.table.core import TableCore

HEAD: dict[str, Any] = {"by": "head", "role": "head_referee"}


def kept(table: EventTable, path: Path) -> str:
    """The journal of a table that took these events."""
    writer, core = JournalWriter(path, header={"program": "1", "table": "t1", "venue": "v"}), TableCore()
    for event in table.events:
        outcome = core.handle(event)
        writer.append(event_record(event, outcome, wall="2026-11-30T10:00"))
        core.commit(outcome)
    writer.close()
    return str(path)


def written(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["record", *arguments]) == 0
    return capsys.readouterr().out


def ended(order: str) -> list[tuple[Any, dict[str, Any]]]:
    """The orders of a deal that goes to these places, each seat holding one card."""
    cards = dict(zip(order, ("8S", "9S", "TS", "JS"), strict=True))
    return [(ev.CardsSeen, {"seat": seat, "cards": (cards[seat],)}) for seat in order[:3]]


def finish(table: EventTable, order: str) -> None:
    table.deal()
    table.sort_and_exchange()
    play_out(table, order)


def play_out(table: EventTable, order: str) -> None:
    table.send(ev.Resync, by="x", turn=order[0], counts=(1, 1, 1, 1))
    for make, fields in ended(order):
        while (deal := table.core.state.deal) is not None and deal.turn not in (fields["seat"], None):
            table.send(ev.PassPressed, seat=deal.turn)
        table.send(make, **fields)
    assert table.core.state.phase in ("deal_over", "game_over")
    for seat in "ENWS":
        table.send(ev.AreaCleared, seat=seat)


@pytest.fixture
def two_rounds(tmp_path: Path) -> str:
    """A best of three in round 1, a game in round 2."""
    table = EventTable(4)
    table.open()
    table.send(rv.MatchSet, by="x", system="计副", deals=1, games=3, round=1)
    for order in ("ENWS", "NESW", "ENSW"):
        finish(table, order)
    table.send(rv.MatchSet, by="x", system="计副", deals=1, round=2)
    finish(table, "SENW")
    return kept(table, tmp_path / "journal.jsonl")


def rows(text: str) -> list[tuple[str, ...]]:
    return [tuple(row[key] for key in ("game", "deal", "1st", "EW", "NS")) for row in csv.DictReader(text.splitlines())]


def test_every_game_of_a_match_is_in_its_record(two_rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert rows(written(capsys, two_rounds, "--as", "csv")) == [("1", "1", "S", "2", "4")]
    first = written(capsys, two_rounds, "--as", "csv", "--round", "1")
    assert rows(first) == [("1", "1", "E", "4", "2"), ("2", "1", "N", "2", "4"), ("3", "1", "E", "3", "2")]
    told = json.loads(written(capsys, two_rounds, "--round", "1"))
    assert (told["match"]["round"], len(told["match"]["played"])) == (1, 3)
    assert [(deal["game"], deal["deal"]) for deal in told["deals"]] == [(1, 1), (2, 1), (3, 1)]
    slip = written(capsys, two_rounds, "--as", "slip", "--round", "1")
    assert slip.count("打完 played") == 3 * 3, "three games on three copies"


def test_a_round_that_was_not_played_is_named(two_rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", two_rounds, "--round", "7"]) == 64
    assert "Rounds: 1, 2" in capsys.readouterr().err


def test_a_result_put_right_changes_the_levels_since(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = EventTable(4)
    table.open()
    table.send(rv.MatchSet, by="x", system="计副", deals=2)
    finish(table, "ENWS")
    finish(table, "ENSW")
    outcome = table.send(rv.ResultCorrected, deal=1, order=("N", "E", "S", "W"), agreed=("EW", "NS"), **HEAD)
    assert outcome.refusal is None
    text = written(capsys, kept(table, tmp_path / "journal.jsonl"), "--as", "csv")
    assert rows(text) == [("1", "1", "N", "2", "4"), ("1", "2", "E", "3", "4")]


def test_an_annulled_game_is_no_draw_on_the_slip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = EventTable(4)
    table.open()
    table.send(rv.MatchSet, by="x", system="计局", games=3)
    table.deal()
    table.sort_and_exchange()
    table.send(rv.IrregularityNoted, kind="hidden_card", seat="E", by="x")
    table.send(rv.Ruled, incident=1, penalty="game_lost", **HEAD)
    table.deal()
    table.send(ev.IncidentUpdated, incident=1, status="overturned", by="head")
    slip = written(capsys, kept(table, tmp_path / "journal.jsonl"), "--as", "slip")
    assert "作废 annulled" in slip
    assert "draw" not in slip


def test_a_match_that_moved_keeps_the_games_from_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, spare = EventTable(4), EventTable(5)
    table.open()
    table.send(rv.MatchSet, by="x", system="计副", deals=1, games=3)
    finish(table, "ENWS")
    table.deal()
    table.sort_and_exchange()
    spare.send(ev.TableOpened, table="t9", venue="v", profile="default")
    text = document("t1", [to_data(event) for event in table.events])
    assert spare.send(rv.MatchCarried, document=text, by="x").refusal is None
    spare.send(ev.ResumeRequested, by="x")
    play_out(spare, "NESW")
    told = written(capsys, kept(spare, tmp_path / "journal.jsonl"), "--as", "csv")
    assert rows(told) == [("1", "1", "E", "4", "2"), ("2", "1", "N", "2", "4")]
