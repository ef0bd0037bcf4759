"""The tracker's bookkeeping, without pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from table_controller.cards import FACES
from table_controller.vision.cards_on_mat import SeenCard, apart
from table_controller.vision.tracker import SeatTracker, Settled


def row(names: str, u: float = -60.0, v: float = 200.0, step: float = 18.0) -> list[SeenCard]:
    """Cards in a row, their top indices from ``u`` on; the last one shows both corners."""
    cards = [SeenCard(n, 0.93, False, (u + i * step, v), None, 0.0) for i, n in enumerate(names.split())]
    last = cards[-1]
    assert last.top is not None
    return [*cards[:-1], replace(last, bottom=(last.top[0] + 45.6, last.top[1] + 62.8))]


def shifted(cards: list[SeenCard], du: float, dv: float = 0.0) -> list[SeenCard]:
    def move(at: tuple[float, float] | None) -> tuple[float, float] | None:
        return None if at is None else (at[0] + du, at[1] + dv)

    return [replace(card, top=move(card.top), bottom=move(card.bottom)) for card in cards]


def names(settled: Settled) -> tuple[list[str], list[str], bool]:
    return [c.card for c in settled.new], [k.seen.card for k in settled.gone], settled.cleared


def settle(tracker: SeatTracker, seen: list[SeenCard], unchanged: bool = False) -> tuple[list[str], list[str], bool]:
    """Settle; a card's print remains where the same card is seen in the same place (or all remains, if told)."""

    def remains(card: SeenCard) -> bool:
        return unchanged or any(other.card == card.card and apart(other, card) < 1 for other in seen)

    return names(tracker.settle(seen, remains))


def test_a_first_play_then_another_beside_it() -> None:
    tracker, first, second = SeatTracker(), row("5S 5H", -150), row("6D 6C", 20)
    assert settle(tracker, first) == (["5S", "5H"], [], False)
    assert settle(tracker, first) == ([], [], False)
    assert settle(tracker, first + second) == (["6D", "6C"], [], False)


def test_straightened_and_pushed_cards_are_no_new_play() -> None:
    tracker, play = SeatTracker(), row("5S 6S 7S 8S 9S")
    settle(tracker, play)
    straight = row("5S 6S 7S 8S 9S", -52, 203, 15)
    assert settle(tracker, straight) == ([], [], False)
    assert settle(tracker, shifted(straight, -70, 6)) == ([], [], False)
    assert [known.seen.card for known in tracker.known] == ["5S", "6S", "7S", "8S", "9S"]


def test_a_play_taken_back_is_gone_and_an_empty_area_is_cleared() -> None:
    tracker, first, second = SeatTracker(), row("5S 5H", -150), row("6D 6C", 20)
    settle(tracker, first)
    settle(tracker, first + second)
    assert settle(tracker, first) == ([], ["6D", "6C"], False)
    assert settle(tracker, []) == ([], ["5S", "5H"], True)
    assert settle(tracker, []) == ([], [], False)


def test_an_earlier_play_partly_covered_stays_accounted_for() -> None:
    tracker, first = SeatTracker(), row("3S 3H 3D 4C 4D", -60)
    settle(tracker, first)
    over = row("KS KH", -60 + 2 * 18 - 3, 206)
    seen = [first[0], first[1], *over, replace(first[4], top=None)]
    assert settle(tracker, seen) == (["KS", "KH"], [], False)
    assert sorted(known.seen.card for known in tracker.known if known.hidden) == ["3D", "4C"]
    assert settle(tracker, first) == ([], ["KS", "KH"], False), "taken back: what was hidden shows again"
    assert not any(known.hidden for known in tracker.known)


def test_the_second_copy_of_a_card_over_the_first_is_new() -> None:
    tracker, first = SeatTracker(), row("9H", 0)
    settle(tracker, first)
    assert settle(tracker, row("9H TH JH", -12, 204)) == (["9H", "TH", "JH"], [], False)


def test_the_second_copy_laid_on_the_very_corner_of_the_first_is_new() -> None:
    tracker, first = SeatTracker(), row("3S JD 9H", 0)
    settle(tracker, first)
    over = row("2S JD 7D QC", -1, 203)
    assert settle(tracker, over) == (["2S", "JD", "7D", "QC"], [], False)
    assert [known.seen.card for known in tracker.known if known.hidden] == ["3S", "JD", "9H"]


