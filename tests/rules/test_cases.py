"""The worked cases of the rule texts, from tests/cases or ``$CASES_DIR``; two files have tests of their own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from table_controller.cards import Pair, pair_of, partner
from table_controller.games.guandan import clocks, match, report, tribute
from table_controller.games.guandan.hands import readings
from table_controller.games.guandan.judge import compare
from table_controller.games.guandan.placement import placement
from table_controller.games.guandan.profile import Profile, load_profile
from table_controller.games.guandan.trick import Trick, finishing_order

CASES_DIR = Path(os.environ.get("CASES_DIR", Path(__file__).parents[1] / "cases"))
Given = dict[str, Any]


def classify(given: Given, profile: Profile) -> dict[str, Any]:
    found = readings(given["cards"], given["level"], profile.policy)
    return {
        "valid": bool(found),
        "interpretations": [{"type": r.type, "size": r.size, "key": r.key} for r in found],
        "must_declare": len(found) > 1,
    }


def do_compare(given: Given, profile: Profile) -> dict[str, Any]:
    return {
        "beats": compare(
            given["previous"],
            given["next"],
            given["level"],
            profile,
            previous_as=given.get("previous_as"),
            following_as=given.get("next_as"),
        )
    }


def do_placement(given: Given, profile: Profile) -> dict[str, Any]:
    answer = placement(
        given["cards_left_to_right"],
        given["level"],
        triple_left=profile.fullhouse_triple_left,
        policy=profile.policy,
    )
    # A bomb lies in any order, so it never settles a reading by its place.
    settled = [r for r in answer.fitting if r.type != "bomb"] or list(answer.fitting)
    return {"ok": answer.ok, "reading": settled[0].text() if len(settled) == 1 else None}


def do_trick(given: Given, profile: Profile) -> dict[str, Any]:
    trick = Trick(leader=given["leader"], out=list(given["already_out"]))
    for seat, action in given["actions"]:
        if action == "pass":
            trick.pass_(seat)
        else:
            trick.play(seat, last_card=action.startswith("last:"))
    over, order = finishing_order(trick.out)
    leads = trick.next_leader(partner_takes_lead_after=profile.partner_takes_lead_after)
    return {
        "trick_over": trick.over,
        "turn": trick.turn,
        "leads": leads,
        "out": trick.out,
        "deal_over": over,
        "order": order,
    }


def _settled(given: Given, level: str, owner: Pair | None) -> match.DealResult:
    return match.settle(given["finish_order"], given["levels"], level, owner)


def upgrade(given: Given, profile: Profile) -> dict[str, Any]:
    result = _settled(given, given["deal_level"], given.get("deal_level_owner"))
    return {
        "winner": result.winner,
        "raise": result.rise,
        "double_down": result.double_down,
        "levels": result.levels,
        "next_level": result.next_level,
        "passes_A": result.passes_a,
        "game_over": result.passes_a,
    }


def next_level(given: Given, profile: Profile) -> dict[str, Any]:
    winner = pair_of(given["finish_order"][0])
    return {"next_level": _settled(given, given["levels"][winner], winner).next_level}


def next_leader(given: Given, profile: Profile) -> dict[str, Any]:
    return {"leads": tribute.first_leader_after(given["finish_order"], was_resisted=given["resisted"])}


def deal_end(given: Given, profile: Profile) -> dict[str, Any]:
    over, order = finishing_order(given["finished"])
    return {"deal_over": over, "order": order, "double_down": over and order[3] is None}


def tribute_card(given: Given, profile: Profile) -> dict[str, Any]:
    return {"legal_tribute": list(tribute.legal_tribute(given["payer_hand"], given["level"]))}


def tribute_plan(given: Given, profile: Profile) -> dict[str, Any]:
    plan = tribute.tribute_plan(given["finish_order"], given["tribute_cards"], given["level"])
    return {"pays": plan.pays, "leads": plan.leads}


def anti_tribute(given: Given, profile: Profile) -> dict[str, Any]:
    refused = tribute.resisted(given["finish_order"], given["big_jokers"])
    return {"resisted": refused, "leads": given["finish_order"][0] if refused else "by tribute"}


def return_card(given: Given, profile: Profile) -> dict[str, Any]:
    to_partner = given.get("receiver_is_partner", given["payer"] == partner(given["receiver"]))
    legal = tribute.legal_returns(
        given["hand"],
        given["level"],
        limited=to_partner or profile.return_to_opponent_limited,
        smallest_when_none=profile.return_smallest_when_none,
    )
    return {"legal_returns": list(legal)}


def report_due(given: Given, profile: Profile) -> dict[str, Any]:
    due = report.report_due(given["cards_before"], given["cards_played"], already_reported=given["already_reported"])
    return {"due": due is not None, "card": due}


def play_clock(given: Given, profile: Profile) -> dict[str, Any]:
    warned_at = given.get("warned_at_s")
    verdict = clocks.play_clock(
        round(given["elapsed_s"] * 1000),
        warning_ms=profile.play_warning_ms,
        grace_ms=profile.play_grace_ms,
        warned_at_ms=None if warned_at is None else round(warned_at * 1000),
    )
    repeated = verdict.state == "warned" and given.get("warnings_already", 0) > 0
    return {
        "state": verdict.state,
        "penalty": verdict.penalty,
        "new_penalty": None if repeated else verdict.penalty,
        "turn_passes_to_next": verdict.state == "violation",
    }


def slow_clock(limit: str) -> Any:
    def run(given: Given, profile: Profile) -> dict[str, Any]:
        verdict = clocks.tribute_clock(
            round(given["elapsed_s"] * 1000), limit_ms=getattr(profile, limit), step_ms=profile.tribute_step_ms
        )
        return {"state": verdict.state, "penalty": verdict.penalty, "violations": verdict.violations}

    return run


OPERATIONS: dict[str, Any] = {
    "classify": classify,
    "compare": do_compare,
    "placement": do_placement,
    "trick": do_trick,
    "upgrade": upgrade,
    "pass_A": upgrade,
    "next_level": next_level,
    "next_leader": next_leader,
    "deal_end": deal_end,
    "tribute_card": tribute_card,
    "tribute_plan": tribute_plan,
    "anti_tribute": anti_tribute,
    "return_card": return_card,
    "report_due": report_due,
    "play_clock": play_clock,
    "tribute_clock": slow_clock("tribute_ms"),
    "return_clock": slow_clock("return_ms"),
}


def _cases() -> list[Any]:
    found = []
    for path in sorted(CASES_DIR.glob("*.json")):
        if path.name in ("facts.json", "officiating.json"):
            continue
        for case in json.loads(path.read_text(encoding="utf-8")):
            for profile in case.get("profile") or ["huaian", "national"]:
                found.append(pytest.param(case, profile, id=f"{case['id']}-{profile}"))
    return found


@pytest.mark.parametrize(("case", "profile"), _cases())
def test_case(case: dict[str, Any], profile: str) -> None:
    operation = OPERATIONS[case["given"]["op"]]
    answer = operation(case["given"], load_profile(profile))
    assert {key: answer.get(key, f"no answer for {key}") for key in case["expect"]} == case["expect"], case["rule"]


def test_there_are_cases() -> None:
    assert len(_cases()) > 500 or "CASES_DIR" in os.environ
