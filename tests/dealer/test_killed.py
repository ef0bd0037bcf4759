"""The controller killed in the middle of a deal; and a line that damages bytes."""

from __future__ import annotations

from collections import Counter

import pytest

from table_controller.dealer import messages as m
from table_controller.sim.dealer_faults.killed import kill_once
from table_controller.table.events import DealDone, DealFailed

SEEDS = 30


def test_killed_at_random_instants_of_a_deal(make_machine):
    """Never a card counted twice, never a second deal, always the right one of going on and void."""
    ends: Counter[str] = Counter()
    for seed in range(SEEDS):
        machine = make_machine()
        try:
            found = kill_once(machine, seed)
        finally:
            machine.close()
        assert found.wrong == (), found
        ends[found.end] += 1
    assert ends["dealt"] >= 10
    assert ends["void"] >= 5


def _damage(dealing, per_mille: int, seed: int) -> None:
    for direction in ("to_host", "to_mcu"):
        dealing.machine.fault("corrupt_rate", direction=direction, per_mille=per_mille, count=seed)
        seed += 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_percent_of_damaged_bytes_only_costs_time(dealing, seed):
    dealing.machine.load(108)
    dealing.online()
    began = dealing.now_ms
    plan = dealing.plan()
    _damage(dealing, 10, seed)
    dealing.start(plan)
    end = dealing.finish()
    dealing.assert_exact(plan, end)
    assert len(dealing.all(DealDone)) == 1
    took_ms, began = end.at_ms - began, dealing.now_ms
    _damage(dealing, 0, 0)
    _, end = dealing.deal(job=2)
    assert took_ms > end.at_ms - began


@pytest.mark.parametrize("when", ["before", "during"])
def test_twenty_percent_stops_with_a_plain_message(dealing, when):
    dealing.machine.load(108)
    dealing.online()
    plan = dealing.plan()
    if when == "before":
        _damage(dealing, 200, 5)
    dealing.start(plan)
    if when == "during":
        dealing.until_dealt(10)
        _damage(dealing, 200, 5)
    end = dealing.finish()
    assert isinstance(end, DealFailed)
    assert (end.code, end.void) == ("NOISE", False)
    assert "USB cable" in end.message
    assert "干扰" in end.message
    dealt = sum(map(len, dealing.machine.delivered().values()))
    assert dealing.machine.state() in (m.State.IDLE, m.State.PLANNED, m.State.STOPPED)
    _damage(dealing, 0, 0)
    dealing.until(lambda: dealing.link.online)
    assert sum(map(len, dealing.machine.delivered().values())) == dealt
    dealing.start(plan)
    dealing.assert_exact(plan, dealing.finish())