def test_a_hidden_play_pushed_out_from_under_another_is_no_new_play() -> None:
    tracker, first = SeatTracker(), row("4S 8C", 0)
    settle(tracker, first)
    over = row("QS", 12, 204)
    assert settle(tracker, [first[0], *over])[0] == ["QS"]
    assert settle(tracker, [*shifted(first, -22), *over]) == ([], [], False)


def test_a_card_not_read_this_time_is_not_gone_while_its_picture_is_the_same() -> None:
    tracker, play = SeatTracker(), row("5S 6S 7S")
    settle(tracker, play)
    assert settle(tracker, [play[0], play[2]], unchanged=True) == ([], [], False)
    assert settle(tracker, [play[0], play[2]], unchanged=False) == ([], ["6S"], False)


def test_a_doubtful_card_read_better_later_is_the_same_card() -> None:
    tracker, play = SeatTracker(), row("5S 8C")
    doubtful = [play[0], replace(play[1], card="3C", doubtful=True)]
    assert settle(tracker, doubtful) == (["5S", "3C"], [], False)
    assert settle(tracker, play) == ([], [], False)
    assert [known.seen.card for known in tracker.known] == ["5S", "8C"]


def test_a_half_covered_corner_that_reads_as_another_face_is_the_card_it_was() -> None:
    tracker, first = SeatTracker(), row("7H 9H", -60)
    settle(tracker, first)
    misread = [first[0], replace(first[1], card="5H"), *row("JS QS", 0, 206)]
    settled = tracker.settle(misread, lambda card: card.card == "9H")
    assert names(settled) == (["JS", "QS"], [], False)
    assert [known.seen.card for known in tracker.known] == ["7H", "9H", "JS", "QS"]


def test_taken_back_and_another_laid_in_its_place() -> None:
    tracker = SeatTracker()
    settle(tracker, row("5S 5H"))
    assert settle(tracker, row("KD KC", -20)) == (["KD", "KC"], ["5S", "5H"], True)


def test_a_row_pushed_by_one_step_is_the_same_play_however_alike_its_cards() -> None:
    tracker, play = SeatTracker(), row("5C 5S 9H 6C 9H 6S", step=16.0)
    settle(tracker, play)
    settled = tracker.settle(shifted(play, 16.0, 1.0), lambda card: card.card in ("5S", "9H"))
    assert names(settled) == ([], [], False)


def test_a_card_stirred_that_begins_a_new_row_is_asked_about() -> None:
    tracker, first = SeatTracker(), row("KD", 0)
    settle(tracker, first)
    over = row("KD 4S 4H", 0.4, 200.3, 16)
    settled = tracker.settle(over, lambda card: card.card == "KD", lambda card: True)
    assert [(c.card, c.doubtful) for c in settled.new] == [("KD", True), ("4S", False), ("4H", False)]
    tracker = SeatTracker()
    settle(tracker, first)
    settled = tracker.settle(over, lambda card: card.card == "KD", lambda card: False)
    assert [c.card for c in settled.new] == ["4S", "4H"], "to a hair where it lay it is the card that lay there"


def test_what_a_thing_lies_over_is_not_gone() -> None:
    tracker, play = SeatTracker(), row("5S 6S 7S")
    settle(tracker, play)
    covered = tracker.settle(play[:1], lambda card: card.card == "5S", under=lambda at: at[0] > -50)
    assert names(covered) == ([], [], False)
    assert [known.seen.card for known in tracker.known if known.hidden] == ["6S", "7S"]


def test_a_doubtful_card_is_no_other_card_that_its_reading_rules_out() -> None:
    tracker, play = SeatTracker(), row("5S JC")
    probs = np.full(len(FACES) + 1, 1e-4, dtype=np.float32)
    probs[FACES.index("JC")] = 0.9
    settle(tracker, [play[0], replace(play[1], doubtful=True, probs=probs)])
    new, _, _ = settle(tracker, [play[0], *row("3H 3H", -44, 201)])
    assert new == ["3H", "3H"]


