"""What answers a uniform case: one operation of the engine for each ``op``, and which fields it may be asked with.

A case names its ``id``, ``rule`` and ``given``, with an ``op`` and that op's fields; ``profile`` names those it holds
for (absent: both), ``expect`` what of the answer must be so; ``note`` and ``remark`` are for people. A field that no
answer uses is named: it would be passed over, and what it says never held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from table_controller.cards import PAIRS, RANKS, SEATS, Pair, pair_of, parse_cards, partner
from table_controller.games.guandan import clocks, match, report, tribute
from table_controller.games.guandan.hands import readings
from table_controller.games.guandan.judge import compare
from table_controller.games.guandan.placement import placement
from table_controller.games.guandan.profile import Profile
from table_controller.games.guandan.trick import Trick, finishing_order

Given = dict[str, Any]
BOTH = ("huaian", "national")
SETS = ("legal_tribute", "legal_returns", "interpretations")
"""Answers whose order says nothing."""


_READING = re.compile(r"[a-z0-9_]+:(10|[2-9TJQKA]|[SB]J|-)")


class CaseError(ValueError):
    """What is wrong with a case itself."""


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
    trick = Trick(leader=given["leader"], out=list(given.get("already_out", [])))
    for seat, action in given["actions"]:
        if action == "pass" and seat in trick.out:
            continue  # who is out passes without a word
        if seat != trick.turn:
            raise CaseError(f"{seat} acts, and the turn is {trick.turn}'s.")
        if action == "pass":
            trick.pass_(seat)
        else:
            cards = [action] if isinstance(action, str) else action
            parse_cards(card.removeprefix("last:") for word in cards for card in word.split())
            trick.play(seat, last_card=any(card.startswith("last:") for card in cards))
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


def _settled(given: Given, profile: Profile, level: str, owner: Pair | None) -> match.DealResult:
    only_own = profile.pass_a_on_own_level_only
    return match.settle(given["finish_order"], given["levels"], level, owner, pass_a_on_own_level_only=only_own)


def upgrade(given: Given, profile: Profile) -> dict[str, Any]:
    result = _settled(given, profile, given["deal_level"], given.get("deal_level_owner"))
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
    return {"next_level": _settled(given, profile, given["levels"][winner], winner).next_level}


def next_leader(given: Given, profile: Profile) -> dict[str, Any]:
    return {"leads": tribute.first_leader_after(given["finish_order"], was_resisted=given.get("resisted", False))}


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
        level_card_above=profile.level_card_above_ten,
    )
    return {"legal_returns": list(legal)}


def report_due(given: Given, profile: Profile) -> dict[str, Any]:
    due = report.report_due(
        given["cards_before"],
        given["cards_played"],
        already_reported=given.get("already_reported", False),
        limit=profile.report.report_limit,
    )
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
        "violations": verdict.violations,
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

FIELDS: dict[str, tuple[str, str]] = {
    "classify": ("level cards", ""),
    "compare": ("level previous next", "previous_as next_as"),
    "placement": ("level cards_left_to_right", ""),
    "trick": ("leader actions", "already_out"),
    "upgrade": ("finish_order levels deal_level", "deal_level_owner"),
    "pass_A": ("finish_order levels deal_level", "deal_level_owner"),
    "next_level": ("finish_order levels", ""),
    "next_leader": ("finish_order", "resisted"),
    "deal_end": ("finished", ""),
    "tribute_card": ("level payer_hand", ""),
    "tribute_plan": ("level finish_order tribute_cards", ""),
    "anti_tribute": ("finish_order big_jokers", ""),
    "return_card": ("level receiver payer hand", "receiver_is_partner"),
    "report_due": ("cards_before cards_played", "already_reported"),
    "play_clock": ("elapsed_s", "warned_at_s warnings_already pair_violations_in_round"),
    "tribute_clock": ("elapsed_s", ""),
    "return_clock": ("elapsed_s", ""),
}
"""By op: the fields it needs, and those it may have. Violations before this one change no verdict of a clock."""


def check(case: dict[str, Any]) -> None:
    """Raise CaseError naming what in a case nothing here would look at, or what is missing."""
    known = {"id", "rule", "profile", "given", "expect", "note", "note2", "remark"}
    _named("case", set(case), {"id", "given", "expect"}, known)
    given = case["given"]
    if given.get("op") not in FIELDS:
        raise CaseError(f"There is no op {given.get('op')!r}; ops: {', '.join(FIELDS)}.")
    needed, more = (set(fields.split()) for fields in FIELDS[given["op"]])
    _named(given["op"], set(given) - {"op"}, needed, needed | more)
    for key, value in given.items():
        _check_value(key, value)
    if given["op"] in ("upgrade", "pass_A", "next_level"):
        order = given["finish_order"]
        if len(order) < 2 or (order[1] != partner(order[0]) and partner(order[0]) not in order[1:] and len(order) < 3):
            raise CaseError(f"finish_order: {order!r} leaves open where the partner of {order[:1]} finished.")
    if given["op"] == "tribute_plan":
        missing = [seat for seat in tribute.payers(given["finish_order"]) if seat not in given["tribute_cards"]]
        if missing:
            raise CaseError(f"tribute_cards: {', '.join(missing)} owes a tribute, and none is given.")


CARDS = ("cards", "previous", "next", "cards_left_to_right", "payer_hand", "hand")
LEVELS = ("level", "deal_level")
SEAT_LISTS = ("finish_order", "finished", "already_out")


def as_written(given: Given) -> Given:
    """The same case with each card and level in the one way that the engine writes it (10S and ts as TS, 10 as T)."""
    said = dict(given)
    for key in CARDS:
        if isinstance(said.get(key), list) and all(isinstance(card, str) for card in said[key]):
            said[key] = list(parse_cards(said[key]))
    for key in LEVELS:
        said[key] = _rank(said[key]) if key in said else None
    if isinstance(said.get("levels"), dict):
        said["levels"] = {pair: _rank(level) for pair, level in said["levels"].items()}
    if isinstance(said.get("tribute_cards"), dict):
        said["tribute_cards"] = dict(
            zip(said["tribute_cards"], parse_cards(said["tribute_cards"].values()), strict=True)
        )
    if isinstance(said.get("actions"), list):
        if not all(isinstance(one, list) and len(one) == 2 for one in said["actions"]):
            raise CaseError("actions: each is a seat and its card, such as ['E', '7S'] or ['E', 'pass'].")
        said["actions"] = [[*one[:-1], "pass"] if str(one[-1]).lower() == "pass" else one for one in said["actions"]]
    return {key: value for key, value in said.items() if key in given}


def _rank(level: Any) -> Any:
    text = str(level).upper()
    return {"10": "T"}.get(text, text) if isinstance(level, (str, int)) else level


def _named(what: str, found: set[str], needed: set[str], known: set[str]) -> None:
    if found - known:
        raise CaseError(f"{what}: nothing knows the field {', '.join(sorted(found - known))}.")
    if needed - found:
        raise CaseError(f"{what}: the field {', '.join(sorted(needed - found))} is missing.")


def _check_value(key: str, value: Any) -> None:
    if key in CARDS:
        if not isinstance(value, list) or not all(isinstance(card, str) for card in value):
            raise CaseError(f"{key}: {value!r} is no list of cards.")
        parse_cards(value)
    elif key == "tribute_cards":
        parse_cards(value.values())
    elif key in LEVELS and (not isinstance(value, str) or value not in RANKS):
        raise CaseError(f"{key}: {value!r} is no level.")
    elif key in ("leader", "receiver", "payer") and value not in SEATS:
        raise CaseError(f"{key}: {value!r} is no seat.")
    elif key in SEAT_LISTS and not _each_once(value):
        raise CaseError(f"{key}: {value!r} does not name each seat once at most.")
    elif key in ("elapsed_s", "warned_at_s") and not isinstance(value, (int, float)):
        raise CaseError(f"{key}: {value!r} is no number of seconds.")
    elif key in ("previous_as", "next_as") and value is not None and not _READING.fullmatch(str(value)):
        raise CaseError(f"{key}: {value!r} is no reading; write a type and its key, such as straight:8.")
    elif key == "levels" and set(value) != set(PAIRS):
        raise CaseError(f"{key}: {value!r} does not name the levels of EW and NS.")


def _each_once(seats: list[Any]) -> bool:
    named = [seat for seat in seats if seat is not None]
    return len(set(named)) == len(named) and set(named) <= set(SEATS)


def profiles_of(case: dict[str, Any]) -> tuple[str, ...]:
    """The profiles a case holds for: those it names, in a list or alone; without any, both."""
    named = case.get("profile") or BOTH
    return (named,) if isinstance(named, str) else tuple(named)


def answer_of(case: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """What the engine says of what is given; raises CaseError where the case is none."""
    given = as_written(case["given"])
    check({**case, "given": given})
    found: dict[str, Any] = OPERATIONS[given["op"]](given, profile)
    if set(case["expect"]) - set(found):
        unknown = ", ".join(sorted(set(case["expect"]) - set(found)))
        raise CaseError(f"{given['op']} gives no answer {unknown}; it gives {', '.join(found)}.")
    return found


def differing(case: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    """What of the answer is not as the case expects."""
    for key, wanted in case["expect"].items():
        found = answer[key]
        same = _bag(found) == _bag(wanted) if key in SETS else found == wanted
        if not same:
            yield f"{key}: {found!r}, not {wanted!r}"


def _bag(items: list[Any]) -> list[str]:
    return sorted({repr(sorted(item.items())) if isinstance(item, dict) else repr(item) for item in items})
