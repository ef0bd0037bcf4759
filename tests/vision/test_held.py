"""Cards held over an area are never told, read out or kept; what lies there is read when they are gone."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.geometry import load_geometry
from table_controller.sim.held import Fan, hold_over
from table_controller.table.events import CardsSeen, Event
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.evidence import KEPT_LIST, STARTS_FILE, EvidenceStore, evidence_picture
from table_controller.vision.held import FAN_FRAMES, HeldCheck, is_fan
from table_controller.vision.mat import play_window

HELD = ["AS", "KH", "QD", "JC", "TS", "9H", "8D", "7C", "BJ"]
Make = Callable[..., object]


def held_over(table: object, fan: Fan, count: int, frames: int = 16) -> list[Event]:
    """What is told while a fan is held over S's area, and after it is gone."""
    keys = hold_over(table.scene, "S", HELD[:count], fan)
    events = table.frames(frames)
    for key in keys:
        table.scene.remove(key)
    return events + table.frames(4)


@pytest.mark.parametrize("seed", range(3))
def test_fans_held_over_an_area_in_many_poses_are_never_told_or_kept(
    make_table: Make, tmp_path: Path, seed: int
) -> None:
    table, rng = make_table(seed=40 + seed, evidence=tmp_path), random.Random(seed)
    table.scene.lay("S", ["4D", "4S"], slot=0)
    table.look()
    for _ in range(3):
        fan = Fan(
            (rng.uniform(-90, 150), rng.uniform(195, 270)),
            height_mm=rng.uniform(100, 260),
            tilt_deg=rng.uniform(0, 50),
            turn_deg=rng.uniform(-30, 30),
            step_deg=rng.uniform(4, 12),
        )
        assert held_over(table, fan, rng.choice((1, 2, 5, 9)), 8) == [], fan
    table.scene.lay("S", ["9C"], slot=2)
    assert [event.cards for event in table.look() if isinstance(event, CardsSeen)] == [("9C",)]
    assert len(list(tmp_path.glob("*-S.jpg"))) == 2
    [circle] = tmp_path.glob("*-circle.jpg")
    assert np.mean(cv2.imread(str(circle)).min(axis=2) > 150) < 0.02, "nothing lay in the circle but its printed ring"


@pytest.mark.parametrize("seed", range(3))
def test_a_fan_held_over_the_prompt_circle_is_no_prompt_card_and_one_laid_there_is_still_read(
    make_table: Make, seed: int
) -> None:
    table, rng = make_table(seed=70 + seed), random.Random(seed)
    u, v = table.scene.geometry.prompt_centre
    table.scene.lay_prompt("S", "PASS")
    table.look()
    for count in (5, 9):
        at = (u + rng.uniform(-10, 10), v + rng.uniform(-10, 10))
        fan = Fan(at, height_mm=rng.uniform(100, 200), tilt_deg=rng.uniform(0, 40), turn_deg=rng.uniform(-30, 30))
        assert held_over(table, fan, count, 14) == [], fan
    table.scene.lay_prompt("S", "TD")
    assert [(type(event).__name__, event.kind) for event in table.look()] == [("PromptLaid", "TD")]


@pytest.mark.parametrize(("count", "height_mm", "tilt_deg"), [(5, 115, 17), (2, 120, 0), (9, 150, 10), (3, 140, 8)])
def test_a_fan_held_quite_still_by_an_arm_that_cannot_be_seen_is_told_by_its_size_and_shape(
    make_table: Make, count: int, height_mm: float, tilt_deg: float
) -> None:
    table = make_table(seed=50)
    table.scene.lay("S", ["4D", "4S", "JC"], slot=0)
    table.look()
    fan = Fan((70, 225), height_mm=height_mm, tilt_deg=tilt_deg, turn_deg=4, step_deg=8, arm=False)
    assert held_over(table, fan, count) == []


def test_a_play_under_a_held_fan_is_read_when_it_is_gone(make_table: Make) -> None:
    table = make_table(seed=51)
    keys = hold_over(table.scene, "S", HELD[:5], Fan((40, 260)))
    table.frames(3)
    table.scene.lay("S", ["3D", "3S"], slot=1)
    assert table.frames(5) == []
    for key in keys:
        table.scene.remove(key)
    assert [event.cards for event in table.look() if isinstance(event, CardsSeen)] == [("3D", "3S")]


def card(u: float, turn: float, apart_mm: float = 77.6) -> SeenCard:
    probs = np.zeros(55, dtype=np.float32)
    return SeenCard("5S", 0.99, False, (u, 200.0), (u + apart_mm * 0.588, 200 + apart_mm * 0.809), turn, probs)


