"""What a table is to Home Assistant: a device whose topics are the table's, and whose templates find what they name."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from table_controller.feed.home_assistant import discovery, discovery_topic
from table_controller.feed.topics import Topics
from table_controller.sim.published import Kept, PublishingTable

TOPICS = Topics("hall", "t1")
REQUIRED = {"platform", "unique_id", "state_topic", "value_template", "name"}


def device(http: str = "") -> dict[str, Any]:
    made: dict[str, Any] = json.loads(discovery(TOPICS, http))
    return made


@pytest.fixture(scope="module")
def state() -> dict[str, Any]:
    kept = Kept()
    table = PublishingTable(4)
    table.attach(kept, TOPICS)
    table.open()
    table.deal()
    return next(said for topic, said in reversed(kept.said()) if topic == TOPICS.state)


def test_the_document_has_what_discovery_asks_for() -> None:
    made = device("http://192.0.2.21:8080")
    assert {"device", "origin", "components", "availability"} <= set(made)
    assert made["device"]["identifiers"] == ["guandan_hall_t1"]
    assert made["device"]["configuration_url"] == "http://192.0.2.21:8080"
    assert made["origin"]["name"]
    assert "configuration_url" not in device("ftp://x")["device"]
    assert [one["topic"] for one in made["availability"]] == [TOPICS.availability]
    ids = [one["unique_id"] for one in made["components"].values()]
    assert len(ids) == len(set(ids)) == 7
    for component in made["components"].values():
        assert set(component) >= REQUIRED
        assert component["state_topic"] == TOPICS.state
        assert component["platform"] in ("sensor", "binary_sensor")


def test_every_template_names_a_field_that_a_state_has(state: dict[str, Any]) -> None:
    for component in device()["components"].values():
        for path in re.findall(r"value_json\.([\w.]+)", component["value_template"]):
            place: Any = state
            for part in path.split("."):
                assert part in place, path
                place = place[part]


@pytest.mark.parametrize(("venue", "table"), [("hall", "t1"), ("大厅", "桌 1"), ("a.b", "c-d")])
def test_names_become_letters_that_a_topic_may_have(venue: str, table: str) -> None:
    topic = discovery_topic(Topics(venue, table))
    assert re.fullmatch(r"homeassistant/device/[A-Za-z0-9_-]+/config", topic)
    assert topic != discovery_topic(Topics(venue, table + "乙")) != discovery_topic(Topics(venue, table + "甲"))
