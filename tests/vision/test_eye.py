"""From rendered frames to events: the whole of the table's eye but its process."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.cards import SEATS, full_pack
from table_controller.table.events import AreaCleared, CameraBack, CameraLost, CardsGone, CardsSeen, Event, PromptLaid
from table_controller.vision.eye import Eye

Make = Callable[..., object]


def seen(events: list[Event]) -> list[tuple[str, tuple[str, ...], tuple[int, ...]]]:
    return [(event.seat, event.cards, event.doubtful) for event in events if isinstance(event, CardsSeen)]


@pytest.mark.parametrize(("seed", "style"), [(1, "classic"), (2, "bridge"), (3, "club"), (4, "bold")])
def test_plays_of_all_seats_are_read_in_order(make_table: Make, seed: int, style: str) -> None:
    table = make_table(seed=seed, style=style)
    pack = full_pack()
    random.Random(seed).shuffle(pack)
    wrong = doubtful = 0
    for i, count in enumerate((1, 5, 2, 10, 3, 6, 1, 4)):
        seat = SEATS[i % 4]
        cards = [pack.pop() for _ in range(count)]
        table.scene.lay(seat, cards, tidy=(0.0, 0.5, 1.0)[i % 3])
        events = table.look()
        ((at, read, unsure),) = seen(events)
        assert len(events) == 1
        assert at == seat
        assert len(read) == count
        wrong += sum(a != b and k not in unsure for k, (a, b) in enumerate(zip(read, cards, strict=True)))
        doubtful += len(unsure)
    assert wrong == 0
    assert doubtful <= 2
    for seat in SEATS:
        table.scene.clear(seat)
    cleared = table.look()
    assert {event.seat for event in cleared if isinstance(event, AreaCleared)} == set(SEATS)
    assert len(cleared) == 4


def test_the_stamp_is_the_first_frame_with_all_cards_and_straightening_never_moves_it(make_table: Make) -> None:
    table = make_table(seed=5)
    laid_ms = table.ms
    play = table.scene.lay("S", ["3S", "3H", "3D"], tidy=0.2)
    (event,) = table.look()
    assert isinstance(event, CardsSeen)
    assert event.at_ms == laid_ms
    table.scene.hand("S", "play")
    table.scene.straighten(play)
    assert table.frames(4) == []
    table.scene.hand("S")
    assert table.look() == []
    table.scene.nudge(play, -15, 2)
    assert table.look() == []


def test_nothing_is_read_under_a_hand_and_the_play_counts_from_when_it_shows(make_table: Make) -> None:
    table = make_table(seed=6)
    table.scene.hand("W", "play")
    table.frames(2)
    table.scene.lay("W", ["8S", "8H"])
    assert table.frames(5) == []
    away_ms = table.ms
    table.scene.hand("W")
    (event,) = table.look()
    assert (event.cards, event.at_ms) == (("8S", "8H"), away_ms)


def test_a_sleeve_over_an_area_brings_no_event_and_hides_no_later_play(make_table: Make) -> None:
    table = make_table(seed=7)
    table.scene.lay("E", ["QS"])
    table.look()
    table.scene.sleeve_over("E", True)
    assert table.frames(6) == []
    table.scene.lay("S", ["KS"])
    assert [event.cards for event in table.frames(6) if isinstance(event, CardsSeen)] == [("KS",)]
    table.scene.sleeve_over("E", False)
    assert table.look() == []
    assert table.eye.cards("E") == ("QS",)


def test_a_card_half_under_a_sleeve_of_the_mats_colour_is_not_gone(make_table: Make) -> None:
    table = make_table(seed=22)  # dim light, and a sleeve that hardly differs from the mat
    row = ["7C", "8C", "8H", "8S", "AC", "JD", "JS", "KH", "QC", "QD", "TH"]
    table.scene.lay("E", row, slot=1)
    assert seen(table.look()) == [("E", tuple(row), ())]
    table.scene.sleeve_over("E", True)
    table.frames(5)
    table.scene.lay("E", ["4D", "4S"])
    events = table.frames(14)
    table.scene.sleeve_over("E", False)
    events += table.look()
    assert [type(event) for event in events] == [CardsSeen]
    assert seen(events) == [("E", ("4D", "4S"), ())]


def test_a_play_over_an_earlier_one_is_new_and_taken_back_it_is_gone(make_table: Make) -> None:
    table = make_table(seed=8)
    table.scene.lay("N", ["3S", "3H", "4D", "4C", "5S", "5D"], slot=1)
    table.look()
    over = table.scene.lay("N", ["JH", "JC"], slot=1)
    assert seen(table.look()) == [("N", ("JH", "JC"), ())]
    assert sorted(table.eye.cards("N")) == sorted(["3S", "3H", "4D", "4C", "5S", "5D", "JH", "JC"])
    table.scene.take_back(over)
    (gone,) = table.look()
    assert isinstance(gone, CardsGone)
    assert sorted(gone.cards) == ["JC", "JH"]
    table.scene.clear("N")
    assert table.look() == [AreaCleared(table.ms - 100, "N")]


@pytest.mark.parametrize("turn", [-25.0, 25.0, 180.0])
def test_cards_turned_and_upside_down(make_table: Make, turn: float) -> None:
    table = make_table(seed=9)
    play = table.scene.lay("S", ["9C", "QD"], tidy=1.0)
    table.scene.place(
        play, [replace(pose, u_mm=pose.u_mm + 14 * (i * 2 - 1), turn_deg=turn) for i, pose in enumerate(play.poses)]
    )
    events = [event for event in table.look() if isinstance(event, CardsSeen)]
    assert [card for event in events for card in event.cards] == ["9C", "QD"]


def test_a_card_that_cannot_be_read_is_not_dropped(make_table: Make) -> None:
    table = make_table(seed=10)
    frame = table.scene.render()
    pose = table.eye._finder.pose
    blank = cv2.perspectiveTransform(
        np.array([[[-29, 190]], [[29, 190]], [[29, 272]], [[-29, 272]]], dtype=float), pose.to_frame
    )
    cv2.fillConvexPoly(frame, np.round(blank).astype(np.int32), (236, 240, 240))
    noise = np.random.default_rng(1)
    events: list[Event] = []
    for _ in range(14):  # it is looked at for a second: a sleeve may lie over it
        shaky = np.clip(frame.astype(np.int16) + noise.integers(-2, 3, frame.shape, dtype=np.int16), 0, 255)
        events += table.eye.see(shaky.astype(np.uint8), table.ms)
        table.ms += 100
    assert seen(events) == [("S", ("??",), (0,))]


def test_held_fans_never_appear_in_events_or_evidence(make_table: Make, tmp_path: Path) -> None:
    table = make_table(seed=11, evidence=tmp_path)
    for seat in SEATS:
        table.scene.hold(seat, ["AS", "KS", "QS", "JS", "TS", "9S", "BJ"], face_up=True, u_mm=0)
    assert table.frames(6) == []
    for v_mm in (335.0, 310.0, 290.0):
        table.scene.hold("S", ["AH", "KH", "QH", "JH"], face_up=True, v_mm=v_mm, u_mm=0)
        assert table.frames(6) == [], f"a fan held at {v_mm} mm"
    table.scene.hold("S", ["AH", "KH", "QH", "JH"], face_up=True, v_mm=352, u_mm=0)
    table.look()
    table.scene.lay("S", ["4D", "4S"])
    (event,) = table.look()
    assert event.cards == ("4D", "4S")
    picture = cv2.imread(str(tmp_path / event.evidence))
    assert picture is not None
    below = picture[round((281.5 - 165) * 3) :, :]
    outside = below[:, : (-40 + 195) * 3]
    assert outside.max() < 12, "what lies outside the play area is blacked out"
    circle = cv2.imread(str(tmp_path / event.circle))
    assert np.mean(circle.min(axis=2) > 150) < 0.02, "the bare mat and its ring, and nothing of a fan"
    assert {file.name for file in tmp_path.glob("*.jpg")} == {event.evidence, event.circle}


def test_a_deal_is_not_watched(make_table: Make) -> None:
    table = make_table(seed=12)
    table.eye.watch("deal")
    table.scene.lay("S", ["AS"])
    table.scene.lay_prompt("N", "PASS")
    before = table.eye.readings
    assert table.frames(5) == []
    assert table.eye.readings == before
    assert not table.eye.pending
    table.scene.sweep()
    table.eye.watch("play")
    assert table.look() == []


def test_quiet_areas_are_never_read_again(make_table: Make) -> None:
    table = make_table(seed=13)
    table.scene.lay("S", ["5S", "6S"])
    table.look()
    before = table.eye.readings
    table.frames(20)
    assert table.eye.readings == before


def test_a_black_a_frozen_and_a_turned_away_camera_are_noticed_within_two_seconds(make_table: Make) -> None:
    table = make_table(seed=14)
    good = table.scene.render()
    away = np.random.default_rng(2).integers(60, 120, good.shape, dtype=np.uint8)
    for name, bad in (("black", np.zeros_like(good)), ("change", good), ("markers", away)):
        events: list[Event] = []
        start_ms = table.ms
        for i in range(20):
            frame = bad if name != "markers" else np.roll(bad, i * 7, axis=0)
            events += table.eye.see(frame, table.ms)
            table.ms += 100
        assert [type(event) for event in events] == [CameraLost], name
        assert name in events[0].reason
        assert events[0].at_ms - start_ms <= 2000
        assert [type(event) for event in table.frames(3)] == [CameraBack]


def test_after_a_restart_what_lay_there_is_no_news(make_table: Make) -> None:
    table = make_table(seed=15)
    table.scene.lay("E", ["7S", "7H"], slot=0)
    marker = table.scene.lay_prompt("W", "3")
    table.look()
    table.scene.lay("E", ["KD"], slot=2)
    second = Eye(table.eye._geometry, table.eye._reader)
    second.recall({"E": ("7S", "7H")}, {"W": (marker,)})
    table.eye = second
    events = table.look()
    assert seen(events) == [("E", ("KD",), ())]
    assert not any(isinstance(event, PromptLaid) for event in events)