def test_a_gap_with_room_for_a_card_that_was_not_seen_is_doubted() -> None:
    tracker, play = SeatTracker(), row("KH KD KD KC KS", step=15.0)
    settled = tracker.settle([play[0], play[1], *play[3:]], lambda card: False)
    assert [(c.card, c.doubtful) for c in settled.new] == [
        ("KH", False), ("KD", False), ("KC", True), ("KS", False),
    ]  # fmt: skip
    tracker = SeatTracker()
    assert not any(c.doubtful for c in tracker.settle(play, lambda card: False).new)
    tracker = SeatTracker()
    assert not any(c.doubtful for c in tracker.settle(row("5S 6S 7S", step=26.0), lambda card: False).new)


def test_a_joker_whose_long_word_is_found_twice_is_one_card() -> None:
    tracker, jokers = SeatTracker(), row("SJ SJ BJ BJ", -57)
    settle(tracker, jokers)
    again = replace(jokers[0], doubtful=True, top=(-59.0, 199.0), confidence=0.9)
    assert settle(tracker, [again, *jokers]) == ([], [], False)


def test_print_between_two_cards_that_were_pushed_along_is_no_new_card() -> None:
    tracker, kings = SeatTracker(), row("QC QC QS KD KH KC", -173)
    settle(tracker, kings)
    pushed = shifted(kings, 34)
    between = SeenCard("SJ", 0.9, True, (-76.0, 205.0), None, 0.0)
    assert settle(tracker, [*pushed, between]) == ([], [], False)
    beside = replace(between, top=(-160.0, 205.0))
    assert settle(tracker, [*pushed, beside])[0] == ["SJ"]


def test_an_index_half_covered_by_the_last_card_of_a_new_row_is_the_old_card_whatever_it_reads_as() -> None:
    tracker, old = SeatTracker(), row("9H 9D TD TS", 0)
    settle(tracker, old)
    new = row("2D 3D 4S 5C 6S", -124)
    probs = np.full(len(FACES) + 1, 1e-4, dtype=np.float32)
    probs[FACES.index("9D")] = 0.6
    half_covered = SeenCard("9D", 0.6, True, (2.0, 201.0), None, 0.0, probs)
    assert settle(tracker, [*new, half_covered, *old[1:]]) == (["2D", "3D", "4S", "5C", "6S"], [], False)
    assert [known.seen.card for known in tracker.known][:2] == ["9H", "9D"]
    tracker = SeatTracker()
    settle(tracker, old)
    sure_of_itself = replace(half_covered, confidence=0.98, doubtful=False)
    assert settle(tracker, [*new, sure_of_itself, *old[1:]])[0] == ["2D", "3D", "4S", "5C", "6S"]


def test_a_second_copy_laid_over_the_next_cards_of_its_row_is_a_play() -> None:
    tracker, old = SeatTracker(), row("7H 7D 8S 8D 9H 9D", -60)
    settle(tracker, old)
    new = row("8D", -3)
    last = replace(old[5], top=None)
    assert settle(tracker, [*old[:3], *new, last]) == (["8D"], [], False)
    assert [(known.seen.card, known.hidden) for known in tracker.known][3:] == [
        ("8D", True), ("9H", True), ("9D", False), ("8D", False)
    ]  # fmt: skip


def test_a_second_copy_laid_lower_over_the_first_is_a_play_where_the_first_shows_beside_it() -> None:
    def told(first_shows: bool) -> list[str]:
        tracker = SeatTracker()
        settle(tracker, row("SJ"))
        strip = SeenCard("??", 0.0, True, (-64.0, 165.0), (-18.0, 228.0), 0.0)
        seen = [strip, *row("SJ", -60, 215)]
        settled = tracker.settle(seen, lambda _: False, beside=lambda known, card: first_shows and card.card == "SJ")
        return [card.card for card in settled.new]

    assert told(True) == ["SJ"]
    assert told(False) == ["??"], "without that print it is the first, pushed off something"


def test_cards_taken_back_from_the_end_of_a_row_leave_the_others_what_they_were() -> None:
    tracker, old = SeatTracker(), row("7H 7D 8S 8D 9H 9D", -60)
    settle(tracker, old)
    assert settle(tracker, row("7H 7D 8S 8D", -60)) == ([], ["9H", "9D"], False)


