"""The contract: what tables publish is what the schemas, the AsyncAPI document and the pages say."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from table_controller.cards import SEATS
from table_controller.feed.contract.__main__ import differing
from table_controller.feed.contract.asyncapi import CHANNELS, document
from table_controller.feed.contract.events import EVENTS, RELAY_KIND
from table_controller.feed.contract.schemas import name_of, schema_names, schema_of, strict
from table_controller.feed.topics import Topics
from table_controller.sim.published import Kept, PublishingTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv

ROOT = Path(__file__).parents[2]
Said = list[tuple[str, dict[str, Any]]]


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(strict(schema_of(name)))


def play_with_people(table: PublishingTable) -> None:
    """Half a deal with a referee at work: most kinds of events."""
    table.open()
    table.send(rv.MatchSet, by="test", system="计局", deals=0, minutes=50, games=3, format="swiss", round=1, names=())
    table.deal()
    table.sort_and_exchange()
    for _ in range(12):
        table.act()
    deal = table.core.state.deal
    assert deal is not None
    turn = deal.turn
    assert turn is not None
    table.send(ev.TdPressed, seat=turn)
    table.send(ev.IncidentUpdated, incident=1, status="acknowledged", by="Li", reason="")
    table.send(ev.IncidentUpdated, incident=1, status="resolved", by="Li", reason="explained")
    table.send(ev.ResumeRequested, by="Li")
    table.send(rv.IrregularityNoted, kind="stalling", seat=turn, by="Li", detail="")
    table.send(rv.Ruled, incident=2, penalty="warning", by="Li")
    table.send(rv.HallReminded, kinds=("impolite",), by="Li")
    table.send(rv.ClockExtended, extra_ms=10_000, by="Li", reason="noise")
    table.send(rv.ClockSet, elapsed_ms=1000, by="Li", reason="")
    last = next(a for a in reversed(table.core.state.actions) if a.cards)
    table.send(ev.PlayCorrected, play=last.number, cards=last.cards, by="Li", reason="looked")
    table.send(rv.CardsExposed, seat=turn, cards=("5S",), by="Li")
    table.send(rv.RoundExtended, minutes=5, by="Li", reason="late start")
    table.send(rv.RoundEnded, by="Li", reason="time")
    table.send(ev.PauseRequested, by="Li", reason="tea")
    table.send(ev.Resync, by="Li", turn="E", counts=(9, 9, 9, 9))
    table.send(ev.CameraLost, reason="unplugged")
    table.send(ev.CameraBack)
    table.send(ev.DealerOffline, message="gone")


@pytest.fixture(scope="module")
def said() -> Said:
    kept = Kept()
    for seed, act in ((4, "deals"), (7, "people")):
        table = PublishingTable(seed)
        publisher = table.attach(kept, Topics("v", "t1"))
        publisher.info({"program": "1", "schema": 1, "simulated": True, "http": "", "commands": True})
        if act == "people":
            play_with_people(table)
        else:
            table.open()
            table.play_deal()
            table.play_deal()
    return kept.said()


def test_every_message_of_simulated_matches_is_as_the_schemas_say(said: Said) -> None:
    checks = {name: validator(name) for name in schema_names()}
    wrong = set()
    for topic, message in said:
        name = name_of(topic, message)
        wrong |= {(name, "/".join(map(str, e.path)), e.message[:120]) for e in checks[name].iter_errors(message)}
    assert wrong == set()
    seen = {name_of(topic, message) for topic, message in said}
    assert len({name for name in seen if name.startswith("event/")}) >= 28
    assert {"state", "info", "alert", "seal/commit", "seal/reveal"} <= seen


def test_acts_and_calls_name_the_picture_of_their_prompt_circle() -> None:
    """By the time of the act, however much later it stands; a call by what lies there now. Without a hash: nothing."""
    kept, table = Kept(), PublishingTable(4)
    publisher = table.attach(kept, Topics("v", "t1"))
    digests = {f"{n}-circle.jpg": f"{n:064d}" for n in range(1, 9)}
    publisher.digest = lambda name: digests.get(name, "")
    table.open()
    table.deal()
    table.sort_and_exchange()
    for number in range(1, 10):
        deal = table.core.state.deal
        assert deal is not None
        assert deal.turn is not None
        circle, at_ms = f"{number}-circle.jpg", table.now + 500
        publisher.seen(ev.PromptLaid(at_ms, deal.turn, "PASS", evidence=circle))
        if number == 1:
            publisher.seen(ev.PromptLifted(at_ms + 1, deal.turn, "PASS", evidence="2-circle.jpg"))
        table.act()
    acted = [m for _, m in kept.said() if m["schema"] in ("event/play", "event/pass")]
    table.send(ev.TdPressed, seat=acted[7]["data"]["seat"])
    said = [m for _, m in kept.said() if m["schema"] in ("event/play", "event/pass", "event/incident", "alert")]
    acts = [m["data"]["prompt_evidence"] for m in said if "prompt_evidence" in m["data"] and "number" in m["data"]]
    assert acts[:8] == [f"{n}-circle.jpg" for n in range(1, 9)]
    call = next(m for m in said if m["schema"] == "event/incident" and m["data"]["what"] == "td_call")
    assert call["data"]["prompt_evidence"] == "8-circle.jpg"
    assert "prompt_sha256" not in acted[8]["data"]
    assert all(validator(name_of("guandan/v1/v/live/t1/alert/1", m)).is_valid(m) for m in said)


def test_a_message_with_a_wrong_field_is_noticed(said: Said) -> None:
    play = next(message for _, message in said if message["schema"] == "event/play")
    check = validator("event/play")
    assert check.is_valid(play)
    for change in ({"seat": "X"}, {"cards": ["5X"]}, {"left": -1}, {"more": 1}):
        assert not check.is_valid({**play, "data": {**play["data"], **change}})
    assert Draft202012Validator(schema_of("event/play")).is_valid({**play, "data": {**play["data"], "later": 1}})


def test_snapshot_and_tail_join_without_a_gap(said: Said) -> None:
    """Any retained state with the events after it gives what the next state says was played."""
    own = [message for _, message in said if message["table"] == "t1" and message["rev"] >= 0][: len(said) // 2]
    states = [m for m in own if m["schema"] == "state" and m["data"]["phase"] == "playing"]
    events = [m for m in own if m["schema"].startswith("event/")]
    assert len(states) > 20
    for before, after in pairwise(states[:60]):
        tail = [e for e in events if before["seq"] < e["seq"] <= after["seq"]]
        assert [e["seq"] for e in tail] == list(range(before["seq"] + 1, after["seq"] + 1))
        left = {seat: before["data"]["seats"][seat]["left"] for seat in SEATS}
        for event in tail:
            if event["data"]["kind"] == "play":
                left[event["data"]["seat"]] = event["data"]["left"]
        assert left == {seat: after["data"]["seats"][seat]["left"] for seat in SEATS}


def test_the_page_names_every_kind_with_its_fields() -> None:
    text = (ROOT / "docs/feed.md").read_text(encoding="utf-8")
    table = re.search(r"<!-- events -->\n(.*?)<!-- end of events -->", text, re.DOTALL)
    assert table is not None
    rows = [line.split("|") for line in table.group(1).splitlines() if line.startswith("| `")]
    listed = {re.findall(r"`(\w+)`", row[1])[0]: set(re.findall(r"`(\w+)`", row[2])) for row in rows}
    assert set(listed) == set(EVENTS) - {RELAY_KIND}
    for kind, fields in listed.items():
        required = set(EVENTS[kind]["required"])
        assert required <= fields, kind
        assert fields - set(EVENTS[kind]["properties"]) <= {"straight", "table"}, kind


def test_every_example_of_the_pages_is_valid() -> None:
    found = 0
    for page in ("docs/feed.md", "docs/venue.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for schema, body in re.findall(r"<!-- example ([\w/]+) -->\n```json\n(.*?)```", text, re.DOTALL):
            validator(schema).validate(json.loads(body))
            found += 1
    assert found >= 6


def test_the_written_schemas_are_those_of_the_code() -> None:
    assert differing(ROOT / "docs/schema") == []
    for name in schema_names():
        Draft202012Validator.check_schema(schema_of(name))


def test_the_asyncapi_document_leads_to_every_message() -> None:
    made = document()
    named = {ref["$ref"] for channel in made["channels"].values() for ref in channel["messages"].values()}
    assert named == {f"#/components/messages/{name.replace('/', '_')}" for name in schema_names()}
    for ref in [*named, *(m["payload"]["$ref"] for m in made["components"]["messages"].values())]:
        place: Any = made
        for part in ref.removeprefix("#/").split("/"):
            place = place[part]
    assert made["asyncapi"] == "3.0.0"
    assert set(made["operations"]) == set(made["channels"]) == set(CHANNELS)
    topics = Topics("{venue}", "{table}")
    addresses = {channel["address"] for channel in made["channels"].values()}
    assert {topics.availability, topics.info, topics.state, topics.event, topics.health} <= addresses
    assert {topics.command("{verb}"), topics.reply("{client}"), topics.seal("{stage}")} <= addresses
