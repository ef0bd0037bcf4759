"""Facts on seats, shuffling, drawing, lateness and the round's time (ids SU and CK)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_controller.cards import RANKS
from table_controller.games.guandan import before, round_time
from table_controller.games.guandan.profile import Profile, load_profile
from tests.rules import at_the_table

PREFIXES = ("SU", "CK")
Given = dict[str, Any]


def limit(given: Given, expect: Given, profile: Profile) -> None:
    minutes = round_time.round_limit_minutes(
        given["deals"], profile, screens=given["screens"], copied_decks=given.get("copied_decks", 0)
    )
    assert minutes == expect["minutes"]


def too_fast(given: Given, expect: Given, profile: Profile) -> None:
    assert round_time.too_fast(given["limit_min"], given["used_min"], profile) is expect["penalised"]


def end_time(given: Given, expect: Given, profile: Profile) -> None:
    # Huai'an's text ends the game with the time: whether a begun deal is finished is the setting finish_begun_deal.
    wanted = profile.round.finish_begun_deal if expect.get("ambiguous") else expect["play_out"]
    assert round_time.play_out(given["deal_state"], profile) is wanted


def late(given: Given, expect: Given, profile: Profile) -> None:
    answer = before.late_arrival(given["minutes"], profile)
    if "late" in expect:
        assert answer.late is expect["late"]
    elif "unknown" in expect:
        assert (answer.late, answer.rise, answer.level) == (True, None, None)
    else:
        assert (answer.rise, answer.level) == (expect["raise_for_other"], expect["side_level"])
    # 003 L103: the offender shuffles, his 下家 cuts, his 对家 draws first, his 上家 leads.
    draw = before.late_draw("E")
    assert (draw.shufflers, draw.cutter, draw.first, draw.leads) == (("E", "W"), "N", "W", "S")


def first_draw(given: Given, expect: Given, profile: Profile) -> None:
    drawn = before.first_draw(given.get("cutter", "S"), given["turned"], profile)
    if expect.get("recut"):
        assert drawn is None
        assert before.cut_again(given["turned"], profile)
    else:
        assert drawn == expect["first_draw"]


def shuffle_count(given: Given, expect: Given, profile: Profile) -> None:
    least, most = before.shuffles(given["deal"], profile)
    assert f"{least}-{most}" == expect["times"]


def later_draw(given: Given, expect: Given, profile: Profile) -> None:
    order = given["finish_order"]
    if before.neighbours(order[0]).partner == order[1]:  # a double-down ends the deal before a third is out
        order = [*order[:2], None, None]
    draw = before.later_draw(order, profile)
    assert (draw.cutter, draw.first) == (expect["cutter"], expect["first_draw"])
    assert all(seat in expect["shuffler"] for seat in draw.shufflers)
    assert len(draw.shufflers) == (2 if "either" in expect["shuffler"] else 1)


def draw_order(given: Given, expect: Given, profile: Profile) -> None:
    assert list(before.turn_order(given["first"], given["n"])) == expect["order"]


def machine_deal(given: Given, expect: Given, profile: Profile) -> None:
    assert profile.before.machine_replaces_drawing is expect["allowed"]


def mixed(given: Given, expect: Given, profile: Profile) -> None:
    assert before.mixed_seats_allowed(given["men"], given["women"]) is expect["legal"]


def numbered(prefix: str, first: int, last: int, check: Callable[[Given, Given, Profile], None]) -> dict[str, Any]:
    return {f"{prefix}-{n:03}": check for n in range(first, last + 1)}


CHECKS: dict[str, Callable[[Given, Given, Profile], None]] = {
    **numbered("CK", 23, 25, limit),
    **numbered("CK", 26, 27, too_fast),
    **numbered("CK", 28, 30, end_time),
    **numbered("CK", 31, 36, late),
    **numbered("SU", 1, 15, first_draw),
    **numbered("SU", 16, 19, shuffle_count),
    **numbered("SU", 20, 25, later_draw),
    **numbered("SU", 26, 29, at_the_table.cut),
    "SU-030": draw_order,
    "SU-031": at_the_table.counted_exits,
    "SU-032": at_the_table.counted_exits,
    "SU-033": machine_deal,
    "SU-034": mixed,
    "SU-035": mixed,
}


def test_fact(fact: dict[str, Any], profile: str) -> None:
    CHECKS[fact["id"]](fact["given"], fact["expect"], load_profile(profile))


def test_every_fact_belongs_to_a_module(facts: list[dict[str, Any]]) -> None:
    known = ("SU", "CK", "FI", "ME", "TB", "PE", "PL", "RP", "TK", "TR")
    assert len(facts) >= 155
    assert [fact["id"] for fact in facts if not fact["id"].startswith(known)] == []


def test_seats_of_teams_and_homes() -> None:
    assert before.team_seats_allowed(["E", "W"], ["N", "S"])  # 003 L51
    assert not before.team_seats_allowed(["W", "N"], ["E", "S"])
    assert (before.home_seats(open_room=True), before.home_seats(open_room=False)) == ("EW", "NS")  # 003 L91


def test_every_point_counts_from_the_cutter() -> None:
    rules = load_profile("national")
    drawn = [before.first_draw("S", rank + "D", rules) for rank in "A" + RANKS[:-1]]
    assert drawn == list(before.turn_order("S", 13))
