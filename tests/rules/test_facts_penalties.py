"""Facts on penalties, counters and rights that lapse (ids PE and RP)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_controller.cards import Seat, pair_of
from table_controller.games.guandan import irregular, penalties, report
from table_controller.games.guandan.penalties import Given as Penalty
from table_controller.games.guandan.penalties import Proposal
from table_controller.games.guandan.profile import Profile, load_profile
from tests.rules import at_the_table

PREFIXES = ("PE", "RP")
HEAD = {"chief_referee": "head_referee"}
"""The facts call the 裁判长 chief referee."""
Given = dict[str, Any]
Check = Callable[[Given, Given, Profile], None]


def proposal(
    what: str, profile: Profile, given: list[Penalty] | None = None, seat: Seat = "E", **more: Any
) -> Proposal:
    found = penalties.proposed(what, seat, given or [], profile, **{"game": 1, "round_": 1, **more})
    assert found is not None, what
    return found


def earlier(what: str, times: int, penalty: str = "warning") -> list[Penalty]:
    """``times`` earlier penalties of the pair EW in this game, by the two partners in turn."""
    return [Penalty(penalty, "EW"[i % 2], what, 1, 1) for i in range(times)]  # type: ignore[arg-type]


def severity(given: Given, expect: Given, profile: Profile) -> None:
    found = proposal(given["severity"], profile)
    assert found.penalty == ("warning" if expect.get("verbal_warning") else "violation+stop")
    assert found.needs == "referee"


def violations_of(given: Given, expect: Given, profile: Profile) -> None:
    stands = [
        Penalty("violation", item[0], "serious", 1, item[1] if len(item) > 1 else 1) for item in given["violations"]
    ]
    in_round = penalties.tally(stands, "EW", 1, stands[-1].round).violations_in_round
    assert penalties.fouls_for(in_round, profile) == expect["foul"]


def further_violations(given: Given, expect: Given, profile: Profile) -> None:
    # The text leaves open whether each further violation is a foul, or every second one: a setting, by default each.
    assert profile.penalties.each_further_violation_fouls
    assert penalties.fouls_for(given["pair_violations_in_round"], profile) == 3


def foul_at_once(given: Given, expect: Given, profile: Profile) -> None:
    found = proposal(given["event"], profile)
    assert (found.penalty, found.needs) == ("foul", HEAD[expect["needs"]])


def disqualified(given: Given, expect: Given, profile: Profile) -> None:
    assert penalties.out_due(given["games_lost_by_penalty"], profile) is expect["disqualified"]
    assert not penalties.out_due(1, profile)


def players_may_not(given: Given, expect: Given, profile: Profile) -> None:
    assert penalties.may_give("player", "warning") is expect["valid"]
    assert penalties.may_give("referee", "violation")
    assert not penalties.may_give("referee", "foul")


def lapses(given: Given, expect: Given, profile: Profile) -> None:
    reason = given.get("noticed") or given.get("pointed_out_by") or "acted_before_call"
    assert penalties.may_lapse(reason)
    assert not penalties.may_lapse("because")


def manner(given: Given, expect: Given, profile: Profile) -> None:
    found = proposal("irregular_layout", profile, earlier("irregular_layout", given["pair_count"] - 1))
    wanted = "foul" if expect.get("foul") else "violation+stop" if expect.get("stop_trick") else "warning"
    assert (found.penalty, found.count) == (wanted, given["pair_count"])


def signal(given: Given, expect: Given, profile: Profile) -> None:
    found = proposal("illegal_signal", profile, earlier("illegal_signal", given["pair_count"] - 1))
    assert (found.penalty, found.needs) == ("foul", HEAD[expect["needs"]])


def reminder(given: Given, expect: Given, profile: Profile) -> None:
    found = proposal("irregular_layout", profile, reminded=given["hall_reminder"])
    assert found.count == expect["judged_as"]
    assert found.penalty == "violation+stop"
    # 000 knows no such reminder.
    assert proposal("irregular_layout", load_profile("huaian"), reminded=True).count == 1


def class_of(given: Given, expect: Given, profile: Profile) -> None:
    assert proposal(given["event"], profile).penalty == f"class_{expect['class']}"


def class_1(given: Given, expect: Given, profile: Profile) -> None:
    assert -profile.scores.class_1_points == expect["changfen"]
    assert Proposal("class_1", "").needs == "head_referee"


def lift_report(given: Given, expect: Given, profile: Profile) -> None:
    stays = profile.report.report_card_stays
    assert irregular.may_lift_report(deal_over=given["deal_over"], card_stays=stays) is expect["allowed"]


def missed(given: Given, expect: Given, profile: Profile) -> None:
    by = given.get("by", ["E"] * given["pair_count_in_game"])
    assert {pair_of(seat) for seat in by} == {"EW"}
    found = proposal("missed_report", profile, [Penalty("warning", s, "missed_report", 1, 1) for s in by[:-1]], by[-1])
    wanted = {"verbal_warning": "warning", "violation": "violation+stop" if expect.get("stop_trick") else "violation"}
    assert found.penalty == wanted[expect["penalty"]]


def asked(given: Given, expect: Given, profile: Profile) -> None:
    before = [Penalty("warning", "E", "asked_count", 1, 1)] * (given["count"] - 1)
    found = proposal("asked_count", profile, before)
    assert found.penalty == ("violation+stop" if expect.get("stop_trick") else expect["penalty"])
    # The count is a player's own: the partner's question is his first.
    assert proposal("asked_count", profile, before, "W").penalty == "warning"


def override(given: Given, expect: Given, profile: Profile) -> None:
    # 000 L175: the regulations may change reporting: the limit is a setting.
    assert report.report_due(8, 2, already_reported=False, limit=5) is None
    assert report.report_due(8, 3, already_reported=False, limit=5) == 5
    assert profile.report.report_limit == 10


CHECKS: dict[str, Check] = {
    "PE-001": severity,
    "PE-002": severity,
    "PE-003": at_the_table.second_violation,
    "PE-004": violations_of,
    "PE-005": violations_of,
    "PE-006": further_violations,
    "PE-007": foul_at_once,
    **{f"PE-{n:03}": at_the_table.lost_game for n in range(8, 12)},
    "PE-012": disqualified,
    "PE-013": players_may_not,
    **{f"PE-{n:03}": lapses for n in (14, 15, 16)},
    **{f"PE-{n:03}": manner for n in (17, 18, 19)},
    "PE-020": signal,
    "PE-021": reminder,
    **{f"PE-{n:03}": class_of for n in (22, 23, 24)},
    "PE-025": class_1,
    "PE-026": at_the_table.withdrawal,
    "RP-014": lift_report,
    "RP-015": lift_report,
    "RP-016": at_the_table.wrong_report,
    **{f"RP-{n:03}": missed for n in (17, 18, 19)},
    "RP-020": asked,
    "RP-021": asked,
    "RP-022": at_the_table.asked_before,
    "RP-023": override,
}


def test_fact(fact: dict[str, Any], profile: str) -> None:
    CHECKS[fact["id"]](fact["given"], fact["expect"], load_profile(profile))


def test_scopes_of_the_counters() -> None:
    """A pair, a game: reports and manner; a pair, a round: violations; a pair, a match: games lost."""
    rules = load_profile("huaian")
    other_game = [Penalty("warning", "E", "missed_report", 1, 1)]
    assert proposal("missed_report", rules, other_game, game=2).penalty == "warning"
    other_round = [Penalty("violation", "E", "serious", 1, 1)]
    assert not proposal("serious", rules, other_round, round_=2).foul_follows
    lost = [Penalty("game_lost", "E", "serious", 1, 1), Penalty("game_lost", "W", "serious", 2, 2)]
    assert penalties.tally(lost, "EW", 3, 3).games_lost == 2
    assert penalties.tally(lost, "NS", 3, 3).games_lost == 0


def test_what_the_texts_do_not_punish_is_not_proposed() -> None:
    assert penalties.proposed("td_call", "E", [], load_profile("huaian"), game=1, round_=1) is None
