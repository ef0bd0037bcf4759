"""Several games and rounds of a table in the archive, and results that a ruling or a correction makes others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, inspect

from table_controller.cards import SEATS
from table_controller.feed.topics import Topics, split_topic
from table_controller.games.guandan.profile import load_profile
from table_controller.sim.published import Kept, PublishingTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.carry import document
from table_controller.table.codec import to_data
from table_controller.venue import records
from table_controller.venue.archive import Archive
from table_controller.venue.standings import standings
from table_controller.venue.store.database import migrate, open_database
from table_controller.venue.wire import Heard, decoded

HEAD: dict[str, Any] = {"by": "head", "role": "head_referee"}
CARDS = ("8S", "9S", "TS", "JS")


class Hall:
    """One table and the archive that hears it."""

    def __init__(self, engine: Engine, boot: str = "boot-1", name: str = "t1") -> None:
        self.engine, self.kept, self.table, self.given = engine, Kept(), PublishingTable(4), 0
        self.archive = Archive(engine, "v", lambda: self.roster)
        self.roster: dict[str, Any] = {"tables": {"t1": {"EW": "East", "NS": "North"}}}
        self.table.attach(self.kept, Topics("v", name), boot)
        if name == "t1":
            self.table.open()

    def match(self, round_: int, **more: Any) -> None:
        self.send(rv.MatchSet, by="x", **{"system": "计副", "deals": 1, "minutes": 0, "round": round_, **more})

    def send(self, kind: Any, /, **fields: Any) -> None:
        outcome = self.table.send(kind, **fields)
        assert outcome.refusal is None, outcome.refusal

    def begin_deal(self) -> None:
        self.table.deal()
        self.table.sort_and_exchange()

    def finish(self, order: str) -> None:
        """The deal under way ends with these places, each seat holding one card."""
        self.send(ev.Resync, by="x", turn=order[0], counts=(1, 1, 1, 1))
        while self.table.core.state.phase in ("playing", "trick_over"):
            deal = self.table.core.state.deal
            assert deal is not None
            due = next(seat for seat in order if seat not in deal.out)
            card = CARDS[order.index(due)]
            if deal.turn == due:
                self.send(ev.CardsSeen, seat=due, cards=(card,))
            else:
                self.send(ev.PassPressed, seat=deal.turn)
        for seat in SEATS:
            self.table.send(ev.AreaCleared, seat=seat)

    def give(self, penalty: str, seat: str) -> int:
        self.send(rv.IrregularityNoted, kind="hidden_card", seat=seat, by="x")
        number = self.table.core.state.incidents[-1].number
        self.send(rv.Ruled, incident=number, penalty=penalty, **HEAD)
        return number

    def overturn(self, number: int) -> None:
        self.send(ev.IncidentUpdated, incident=number, status="overturned", by="head")

    def hear(self) -> None:
        """What the table has said since."""
        new = self.kept.messages[self.given :]
        self.given += len(new)
        made = []
        for topic, payload in new:
            parts = split_topic(topic)
            assert parts is not None
            made.append(Heard(topic, *parts[1:], payload, False, 0, decoded(payload)))
        self.archive.ingest(made)

    def results(self) -> list[tuple[Any, ...]]:
        self.hear()
        keys = ("round", "game", "deal", "winner", "foul", "levels")
        return [tuple(row[key] for key in keys) for row in records.results(self.engine, None, self.roster)]

    def games(self) -> list[tuple[Any, ...]]:
        self.hear()
        keys = ("round", "game", "winner", "by", "EW")
        return [tuple(row[key] for key in keys) for row in records.games(self.engine, None)]


@pytest.fixture
def hall() -> Iterator[Hall]:
    engine = open_database("sqlite://")
    migrate(engine)
    yield Hall(engine)
    engine.dispose()


def test_deals_of_every_game_and_round_are_kept(hall: Hall) -> None:
    """Deals are numbered anew in each game, and games in each round."""
    for round_ in (1, 2):
        hall.match(round_, games=2)
        for _ in range(2):
            hall.begin_deal()
            hall.finish("ENWS")
    assert [row[:3] for row in hall.results()] == [(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 2, 1)]
    assert [row[:2] for row in hall.games()] == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_a_foul_and_its_overturning_are_followed(hall: Hall) -> None:
    hall.match(1)
    hall.begin_deal()
    hall.finish("ENWS")
    was = hall.results(), hall.games()
    assert was[0] == [(1, 1, 1, "EW", None, {"EW": "4", "NS": "2"})]
    number = hall.give("foul", "E")
    assert hall.results() == [(1, 1, 1, "NS", "EW", {"EW": "2", "NS": "5"})]
    assert hall.games() == [(1, 1, "NS", "play", "East")]
    hall.roster = {"tables": {"t1": {"EW": "others", "NS": "others"}}}  # the next round is drawn already
    hall.overturn(number)
    assert (hall.results(), hall.games()) == was


@pytest.mark.parametrize("restarted", [False, True])
def test_a_deal_that_goes_on_after_an_overturned_foul_is_told_by_its_end(hall: Hall, restarted: bool) -> None:
    hall.match(1, deals=2)
    hall.begin_deal()
    number = hall.give("foul", "E")
    assert [row[3:5] for row in hall.results()] == [("NS", "EW")]
    if restarted:
        hall.table.attach(hall.kept, Topics("v", "t1"), "boot-2")
    hall.overturn(number)
    hall.send(ev.ResumeRequested, by="x")
    hall.finish("ENWS")
    assert hall.results() == [(1, 1, 1, "EW", None, {"EW": "4", "NS": "2"})]


def test_a_game_that_counts_no_more_stands_in_no_list(hall: Hall) -> None:
    hall.match(1, system="计局", deals=0, games=3)
    hall.begin_deal()
    number = hall.give("game_lost", "E")
    hall.begin_deal()
    assert hall.games() == [(1, 1, "NS", "game_lost", "East")]
    hall.overturn(number)
    assert hall.games() == []
    assert standings(records.games(hall.engine, None), load_profile("default")) == []
    hall.give("game_lost", "N")
    assert hall.games() == [(1, 2, "EW", "game_lost", "East")]


def test_places_put_right_change_winner_rise_and_the_levels_since(hall: Hall) -> None:
    hall.match(1, deals=2)
    hall.begin_deal()
    hall.finish("ENWS")
    hall.begin_deal()
    hall.finish("EWNS")
    hall.send(rv.ResultCorrected, deal=1, order=("N", "E", "S", "W"), agreed=("EW", "NS"), **HEAD)
    assert hall.results() == [
        (1, 1, 1, "NS", None, {"EW": "2", "NS": "4"}),
        (1, 1, 2, "EW", None, {"EW": "5", "NS": "4"}),
    ]
    marks = [row.get("corrected") for row in records.results(hall.engine, None, hall.roster)]
    assert marks == [True, None]
    assert hall.games() == [(1, 1, "EW", "play", "East")]


def test_a_restart_goes_on_with_the_round_and_a_new_session_begins_at_one(hall: Hall) -> None:
    hall.match(3, deals=2)
    hall.begin_deal()
    hall.finish("ENWS")
    hall.hear()
    hall.table.attach(hall.kept, Topics("v", "t1"), "boot-2")
    hall.begin_deal()
    hall.finish("ENWS")
    assert [row[:3] for row in hall.results()] == [(3, 1, 1), (3, 1, 2)]
    assert [row[0] for row in hall.games()] == [3]
    later = Hall(hall.engine, "boot-3")
    later.begin_deal()
    later.finish("NESW")
    assert [row[:4] for row in later.results()] == [(1, 1, 1, "NS"), (3, 1, 1, "EW"), (3, 1, 2, "EW")]
    another = Hall(hall.engine, "boot-4")  # the next day: the same numbers are other deals
    another.begin_deal()
    another.finish("WNES")
    assert [row[:4] for row in another.results()][:2] == [(1, 1, 1, "NS"), (1, 1, 1, "EW")]


def test_a_match_that_moved_stays_in_its_round(hall: Hall) -> None:
    hall.match(3)
    hall.begin_deal()
    hall.hear()
    text = document("t1", [to_data(event) for event in hall.table.events])
    spare = Hall(hall.engine, "boot-9", "t9")
    spare.table.send(ev.TableOpened, table="t9", venue="v", profile="default")
    spare.send(rv.MatchCarried, document=text, by="x")
    spare.send(ev.ResumeRequested, by="x")
    spare.finish("ENWS")
    assert spare.games() == [(3, 1, "EW", "play", "t9 EW")]


def test_an_archive_of_before_is_brought_up_to_date(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'a.sqlite'}")
    migrate(engine)
    (found,) = inspect(engine).get_unique_constraints("result")
    assert found["column_names"] == ["tbl", "boot", "round", "game", "deal"]
    engine.dispose()
