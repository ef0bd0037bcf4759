"""What every dealer must do: the same tests on the emulator and on the real firmware in the AVR simulator."""

from __future__ import annotations

import pytest

from table_controller.dealer import messages as m
from table_controller.dealer.plan import HANDS, SealedPlan, verify
from table_controller.table.events import (
    DealDone,
    DealerOffline,
    DealerOnline,
    DealFailed,
    DealPlanned,
    DealProgress,
)

SMALL = (5, 5, 5, 5, 0)


def total(machine) -> int:
    return sum(map(len, machine.delivered().values()))


def test_full_deal_is_the_plan(dealing):
    plan, end = dealing.deal()
    dealing.assert_exact(plan, end)
    assert end.counts == (27, 27, 27, 27, 0)
    progress = dealing.all(DealProgress)
    assert [event.index for event in progress] == list(range(9, 109, 9))
    assert all(sum(event.counts) == event.index for event in progress)
    start_ms = dealing.all(DealPlanned)[0].at_ms
    assert 18_600 <= end.at_ms - start_ms <= 20_000  # 108 turns at top speed and the open trays; what it may take
    planned = dealing.all(DealPlanned)[0]
    assert verify(SealedPlan(planned.plan, planned.nonce, planned.commitment))


@pytest.mark.parametrize("hands", HANDS)
def test_the_deals_of_every_game(dealing, hands):
    quotas = HANDS[hands]
    plan, end = dealing.deal(sum(quotas), quotas)
    dealing.assert_exact(plan, end)
    assert end.counts == quotas


@pytest.mark.parametrize("plan", ["", "ENWSX", "E" * 181])
def test_a_wrong_plan_moves_nothing(dealing, plan):
    dealing.machine.load(20)
    dealing.online()
    dealing.start(plan)
    dealing.run(1000)
    end = dealing.all(DealFailed)[-1]
    assert (end.code, end.void) == ("PLAN", True)
    assert dealing.machine.state() == m.State.IDLE


@pytest.mark.parametrize("quotas", [(3, 0, 2, 0, 1), (0, 0, 0, 0, 7), (36, 36, 36, 36, 36)])
def test_any_quotas_and_the_bottom_pile(dealing, quotas):
    plan, end = dealing.deal(sum(quotas), quotas)
    dealing.assert_exact(plan, end)
    assert end.counts == quotas


def test_two_deals_in_a_row(dealing):
    for job in (1, 2):
        plan, end = dealing.deal(20, SMALL, job)
        dealing.assert_exact(plan, end)
        assert end.job == job


def test_same_seed_same_events(machine, new_dealing):
    first = new_dealing(machine, seed=5)
    first.deal(20, SMALL)
    other = type(machine)()
    try:
        second = new_dealing(other, seed=5)
        second.deal(20, SMALL)
    finally:
        other.close()
    assert len(first.log) > 4
    assert first.log == second.log


def test_reset_mid_deal_is_void(dealing):
    dealing.machine.load(108)
    dealing.online()
    dealing.start(dealing.plan())
    dealing.until_dealt(30)
    dealing.machine.reset()
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void) == ("MCU_RESET", True)
    dealt = total(dealing.machine)
    dealing.run(5000)
    assert total(dealing.machine) == dealt
    boots = [event.boot for event in dealing.all(DealerOnline)]
    assert len(boots) == 2
    assert boots[1] == boots[0] + 1
    plan, end = dealing.deal(job=2)
    dealing.assert_exact(plan, end)


