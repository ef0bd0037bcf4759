"""What was aired, as overlays read it over HTTP: numbers that are missing are known, asked for, and filled."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from table_controller.venue.aired import CUT, KEPT, TRIES, Aired


def said(seq: int, schema: str = "event/pass", boot: str = "b1", table: str = "t1") -> dict[str, Any]:
    return {"v": 1, "schema": schema, "venue": "v", "table": table, "boot": boot, "seq": seq, "rev": seq, "ts": "",
            "mono_ms": 0, "sync": True, "deal": 1, "data": {"kind": "pass"}}  # fmt: skip


def heard(aired: Aired, *numbers: int, boot: str = "b1") -> None:
    for number in numbers:
        aired.event("t1", said(number, boot=boot), json.dumps(said(number, boot=boot)).encode())


def numbers(aired: Aired, after: int = 0) -> list[int]:
    return [json.loads(payload)["seq"] for payload in aired.after("t1", "b1", after, 500)[0]]


def test_a_missing_number_is_asked_for_and_filled() -> None:
    aired = Aired()
    heard(aired, 1, 2, 5, 6)
    assert aired.gaps() == [("t1", "b1", 2)]
    assert aired.after("t1", "b1", 2, 500)[1] is False
    aired.fill("t1", {"boot": "b1", "events": [said(3), said(4), said(4), "no event", said(5)]})
    assert aired.gaps() == []
    assert numbers(aired, 1) == [2, 3, 4, 5, 6]
    assert aired.after("t1", "b1", 1, 500)[1] is True
    assert aired.after("t1", "b1", 1, 3)[1] is False, "more follows"


def test_a_lost_last_event_is_known_by_the_state() -> None:
    aired = Aired()
    heard(aired, 1, 2)
    aired.state("t1", said(3, "state"))
    assert aired.gaps() == [("t1", "b1", 2)]
    assert aired.after("t1", "b1", 2, 500) == ([], False)
    heard(aired, 3)
    assert aired.gaps() == []


def test_what_nobody_has_is_asked_for_some_times_only() -> None:
    aired = Aired()
    heard(aired, 1, 4, 7)
    asked = [aired.gaps() for _ in range(3 * TRIES + 3)]
    assert [gap for gaps in asked for gap in gaps] == [("t1", "b1", 1)] * TRIES + [("t1", "b1", 4)] * TRIES


def test_after_a_cut_numbers_begin_anew_and_another_boot_begins_its_own() -> None:
    aired = Aired()
    heard(aired, 1, 2)
    aired.state("t1", None)
    assert "t1" not in aired.states
    aired.state("t1", said(9, "state"))
    heard(aired, 10)
    assert aired.gaps() == []
    assert numbers(aired) == [10]
    heard(aired, 1, boot="b2")
    assert aired.after("t1", "b1", 0, 500) == ([], False)
    assert aired.gaps() == []


def test_only_the_last_events_are_kept() -> None:
    aired = Aired()
    heard(aired, *range(1, KEPT + 51))
    assert numbers(aired) == list(range(51, KEPT + 51))
    assert aired.gaps() == []


@pytest.mark.parametrize("seed", range(20))
def test_in_any_order_and_doubled_nothing_is_lost(seed: int) -> None:
    rng, aired = random.Random(seed), Aired()
    heard(aired, 1)
    told = [*range(2, 40), *rng.sample(range(2, 40), 10)]
    rng.shuffle(told)
    heard(aired, *told)
    assert numbers(aired) == list(range(1, 40))
    assert aired.gaps() == []


@pytest.mark.parametrize("change", [{"seq": -1}, {"seq": CUT}, {"boot": 3}, {"table": "t2"}, {"data": None}])
def test_what_is_no_message_is_not_taken(change: dict[str, Any]) -> None:
    aired = Aired()
    aired.event("t1", {**said(1), **change}, b"x")
    aired.state("t1", {**said(1, "state"), **change})
    assert aired.states == {}
    assert aired.gaps() == []
