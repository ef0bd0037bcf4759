"""Nothing in the rules knows a seat's name or a suit but hearts: what is turned round is answered turned round."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from table_controller.cards import SEATS
from table_controller.games.guandan.profile import load_profile
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.codec import from_data, to_data
from table_controller.table.core import TableCore
from table_controller.table.effects import Publish
from tests.rules.case_runner import answer_of, differing, profiles_of
from tests.rules.turned import Turn, recoloured

CASES = Path(__file__).parents[1] / "cases"
FILES = ("boundaries", "classification", "comparison", "finishing", "placement", "tribute", "trick")
ORDERLESS = ("classify", "compare", "tribute_card", "return_card")
CARDS = ("cards", "previous", "next", "payer_hand", "hand")


def cases() -> list[dict[str, Any]]:
    every = [case for name in FILES for case in json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))]
    return [case for case in every if not case["given"]["op"].endswith("_clock")]  # nothing in them turns


def variants(case: dict[str, Any], rng: random.Random) -> list[dict[str, Any]]:
    """The case turned by each number of places, recoloured, and with its hands in another order."""
    asked = {"given": case["given"], "expect": case["expect"]}
    made = [{**case, **Turn(by)(asked)} for by in (1, 2, 3)]
    made += [{**case, **recoloured(asked, shift)} for shift in (1, 2)]
    given = dict(case["given"])
    if given["op"] in ORDERLESS:
        for name in CARDS:
            if name in given:
                given[name] = rng.sample(given[name], len(given[name]))
        made.append({**case, "given": given})
    return made


@pytest.mark.parametrize("profile", ["huaian", "national", "default"])
def test_every_case_turned_round_is_answered_turned_round(profile: str) -> None:
    """``default`` is ``national`` but for its clocks."""
    rules, rng, wrong = load_profile(profile), random.Random(profile), []
    for case in cases():
        if ("national" if profile == "default" else profile) not in profiles_of(case):
            continue
        for place, turned in enumerate(variants(case, rng)):
            wrong += [(case["id"], place, what) for what in differing(turned, answer_of(turned, rules))]
    assert wrong == []


def test_a_turn_turns_what_names_a_seat() -> None:
    turn = Turn(1)
    assert turn({"E": ["EW", "5S", "S"], "pays": {"W": "N"}}) == {"N": ["NS", "5S", "E"], "pays": {"S": "W"}}
    assert turn("2 violations of EW in round 1") == "2 violations of NS in round 1"
    assert turn.places((1, 2, 3, 4)) == (4, 1, 2, 3)
    assert recoloured(["5S", "5H", "SJ", "fullhouse:K"], 1) == ["5D", "5H", "SJ", "fullhouse:K"]


def session(seed: int, profile: str) -> EventTable:
    """Deals with irregularities, rulings and corrections, by seats that are drawn."""
    table, rng = EventTable(seed), random.Random(seed)
    table.open(profile)
    table.send(rv.MatchSet, by="case", system="计副", deals=4)
    for _ in range(3):
        table.deal()
        table.sort_and_exchange()
        for _ in range(6):
            table.act()
        seat = rng.choice(SEATS)
        table.send(rv.IrregularityNoted, kind="serious", seat=seat, by="case")
        number = table.core.state.incidents[-1].number
        penalty = rng.choice(("warning", "violation+stop", "foul"))
        table.send(rv.Ruled, incident=number, penalty=penalty, by="case", role="head_referee")
        if rng.random() < 0.5:
            table.send(ev.IncidentUpdated, incident=number, status="overturned", by="case")
            table.send(ev.ResumeRequested, by="case")
        for _ in range(400):
            if table.core.state.phase not in ("playing", "trick_over"):
                break
            table.act()
        assert table.core.state.phase == "deal_over"
    return table


def told(core: TableCore, events: list[ev.Event]) -> list[tuple[str, Any]]:
    """What a table that takes these events publishes; what stands in the order of the seats by its names."""
    said: list[tuple[str, Any]] = []
    for event in events:
        outcome = core.handle(event)
        said += [(effect.kind, named(dict(effect.data))) for effect in outcome.effects if isinstance(effect, Publish)]
        said.append(("refused", outcome.refusal.code if outcome.refusal else ""))
        core.commit(outcome)
    return said


def named(data: dict[str, Any]) -> dict[str, Any]:
    """Pairs of a name and a value as a mapping: their order is that of the names."""
    pairs = ("levels", "pays", "points", "level_points")
    return {key: dict(value) if key in pairs else value for key, value in data.items()}


def turned_event(event: ev.Event, turn: Turn) -> ev.Event:
    data = to_data(event)
    if data["type"] == "DealPlanned":
        return event
    counts = data.pop("counts", None)
    made = {key: value if key in ("type", "profile", "table", "by") else turn(value) for key, value in data.items()}
    if counts is not None:
        made["counts"] = counts if len(counts) == 5 else list(turn.places(counts))
    return from_data(made)


@pytest.mark.parametrize(("seed", "profile"), [(3, "default"), (8, "huaian"), (21, "national"), (34, "default")])
def test_a_table_turned_round_does_the_same_turned_round(seed: int, profile: str) -> None:
    played = session(seed, profile)
    straight = told(TableCore(), played.events)
    assert sum(kind == "deal_over" for kind, _ in straight) >= 3
    for by in (1, 2, 3):
        turn, core = Turn(by), TableCore()
        found = told(core, [turned_event(event, turn) for event in played.events])
        assert found == [(kind, turn(data)) for kind, data in straight], by
        assert core.state.levels == turn(played.core.state.levels)
