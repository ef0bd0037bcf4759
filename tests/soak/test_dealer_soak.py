"""The dealer at length: the controller killed at a thousand instants, on each simulated dealer."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from table_controller.dealer.bench import Bench
from table_controller.dealer.emulator import Emulator
from table_controller.sim.dealer_faults.killed import kill_once

KILLS = int(os.environ.get("SOAK_KILLS", "1000"))
PARTS = 10
INPUTS = int(os.environ.get("SOAK_INPUTS", "10000000"))
FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("make", [Emulator, Bench], ids=["emulator", "avr"])
@pytest.mark.parametrize("part", range(PARTS))
def test_killed_at_a_thousand_instants(make: type[Emulator] | type[Bench], part: int) -> None:
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
    assert set(ends) == {"dealt", "void"}


def test_ten_million_inputs_for_the_decoder() -> None:
    """Under the address and undefined-behaviour sanitizers."""
    command = ["make", "-s", "-C", str(FIRMWARE), "fuzz", f"INPUTS={INPUTS}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"fuzz: {INPUTS} inputs" in done.stdout
