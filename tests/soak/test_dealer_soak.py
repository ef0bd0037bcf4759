"""The dealer at length: the controller killed at a thousand instants, on each simulated dealer."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from table_controller.dealer.bench import Bench
from table_controller.dealer.emulator import Emulator
from table_controller.dealer.fairness import examine, fair, row_of
from table_controller.dealer.plan import HANDS
from table_controller.dealer.stepped import SteppedLink
from table_controller.sim.dealer_faults.killed import kill_once
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealDone, DealPlanned, Event

KILLS = int(os.environ.get("SOAK_KILLS", "1000"))
PARTS = 10
INPUTS = int(os.environ.get("SOAK_INPUTS", "10000000"))
FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(0),
    pytest.mark.runs("cards errors games table dealer sim firmware/**/*.[chS] firmware/*.toml"),
]


@pytest.mark.parametrize("make", [Emulator, Bench], ids=["emulator", "avr"])
@pytest.mark.parametrize("part", range(PARTS))
def test_killed_at_a_thousand_instants(make: type[Emulator] | type[Bench], part: int, part_once: Any) -> None:
    """Other seeds than the short test's."""
    ends: Counter[str] = Counter()
    for seed in range(1000 + part, 1000 + KILLS, PARTS):
        machine = make()
        try:
            found = kill_once(machine, seed)
        finally:
            machine.close()
        assert found.wrong == (), found
        ends[found.end] += 1
    assert set(ends) <= {"dealt", "void"}
    assert ends["dealt"]
    part_once("R4 dealer", ends.total(), seed=1000 + part)


def test_ten_million_inputs_for_the_decoder(part_once: Any) -> None:
    """Under the address and undefined-behaviour sanitizers."""
    command = ["make", "-s", "-C", str(FIRMWARE), "fuzz", f"INPUTS={INPUTS}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"fuzz: {INPUTS} inputs" in done.stdout
    part_once("R7", INPUTS)


@pytest.mark.parametrize(("make", "deals"), [(Emulator, 4000), (Bench, 400)], ids=["emulator", "avr"])
def test_what_the_machine_delivered_is_fair(make: type[Emulator] | type[Bench], deals: int, part_once: Any) -> None:
    """The battery on where the cards really fell, plans drawn from the operating system's random source."""
    machine = make()
    log: list[Event] = []
    link = SteppedLink(machine, log.append)
    now, found = 3000, []
    link.step(now)
    for job in range(1, deals + 1):
        machine.load(108)
        link.perform(PlanDeal(job, "A", HANDS["27"]), now)
        assert isinstance(log[-1], DealPlanned)
        link.perform(RunDeal(job, "A", log[-1].plan), now)
        while link.busy:
            now += 500
            link.step(now)
        assert isinstance(log[-1], DealDone)
        log.clear()
        found.append(row_of(machine.delivered()))
    machine.close()
    findings = examine(np.array(found, dtype=np.int8))
    assert fair(findings), findings
    part_once("R19" if make is Emulator else "R19 avr", deals)
