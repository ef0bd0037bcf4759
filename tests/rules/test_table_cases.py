"""Worked cases that need a table (``officiating.json``): what it proposes, where a match stands after a few events."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from table_controller.games.guandan.profile import Profile, load_profile
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.core import Outcome
from table_controller.table.turn import Draft
from tests.rules.case_table import in_tribute, table

Given = dict[str, Any]
CASES = json.loads((Path(__file__).parents[1] / "cases" / "officiating.json").read_text(encoding="utf-8"))
MINUTE_MS = 60_000


def exchange_late(given: Given, profile: Profile) -> dict[str, Any]:
    made = in_tribute(profile)
    if given["kind"] == "return":
        made.send(ev.CardsSeen, seat="S", cards=("AS",))
    made.now = made.core.state.clock.anchor_ms + round(given["elapsed_s"] * 1000) - 500
    seat, card = ("S", "AS") if given["kind"] == "tribute" else ("E", "3D")
    made.send(ev.CardsSeen, seat=seat, cards=(card,))
    kind = f"{given['kind']}_late"
    return {"proposals": [i.proposal for i in made.core.state.incidents if i.kind == kind]}


def late_pairs(given: Given, profile: Profile) -> dict[str, Any]:
    made, numbers = table(profile), []
    for seat, minutes in given["arrivals"]:
        made.send(rv.LateArrived, seat=seat, minutes=float(minutes), by="case")
        numbers.append(made.core.state.incidents[-1].number)
    for place in given.get("overturned", []):
        made.overturn(numbers[place])
    state = made.core.state
    return {"levels": state.levels, "level": state.deal_level, "leader_named": state.named_leader}


def barred_lead(given: Given, profile: Profile) -> dict[str, Any]:
    """N errs with a single; S, its partner, wins the trick and leads a single."""
    made = table(profile)
    made.ready()
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    if given["cause"] == "wrong_play":
        made.send(ev.CardsSeen, seat="N", cards=("3D",))
    else:
        made.send(ev.PassPressed, seat="N")
        made.send(ev.CardsSeen, seat="N", cards=("9D",))
        made.now += 5000
        made.core.commit(made.core.handle(ev.TimerFired(made.now, "early")))
    made.send(ev.AreaCleared, seat="N")
    made.send(rv.Ruled, incident=made.core.state.incidents[-1].number, penalty="", by="case")
    made.send(ev.PassPressed, seat="W")
    made.send(ev.CardsSeen, seat="S", cards=("9S",))
    while made.core.state.deal is not None and not made.core.state.deal.leading:
        made.send(ev.PassPressed, seat=made.core.state.deal.turn)
    made.send(ev.AreaCleared, seat="S")
    made.send(ev.CardsSeen, seat="S", cards=("4D",))
    last = made.core.state.incidents[-1]
    return {"incident": last.kind, "proposal": last.proposal}


def void_after_deal(given: Given, profile: Profile) -> dict[str, Any]:
    made = table(profile)
    made.ready()
    made.finish(given["order"])
    number = made.rule("void_hand", given["offender"])
    if given.get("overturned"):
        made.overturn(number)
    order = made.last_order()
    return {"order": order, "levels": made.core.state.levels, "last": order[-1]}


def correction_asked(given: Given, profile: Profile) -> dict[str, Any]:
    made = table(profile)
    made.send(rv.MatchSet, by="case", system="计时计副", deals=1, minutes=given["planned_min"])
    begun = made.core.state.match.begun_ms
    made.ready()
    made.now = begun + given["done_after_min"] * MINUTE_MS
    made.finish(["E", "N", "W", "S"])
    made.now = begun + given["asked_after_min"] * MINUTE_MS
    more = {"agreed": ("EW", "NS"), "by": "case", "role": "head_referee"}
    outcome = made.send(rv.ResultCorrected, deal=1, order=("N", "E", "W", "S"), **more)
    return {"correctable": outcome.refusal is None}


def resist(given: Given, profile: Profile) -> dict[str, Any]:
    made = in_tribute(profile)
    for cards in given["laid"]:
        made.send(ev.CardsSeen, seat="S", cards=tuple(cards.split()))
    state = made.core.state
    return {"resisted": state.exchange.resisted, "leads": state.leader}


def foul_after_game(given: Given, profile: Profile) -> dict[str, Any]:
    made = table(profile)
    made.send(rv.MatchSet, by="case", system="计副", deals=1)
    made.ready()
    made.finish(["E", "N", "W", "S"])
    assert made.core.state.match.played[-1]["winner"] == given["winner"]
    number = made.rule("foul", given["offender"], "hidden_card")
    if given.get("overturned"):
        made.overturn(number)
    state = made.core.state
    return {"winner": state.match.played[-1]["winner"], "levels": state.levels}


DUE = ("foul_due", "game_loss_due", "exclusion_due")


def sequence(given: Given, profile: Profile) -> dict[str, Any]:
    """Irregularities one after the other, each ruled on as proposed, or its right lapsed, or overturned after it."""
    made, proposals = table(profile), []
    if given.get("reminded"):
        made.send(rv.HallReminded, kinds=tuple(given["reminded"]), by="case")
    made.ready()
    for kind, seat, *how in given["acts"]:
        draft = Draft(copy.deepcopy(made.core.state))  # what a table raises by itself, at the seat that is wanted
        found = draft.incident(kind, made.now, seat)
        made.core.commit(Outcome(draft.state))
        proposals.append(found.proposal)
        lapsed = {"lapsed": "next_trick"} if how == ["lapsed"] else {}
        penalty = "" if lapsed or found.proposal == "foul" else found.proposal
        made.send(rv.Ruled, incident=found.number, penalty=penalty, by="case", role="head_referee", **lapsed)
        if how == ["overturned"]:
            made.overturn(found.number)
    return {"proposals": proposals, "due": [i.kind for i in made.core.state.incidents if i.kind in DUE]}


def stops(given: Given, profile: Profile) -> dict[str, Any]:
    made = table(profile)
    made.ready()
    for _ in range(given["times"]):
        made.rule("violation+stop", given["seat"])
    return {"tricks": [stop.trick for stop in made.core.state.stops]}


def tribute_laid(given: Given, profile: Profile) -> dict[str, Any]:
    """S owes a tribute at level 4, and lays these cards one after the other."""
    made = in_tribute(profile)
    for cards in given["laid"]:
        assert made.send(ev.CardsSeen, seat="S", cards=tuple(cards.split())).refusal is None
    still = [i for i in made.core.state.incidents if i.is_open]
    told = {"incidents": [i.kind for i in still], "proposals": [i.proposal for i in still]}
    return {**told, "tribute": made.core.state.exchange.shown["S"]}


def play_stamp(given: Given, profile: Profile) -> dict[str, Any]:
    """E leads with a card that lies so long after the first turn began."""
    made = table(profile)
    made.begin("E")
    deal = made.core.state.deal
    assert deal is not None
    since_ms = made.core.state.thinking.since_ms
    assert since_ms is not None
    made.now = since_ms + round(given["elapsed_s"] * 1000) - 500
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    deal = made.core.state.deal
    assert deal is not None
    return {"incidents": [i.kind for i in made.core.state.incidents], "turn": deal.turn}


def both_pay(given: Given, profile: Profile) -> dict[str, Any]:
    """After a double-down by E and W, at level 5, N and S lay their tributes in this order."""
    made = in_tribute(profile, "EW")
    for seat, card in given["laid"].items():
        assert made.send(ev.CardsSeen, seat=seat, cards=(card,)).refusal is None
    state = made.core.state
    return {"pays": state.exchange.pays, "leads": state.leader, "resisted": state.exchange.resisted}


def fouls(given: Given, profile: Profile) -> dict[str, Any]:
    """A deal that E and W won by two levels, then fouls one after the other."""
    made = table(profile)
    made.ready()
    made.finish(["E", "N", "W", "S"])
    numbers = [made.rule("foul", seat, "hidden_card") for seat in given["offenders"]]
    for place in given["overturned"]:
        made.overturn(numbers[place])
    state = made.core.state
    due = [i.kind for i in state.incidents if i.kind in DUE and i.is_open]
    return {"winner": state.results[-1]["winner"], "levels": state.levels, "due": due}


def passes(given: Given, profile: Profile) -> dict[str, Any]:
    """E leads a card (unless it is he who passes), and these seats pass this way, as a human tells."""
    made = table(profile)
    made.begin("E")
    if given["seats"] != "E":
        made.send(ev.CardsSeen, seat="E", cards=("5S",))
    for seat in given["seats"]:
        made.send(ev.PassPressed, seat=seat, how=given["how"])
    deal = made.core.state.deal
    assert deal is not None
    still = made.core.state.incidents
    return {"incidents": [i.kind for i in still], "proposals": [i.proposal for i in still], "leads": deal.turn}


OPERATIONS: dict[str, Any] = {
    "sequence": sequence,
    "passes": passes,
    "stops": stops,
    "play_stamp": play_stamp,
    "both_pay": both_pay,
    "tribute_laid": tribute_laid,
    "fouls": fouls,
    "exchange_late": exchange_late,
    "late_pairs": late_pairs,
    "barred_lead": barred_lead,
    "void_after_deal": void_after_deal,
    "correction_asked": correction_asked,
    "resist": resist,
    "foul_after_game": foul_after_game,
}


@pytest.mark.parametrize(
    ("case", "profile"),
    [(case, profile) for case in CASES for profile in case.get("profile") or ["huaian", "national"]],
    ids=lambda value: value if isinstance(value, str) else value["id"],
)
def test_case(case: dict[str, Any], profile: str) -> None:
    answer = OPERATIONS[case["given"]["op"]](case["given"], load_profile(profile))
    assert {key: answer[key] for key in case["expect"]} == case["expect"], case["rule"]
