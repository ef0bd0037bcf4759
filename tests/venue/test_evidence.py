"""A picture's life: fetched, held against its hash, locked for the time of appeals and while one is open, then gone."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from table_controller.feed.topics import Topics, split_topic
from table_controller.sim.published import Kept, PublishingTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.venue.archive import Archive
from table_controller.venue.case import _facts, case
from table_controller.venue.evidence import MOST_TRIES, EvidenceStore
from table_controller.venue.store import tables as t
from table_controller.venue.store.database import migrate, open_database
from table_controller.venue.wire import Heard, decoded

PICTURE = b"a picture of two cards"
DIGEST = hashlib.sha256(PICTURE).hexdigest()
APPEAL_MS, KEEP_MS = 30 * 60_000, 86_400_000


def messages() -> list[Heard]:
    """A game of one deal whose first play is doubtful and was read from a picture."""
    kept, table = Kept(), PublishingTable(4)
    publisher = table.attach(kept, Topics("v", "t1"))
    publisher.digest = lambda name: DIGEST
    table.open()
    table.send(rv.MatchSet, by="x", system="计副", deals=1, minutes=0, games=1, format="swiss", round=1, names=())
    table.deal()
    table.sort_and_exchange()
    deal = table.core.state.deal
    assert deal is not None
    assert deal.turn is not None
    card = table.brains[deal.turn].hand.pop(0)
    table.send(ev.CardsSeen, seat=deal.turn, cards=(card,), doubtful=(0,), evidence="p.jpg")
    table.send(ev.IncidentUpdated, incident=1, status="resolved", by="Li", reason="right")
    while table.core.state.phase not in ("deal_over", "game_over"):
        table.act()
    parts = [(topic, split_topic(topic), payload) for topic, payload in kept.messages]
    return [Heard(topic, *place[1:], body, False, 0, decoded(body)) for topic, place, body in parts if place]


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    engine = open_database(f"sqlite:///{tmp_path / 'a.sqlite'}")
    migrate(engine)
    archive = Archive(engine, "v", lambda: {})
    archive.ingest([heard for heard in messages() if heard.is_event])
    return EvidenceStore(engine, tmp_path / "evidence", APPEAL_MS, KEEP_MS)


def the_row(store: EvidenceStore) -> dict[str, Any]:
    with store.engine.begin() as connection:
        [row] = connection.execute(select(t.evidence).where(t.evidence.c.area == "play")).mappings().all()
    return dict(row)


def ended(store: EvidenceStore, at_ms: int | None) -> None:
    with store.engine.begin() as connection:
        connection.execute(update(t.game).values(ended_ms=at_ms))


def test_a_picture_is_kept_by_its_hash_and_another_one_is_not(store: EvidenceStore) -> None:
    [row] = store.waiting(10**13)
    assert (row["name"], row["sha256"]) == ("p.jpg", DIGEST)
    assert store.fetched(row, None, 10) == "waiting", "the table did not answer"
    assert store.waiting(100) == [], "and is asked again a little later"
    assert store.fetched(the_row(store), b"another picture", 10) == "missing"
    assert store.path(DIGEST) is None
    assert store.fetched(row, PICTURE, 10) == "here"
    found = store.path(DIGEST)
    assert found is not None
    assert hashlib.sha256(found.read_bytes()).hexdigest() == DIGEST
    assert store.path("../" + DIGEST) is None
    assert store.fetched({**row, "tries": MOST_TRIES}, None, 10) == "missing"


def test_it_is_locked_until_the_appeals_are_over_and_then_let_go(store: EvidenceStore) -> None:
    [row] = store.waiting(10**13)
    store.fetched(row, PICTURE, 0)
    ended(store, 1_000)
    late = 1_000 + APPEAL_MS + KEEP_MS + 1
    assert store.locked(DIGEST, 1_000 + APPEAL_MS - 1)
    assert not store.locked(DIGEST, 1_000 + APPEAL_MS)
    assert store.purge(1_000 + APPEAL_MS) == 0, "unlocked, and kept by policy"
    with store.engine.begin() as connection:
        number = connection.execute(select(t.incident.c.id)).scalars().first()
        connection.execute(
            insert(t.appeal).values(incident_id=number, note="no", by="Wang", at="x", closed_at="", closed_by="")
        )
    assert store.locked(DIGEST, late), "an appeal is open"
    assert store.purge(late) == 0
    with store.engine.begin() as connection:
        connection.execute(update(t.appeal).values(closed_at="y"))
        connection.execute(update(t.incident).values(status="open"))
    assert store.locked(DIGEST, late), "its incident is open"
    with store.engine.begin() as connection:
        connection.execute(update(t.incident).values(status="resolved"))
    assert store.purge(late) == 1
    assert store.path(DIGEST) is None
    assert the_row(store)["state"] == "gone"


def test_while_its_game_goes_on_it_stays(store: EvidenceStore) -> None:
    [row] = store.waiting(10**13)
    store.fetched(row, PICTURE, 0)
    with store.engine.begin() as connection:
        connection.execute(t.game.delete())
    assert store.locked(DIGEST, 10**15)
    assert store.purge(10**15) == 0


def test_an_incidents_evidence_is_one_document_with_its_hash(store: EvidenceStore) -> None:
    """Pictures before, at and after, readings, the clock; its hash is that of its facts, and it is locked."""
    with store.engine.begin() as connection:
        number = connection.execute(select(t.incident.c.id)).scalars().first()
    told = case(store.engine, store, int(number or 0), 0)
    assert told is not None
    facts = told["evidence"]
    assert (
        told["sha256"] == hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    )
    assert told["locked"], "the time of appeals is not over"
    [at] = [one for one in facts["pictures"] if one["when"] == "at"]
    assert (at["play"], at["sha256"], at["seat"]) == (facts["play"], DIGEST, facts["seat"])
    [read] = [one for one in facts["readings"] if one.get("number") == facts["play"] and one["kind"] == "play"]
    assert (read["doubtful"], read["evidence_sha256"]) == (True, DIGEST)
    kinds = [line["kind"] for line in facts["clock"]]
    assert kinds[0] in ("play_begins", "play")
    assert sum(kind in ("play", "pass") for kind in kinds) == 3, "the act and the next two"
    used = [line["used_ms"] for line in facts["clock"] if line["kind"] in ("play", "pass")]
    assert used[0] is None
    assert all(isinstance(one, int) and one >= 0 for one in used[1:])
    assert facts["complete"]
    assert told["states"] == {DIGEST: "waiting"}
    ended(store, 0)
    again = case(store.engine, store, int(number or 0), 10**13)
    assert again is not None
    assert (again["sha256"], again["locked"]) == (told["sha256"], False)
    assert case(store.engine, store, 999, 0) is None


def test_pictures_before_and_after_are_the_seats_own_and_the_nearest() -> None:
    acts = [
        {"seq": n, "ts": "", "mono_ms": n, "data": {"kind": "play", "number": n, "seat": "ENWS"[n % 4], "stamp_ms": n}}
        for n in range(1, 13)
    ]
    pictures = {n: {"play": n, "sha256": f"{n:064d}", "state": "here"} for n in range(1, 13)}
    told = {"table": "t1", "boot": "b", "deal": 1, "number": 1, "kind": "td_call", "seat": "E", "play": 4}
    facts = _facts(told, acts, pictures)
    shown = [(one["when"], one["play"]) for one in facts["pictures"]]
    assert shown == [("before", 3), ("at", 4), ("after", 5), ("after", 8)]
    assert [one["number"] for one in facts["readings"]] == [2, 3, 4, 5, 6]
    assert facts["complete"]
    facts = _facts({**told, "play": 12}, acts, pictures)
    assert [(one["when"], one["play"]) for one in facts["pictures"]] == [("before", 8), ("before", 11), ("at", 12)]
    assert not facts["complete"], "the next acts belong to it"


def test_the_seats_prompt_circle_is_shown_before_at_and_after_an_incident() -> None:
    """At the act, and as it lay when the referee was called; a report's picture too; no other seat's."""
    names = {1: "play", 2: "pass", 3: "report", 4: "play", 5: "play", 6: "incident", 7: "pass", 8: "pass"}
    seats = {1: "E", 2: "N", 3: "E", 4: "N", 5: "E", 6: "E", 7: "N", 8: "E"}
    said = [
        {"seq": n, "ts": "", "mono_ms": n, "data": {"kind": kind, "seat": seats[n], "prompt_sha256": f"{n:064d}"}}
        for n, kind in names.items()
    ]
    for one in said:
        one["data"]["number"] = 9 if one["data"]["kind"] == "incident" else one["seq"]
    told = {"table": "t1", "boot": "b", "deal": 1, "number": 9, "kind": "td_call", "seat": "E", "play": None}
    facts = _facts(told, said, {})
    shown = [(one["when"], int(one["sha256"])) for one in facts["pictures"] if one["area"] == "prompt"]
    assert shown == [("before", 5), ("at", 6), ("after", 8)], "a call: by its moment"
    facts = _facts({**told, "kind": "missed_report", "number": 9}, said, {5: {"play": 5, "sha256": "f" * 64}})
    shown = [(one["when"], int(one["sha256"])) for one in facts["pictures"] if one["area"] == "prompt"]
    assert shown == [("before", 3), ("at", 5), ("at", 6), ("after", 8)]
    assert [(one["area"], one["play"]) for one in facts["pictures"]] == [
        ("play", 5), ("prompt", None), ("prompt", 5), ("prompt", None), ("prompt", 8),
    ]  # fmt: skip


def test_a_circles_picture_is_fetched_once_and_kept_as_a_plays(store: EvidenceStore) -> None:
    digest = hashlib.sha256(b"a circle").hexdigest()
    with store.engine.begin() as connection:
        last = json.loads(
            connection.execute(select(t.event.c.payload).order_by(t.event.c.seq.desc())).scalars().first()
        )
    archive = Archive(store.engine, "v", lambda: {})
    for step, kind in enumerate(("pass", "play", "report", "incident"), 1):
        data = {"kind": kind, "number": 50 + step, "seat": "E", "what": "td_call", "stamp_ms": 1, "evidence": ""}
        data |= {"prompt_evidence": "c.jpg", "prompt_sha256": digest}
        said = {**last, "seq": last["seq"] + step, "schema": f"event/{kind}", "data": data}
        archive.ingest([Heard("x", "live", "t1", "event", json.dumps(said).encode(), False, 0, said)])
    [row] = [row for row in store.waiting(10**13) if row["area"] == "prompt"]
    assert (row["name"], row["sha256"], row["deal"]) == ("c.jpg", digest, last["deal"])
    assert store.fetched(row, b"a circle", 0) == "here"
    assert store.path(digest) is not None
    assert store.locked(digest, 0)