def test_an_index_half_under_the_first_card_of_a_new_row_is_the_old_card() -> None:
    tracker, old = SeatTracker(), row("QS QH QD KS KC", -60)
    settle(tracker, old)
    half_covered = replace(old[2], top=(-25.5, 199.8), doubtful=True, confidence=0.95)
    new = row("SJ BJ", -19, 209)
    assert settle(tracker, [*old[:2], half_covered, *new])[0] == ["SJ", "BJ"]


def test_what_showed_before_and_was_no_card_then_is_doubted() -> None:
    tracker, old = SeatTracker(), row("6S 7S", -60)
    settle(tracker, old)
    pip, new = SeenCard("JS", 0.9, False, (0.0, 203.0), None, 0.0), row("5C 5H", 19)
    told = tracker.settle([*old, pip, *new], lambda _: True, showed=lambda card: card.card == "JS")
    assert [(card.card, card.doubtful) for card in told.new] == [("JS", True), ("5C", False), ("5H", False)]


def test_a_second_copy_that_begins_a_row_with_a_joker_is_doubted_too() -> None:
    tracker, old = SeatTracker(), row("7C AC AD", -60)
    settle(tracker, old)
    joker = replace(row("SJ", -60 + 3 * 18, 206.0)[0], confidence=0.99)
    told = tracker.settle([*old, joker], lambda _: True, stirred=lambda _: True)
    assert [(card.card, card.doubtful) for card in told.new] == [("AD", True), ("SJ", False)]


def test_the_last_card_alone_a_hair_elsewhere_beside_a_new_one_is_doubted() -> None:
    tracker, old = SeatTracker(), row("7D 7S 7C AC AD", -65)
    settle(tracker, old)
    moved = [*old[:-1], *shifted(old[-1:], -0.4, 0.1)]
    joker = replace(row("SJ", 22, 204.5)[0], confidence=0.99)
    told = tracker.settle([*moved, joker], lambda card: card.card != "AD")
    assert [(card.card, card.doubtful) for card in told.new] == [("AD", True), ("SJ", False)]


def test_the_edges_of_a_pile_read_as_a_joker_on_its_side_are_no_card() -> None:
    lying = row("8S 8H 8C 8D")
    under = replace(lying[0], card="SJ", top=(lying[1].anchor[0], 277.0), bottom=None, turn_deg=-90.0)
    assert names(SeatTracker().settle([*lying, under], lambda _: False))[0] == ["8S", "8H", "8C", "8D"]
    alone = replace(under, top=(80.0, 230.0))
    assert "SJ" in names(SeatTracker().settle([*lying, alone], lambda _: False))[0]  # a joker thrown beside them


def test_the_same_cards_laid_over_a_row_of_which_one_stays_where_it_lay_are_a_play() -> None:
    tracker, old = SeatTracker(), row("JC JS", 107)
    settle(tracker, old)
    assert settle(tracker, [*row("JC JS", 50, 204), old[1]]) == (["JC", "JS"], [], False)
    assert [(known.seen.card, known.hidden) for known in tracker.known] == [
        ("JC", True), ("JS", False), ("JC", False), ("JS", False)
    ]  # fmt: skip


def test_a_stirred_card_that_begins_a_row_of_turned_cards_is_asked_about() -> None:
    tracker, old = SeatTracker(), [replace(card, turn_deg=25.0) for card in row("7C 7H", -79)]
    settle(tracker, old)
    new = [replace(card, turn_deg=25.5) for card in row("6H 6D", -43)]
    seen = [old[0], *shifted([replace(old[1], bottom=None)], 0.7, -0.5), *new]
    told = tracker.settle(seen, lambda card: card.card != "7H")
    assert [(card.card, card.doubtful) for card in told.new] == [("7H", True), ("6H", False), ("6D", False)]


def test_an_index_under_the_edge_of_a_new_row_is_the_old_card_where_its_print_shows_beside_that_edge() -> None:
    def told(its_print_shows: bool) -> list[str]:
        tracker = SeatTracker()
        settle(tracker, row("4H 4C 4C", -22))
        half = replace(row("4H", -23)[0], bottom=None, doubtful=True)
        seen = [half, *row("BJ BJ", -14.4, 202, 19)]
        settled = tracker.settle(seen, lambda _: False, beside=lambda known, _: its_print_shows and known.card == "4H")
        return [card.card for card in settled.new]

    assert told(True) == ["BJ", "BJ"]
    assert told(False) == ["4H", "BJ", "BJ"], "else it may be the other copy, laid with them"
