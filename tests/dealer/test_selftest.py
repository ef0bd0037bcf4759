"""The self-test over the link of a running table: its verdict in words, a deal waits for it, and what breaks it off."""

from __future__ import annotations

from table_controller.dealer import messages as m
from table_controller.dealer.selftest import FAILED, RUNNING, WELL, SelfTest
from table_controller.table.events import DealDone


def begun(dealing) -> SelfTest:
    dealing.online()
    assert dealing.link.self_test(dealing.now_ms)
    test = dealing.link.link.test
    assert (test.state, test.message) == (RUNNING, "")
    return test


def test_it_says_that_all_is_well_and_moves_no_card(dealing):
    dealing.machine.load(12)
    test = begun(dealing)
    assert dealing.link.self_test(dealing.now_ms), "pressed again: the same test"
    assert dealing.link.link.test is test
    dealing.until(lambda: not test.running)
    assert test.state == WELL
    assert "自检正常" in test.message and "nothing wrong" in test.message
    assert sum(map(len, dealing.machine.delivered().values())) == 0
    assert dealing.log[-1].__class__.__name__ == "DealerOnline", "the table's core heard nothing of it"


def test_a_fault_is_named_and_a_test_after_it_was_removed_clears_it(dealing):
    dealing.machine.fault("sensor_stuck", sensor="BEAM", active=1)
    test = begun(dealing)
    dealing.until(lambda: not test.running)
    assert test.state == FAILED
    assert "beam" in test.message
    dealing.machine.fault("clear")
    again = begun_again(dealing)
    dealing.until(lambda: not again.running)
    assert (again.state, again is test) == (WELL, False)


def begun_again(dealing) -> SelfTest:
    assert dealing.link.self_test(dealing.now_ms)
    return dealing.link.link.test


def test_a_deal_asked_for_meanwhile_begins_when_it_is_over(dealing):
    dealing.machine.load(108)
    test = begun(dealing)
    plan = dealing.plan()
    dealing.start(plan)
    end = dealing.finish()
    assert test.state == WELL
    assert isinstance(end, DealDone)
    dealing.assert_exact(plan, end)


def test_it_is_not_begun_while_a_deal_runs_or_the_dealer_is_away(dealing):
    assert not dealing.link.self_test(dealing.now_ms), "no handshake yet"
    dealing.machine.load(108)
    dealing.online()
    dealing.start(dealing.plan())
    dealing.run(500)
    assert not dealing.link.self_test(dealing.now_ms)
    assert isinstance(dealing.finish(), DealDone)


def test_an_unplugged_or_stopped_dealer_breaks_it_off(dealing):
    test = begun(dealing)
    dealing.machine.unplug()
    dealing.run(50)
    assert test.state == FAILED and "does not answer" in test.message
    dealing.machine.replug()
    dealing.online()
    again = begun(dealing)
    dealing.stop()
    assert again.state == FAILED and "stopped" in again.message


def test_what_was_said_before_it_began_is_no_verdict():
    asked = []
    test = SelfTest(lambda make, now_ms: asked.append(make), 0)
    idle = m.StatusReply(9, 1, m.State.IDLE, 0, 0, 0, 0, 0, bytes(5), 0, 0, 0, 0, 0, 0, 0)
    test.status(idle, 10)
    assert test.running
    test.refused(m.Result.BAD_STATE, 20)
    assert test.state == FAILED
    assert asked == [m.Selftest]
