"""Touches of a prompt card: told when meant, not when a hand merely passes over on its way to the play area."""

from __future__ import annotations

import pytest

from table_controller.table.events import AreaCleared, CardsGone, CardsSeen, Event, PromptTouched
from table_controller.vision.taps import WAIT_MS, TapWaiting

QUIET: tuple[set[str], set[str]] = (set(), set())
HAND_W: tuple[set[str], set[str]] = ({"W"}, set())
CHANGED_W: tuple[set[str], set[str]] = (set(), {"W"})


def touch(at_ms: int) -> PromptTouched:
    return PromptTouched(at_ms, "W", "PASS", 3)


def run(taps: TapWaiting, frames: list[tuple[int, list[Event], tuple[set[str], set[str]]]]) -> list[Event]:
    return [event for at_ms, events, (over, changed) in frames for event in taps.judge(events, over, changed, at_ms)]  # type: ignore[arg-type]


def test_a_touch_with_a_quiet_play_area_is_told_with_its_own_stamp() -> None:
    taps = TapWaiting()
    assert run(taps, [(0, [], QUIET), (1_000, [touch(1_000)], QUIET)]) == []
    assert taps.pending
    told = run(taps, [(at, [], QUIET) for at in range(1_100, 1_100 + WAIT_MS, 100)])
    assert told == [touch(1_000)]
    assert not taps.pending


def test_an_arm_on_its_way_to_the_play_area_taps_nothing() -> None:
    taps = TapWaiting()
    frames = [
        (1_000, [touch(1_000)], QUIET),
        *((at, [], HAND_W) for at in range(1_100, 4_000, 100)),
        (4_000, [], CHANGED_W),
        (4_100, [], CHANGED_W),
    ]
    assert run(taps, [*frames, *((at, [], QUIET) for at in range(4_200, 7_000, 100))]) == []


def test_a_hand_that_only_hovered_delays_the_touch() -> None:
    taps = TapWaiting()
    assert run(taps, [(1_000, [touch(1_000)], QUIET), *((at, [], HAND_W) for at in range(1_100, 3_000, 100))]) == []
    assert run(taps, [(at, [], QUIET) for at in range(3_000, 5_000, 100)]) == [touch(1_000)]


def test_the_edge_of_an_arm_that_brushes_the_area_for_a_frame_delays_the_touch() -> None:
    taps = TapWaiting()
    assert run(taps, [(1_000, [touch(1_000)], QUIET), (1_100, [], CHANGED_W)]) == []
    assert run(taps, [(at, [], QUIET) for at in range(1_200, 2_300, 100)]) == []
    assert run(taps, [(2_300, [], QUIET)]) == [touch(1_000)]


@pytest.mark.parametrize("gone", [AreaCleared(1_500, "W"), CardsGone(1_500, "W", ("5S",))])
def test_who_takes_cards_away_did_not_pass(gone: Event) -> None:
    taps = TapWaiting()
    frames = [(1_000, [touch(1_000)], QUIET), (1_600, [gone], QUIET), (4_000, [], QUIET)]
    assert run(taps, frames) == [gone]


def test_the_next_players_act_comes_after_the_touch_it_answers() -> None:
    taps = TapWaiting()
    played = CardsSeen(1_500, "S", ("5S",), (), 0.99, "")
    assert run(taps, [(1_000, [touch(1_000)], QUIET), (1_700, [played], QUIET)]) == [touch(1_000), played]


def test_a_seat_that_plays_did_not_pass() -> None:
    taps = TapWaiting()
    played = CardsSeen(1_500, "W", ("5S",), (), 0.99, "")
    told = run(taps, [(1_000, [touch(1_000)], QUIET), (1_700, [played], QUIET), (4_000, [], QUIET)])
    assert told == [played]
