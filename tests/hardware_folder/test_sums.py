"""The sums of camera, light and mechanism, and the lengths that the rules give."""

from __future__ import annotations

import math
import random

import pytest

from hardware.tools import data, pages
from hardware.tools.table_plan import edge_areas
from table_controller.cards import SEATS
from table_controller.dealer.emulator import Emulator
from table_controller.dealer.stepped import SteppedLink
from table_controller.geometry import load_geometry, seat_to_mat
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealDone, DealPlanned, Event

CAMERA = data.toml("hardware/camera.toml")
GEOMETRY = data.toml("hardware/geometry.toml")
MECHANISM = data.toml("hardware/mechanism.toml")
MACHINE = data.toml("firmware/machine.toml")
HEIGHT = GEOMETRY["camera"]["height_mm"]


# --- camera ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["chosen", "substitute"])
def test_every_area_and_every_index_has_its_pixels(kind: str) -> None:
    lens, height = data.optics(kind), pages.hang_mm(kind)
    worst = data.worst_px_per_mm(lens, height)
    assert worst >= CAMERA["read"]["px_per_mm_min"] == GEOMETRY["camera"]["px_per_mm"]
    assert worst * CAMERA["read"]["index_mm"] >= CAMERA["read"]["index_px_min"]
    cell = GEOMETRY["prompt_card"]["marker_mm"] / 7
    assert worst * cell >= CAMERA["read"]["marker_cell_px_min"]
    seen = min(lens.mode_px) / lens.px_per_mm(height - CAMERA["margin"]["height_mm"]) / 2
    assert data.areas_half_mm() + CAMERA["margin"]["aside_mm"] <= seen
    fiducials = max(abs(at) for place in GEOMETRY["fiducials"]["at"].values() for at in place)
    assert fiducials + GEOMETRY["fiducials"]["marker_mm"] / 2 <= seen


def test_the_plate_reaches_both_cameras_heights_and_geometry_has_the_chosen_one() -> None:
    assert pages.hang_mm("chosen") == HEIGHT
    assert abs(pages.hang_mm("substitute") - HEIGHT) <= CAMERA["mast"]["slot_mm"]


def test_the_wide_lens_would_not_do() -> None:
    assert data.worst_px_per_mm(data.optics("wrong"), HEIGHT) < CAMERA["read"]["px_per_mm_min"]
    assert "never the wide one" in data.bom()["A3"]["description"]


def test_pixels_by_hand() -> None:
    """4.74 mm over 1.4 um, scaled from 4608 to 3840 columns, 900 mm away: written out."""
    assert data.optics("chosen").px_per_mm(900) == pytest.approx(4.74 / 0.0014 * 3840 / 4608 / 900)


def test_two_markers_of_a_prompt_card_stay_beside_the_screen() -> None:
    assert pages.clear_of_strip_mm(HEIGHT) > 0
    # 5 mm at 210 mm, from 900 mm: the shadow's edges by similar triangles
    assert data.shadow_mm(900) == pytest.approx(5 * 900 / (900 - 210))


def test_at_least_four_fiducials_are_found_beside_the_screen() -> None:
    assert len(GEOMETRY["fiducials"]["at"]) - len(pages.hidden_fiducials(HEIGHT)) >= 4


def test_light() -> None:
    light = CAMERA["light"]
    assert data.lux() >= light["lux_min"]
    assert data.mirror_tilt_deg(HEIGHT) >= light["tilt_free_deg"]
    height, aside = light["height_mm"] / 1000, light["aside_mm"] / 1000
    one = light["lumen_each"] / math.pi * height / math.hypot(height, aside) / (height**2 + aside**2)
    assert data.lux() == pytest.approx(2 * one)


# --- mechanism -------------------------------------------------------------------------------------------------------


def test_a_deal_takes_at_most_20_seconds() -> None:
    assert pages.throughput().total_s <= 20


def test_the_simulated_machine_takes_as_long_as_the_sum() -> None:
    log: list[Event] = []
    machine = Emulator(108)
    link = SteppedLink(machine, log.append, random_bytes=random.Random(3).randbytes)
    now = 0
    while not link.online:
        now += 5
        link.step(now)
    link.perform(PlanDeal(1, "A", (27, 27, 27, 27, 0)), now)
    plan = next(event for event in log if isinstance(event, DealPlanned))
    link.perform(RunDeal(1, "A", plan.plan), now)
    start = now
    while link.busy:
        now += 5
        link.step(now)
    done = next(event for event in log if isinstance(event, DealDone))
    assert (done.at_ms - start) / 1000 == pytest.approx(pages.throughput().total_s, rel=0.02)


@pytest.mark.parametrize(("steps", "seconds"), [(0, 0.0), (10, 0.1), (100, 0.55)])
def test_moves_by_hand(steps: float, seconds: float) -> None:
    """From 0 to 200 steps a second at 4000: 5 steps and 50 ms each way."""
    ramp = pages.Ramp(0, 200, 4000)
    assert ramp.move_s(steps) == pytest.approx(seconds)
    assert ramp.lost_s == pytest.approx(0.025)


