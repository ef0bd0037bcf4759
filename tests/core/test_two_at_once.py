"""Two people put the same thing right at once: the second is told that what he looked at has changed."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.errors import InputError, TableError
from table_controller.games.guandan.profile import load_profile
from table_controller.table import events as ev
from table_controller.table.commands import parse_command
from table_controller.table.refusal import Refusal
from table_controller.table.seen import as_shown
from tests.rules.case_table import CaseTable, in_tribute, table

DEFAULT = load_profile("default")


def played() -> CaseTable:
    """E a pair of fives (one doubtful), N a pass, W a pair of nines."""
    made = table(DEFAULT)
    made.begin("E")
    made.send(ev.CardsSeen, seat="E", cards=("5S", "5D"), doubtful=(1,))
    made.send(ev.PassPressed, seat="N")
    made.send(ev.CardsSeen, seat="W", cards=("9S", "9D"))
    return made


def say(made: CaseTable, **command: Any) -> TableError | None:
    return made.send(lambda at_ms: parse_command({"by": "r", **command}, at_ms, lambda: "E")).refusal


def cards(made: CaseTable) -> list[str]:
    return [as_shown(action) for action in made.core.state.actions]


SHOWN = ["E 5S 5D?", "N", "W 9S 9D"]
FIRST: list[dict[str, Any]] = [
    {"do": "correct", "play": 1, "cards": "5S 5D"},
    {"do": "correct", "play": 1, "cards": "6S 6D"},
]
"""One who confirms the reading, and one who says another."""


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize(
    "second", [{"do": "correct", "cards": "7S 7D"}, {"do": "move", "seat": "N"}, {"do": "remove"}, {"do": "roll_back"}]
)
def test_a_play_that_was_changed_meanwhile_is_not_changed_again(first: dict[str, Any], second: dict[str, Any]) -> None:
    made = played()
    assert cards(made) == SHOWN
    assert say(made, **first, saw=SHOWN[0]) is None
    stands = made.core.state.digest()
    refusal = say(made, **second, play=1, saw=SHOWN[0])
    assert isinstance(refusal, Refusal)
    assert (refusal.code, cards(made)[0] in refusal.message, bool(refusal.way_out)) == ("CHANGED", True, True)
    assert made.core.state.digest() == stands


def test_who_looked_again_is_heard_and_who_says_nothing_is_taken_at_his_word() -> None:
    made = played()
    say(made, do="correct", play=1, cards="6S 6D", saw=SHOWN[0])
    assert say(made, do="correct", play=1, cards="7S 7D", saw="E  6S 6D") is None
    assert say(made, do="correct", play=1, cards="8S 8D") is None
    assert cards(made)[0] == "E 8S 8D"


def test_a_change_of_another_play_is_in_nobodys_way() -> None:
    made = played()
    assert say(made, do="correct", play=3, cards="TS TD", saw=SHOWN[2]) is None
    assert say(made, do="correct", play=1, cards="7S 7D", saw=SHOWN[0]) is None


def test_a_pass_is_inserted_once_by_two_who_missed_it() -> None:
    made = table(DEFAULT)
    made.begin("E")
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    made.send(ev.CardsSeen, seat="W", cards=("9S",))
    missed = {"do": "insert", "after": 1, "seat": "N", "saw": "E 5S", "before": 0}
    assert say(made, **missed) is None
    refusal = say(made, **missed)
    assert refusal is not None
    assert refusal.code == "CHANGED"
    assert cards(made) == ["E 5S", "N", "W 9S"]


def test_at_the_beginning_and_after_a_play_that_is_gone() -> None:
    made = played()
    assert say(made, do="insert", after=0, seat="E", cards="3S", before=2).code == "CHANGED"  # type: ignore[union-attr]
    assert say(made, do="remove", play=3, saw=SHOWN[2]) is None
    gone = say(made, do="correct", play=3, cards="TS TD", saw=SHOWN[2])
    assert gone is not None
    assert (gone.code, "taken out" in gone.message) == ("CHANGED", True)
    assert say(made, do="correct", play=3, cards="TS TD").code == "PLAY"  # type: ignore[union-attr]


def test_play_goes_back_once_not_over_what_was_played_since() -> None:
    made = played()
    back = {"do": "roll_back", "play": 1, "saw": SHOWN[0], "before": 2}
    assert say(made, **back) is None
    made.send(ev.CardsSeen, seat="N", cards=("8S", "8D"))
    assert say(made, **back).code == "CHANGED"  # type: ignore[union-attr]
    assert cards(made) == [SHOWN[0], "N 8S 8D"]


def test_a_wild_is_declared_by_who_saw_how_it_is_taken() -> None:
    made = table(DEFAULT)
    made.begin("E")
    made.send(ev.CardsSeen, seat="E", cards=("2H", "5S", "6S", "7S", "8D"))
    taken = made.core.state.actions[0].reading
    other = "straight:8" if taken != "straight:8" else "straight:9"
    assert say(made, do="declare", play=1, reading=other, saw=taken) is None
    assert say(made, do="declare", play=1, reading=taken, saw=taken).code == "CHANGED"  # type: ignore[union-attr]
    assert made.core.state.actions[0].reading == other


def test_a_question_about_a_tribute_is_answered_once() -> None:
    made = in_tribute(DEFAULT)
    made.send(ev.CardsSeen, seat="S", cards=("KS",), doubtful=(0,))
    assert say(made, do="correct_exchange", number=1, seat="S", card="AS") is None
    refusal = say(made, do="correct_exchange", number=1, seat="S", card="QS")
    assert refusal is not None
    assert (refusal.code, made.core.state.exchange.shown["S"]) == ("CHANGED", "AS")
    assert say(made, do="correct_exchange", seat="S", card="QS") is None


def test_places_are_corrected_by_who_saw_them_as_they_stand() -> None:
    made = table(DEFAULT)
    made.ready()
    made.finish(["E", "N", "W", "S"])
    right = {"do": "correct_result", "deal": 1, "agreed": ["EW", "NS"], "role": "head_referee", "saw": "E N W S"}
    assert say(made, **right, order="N E W S") is None
    assert say(made, **right, order="E W").code == "CHANGED"  # type: ignore[union-attr]
    assert made.last_order() == ["N", "E", "W", "S"]


def test_in_a_deal_that_is_over_it_holds_as_well() -> None:
    made = table(DEFAULT)
    made.ready()
    made.finish(["E", "N", "W", "S"])
    play = made.core.state.past[-1].actions[-1]
    assert say(made, do="correct", deal=1, play=play.number, cards="KS", saw=as_shown(play)) is None
    refusal = say(made, do="correct", deal=1, play=play.number, cards="QS", saw=as_shown(play))
    assert refusal is not None
    assert refusal.code == "CHANGED"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({"do": "report", "seat": "E", "number": -1}, "from 0 to 1000000000, not -1"),
        ({"do": "report", "seat": "E", "number": 10**400}, "from 0 to 1000000000, not so much"),
        ({"do": "report", "seat": "E", "number": "ten"}, "a whole number from 0 to 1000000000"),
        ({"do": "report", "seat": "E", "number": True}, "a whole number from 0 to 1000000000"),
        ({"do": "late", "seat": "E", "minutes": 10_001}, "a number from 0 to 10000"),
        ({"do": "late", "seat": "E", "minutes": float("nan")}, "a number from 0 to 10000"),
        ({"do": "resync", "turn": "E", "counts": {"E": 28, "N": 1, "W": 1, "S": 1}}, "from 0 to 27"),
        ({"do": "correct", "play": 1, "cards": "5S", "saw": "E" * 201}, "at most 200 letters"),
        ({"do": "insert", "after": 1, "seat": "N", "before": -1}, "from 0 to 1000000000, not -1"),
    ],
)
def test_what_is_out_of_range_is_told_its_range(command: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_command(command, 5, lambda: "E")
