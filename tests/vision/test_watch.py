"""Light, focus, glare, flicker, scale, rate and bumps are told in words; good pictures bring no word."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from table_controller.cards import SEATS, full_pack
from table_controller.geometry import load_geometry
from table_controller.sim import faults
from table_controller.sim.scene import Look, Scene
from table_controller.table.events import CardsSeen, Event
from table_controller.vision.hints import WORDS, Hint
from table_controller.vision.mat import MatFinder, corner_shift_px, glimpse_of
from table_controller.vision.watch import PictureWatch

GEOMETRY = load_geometry()
SIZE = GEOMETRY.frame_px
Fault = Callable[[np.ndarray, int], np.ndarray]


def laid(seed: int) -> Scene:
    """A table in the middle of a trick."""
    rng = random.Random(seed)
    scene, pack = Scene(rng, look=Look(turn_deg=2, tilt_px=15)), full_pack()
    rng.shuffle(pack)
    for seat in SEATS:
        scene.lay(seat, [pack.pop() for _ in range(5)], tidy=0.4)
        scene.lay_prompt(seat, "PASS")
    return scene


def hints(scene: Scene, fault: Fault | None = None, *, step_ms: int = 100, frames: int = 12) -> set[tuple[str, str]]:
    watch, finder, last_ms = PictureWatch(GEOMETRY), MatFinder(GEOMETRY), 0
    for i in range(frames):
        frame = scene.render()
        frame = frame if fault is None else fault(frame, i)
        glimpse = glimpse_of(frame)
        watch.look(frame, glimpse, finder.find(frame, glimpse), last_ms)
        last_ms += step_ms
    return {(hint.code, hint.seat or "") for hint in watch.hints(last_ms)}


@pytest.mark.parametrize("seed", range(4))
def test_good_pictures_bring_no_hint_with_hands_over_them_either(seed: int) -> None:
    scene = laid(seed)
    if seed % 2:
        scene.hand("S", "play")
        scene.sleeve_over("E", True)
    assert hints(scene, frames=42) == set()


def test_each_fault_of_light_and_focus_is_named_with_its_place() -> None:
    scene = laid(4)
    lamp = faults.at_frame(scene.to_frame, "N", 60, 230)
    everywhere = set(SEATS)
    assert hints(scene, lambda frame, _: faults.lit(frame, 0.3)) == {("dark", seat) for seat in everywhere}
    assert hints(scene, lambda frame, _: faults.lit(frame, 1.8)) == {("bright", seat) for seat in everywhere}
    assert hints(scene, lambda frame, _: faults.glare(frame, lamp, 100)) == {("glare", "N")}
    assert hints(scene, lambda frame, _: faults.defocus(frame, 2.4)) == {("unsharp", seat) for seat in everywhere}
    assert ("flicker", "") in hints(scene, lambda frame, i: faults.mains(frame, i, 0.03), frames=42)
    half = [faults.at_frame(scene.to_frame, "W", u, v) for u, v in ((-200, 150), (200, 150), (200, 310), (-200, 310))]
    assert ("uneven", "W") in hints(scene, lambda frame, _: faults.shadow(frame, half, 0.5))


def test_a_slow_camera_and_a_coarse_picture_are_told() -> None:
    scene = laid(5)
    assert hints(scene, step_ms=200, frames=30) == {("slow", "")}
    far = faults.bump(SIZE, (0, 0), 0, 0.85)
    assert {("coarse", seat) for seat in SEATS} <= hints(scene, lambda frame, _: faults.seen_through(frame, far))


def test_a_camera_of_too_few_pixels_is_told_from_its_first_frame_with_the_mat_or_without() -> None:
    watch = PictureWatch(GEOMETRY)
    for size, told in (((720, 1280), True), ((1080, 1080), True), ((2160, 2160), False)):
        frame = np.full((*size, 3), 90, dtype=np.uint8)
        watch.look(frame, glimpse_of(frame), None, 0)
        hints_now = watch.hints(0)
        assert [hint.code for hint in hints_now] == (["small"] if told else [])
        if told:
            assert f"{size[1]} × {size[0]}" in hints_now[0].en and "1824 × 1824" in hints_now[0].zh


@pytest.mark.parametrize(
    ("shift", "turn", "zoom"), [((25, -14), 0.7, 1.0), ((60, 40), -1.5, 0.985), ((3, 2), 0.0, 1.0)]
)
def test_a_bumped_camera_is_aligned_again_within_a_second_without_a_false_event(
    make_table: Callable[..., object], shift: tuple[int, int], turn: float, zoom: float
) -> None:
    table = make_table(seed=31)
    for seat in SEATS:
        table.scene.lay(seat, ["5S", "6H"])
        table.scene.lay_prompt(seat, "PASS")
    table.look()
    move = faults.bump(SIZE, shift, turn, zoom)
    events: list[Event] = []
    for _ in range(10):
        events += table.eye.see(faults.seen_through(table.scene.render(), move), table.ms)
        table.ms += 100
    assert events == []
    assert table.eye.pose is not None
    assert corner_shift_px(GEOMETRY, table.eye.pose.to_frame, move @ table.scene.to_frame) < 2
    assert [hint.code for hint in table.eye.hints] == (["moved"] if abs(shift[0]) > 5 else [])
    table.scene.lay("S", ["9C"], slot=2)
    for _ in range(6):
        events += table.eye.see(faults.seen_through(table.scene.render(), move), table.ms)
        table.ms += 100
    assert [event.cards for event in events if isinstance(event, CardsSeen)] == [("9C",)]
    assert len(events) == 1


def test_slow_drift_is_followed_without_a_false_event(make_table: Callable[..., object]) -> None:
    table = make_table(seed=32)
    table.scene.lay("E", ["7S", "7H", "KD"])
    table.scene.lay_prompt("W", "3")
    table.look()
    events: list[Event] = []
    for i in range(30):
        move = faults.bump(SIZE, (i * 0.5, -i * 0.3), i * 0.02)
        events += table.eye.see(faults.seen_through(table.scene.render(), move), table.ms)
        table.ms += 100
    assert events == []
    assert table.eye.pose is not None
    assert corner_shift_px(GEOMETRY, table.eye.pose.to_frame, move @ table.scene.to_frame) < 4


def test_a_screen_and_its_shadow_bring_no_event_and_plays_are_read_beside_them(
    make_table: Callable[..., object],
) -> None:
    table = make_table(seed=33)
    table.scene.lay("W", ["4D", "4S"])
    table.scene.lay_prompt("E", "PASS")
    table.look()

    def screened(count: int) -> list[Event]:
        events: list[Event] = []
        for _ in range(count):
            events += table.eye.see(faults.screen(table.scene.render(), table.scene.to_frame), table.ms)
            table.ms += 100
        return events

    assert screened(30) == []
    table.scene.lay("N", ["QS", "QD"], slot=0)
    table.scene.lay("W", ["9C"], slot=2)
    assert {(e.seat, e.cards) for e in screened(8) if isinstance(e, CardsSeen)} == {("N", ("QS", "QD")), ("W", ("9C",))}


def test_every_hint_has_words_in_both_languages_with_its_place() -> None:
    for code, (zh, en) in WORDS.items():
        hint = Hint(code, "N", "2.4")
        assert hint.zh
        assert hint.en
        assert ("北" in hint.zh) == ("{zh}" in zh)
        assert ("N's" in hint.en) == ("{en}" in en)
        assert "{" not in hint.zh + hint.en
        assert set(hint.document()) == {"code", "seat", "zh", "en"}
