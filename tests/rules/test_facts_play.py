"""Facts on turns, plays, irregularities at the table, tribute and return (ids TK, PL, TR)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_controller.cards import previous_seat
from table_controller.games.guandan import before, irregular, round_time, tribute
from table_controller.games.guandan.obligation import ShownCard
from table_controller.games.guandan.profile import Profile, load_profile

PREFIXES = ("TK", "PL", "TR")
Given = dict[str, Any]
Check = Callable[[Given, Given, Profile], None]


def order(given: Given, expect: Given, profile: Profile) -> None:
    assert list(before.turn_order(given["leader"])) == expect["order"]


def neighbours(given: Given, expect: Given, profile: Profile) -> None:
    found = before.neighbours(given["seat"])
    assert (found.before, found.after, found.partner) == (expect["shangjia"], expect["xiajia"], expect["partner"])


def may_pass(given: Given, expect: Given, profile: Profile) -> None:
    assert irregular.may_pass(leading=given["is_leader"]) is expect["allowed"]


def pass_signal(given: Given, expect: Given, profile: Profile) -> None:
    assert round_time.pass_shown(given["signal"], profile) is expect["accepted"]
    mixed = round_time.pass_mixed(given.get("history", []), given["signal"], profile)
    assert mixed is (expect.get("irregular") == "mixed_pass_signal")


def out_of_turn(given: Given, expect: Given, profile: Profile) -> None:
    found = irregular.out_of_turn_play(given["offender"], "pair")
    assert (found.take_back, found.stopped, found.next) == (True, expect["stopped"], expect["next"])


def lead_ban(given: Given, expect: Given, profile: Profile) -> None:
    make = {
        "out_of_turn": irregular.out_of_turn_play,
        "wrong_play": lambda s, t: irregular.wrong_play(s, leading=False, shown_type=t),
    }
    assert make[given["cause"]]("E", given["type"]).partner_may_not_lead == expect["banned_type"]


def out_of_turn_pass(given: Given, expect: Given, profile: Profile) -> None:
    offender = given["offender"]
    assert sorted(irregular.out_of_turn_pass(offender).no_follow) == sorted(expect["no_follow"])
    assert irregular.no_follow_lifted(offender, previous_seat(offender))
    assert not irregular.no_follow_lifted(offender, before.neighbours(offender).partner)


def wrong_play(given: Given, expect: Given, profile: Profile) -> None:
    found = irregular.wrong_play(given["seat"], leading=given["role"] == "leader")
    assert found.take_back is expect["take_back"]
    assert (found.chooser, found.stopped, found.next) == (
        expect.get("chooser"),
        expect.get("skipped"),
        expect.get("next"),
    )


def take_back(given: Given, expect: Given, profile: Profile) -> None:
    allowed = irregular.may_take_back(seen_by_opponent=given["seen_by_opponent"], legal=given["legal"])
    assert allowed is expect["allowed"]
    assert irregular.may_take_back(seen_by_opponent=True, legal=False)


def out_of_turn_draw(given: Given, expect: Given, profile: Profile) -> None:
    found = before.drawn_out_of_turn(given["state"])
    if "random_draw_by" in expect:
        assert (found.put_back, found.drawn_from_offender) == (False, True)
        assert found.penalties == ("warning", "violation")
    else:
        assert found.put_back is expect["put_back"]
        assert found.penalties == (("warning",) if expect["penalty"] else ())


def split(given: Given, expect: Given, profile: Profile) -> None:
    assert irregular.play_is_whole(given["batches"]) is expect["ok"]


def area(given: Given, expect: Given, profile: Profile) -> None:
    assert irregular.own_area(given["seat"], given["area"]) is expect["ok"]


def discard(given: Given, expect: Given, profile: Profile) -> None:
    assert irregular.discard_face_allowed(given["face"]) is expect["ok"]
    assert irregular.discard_face_allowed("down")


def look(given: Given, expect: Given, profile: Profile) -> None:
    assert irregular.may_look_at_discards() is expect["ok"]


def wrong_tribute(given: Given, expect: Given, profile: Profile) -> None:
    found = irregular.wrong_tribute(play_began=given["found"] == "after_start")
    assert found.hand_void is expect.get("hand_void", False)
    if found.hand_void:
        finished = tuple(given["order"])
        offender = finished[given["offender_place"] - 1]
        assert list(irregular.order_with_void_hand(finished, offender)) == expect["order"]
    else:
        assert (found.penalty, found.corrected) == ("warning", expect["corrected"])


def wrong_return(given: Given, expect: Given, profile: Profile) -> None:
    small = tribute.legal_returns([given["card"], "5S"], "2", limited=True, smallest_when_none=False)
    assert given["card"] not in small
    found = irregular.wrong_return(play_began=False)
    assert (found.penalty, found.corrected) == ("warning", expect["corrected"])


def shown_not_due(given: Given, expect: Given, profile: Profile) -> None:
    assert irregular.tribute_not_due_obligation() == expect["obligation"]
    shown = ShownCard("E", given["card"])
    assert shown.kept((given["card"],)) is True
    assert shown.kept(("5S",)) is False  # his first single, and not this card
    assert shown.kept(("5S", "5D")) is None  # not yet at a single
    assert shown.kept((given["card"], "AD")) is True  # gone along with a later play


def reveal(given: Given, expect: Given, profile: Profile) -> None:
    found = irregular.returns_shown(equal=given["kind"] == "double_equal", revealed_by=profile.returns_revealed_by)
    assert found.face_down is expect["face_down"]
    assert found.by == ("payers" if "payers" in expect["reveal"] else "receivers")
    assert found.counter_clockwise is (expect.get("order") == "counterclockwise")


def after_foul(given: Given, expect: Given, profile: Profile) -> None:
    found = irregular.after_foul(given["offender_pair"])
    assert (found.tribute, f"chosen by {found.leader_named_by}") == (expect["tribute"], expect["leader"])


def first_deal(given: Given, expect: Given, profile: Profile) -> None:
    # The tribute begins with the second deal; who drew the turned card leads (tests/core holds the core to it).
    assert expect == {"tribute": False, "leads": given["turned_card_drawn_by"]}
    assert before.first_draw("S", "4C", profile) == "W"


CHECKS: dict[str, Check] = {
    "TK-001": order,
    "TK-002": neighbours,
    "TK-016": may_pass,
    **{f"TK-{n:03}": pass_signal for n in (17, 18, 19)},
    "TK-020": out_of_turn,
    "TK-021": lead_ban,
    "TK-022": out_of_turn_pass,
    "TK-023": wrong_play,
    "TK-024": wrong_play,
    "TK-025": lead_ban,
    "TK-026": take_back,
    **{f"TK-{n:03}": out_of_turn_draw for n in (27, 28, 29)},
    "PL-026": split,
    "PL-027": area,
    "PL-028": discard,
    "PL-029": look,
    "TR-056": wrong_tribute,
    "TR-057": wrong_tribute,
    "TR-058": wrong_return,
    "TR-059": shown_not_due,
    "TR-060": reveal,
    "TR-061": reveal,
    "TR-062": after_foul,
    "TR-063": first_deal,
}


def test_fact(fact: dict[str, Any], profile: str) -> None:
    CHECKS[fact["id"]](fact["given"], fact["expect"], load_profile(profile))