@pytest.mark.parametrize("kind", [m.HelloReply, m.Ack, m.StatusReply, m.Event], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("count", [1, 4])
def test_lost_answers(dealing, kind, count):
    """Every command is repeated and carried out once; lost events are read again."""
    dealing.machine.fault("drop_frame", direction="to_host", type=kind.TYPE, count=count)
    plan, end = dealing.deal(20, SMALL)
    dealing.assert_exact(plan, end)
    assert dealing.all(DealProgress)[-1].index == 18


@pytest.mark.parametrize("kind", list(m.COMMANDS.values()), ids=lambda kind: kind.__name__)
def test_lost_commands(dealing, kind):
    dealing.machine.fault("drop_frame", direction="to_mcu", type=kind.TYPE, count=2)
    plan, end = dealing.deal(20, SMALL)
    dealing.assert_exact(plan, end)


@pytest.mark.parametrize("kind", [m.Ack, m.StatusReply, m.Event, m.HelloReply], ids=lambda kind: kind.__name__)
def test_duplicate_answers_are_ignored(dealing, kind):
    dealing.machine.fault("repeat_frame", direction="to_host", type=kind.TYPE, count=50)
    plan, end = dealing.deal(20, SMALL)
    dealing.assert_exact(plan, end)
    assert len(dealing.all(DealDone)) == 1


@pytest.mark.parametrize("kind", [m.PlanChunk, m.PlanCommit, m.Start, m.Release], ids=lambda kind: kind.__name__)
def test_duplicate_commands_are_carried_out_once(dealing, kind):
    dealing.machine.fault("repeat_frame", direction="to_mcu", type=kind.TYPE, count=50)
    plan, end = dealing.deal(20, SMALL)
    dealing.assert_exact(plan, end)


@pytest.mark.parametrize("direction", ["to_mcu", "to_host"])
@pytest.mark.parametrize("after", [0, 1, 5, 17, 40, 77, 150, 300])
def test_corrupt_byte(dealing, direction, after):
    dealing.online()
    dealing.machine.fault("corrupt", direction=direction, after=after)
    plan, end = dealing.deal(20, SMALL)
    dealing.assert_exact(plan, end)


@pytest.mark.parametrize("direction", ["to_mcu", "to_host"])
def test_noise_between_frames(dealing, direction):
    dealing.online()
    dealing.machine.fault("noise", direction=direction, data="ff00aa55010203000000037f")
    plan, end = dealing.deal(20, SMALL)
    dealing.assert_exact(plan, end)


def test_noise_with_a_truncated_frame(dealing):
    dealing.machine.fault("noise", direction="to_host", data="00" + "21" * 300)
    plan, end = dealing.deal(20, SMALL)
    dealing.assert_exact(plan, end)


def test_stop_and_go_on(dealing):
    dealing.machine.load(20)
    dealing.online()
    plan = dealing.plan(quotas=SMALL)
    dealing.start(plan)
    dealing.until_dealt(6)
    dealing.stop()
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void) == ("STOPPED", False)
    dealt = total(dealing.machine)
    assert dealt in (6, 7)
    dealing.run(5000)
    assert total(dealing.machine) == dealt
    dealing.start(plan)
    dealing.assert_exact(plan, dealing.finish())


def test_stop_works_through_a_flood(dealing):
    """Noise without end on the line, no frame gets through, STOP's own path does."""
    dealing.machine.load(108)
    dealing.online()
    dealing.start(dealing.plan())
    dealing.until_dealt(6)
    dealing.machine.fault("noise", direction="to_mcu", data="5a" * 400)
    dealing.stop()
    dealing.run(300)
    dealt = total(dealing.machine)
    assert dealt <= 8
    dealing.run(5000)
    assert total(dealing.machine) == dealt
    assert dealing.all(DealFailed)[-1].code == "STOPPED"


@pytest.mark.parametrize(("zeros", "stops"), [(m.STOP_ZEROS, True), (m.STOP_ZEROS - 1, False)])
def test_stop_s_own_path_needs_no_frame(dealing, zeros, stops):
    dealing.machine.load(20)
    dealing.online()
    plan = dealing.plan(quotas=SMALL)
    dealing.start(plan)
    dealing.until_dealt(6)
    dealing.machine.write(b"\x55" + bytes(zeros) + b"\x55")
    end = dealing.finish()
    assert isinstance(end, DealFailed) == stops
    if stops:
        assert (end.code, end.void) == ("STOPPED", False)
    else:
        dealing.assert_exact(plan, end)


def test_another_host_has_used_the_dealer_meanwhile(dealing, new_dealing):
    """Same boot, another job: what was under way is lost, not begun anew."""
    dealing.machine.load(20)
    dealing.online()
    dealing.start(dealing.plan(quotas=SMALL))
    dealing.until_dealt(5)
    dealing.machine.unplug()
    dealing.run(2500)
    dealing.machine.replug()
    other = new_dealing(dealing.machine, seed=2, now_ms=dealing.now_ms)
    plan, end = other.deal(20, SMALL, job=7)
    other.assert_exact(plan, end)
    dealing.machine.load(20)
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void) == ("LOST_JOB", True)
    assert total(dealing.machine) == 0


