"""Facts on turns, plays, irregularities at the table, tribute and return (ids TK, PL, TR)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_controller.games.guandan import before, irregular
from table_controller.games.guandan.profile import Profile, load_profile
from tests.rules import at_the_table

PREFIXES = ("TK", "PL", "TR")
Given = dict[str, Any]
Check = Callable[[Given, Given, Profile], None]


def order(given: Given, expect: Given, profile: Profile) -> None:
    assert list(before.turn_order(given["leader"])) == expect["order"]


def neighbours(given: Given, expect: Given, profile: Profile) -> None:
    found = before.neighbours(given["seat"])
    assert (found.before, found.after, found.partner) == (expect["shangjia"], expect["xiajia"], expect["partner"])


def out_of_turn(given: Given, expect: Given, profile: Profile) -> None:
    found = irregular.out_of_turn_play(given["offender"], "pair")
    assert (found.take_back, found.stopped, found.next) == (True, expect["stopped"], expect["next"])


def lead_ban(given: Given, expect: Given, profile: Profile) -> None:
    make = {
        "out_of_turn": irregular.out_of_turn_play,
        "wrong_play": lambda s, t: irregular.wrong_play(s, leading=False, shown_type=t),
    }
    assert make[given["cause"]]("E", given["type"]).partner_may_not_lead == expect["banned_type"]


def wrong_play(given: Given, expect: Given, profile: Profile) -> None:
    found = irregular.wrong_play(given["seat"], leading=given["role"] == "leader")
    assert found.take_back is expect["take_back"]
    assert (found.chooser, found.stopped, found.next) == (
        expect.get("chooser"),
        expect.get("skipped"),
        expect.get("next"),
    )


def reveal(given: Given, expect: Given, profile: Profile) -> None:
    found = irregular.returns_shown(equal=given["kind"] == "double_equal", revealed_by=profile.returns_revealed_by)
    assert found.face_down is expect["face_down"]
    assert found.by == ("payers" if "payers" in expect["reveal"] else "receivers")
    assert found.counter_clockwise is (expect.get("order") == "counterclockwise")


CHECKS: dict[str, Check] = {
    "TK-001": order,
    "TK-002": neighbours,
    "TK-016": at_the_table.may_pass,
    **{f"TK-{n:03}": at_the_table.pass_signal for n in (17, 18, 19)},
    "TK-020": out_of_turn,
    "TK-021": lead_ban,
    "TK-022": at_the_table.out_of_turn_pass,
    "TK-023": wrong_play,
    "TK-024": wrong_play,
    "TK-025": lead_ban,
    "TK-026": at_the_table.take_back,
    **{f"TK-{n:03}": at_the_table.out_of_turn_draw for n in (27, 28, 29)},
    "PL-026": at_the_table.split,
    "PL-027": at_the_table.area,
    "PL-028": at_the_table.discards,
    "PL-029": at_the_table.discards,
    "TR-056": at_the_table.wrong_tribute,
    "TR-057": at_the_table.wrong_tribute,
    "TR-058": at_the_table.wrong_return,
    "TR-059": at_the_table.shown_not_due,
    "TR-060": reveal,
    "TR-061": reveal,
    "TR-062": at_the_table.after_foul,
    "TR-063": at_the_table.first_deal,
}


def test_fact(fact: dict[str, Any], profile: str) -> None:
    CHECKS[fact["id"]](fact["given"], fact["expect"], load_profile(profile))