def test_the_chute_is_done_before_the_next_card() -> None:
    sums = pages.throughput()
    assert sums.chute_s < sums.window_longest_card_s < sums.window_s


def test_rollers_belts_and_steps_agree() -> None:
    feed, steps = MECHANISM["feed"], MECHANISM["motor"]["steps_per_turn"]
    motor, roller = feed["pick_teeth"]
    assert motor * MACHINE["pitch_steps"] == roller * steps  # exactly: else the roller's angle creeps
    assert data.transport_roller_mm() * math.pi * feed["transport_teeth"][0] / feed["transport_teeth"][
        1
    ] == pytest.approx(steps * MACHINE["feed_um_per_step"] / 1000)


def test_a_card_is_always_held() -> None:
    """The pick roller's rubber brings it into the first nip, each nip into the next, and no roller meets another."""
    feed, (_, length) = MECHANISM["feed"], data.card_mm()
    first, second = feed["nips_mm"]
    radius = data.transport_roller_mm() / 2
    assert feed["pick_arc_mm"] >= first + 10
    assert feed["pick_arc_mm"] < length  # then the flat: the next card stays
    assert -feed["pick_at_mm"] < length
    assert second - first < length
    assert second - first >= 2 * radius
    assert second + radius <= data.fan().pivot_mm
    pick = data.pick_roller_mm() / 2
    assert math.hypot(first - feed["pick_at_mm"], pick - radius) >= pick + radius
    assert feed["card_thick_mm"] < feed["card_gap_mm"] < 2 * feed["card_thick_mm"]


def test_the_fan_can_be_built() -> None:
    fan, chute, tray = data.fan(), MECHANISM["chute"], MECHANISM["tray"]
    assert fan.bend_mm >= chute["bend_mm_min"]
    assert fan.spacing_mm - MECHANISM["feed"]["guide_gap_mm"] >= chute["wall_mm_min"]
    between = 2 * tray["start_mm"] * math.sin(math.radians(fan.pitch_deg) / 2)
    assert between >= data.stack_mm(tray["cards_max"]) + 4
    width, length = data.card_mm()
    assert tray["inside_mm"][0] > width and tray["inside_mm"][1] > length
    assert fan.mouth_mm > fan.pivot_mm + 10


def test_the_largest_game_fits_in() -> None:
    """Three packs in the hopper; the largest hand in a tray."""
    assert MECHANISM["feed"]["hopper_cards"] >= 3 * 54
    assert MECHANISM["tray"]["cards_max"] >= 39


def test_cards_reach_their_tray_and_motors_have_the_torque() -> None:
    slides, must = pages.coast_mm()
    assert slides >= 1.5 * must
    for needs, has in pages.torques().values():
        assert needs <= 0.5 * has


# --- the rules' lengths (seed 003 L46-L54) ---------------------------------------------------------------------------


def test_lengths_are_within_the_rules() -> None:
    g = load_geometry()
    assert 850 <= g.table_side_mm <= 1000
    assert 730 <= CAMERA["mast"]["table_height_mm"] <= 750
    assert 320 <= g.centre_side_mm <= 400
    assert g.play_band_mm == 100
    assert g.prompt_diameter_mm == g.reserve_diameter_mm == 60
    assert g.discard_mm == (120, 80)
    assert 30 <= g.discard_edge_mm <= 50
    assert 57 <= g.card_mm[0] <= 60 and 87 <= g.card_mm[1] <= 98
    assert CAMERA["screen"]["height_mm"] == 150
    assert CAMERA["screen"]["beyond_corner_mm"] > 0
    assert CAMERA["screen"]["window_mm"] > g.mat_side_mm
    box = list(g.prompt_box)
    assert [box.count("PASS"), box.count("TD"), box.count("STOP")] == [10, 2, 2]
    assert [box.count(str(number)) for number in range(1, 11)] == [1] * 10
    assert int(data.bom()["T3"]["qty"]) == len(SEATS)


def test_areas_do_not_meet_and_lie_on_the_table() -> None:
    g = load_geometry()
    (u0, v0, u1, v1), (x, y) = edge_areas()
    assert v0 >= g.mat_side_mm / 2  # the discards lie beside the mat
    assert v1 == g.table_side_mm / 2 - g.discard_edge_mm
    assert x - g.reserve_diameter_mm / 2 >= u1 and x > 0  # to its right
    assert abs(y) + g.reserve_diameter_mm / 2 <= g.table_side_mm / 2
    circle = g.prompt_diameter_mm / 2
    centres = [seat_to_mat(seat, *g.prompt_centre) for seat in SEATS]
    for at in centres:
        assert max(map(abs, at)) + circle <= g.mat_side_mm / 2
        for fx, fy in g.fiducials.values():
            assert math.dist(at, (fx, fy)) > circle + g.fiducial_mm * 0.75
    assert g.prompt_centre[0] - circle >= g.play_area[2]
    assert (u0, u1) == (-u1, -u0)
