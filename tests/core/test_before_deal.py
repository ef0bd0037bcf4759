"""What people are told: who shuffles, cuts, draws, turns up the returns and reports; what a wild is said to be."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.games.guandan.profile import own_rules
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.effects import Publish, SetTimer
from table_controller.table.snapshot import snapshot

MINUTE_MS = 60_000


def told(table: EventTable, key: str) -> Any:
    return snapshot(table.core.state, table.now)[key]


def by_hand(profile: str = "national", rules: str = "") -> EventTable:
    """A table without a dealing machine."""
    made = EventTable(5)
    made.send(ev.TableOpened, table="t1", venue="v", profile=profile, rules=rules)
    return made


def end_deal(table: EventTable, order: str) -> None:
    """The deal under way ends with these places."""
    table.send(ev.Resync, by="x", turn=order[0], counts=(1, 1, 1, 1))
    cards = dict(zip(order, ("3S", "4S", "5S", "6S"), strict=False))
    for _ in range(20):
        deal = table.core.state.deal
        if table.core.state.phase not in ("playing", "trick_over") or deal is None:
            return
        due = next(seat for seat in order if seat not in deal.out)
        if deal.turn == due:
            table.send(ev.CardsSeen, seat=deal.turn, cards=(cards[due],))
        else:
            table.send(ev.PassPressed, seat=deal.turn)


def second_deal(table: EventTable, order: str = "ENWS") -> None:
    """The first deal is over with these places."""
    table.send(ev.DealtByHand, by="x", leader="E")
    for seat in "ENWS":
        table.send(ev.ReadyPressed, seat=seat)
    end_deal(table, order)
    assert table.core.state.phase == "deal_over"


def test_the_first_deal_by_hand_in_the_national_rules() -> None:
    before = told(by_hand(), "before")
    assert (before["shufflers"], before["cutters"], before["shuffles"]) == (["E"], ["S"], [5, 7])  # 003 L20-L21
    assert (before["turns"], before["cut_again"]) == (True, ["big_joker", "small_joker", "2_of_hearts"])
    assert (before["by_machine"], before["cut_margin"], before["seated_before_minutes"]) == (False, 5, 5)


def test_the_first_deal_by_hand_in_huaian() -> None:
    before = told(by_hand("huaian"), "before")
    assert before["shufflers"] == before["cutters"] == ["E", "N", "W", "S"]  # 000 L79: any, and an opponent of his
    assert before["shuffles"] == [3, 5]


def test_a_venues_own_shuffler_and_cutter() -> None:
    rules = 'inherits = "huaian"\n[before]\nfirst_shuffler = "N"\n'
    before = told(by_hand("ours", rules), "before")
    assert (before["shufflers"], before["cutters"]) == (["N"], ["E", "W"])
    assert own_rules("ours", rules).before.first_cutter == "opponent"


@pytest.mark.parametrize(
    ("profile", "order", "shufflers", "cutters", "first"),
    [
        ("national", "ENWS", ["S"], ["E"], "S"),  # 003 L22: 上游's 上家 shuffles, 上游 cuts, 下游 draws
        ("national", "NEWS", ["E"], ["N"], "S"),
        ("huaian", "ENSW", ["W"], ["E"], "W"),  # 000 L81: 下游 shuffles and draws
        ("huaian", "EW", ["N", "S"], ["E"], "N"),  # a double-down: 上游's 下家 draws
        ("national", "WE", ["N"], ["W"], "S"),
    ],
)
def test_later_deals(profile: str, order: str, shufflers: list[str], cutters: list[str], first: str) -> None:
    table = by_hand(profile)
    second_deal(table, order)
    before = told(table, "before")
    assert (before["deal"], before["turns"]) == (2, False)
    assert (before["shufflers"], before["cutters"], before["first"]) == (shufflers, cutters, first)
    table.send(ev.DealtByHand, by="x")
    assert told(table, "before") is None


def test_after_a_foul_the_referee_says_who_shuffles() -> None:
    table = by_hand()
    second_deal(table)
    table.send(rv.IrregularityNoted, kind="hidden_card", seat="E", by="x")
    number = table.core.state.incidents[-1].number
    table.send(rv.Ruled, incident=number, penalty="foul", by="x", role="head_referee")
    before = told(table, "before")
    assert (before["shufflers"], before["cutters"], before["first"]) == ([], [], None)


def test_a_late_pair_shuffles() -> None:
    table = by_hand()
    table.send(rv.LateArrived, seat="E", minutes=3.0, by="x")
    before = told(table, "before")
    names = (before["shufflers"], before["cutters"], before["first"], before["leads"])
    assert names == (["E"], ["N"], "W", "S")  # 003 L103


def test_a_machine_replaces_shuffling_cutting_and_drawing() -> None:
    table = EventTable(5)
    table.open()
    assert told(table, "before")["by_machine"] is True
    table.send(ev.DealRequested, by="x", leader="N")
    assert table.core.state.first_leader == "N"


def test_where_it_does_not_the_turned_card_says_who_leads() -> None:
    table = EventTable(5)
    rules = "[before]\nmachine_replaces_drawing = false\n"
    table.send(ev.TableOpened, table="t1", venue="v", profile="ours", rules=rules)
    table.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
    assert told(table, "before")["by_machine"] is False
    table.deal()
    for seat in "ENWS":
        table.send(ev.ReadyPressed, seat=seat)
    assert (table.core.state.phase, table.core.state.first_leader) == ("sorting", None)
    table.send(ev.CardsSeen, seat="W", cards=("3S",))
    assert table.core.state.leader == "W"


@pytest.mark.parametrize(
    ("profile", "paid", "who"),
    [
        ("national", ("KS", "KD"), ["N", "S"]),  # 003 L33: both payers
        ("huaian", ("KS", "KD"), ["E", "W"]),  # 000 L151: after equal tributes both receivers
        ("huaian", ("KS", "QD"), ["N", "S"]),
    ],
)
def test_who_turns_up_two_returns(profile: str, paid: tuple[str, str], who: list[str]) -> None:
    table = by_hand(profile)
    second_deal(table, "EW")
    table.send(ev.DealtByHand, by="x")
    for seat in "ENWS":
        table.send(ev.ReadyPressed, seat=seat)
    assert told(table, "exchange")["reveals"] == []
    for seat, card in zip("NS", paid, strict=True):
        table.send(ev.CardsSeen, seat=seat, cards=(card,))
    assert sorted(told(table, "exchange")["reveals"]) == who
    table.send(ev.CardsSeen, seat="E", cards=("3S",))
    table.send(ev.CardsSeen, seat="W", cards=("4S",))
    assert told(table, "exchange")["reveals"] == []


@pytest.mark.parametrize(("profile", "kinds"), [("national", ["report_removed"]), ("huaian", [])])
def test_a_report_by_card_stays_and_one_by_word_is_said(profile: str, kinds: list[str]) -> None:
    rules = f'inherits = "{profile}"\n[report]\nreport_card_stays = true\n'
    table = by_hand("ours", rules)
    table.send(ev.DealtByHand, by="x", leader="E")
    for seat in "ENWS":
        table.send(ev.ReadyPressed, seat=seat)
    table.send(ev.Resync, by="x", turn="E", counts=(12, 12, 12, 12))
    table.send(ev.CardsSeen, seat="E", cards=("3S", "3D"))
    assert told(table, "seats")["E"]["owes_report"] == 10
    assert told(table, "customs")["report_by"] == {"national": "card", "huaian": "word"}[profile]
    table.send(ev.PromptLaid, seat="E", kind="10")
    assert told(table, "seats")["E"]["owes_report"] is None
    table.send(ev.PromptLifted, seat="E", kind="10")
    for seat in "NWS":
        table.send(ev.PassPressed, seat=seat)
    table.send(ev.CardsSeen, seat="E", cards=("4S",))
    assert [i.kind for i in table.core.state.incidents] == kinds


def playing(profile: str) -> EventTable:
    table = by_hand(profile)
    table.send(ev.DealtByHand, by="x", leader="E")
    for seat in "ENWS":
        table.send(ev.ReadyPressed, seat=seat)
    return table


def test_a_wild_that_its_place_does_not_settle_is_said() -> None:
    table = playing("national")
    table.send(ev.CardsSeen, seat="E", cards=("8S", "7S", "7D", "8D", "2H", "2H"))
    # 000 L121: 7788 with two wilds may be three pairs or two triples; laid anyhow, no place tells which.
    asked = [one for one in told(table, "asked") if one["kind"] == "declare"]
    assert (asked[0]["asked"], asked[0]["play"]) == ("E", 1)
    assert {"plate:8", "tube:9"} <= set(asked[0]["choices"])
    other = next(choice for choice in asked[0]["choices"] if choice != asked[0]["taken"])
    assert table.send(rv.WildDeclared, play=1, reading="straight:8", by="E").refusal is not None
    table.send(rv.WildDeclared, play=1, reading=other, by="E")
    assert table.core.state.deal is not None
    assert table.core.state.deal.to_beat is not None
    assert table.core.state.deal.to_beat.text() == table.core.state.actions[0].reading == other
    assert told(table, "asked") == []


@pytest.mark.parametrize(("profile", "asks"), [("national", 0), ("huaian", 1)])
def test_huaian_wants_it_said_also_where_its_place_tells(profile: str, asks: int) -> None:
    table = playing(profile)
    table.send(ev.CardsSeen, seat="E", cards=("4S", "5D", "6S", "7D", "2H"))
    assert len(told(table, "asked")) == asks
    assert table.core.state.actions[0].reading == "straight:8"
    table.send(ev.PassPressed, seat="N")
    assert told(table, "asked") == [], "said too late, the reading stands"


def test_players_are_called_to_their_seats_five_minutes_before() -> None:
    table = by_hand()
    outcome = table.send(rv.MatchSet, by="x", system="计时", minutes=60, starts_in_minutes=20)
    begins = table.now + 20 * MINUTE_MS
    timers = {e.name: e.at_ms for e in outcome.effects if isinstance(e, SetTimer)}
    assert timers == {"seats": begins - 5 * MINUTE_MS, "begin": begins, "round": begins + 60 * MINUTE_MS}
    assert told(table, "before")["begins_in_ms"] == 20 * MINUTE_MS
    assert table.core.handle(ev.TimerFired(begins - 6 * MINUTE_MS, "seats")).refusal is not None
    for name, kind in (("seats", "be_seated"), ("begin", "round_begins")):
        outcome = table.core.handle(ev.TimerFired(timers[name], name))
        assert kind in [e.kind for e in outcome.effects if isinstance(e, Publish)]


def test_a_restart_before_the_start_keeps_it() -> None:
    table = by_hand()
    table.send(rv.MatchSet, by="x", starts_in_minutes=20)
    outcome = table.core.handle(rv.RoundLeft(7_000, 0, 10 * MINUTE_MS))
    assert outcome.refusal is None
    assert outcome.state.match.begun_ms == 7_000 + 10 * MINUTE_MS
    assert {e.name for e in outcome.effects if isinstance(e, SetTimer)} == {"seats", "begin"}


@pytest.mark.parametrize(
    ("profile", "told_of", "minutes"),
    [
        ("national", {"system": "计时计副", "deals": 6, "screens": True}, 48),  # 003 L99
        ("national", {"system": "计时计副", "deals": 6, "copied_decks": 2}, 44),
        ("huaian", {"system": "计时计副", "deals": 6}, 60),  # 000 L193
        ("national", {"system": "计时"}, 60),
    ],
)
def test_a_timed_match_has_the_minutes_of_its_profile(profile: str, told_of: dict[str, Any], minutes: int) -> None:
    table = by_hand(profile)
    assert table.send(rv.MatchSet, by="x", **told_of).refusal is None
    assert table.core.state.match.minutes == minutes


def test_the_referee_gives_more_time_to_sort() -> None:
    table = by_hand()
    table.send(ev.DealtByHand, by="x", leader="E")
    ends = table.core.state.sorting_ends_ms
    outcome = table.send(rv.ClockExtended, extra_ms=30_000, by="ref", reason="a card fell")
    assert [(e.name, e.at_ms) for e in outcome.effects if isinstance(e, SetTimer)] == [("sorting", ends + 30_000)]
    assert table.core.handle(ev.TimerFired(ends, "sorting")).refusal is not None
    clock = told(table, "clock")
    assert (clock["kind"], clock["running"]) == ("sorting", True)
    assert clock["warning_ms"] - clock["elapsed_ms"] == ends + 30_000 - table.now
    table.send(ev.PauseRequested, by="ref")
    left = table.core.state.sorting_ends_ms
    table.send(rv.ClockExtended, extra_ms=5_000, by="ref")
    assert table.core.state.sorting_ends_ms == left + 5_000
    assert told(table, "clock")["running"] is False
    table.send(ev.ResumeRequested, by="ref")
    assert table.core.state.sorting_ends_ms == table.now + left + 5_000
    assert table.core.handle(ev.TimerFired(table.core.state.sorting_ends_ms, "sorting")).state.phase == "playing"