def test_a_row_is_no_fan_and_a_fan_at_rest_for_three_seconds_lies_there() -> None:
    row = [card(20.0 * i, turn) for i, turn in enumerate((1.0, -3.0, 2.0, 0.0, 4.0))]
    fan = [card(20.0 * i, turn) for i, turn in enumerate((-16.0, -8.0, 1.0, 7.0, 16.0))]
    assert not is_fan(row)
    assert is_fan(fan)
    check = HeldCheck(load_geometry().camera_mm)
    assert check.above(fan, [], 3)
    assert not check.above(fan, [], FAN_FRAMES)


def test_the_decks_own_measure_is_learnt_from_what_lies() -> None:
    check = HeldCheck(load_geometry().camera_mm)
    wide = card(0, 0, 81.5)
    assert not check.above([wide], [], 5), "an unknown deck may print its corners closer to the edge"
    check.lying([card(0, 0, 77.0), card(40, 0, 77.3), card(80, 0, 76.9)], [48.0, 49.0, 47.0])
    assert check.above([wide], [], 5)
    assert not check.above([card(0, 0, 77.9)], [50.0, 49.0, 51.0], 5)
    assert check.above([card(0, 0, 77.9)], [58.0, 59.0, 57.0], 5)


def test_evidence_shows_the_cards_accounted_for_on_bare_mat_and_blackens_the_rest() -> None:
    geometry = load_geometry()
    window = play_window(geometry, "S")
    width, height = window.size_px(3.0)
    view = np.full((height, width, 3), (96, 106, 116), dtype=np.uint8)
    lying, stranger = card(-100.0, 0.0), card(60.0, 0.0)
    for shown in (lying, stranger):
        corners = np.array([window.to_px(u, v, 3.0) for u, v in shown.outline(0)])
        cv2.fillConvexPoly(view, np.round(corners).astype(np.int32), (240, 242, 244))
    picture = evidence_picture(view, window, 3.0, [lying], geometry)

    def at(u: float, v: float) -> int:
        x, y = window.to_px(u, v, 3.0)
        return int(picture[round(y), round(x)].max())

    assert at(*lying.centre) > 230
    assert at(*stranger.centre) == 0
    assert at(150, 230) > 90
    assert at(0, 290) == 0


def store(folder: Path, count: int) -> list[str]:
    """Pictures a day apart, the last one today."""
    keeper = EvidenceStore(folder, days=10_000, most_mb=10_000)
    picture = np.full((40, 60, 3), 99, dtype=np.uint8)
    names = [keeper.keep(picture, f"{i}.jpg") for i in range(count)]
    newest = (folder / names[-1]).stat().st_mtime
    for i, name in enumerate(names):
        os.utime(folder / name, (0, newest - 86_400 * (count - 1 - i)))
    return names


def test_old_pictures_go_but_never_one_that_is_named(tmp_path: Path) -> None:
    names = store(tmp_path, 6)
    (tmp_path / KEPT_LIST).write_text(f"{names[0]}\n", encoding="utf-8")
    EvidenceStore(tmp_path, days=2).tidy()
    assert sorted(file.name for file in tmp_path.glob("*.jpg")) == [names[0], *names[3:]]


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path) -> None:
    names = store(tmp_path, 4)
    size = (tmp_path / names[0]).stat().st_size
    keeper = EvidenceStore(tmp_path)
    keeper._most_bytes = size * 2
    keeper.tidy()
    assert sorted(file.name for file in tmp_path.glob("*.jpg")) == names[2:]


def test_a_restart_takes_no_old_name_and_the_order_of_names_is_the_order_of_time(tmp_path: Path) -> None:
    picture = np.full((40, 60, 3), 99, dtype=np.uint8)
    stamps = (900, 5_000), (40, 900), (7, 8)
    names = []
    for run in stamps:  # a machine that starts anew counts its milliseconds from nought
        keeper = EvidenceStore(tmp_path)
        names += [keeper.keep(picture, f"{stamp_ms:010d}-S.jpg") for stamp_ms in run]
    assert len(set(names)) == 6 and names == sorted(names)
    assert sorted(file.name for file in tmp_path.glob("*.jpg")) == names
    for file in tmp_path.glob("*.jpg"):
        file.unlink()  # a journal may still name them
    assert EvidenceStore(tmp_path).keep(picture, "0000000007-S.jpg") > names[-1]
    (tmp_path / STARTS_FILE).write_text("spoilt", encoding="ascii")
    assert EvidenceStore(tmp_path).keep(picture, "0000000007-S.jpg") > names[-1]


def test_a_disk_that_cannot_be_written_costs_the_picture_only(tmp_path: Path) -> None:
    keeper = EvidenceStore(tmp_path / "evidence")
    (tmp_path / "evidence").rmdir()
    assert keeper.keep(np.zeros((9, 9, 3), dtype=np.uint8), "1.jpg") == ""
