"""What follows when a penalty is given, overturned, or loses its ground: proposals, fouls due, rights, the turn."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.games.guandan.profile import load_profile
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.copying import copied
from table_controller.table.core import Outcome
from table_controller.table.incidents import Incident
from table_controller.table.turn import Draft
from tests.rules.case_table import CaseTable, in_tribute, table

DEFAULT = load_profile("default")


def raised(made: CaseTable, kind: str, seat: Any) -> Incident:
    """What a table raises by itself, at the seat that is wanted."""
    draft = Draft(copied(made.core.state))
    found = draft.incident(kind, made.now, seat)
    made.core.commit(Outcome(draft.state))
    return found


def give(made: CaseTable, number: int, penalty: str = "", role: str = "referee") -> None:
    outcome = made.send(rv.Ruled, incident=number, penalty=penalty, by="r", role=role)
    assert outcome.refusal is None, outcome.refusal


def proposals(made: CaseTable) -> list[tuple[str, int]]:
    return [(i.proposal, i.count) for i in made.core.state.incidents if i.is_open]


def due(made: CaseTable, kind: str = "foul_due") -> list[str]:
    return [i.status for i in made.core.state.incidents if i.kind == kind]


def playing(leader: str = "E") -> CaseTable:
    made = table(DEFAULT)
    made.begin(leader)
    return made


def turn(made: CaseTable) -> Any:
    assert made.core.state.deal is not None
    return made.core.state.deal.turn


def test_two_that_wait_for_the_referee_are_proposed_as_first_and_second_once_one_is_given() -> None:
    made = playing()
    first, second = raised(made, "missed_report", "N"), raised(made, "missed_report", "S")
    assert proposals(made) == [("warning", 1), ("warning", 1)]
    give(made, first.number, "warning")
    assert proposals(made) == [("violation+stop", 2)]
    made.overturn(first.number)
    assert proposals(made) == [("warning", 1)]
    give(made, second.number, "warning")


def test_a_violation_that_waits_needs_the_head_referee_once_it_would_be_the_second() -> None:
    made = playing()
    first, second = raised(made, "serious", "N"), raised(made, "time_violation", "S")
    needs = {i.number: i.needs for i in made.core.state.incidents}
    assert needs[second.number] == "referee"
    give(made, first.number, "violation+stop")
    waiting = made.core.state.incidents[1]
    assert (waiting.proposal, waiting.needs) == ("violation+stop", "head_referee")
    made.overturn(first.number)
    assert made.core.state.incidents[1].needs == "referee"


def test_of_two_fouls_due_the_last_goes_with_a_violation_that_is_overturned() -> None:
    made = playing()
    numbers = [made.rule("violation", seat) for seat in "NSN"]
    assert due(made) == ["open", "open"]
    made.overturn(numbers[0])
    assert due(made) == ["open", "overturned"]
    made.overturn(numbers[1])
    assert due(made) == ["overturned", "overturned"]


def test_a_round_of_the_same_number_in_another_match_counts_anew() -> None:
    made = table(DEFAULT)
    made.send(rv.MatchSet, by="x", system="计副", deals=1)
    for _ in range(3):  # the match that follows one that is over has the same round
        made.ready()
        for seat in "NS":
            made.rule("violation", seat)
        made.finish(["E", "N", "W", "S"])
        assert made.core.state.match.over
    assert due(made) == ["open"] * 3


def test_a_match_set_anew_in_its_round_goes_on_with_the_fouls_that_were_told() -> None:
    made = table(DEFAULT)
    for seat in "NS":
        made.rule("violation", seat)
    made.send(rv.MatchSet, by="x", system="计副", deals=4)
    assert due(made) == ["open"]
    made.rule("violation", "N")
    assert due(made) == ["open", "open"]


def test_three_fouls_in_a_game_are_told_again_in_the_first_game_of_the_next_match() -> None:
    made = table(DEFAULT)
    for _ in range(2):
        made.send(rv.MatchSet, by="x", system="计副", deals=9)
        for _ in range(3):
            made.ready()
            made.rule("foul", "N", "hidden_card")
            made.send(rv.LeaderNamed, leader="E", by="x")
        made.send(rv.MatchSet, by="x", system="计副", deals=9, round=2)
    assert due(made, "game_loss_due") == ["open", "open"]


def test_a_match_set_again_in_its_round_keeps_the_rounds_violations_and_no_counter_of_a_game() -> None:
    made = playing()
    give(made, raised(made, "missed_report", "N").number, "violation")
    made.finish(["E", "N", "W", "S"])
    made.send(rv.MatchSet, by="x", system="计副", deals=4)
    made.begin("E")
    assert raised(made, "missed_report", "N").proposal == "warning"
    made.rule("violation", "S")
    assert due(made) == ["open"]


@pytest.mark.parametrize("penalty", ["violation+stop", ""])
def test_the_turn_comes_back_while_nobody_has_acted_since(penalty: str) -> None:
    made = playing()
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    number = _passed_over(made, penalty)
    assert turn(made) == "W"
    made.overturn(number)
    assert turn(made) == "N"
    assert [(a.seat, a.stopped) for a in made.core.state.actions] == [("E", False)]
    assert made.core.state.clock.seat == "N"
    assert made.send(ev.CardsSeen, seat="N", cards=("6S",)).refusal is None
    assert turn(made) == "W"


def _passed_over(made: CaseTable, penalty: str) -> int:
    """N, in turn, loses its right: by a violation, or by a wrong play that a referee rules on."""
    if penalty:
        return made.rule(penalty, "N")
    made.send(ev.CardsSeen, seat="N", cards=("3D",))
    number = made.core.state.incidents[-1].number
    give(made, number)
    return number


@pytest.mark.parametrize(("ruled_in", "proposal"), [(1, "violation+stop"), (2, "warning")])
def test_a_breach_counts_in_the_game_in_which_it_was_made(ruled_in: int, proposal: str) -> None:
    made = table(DEFAULT)
    made.send(rv.MatchSet, by="x", system="计副", deals=1, games=3)
    made.ready()
    old = raised(made, "missed_report", "N")
    if ruled_in == 1:
        give(made, old.number, "warning")
        assert raised(made, "missed_report", "S").proposal == proposal
        return
    made.finish(list("ENWS"))
    made.ready()
    give(made, old.number, "warning")
    assert raised(made, "missed_report", "S").proposal == proposal


def test_the_lead_comes_back_to_who_lost_it() -> None:
    made = playing()
    number = made.rule("violation+stop", "E")
    assert turn(made) == "N"
    made.overturn(number)
    assert (turn(made), made.core.state.actions) == ("E", [])


def test_the_last_follower_gets_his_turn_back_in_the_trick_that_had_ended_by_it() -> None:
    made = playing()
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    for seat in "NW":
        made.send(ev.PassPressed, seat=seat)
    number = made.rule("violation+stop", "S")
    assert (turn(made), made.core.state.deal.trick_number) == ("E", 2)  # type: ignore[union-attr]
    made.overturn(number)
    assert (turn(made), made.core.state.deal.trick_number) == ("S", 1)  # type: ignore[union-attr]


def test_once_somebody_has_acted_the_record_stays_and_only_the_counter_goes() -> None:
    made = playing()
    number = made.rule("violation+stop", "E")
    made.send(ev.CardsSeen, seat="N", cards=("5S",))
    made.overturn(number)
    assert (turn(made), len(made.core.state.actions), made.core.state.given) == ("W", 2, [])


def test_during_a_pause_the_turn_comes_back_and_the_clock_stands() -> None:
    made = playing()
    number = made.rule("violation+stop", "E")
    made.send(ev.PauseRequested, by="r")
    made.overturn(number)
    assert (turn(made), made.core.state.clock.running) == ("E", False)
    made.send(ev.ResumeRequested, by="r")
    assert (turn(made), made.core.state.clock.seat, made.core.state.clock.running) == ("E", "E", True)


MISLAID = ("7S", "6S", "5S", "4S", "3D")


def mislaid() -> CaseTable:
    """E leads a straight that was read as laid from large to small."""
    made = playing()
    made.send(ev.CardsSeen, seat="E", cards=MISLAID)
    assert [i.kind for i in made.core.state.incidents] == ["irregular_layout"]
    return made


def right(made: CaseTable) -> None:
    outcome = made.send(ev.PlayCorrected, play=1, cards=("3D", "4S", "5S", "6S", "7S"), by="r")
    assert outcome.refusal is None, outcome.refusal


def test_a_misreading_that_is_put_right_takes_the_warning_for_it_along() -> None:
    made = mislaid()
    give(made, 1, "warning")
    waits = raised(made, "split_play", "W")
    assert waits.proposal == "violation+stop"
    right(made)
    state = made.core.state
    assert (state.incidents[0].status, state.given) == ("overturned", [])
    assert proposals(made) == [("warning", 1)]


def test_what_the_head_referee_gave_is_his_to_overturn_and_he_is_told_why() -> None:
    made = mislaid()
    give(made, 1, "class_1", "head_referee")
    right(made)
    first = made.core.state.incidents[0]
    assert (first.status, "no longer holds" in first.reason, len(made.core.state.given)) == ("resolved", True, 1)


def test_play_that_goes_back_takes_no_warning_along() -> None:
    made = playing()
    made.send(ev.CardsSeen, seat="E", cards=("3D", "4S", "5S", "6S", "7S"))
    made.send(ev.CardsSeen, seat="N", cards=("8S", "7D", "6D", "5D", "4D"))
    give(made, 1, "warning")
    assert made.send(rv.RolledBack, play=1, by="r").refusal is None
    assert [(i.kind, i.status) for i in made.core.state.incidents] == [("irregular_layout", "resolved")]
    assert len(made.core.state.given) == 1


@pytest.mark.parametrize("event", ["back", "removed"])
def test_a_record_put_right_gives_no_turn_to_a_seat_whose_right_is_stopped(event: str) -> None:
    made = playing()
    made.send(ev.CardsSeen, seat="E", cards=("3S",))
    give(made, raised(made, "serious", "N").number, "violation+stop")
    assert turn(made) == "W"
    skipped = made.core.state.actions[-1]
    assert (skipped.seat, skipped.stopped) == ("N", True)
    if event == "back":
        assert made.send(rv.RolledBack, play=1, by="r").refusal is None
    else:
        assert made.send(rv.PlayRemoved, play=skipped.number, by="r").refusal is None
    assert turn(made) == "W"
    assert [(action.seat, action.stopped) for action in made.core.state.actions] == [("E", False), ("N", True)]
    assert made.core.state.clock.seat == "W"


def test_a_turn_is_given_back_also_where_the_next_seat_was_passed_over_for_a_reason_of_its_own() -> None:
    made = playing()
    give(made, raised(made, "serious", "W").number, "violation+stop")
    made.send(ev.CardsSeen, seat="E", cards=("3S",))
    other = raised(made, "hidden_card", "N").number
    give(made, other, "violation+stop", "head_referee")
    assert turn(made) == "S"
    assert [action.seat for action in made.core.state.actions if action.stopped] == ["N", "W"]
    assert made.send(ev.IncidentUpdated, incident=other, status="overturned", by="head").refusal is None
    assert turn(made) == made.core.state.clock.seat == "N"
    assert not any(action.stopped for action in made.core.state.actions)
    made.send(ev.CardsSeen, seat="N", cards=("4S",))
    assert turn(made) == "S", "W is passed over still"


@pytest.mark.parametrize("ruled", [False, True])
def test_what_was_told_before_a_resync_stays_after_a_correction(ruled: bool) -> None:
    made = mislaid()
    if ruled:
        give(made, 1, "warning")
    made.send(ev.Resync, by="r", turn="N", counts=(22, 27, 27, 27))
    made.send(ev.CardsSeen, seat="N", cards=("9S",))
    assert made.send(ev.PlayCorrected, play=2, cards=("TS",), by="r").refusal is None
    assert made.core.state.incidents[0].status == ("resolved" if ruled else "open")


def test_a_wild_read_by_mistake_as_a_tribute_accuses_nobody_once_it_is_told() -> None:
    made = in_tribute(DEFAULT)
    made.send(ev.CardsSeen, seat="S", cards=("4H",))
    assert [i.kind for i in made.core.state.incidents if i.is_open] == ["wrong_tribute"]
    made.send(rv.ExchangeCorrected, seat="S", card="4D", by="r")
    assert [i.kind for i in made.core.state.incidents if i.is_open] == []
    made.send(rv.ExchangeCorrected, seat="S", card="4H", by="r")
    assert [i.kind for i in made.core.state.incidents if i.is_open] == ["wrong_tribute"]


def test_a_wild_paid_is_told_whatever_is_corrected_in_the_first_play() -> None:
    made = in_tribute(DEFAULT)
    made.send(ev.CardsSeen, seat="S", cards=("4H",))
    made.send(ev.CardsSeen, seat="E", cards=("3D",))
    made.send(ev.CardsSeen, seat="S", cards=("5S",), doubtful=(0,))
    made.send(ev.PlayCorrected, play=1, cards=("3D",), by="r")
    assert ("wrong_tribute", "open") in [(i.kind, i.status) for i in made.core.state.incidents]
