"""Who sat where in which round: the next round's seats, written early, rename nobody who plays or has played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from table_controller.venue.documents import Documents, seats_of
from table_controller.venue.store.database import migrate, open_database


def roster(round_: int, team: str) -> bytes:
    return json.dumps({"round": round_, "tables": {"t1": {"EW": team}}}).encode()


def team(book: dict[str, Any], round_: int) -> str:
    found: str = seats_of(book, round_, "t1").get("EW", "")
    return found


def test_each_round_keeps_its_own_seats(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'a.sqlite'}")
    migrate(engine)
    kept = Documents(engine)
    assert team(kept.book(), 1) == ""
    kept.put("roster", roster(1, "first"))
    kept.put("roster", roster(3, "third"))
    for documents in (kept, Documents(engine)):
        assert [team(documents.book(), number) for number in (0, 1, 2, 3, 4)] == ["third", "first", "first"] + [
            "third"
        ] * 2
        assert [name for name, _ in documents.everything()] == ["roster"], "only the newest is published"
        assert documents.roster()["round"] == 3
    kept.put("roster", roster(1, "first, spelt right"))
    assert [team(kept.book(), number) for number in (1, 2, 3)] == ["first, spelt right"] * 2 + ["third"]


def test_a_roster_without_rounds_holds_for_all() -> None:
    assert team({"tables": {"t1": {"EW": "a"}}}, 7) == "a"
    assert team({}, 7) == ""
