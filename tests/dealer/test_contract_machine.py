"""What goes wrong with cards, sensors and motors: the same tests on the emulator and on the real firmware."""

from __future__ import annotations

import pytest

from table_controller.table.events import DealDone, DealFailed

SMALL = (5, 5, 5, 5, 0)


def total(machine) -> int:
    return sum(map(len, machine.delivered().values()))


def test_one_missed_pick_is_tried_again(dealing):
    dealing.machine.load(20)
    dealing.online()
    plan = dealing.plan(quotas=SMALL)
    dealing.machine.fault("jam", place="feeder", index=7, times=1)
    dealing.start(plan)
    dealing.assert_exact(plan, dealing.finish())


def test_jam_in_the_feeder_can_go_on(dealing):
    dealing.machine.load(20)
    dealing.online()
    plan = dealing.plan(quotas=SMALL)
    dealing.machine.fault("jam", place="feeder", index=7)
    dealing.start(plan)
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.place, end.void, sum(end.counts)) == ("JAM", "the feeder", False, 7)
    assert "7 of 20" in end.message
    dealing.run(3000)
    dealing.machine.fault("clear")
    dealing.start(plan)
    dealing.assert_exact(plan, dealing.finish())


@pytest.mark.parametrize(("place", "words"), [("beam", "the path beam"), ("exit", "exit ")])
def test_jam_on_the_way_is_void(dealing, place, words):
    dealing.machine.load(20)
    dealing.online()
    plan = dealing.plan(quotas=SMALL)
    dealing.machine.fault("jam", place=place, index=7)
    dealing.start(plan)
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void, sum(end.counts)) == ("JAM", True, 7)
    assert end.place == words + (plan[7] if place == "exit" else "")
    assert end.message.endswith("Collect every card, put the pack back and deal again.")


def test_double_feed_is_void(dealing):
    dealing.machine.load(20)
    dealing.online()
    dealing.machine.fault("double_feed", index=11)
    dealing.start(dealing.plan(quotas=SMALL))
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void, sum(end.counts)) == ("DOUBLE_FEED", True, 11)
    assert not dealing.all(DealDone)


def test_hopper_empty_early(dealing):
    dealing.machine.load(17)
    dealing.online()
    dealing.start(dealing.plan(quotas=SMALL))
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.place, end.void) == ("HOPPER_EMPTY", "the hopper", True)
    assert "3 cards are missing" in end.message


def test_leftover_blocks_the_release(dealing):
    dealing.machine.load(22)
    dealing.online()
    dealing.start(dealing.plan(quotas=SMALL))
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void, end.counts) == ("LEFTOVER", True, SMALL)


def test_uncleared_tray_is_named(dealing):
    dealing.machine.load(30)
    dealing.online()
    dealing.start(dealing.plan(quotas=(0, 5, 0, 0, 0)))
    assert dealing.finish().code == "LEFTOVER"
    dealing.start(dealing.plan(2, quotas=SMALL), 2)
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.place, end.void) == ("TRAY", "tray N", False)


@pytest.mark.parametrize("active", [0, 1])
@pytest.mark.parametrize(
    ("sensor", "place"),
    [("BEAM", "the path beam"), ("EXIT_E", "exit E"), ("EXIT_S", "exit S"), ("EXIT_B", "exit B")],
)
def test_stuck_beam_fails_the_self_test(dealing, sensor, place, active):
    dealing.machine.load(20)
    dealing.online()
    dealing.machine.fault("sensor_stuck", sensor=sensor, active=active)
    dealing.start(dealing.plan(quotas=SMALL))
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.place, end.void) == ("SENSOR", place, False)
    assert total(dealing.machine) == 0


def test_stuck_home_flag_fails_the_self_test(dealing):
    dealing.machine.load(20)
    dealing.online()
    dealing.machine.fault("sensor_stuck", sensor="HOME", active=1)
    plan = dealing.plan(quotas=SMALL)
    dealing.start(plan)
    end = dealing.finish()
    assert (end.code, end.place) == ("SENSOR", "the chute")
    dealing.machine.fault("clear")
    dealing.start(plan)
    dealing.assert_exact(plan, dealing.finish())


@pytest.mark.parametrize("active", [0, 1])
def test_beam_that_sticks_during_the_deal_is_void(dealing, active):
    dealing.machine.load(20)
    dealing.online()
    dealing.start(dealing.plan(quotas=SMALL))
    dealing.until_dealt(9)
    dealing.machine.fault("sensor_stuck", sensor="BEAM", active=active)
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert end.void
    assert end.place == "the path beam"


def test_lid_cuts_the_motors_and_closing_does_not_restart(dealing):
    dealing.machine.load(20)
    dealing.online()
    dealing.start(dealing.plan(quotas=SMALL))
    dealing.until_dealt(5)
    dealing.machine.fault("lid", open=1)
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.place) == ("SAFETY", "the lid")
    dealt = total(dealing.machine)
    dealing.machine.fault("lid", open=0)
    dealing.run(3000)
    assert total(dealing.machine) == dealt


def test_open_lid_refuses_to_start_again(dealing):
    dealing.machine.load(20)
    dealing.online()
    dealing.machine.fault("lid", open=1)
    plan = dealing.plan(quotas=SMALL)
    for _ in range(2):  # asking again does not clear what is still so
        dealing.start(plan)
        assert dealing.finish().code == "SAFETY"
    dealing.machine.fault("lid", open=0)
    dealing.start(plan)
    dealing.assert_exact(plan, dealing.finish())


def test_driver_fault(dealing):
    dealing.machine.load(20)
    dealing.online()
    dealing.start(dealing.plan(quotas=SMALL))
    dealing.until_dealt(5)
    dealing.machine.fault("driver", active=1)
    end = dealing.finish()
    assert (end.code, end.place) == ("DRIVER", "a motor driver")
