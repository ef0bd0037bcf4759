"""What the record proves: the plays that prove it are named, and nothing is proved that could have come otherwise."""

from __future__ import annotations

import dataclasses

from table_controller.cards import Seat
from table_controller.games.guandan.deal import Action
from table_controller.games.guandan.profile import load_profile
from table_controller.games.guandan.proof import Exchanged, Proof, proved

NATIONAL, HUAIAN = load_profile("national"), load_profile("huaian")


def plays(*said: tuple[Seat, str] | tuple[Seat, str, tuple[int, ...]]) -> list[Action]:
    return [
        Action(n, line[0], n * 1000, tuple(line[1].split()), line[2] if len(line) > 2 else ())
        for n, line in enumerate(said, 1)
    ]


def single(tribute: str, back: str) -> Exchanged:
    """S paid E, E returned."""
    return Exchanged({"S": "E"}, {"S": tribute}, {"E": back})


def test_a_card_above_the_tribute_proves_it_wrong_at_the_first_play_that_shows_it() -> None:
    record = plays(("S", "5S"), ("S", "AS"), ("S", "SJ"))
    assert proved(record, single("KS", "3S"), "2", NATIONAL) == [Proof("wrong_tribute", "S", "AS", (2,))]


def test_equal_cards_the_wild_and_lower_cards_prove_nothing() -> None:
    record = plays(("S", "KD"), ("S", "2H"), ("S", "QS"))
    assert proved(record, single("KS", "3S"), "2", NATIONAL) == []


def test_a_card_that_came_by_the_return_proves_nothing_but_its_second_copy_does() -> None:
    exchanged = Exchanged({"S": "E"}, {"S": "KS"}, {"E": "AS"})
    assert [p.kind for p in proved(plays(("S", "AS")), exchanged, "2", HUAIAN)] == []
    both = plays(("S", "AS"), ("S", "AS"))
    assert proved(both, exchanged, "2", HUAIAN) == [Proof("wrong_tribute", "S", "AS", (1, 2))]


def test_a_doubtful_or_unread_card_proves_nothing() -> None:
    record = plays(("S", "AS", (0,)), ("S", "??"))
    assert proved(record, single("KS", "3S"), "2", NATIONAL) == []


def test_a_return_above_ten_is_proved_wrong_by_a_card_of_ten_or_lower() -> None:
    record = plays(("E", "QS"), ("E", "TD"))
    assert proved(record, single("AS", "JS"), "2", NATIONAL) == [Proof("wrong_return", "E", "TD", (2,))]
    # In Huai'an an opponent may be given any card.
    assert proved(record, single("AS", "JS"), "2", HUAIAN) == []


def test_without_a_low_card_the_smallest_is_due() -> None:
    record = plays(("E", "JD"))
    assert proved(record, single("AS", "QS"), "2", NATIONAL) == [Proof("wrong_return", "E", "JD", (1,))]
    assert proved(plays(("E", "KD")), single("AS", "QS"), "2", NATIONAL) == []


def test_the_tribute_itself_was_in_hand_when_the_return_was_chosen() -> None:
    assert [p.kind for p in proved(plays(("E", "JS")), single("JS", "QS"), "2", NATIONAL)] == ["wrong_return"]


def test_a_card_handed_over_and_not_played_cannot_be_played_twice_by_others() -> None:
    exchanged = single("AS", "3S")
    record = plays(("N", "AS"), ("W", "AS"))
    assert proved(record, exchanged, "2", NATIONAL) == [Proof("impossible_card", "W", "AS", (1, 2))]
    assert proved(plays(("E", "AS"), ("N", "AS")), exchanged, "2", NATIONAL) == []


def test_without_an_exchange_nothing_is_proved() -> None:
    assert proved(plays(("S", "AS")), Exchanged({}, {}, {}), "2", NATIONAL) == []


def test_both_payers_of_a_double_tribute_are_looked_at() -> None:
    exchanged = Exchanged({"N": "E", "S": "W"}, {"N": "KS", "S": "QS"}, {"E": "3S", "W": "4S"})
    found = proved(plays(("N", "AD"), ("S", "KD")), exchanged, "2", NATIONAL)
    assert [(p.seat, p.card) for p in found] == [("N", "AD"), ("S", "KD")]


def test_one_copy_too_many_accuses_whoever_played_it_not_the_seat_that_was_handed_the_card() -> None:
    exchanged = single("BJ", "3S")  # E was handed a big joker
    record = plays(("N", "BJ"), ("W", "BJ"), ("E", "BJ"))
    assert proved(record[:1], exchanged, "2", NATIONAL) == []
    found = Proof("impossible_card", "W", "BJ", (1, 2))
    assert proved(record[:2], exchanged, "2", NATIONAL) == [found]
    assert proved(record, exchanged, "2", NATIONAL) == [found]


def test_where_the_level_card_does_not_stand_above_ten_returning_it_is_no_fault() -> None:
    record = plays(("E", "3S"), ("E", "4D"))
    assert [p.kind for p in proved(record, single("AS", "5S"), "5", NATIONAL)] == ["wrong_return"]
    lenient = dataclasses.replace(NATIONAL, level_card_above_ten=False)
    assert proved(record, single("AS", "5S"), "5", lenient) == []