def test_unplugged_and_plugged_in_again(dealing):
    dealing.machine.load(40)
    dealing.online()
    plan = dealing.plan(quotas=(10, 10, 10, 10, 0))
    dealing.start(plan)
    dealing.until_dealt(8)
    dealing.machine.unplug()
    dealing.run(2500)  # by now it has stopped by itself
    dealt = total(dealing.machine)
    assert dealt < 40
    dealing.run(5000)
    assert total(dealing.machine) == dealt
    assert "unplugged" in dealing.all(DealerOffline)[0].message
    assert len(dealing.all(DealerOffline)) == 1
    dealing.machine.replug()
    dealing.assert_exact(plan, dealing.finish())
    boots = {event.boot for event in dealing.all(DealerOnline)}
    assert len(boots) == 1


def test_reset_while_unplugged_is_void(dealing):
    dealing.machine.load(20)
    dealing.online()
    dealing.start(dealing.plan(quotas=SMALL))
    dealing.until_dealt(5)
    dealing.machine.unplug()
    dealing.run(1000)
    dealing.machine.reset()
    dealing.machine.replug()
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void) == ("MCU_RESET", True)


def test_reset_before_the_start_is_harmless(dealing):
    dealing.machine.load(20)
    dealing.online()
    plan = dealing.plan(quotas=SMALL)
    dealing.machine.reset()
    dealing.start(plan)
    dealing.assert_exact(plan, dealing.finish())


def test_host_killed_and_the_new_one_goes_on(dealing, new_dealing):
    dealing.machine.load(20)
    dealing.online()
    plan = dealing.plan(quotas=SMALL)
    dealing.start(plan)
    dealing.until_dealt(5)
    dealing.machine.advance(4000)  # the host is gone; the dealer stops by itself
    dealt = total(dealing.machine)
    assert dealt < 20
    host = new_dealing(dealing.machine, seed=2)
    host.online()
    host.start(plan)
    host.assert_exact(plan, host.finish())


def test_host_killed_and_the_new_one_has_another_plan(dealing, new_dealing):
    dealing.machine.load(20)
    dealing.online()
    dealing.start(dealing.plan(quotas=SMALL))
    dealing.until_dealt(9)
    dealing.machine.advance(4000)
    host = new_dealing(dealing.machine, seed=2)
    host.online()
    host.start(host.plan(quotas=SMALL))
    end = host.finish()
    assert isinstance(end, DealFailed)
    assert end.code == "TRAY"


def test_new_host_while_it_still_deals_another_plan(dealing, new_dealing):
    dealing.machine.load(108)
    dealing.online()
    dealing.start(dealing.plan())
    dealing.until_dealt(30)
    host = new_dealing(dealing.machine, seed=2)
    host.link.link._quiet_ms = 0
    host.link.link.opened(0)
    host.online()
    host.start(host.plan())
    end = host.finish()
    assert isinstance(end, DealFailed)
    assert end.code == "TRAY"
    assert total(dealing.machine) < 40


def test_host_restarted_after_the_deal_deals_no_second_one(dealing, new_dealing):
    plan, end = dealing.deal(20, SMALL)
    dealing.assert_exact(plan, end)
    dealing.machine.load(20)
    host = new_dealing(dealing.machine, seed=2)
    host.online()
    host.start(plan)
    assert isinstance(host.finish(), DealDone)
    assert total(dealing.machine) == 0


def test_same_job_number_with_a_new_plan_is_a_new_deal(dealing):
    for _ in range(2):
        plan, end = dealing.deal(20, SMALL, job=1)
        dealing.assert_exact(plan, end)


def test_deal_asked_for_while_unplugged(dealing):
    dealing.machine.unplug()
    dealing.run(100)
    plan = dealing.plan(quotas=SMALL)
    dealing.start(plan)
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void) == ("OFFLINE", False)


def test_second_deal_at_once_is_refused(dealing):
    dealing.machine.load(20)
    dealing.online()
    plan = dealing.plan(quotas=SMALL)
    dealing.start(plan)
    dealing.run(500)
    dealing.start(dealing.plan(2, quotas=SMALL), 2)
    assert dealing.all(DealFailed)[-1].code == "BUSY"
    dealing.assert_exact(plan, dealing.finish())


def test_unknown_fault_is_refused(machine):
    with pytest.raises(ValueError, match="no"):
        machine.fault("meteor")
