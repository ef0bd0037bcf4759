"""Cards that lie face down are never read: not their backs, not their frames and ornaments."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from table_controller.cards import UNKNOWN
from table_controller.geometry import load_geometry
from table_controller.sim.poses import Pose
from table_controller.sim.scene import Scene
from table_controller.table.events import CardsSeen
from table_controller.vision.mat import MatPose
from table_controller.vision.reader import Reader
from table_controller.vision.seat_eye import READ_PX_PER_MM, reading_window

STYLES = ("classic", "bridge", "bold", "club", "drawn-11", "drawn-12", "drawn-13", "drawn-14")


def face_down(scene: Scene, count: int, rng: random.Random) -> list[int]:
    poses = [Pose(-140 + i * 50, 230 + rng.uniform(-6, 6), rng.uniform(-40, 40)) for i in range(count)]
    return [scene._put(scene._card_sprite("S", pose, None)) for pose in poses]


@pytest.mark.parametrize("style", STYLES)
def test_no_back_is_read_as_a_card(style: str, reader: Reader) -> None:
    rng = random.Random(style)
    scene = Scene(rng, style=style)
    face_down(scene, 6, rng)
    window = reading_window(load_geometry(), "S")
    view = window.view(scene.render(), MatPose(scene.to_frame, 8, 0.0), READ_PX_PER_MM)
    for told in (1.0, 0.9, 0.8):
        readings = reader.read_crop(view, READ_PX_PER_MM * told)
        assert [r.card for r in readings if not r.doubtful] == []


def test_cards_put_down_on_their_faces_name_no_card_and_the_next_play_is_read(
    make_table: Callable[..., object],
) -> None:
    table = make_table(seed=81)
    keys = face_down(table.scene, 4, random.Random(1))
    named = [card for event in table.look(40) if isinstance(event, CardsSeen) for card in event.cards]
    assert set(named) <= {UNKNOWN}
    for key in keys:
        table.scene.remove(key)
    table.look(40)
    table.scene.lay("S", ["4H", "5H"])
    assert [event.cards for event in table.look(40) if isinstance(event, CardsSeen)] == [("4H", "5H")]
