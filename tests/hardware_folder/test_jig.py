"""The jig's table of what must be reported is what the real firmware reports, in the AVR simulator."""

from __future__ import annotations

import re

import pytest

from hardware.tools.data import HARDWARE, signals
from hardware.tools.jig import rest
from table_controller.dealer import messages as m
from table_controller.dealer.bench import NO_AVR, Bench, unavailable_reason
from table_controller.dealer.stepped import SteppedLink
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealFailed, DealPlanned, Event


def table() -> list[tuple[str, str]]:
    text = (HARDWARE / "assembly/12-test-jig.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- jig -->\n(.*?)<!-- end of jig -->", text, re.DOTALL)
    assert found
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in found.group(1).splitlines()[2:]]
    return [(switch, fault) for switch, fault in cells]


def report(switch: str) -> str:
    """Start a deal with the jig's switches at rest but one; the fault reported."""
    machine = Bench(108)
    try:
        return _report(machine, switch)
    finally:
        machine.close()


def _report(machine: Bench, switch: str) -> str:
    machine.fault("sensor_stuck", sensor="HOME", active=0)
    log: list[Event] = []
    link = SteppedLink(machine, log.append)
    now = 0
    while not link.online:
        now += 5
        link.step(now)
    name, _, position = switch.partition(" ")
    if position in ("open", "closed"):
        closed_is_active = signals("mcu")[name]["active"] == "low"
        machine.fault("sensor_stuck", sensor=name, active=int((position == "closed") == closed_is_active))
    link.perform(PlanDeal(1, "A", (27, 27, 27, 27, 0)), now)
    plan = next(event for event in log if isinstance(event, DealPlanned))
    link.perform(RunDeal(1, "A", plan.plan), now)
    for _ in range(2000):
        if any(isinstance(event, DealFailed) for event in log):
            break
        now += 5
        link.step(now)
    return next(event for event in log if isinstance(event, DealFailed)).code


@pytest.mark.avr
@pytest.mark.parametrize(("switch", "fault"), table(), ids=lambda cell: cell)
def test_the_jig_shows_what_the_step_says(switch: str, fault: str) -> None:
    reason = unavailable_reason()
    if reason.startswith(NO_AVR):
        pytest.skip(reason)
    assert reason == ""
    assert fault in m.Fault.__members__
    assert report(switch) == fault


def test_the_table_changes_switches_from_their_rest() -> None:
    changed = [switch.split() for switch, _ in table()[1:]]
    assert {name for name, _ in changed} <= set(signals("mcu"))
    assert all(position != rest(name) for name, position in changed)
    assert len(table()) >= 6
