"""R8 at length: each trouble of the line at a thousand instants, on each simulated dealer, in parts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from table_controller.dealer.bench import Bench
from table_controller.dealer.emulator import Emulator
from table_controller.sim.dealer_faults.unruly import KINDS, strike_once

TIMES, PARTS = 1000, 4

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(0),
    pytest.mark.runs("cards errors games table dealer sim firmware/**/*.[chS] firmware/*.toml"),
]


@pytest.mark.parametrize("make", [Emulator, Bench], ids=["emulator", "avr"])
@pytest.mark.parametrize("part", range(PARTS))
def test_dealt_exactly_once_or_a_person_is_asked(make: type[Emulator] | type[Bench], part: int, part_once: Any) -> None:
    """Other seeds than the short test's."""
    ends: Counter[str] = Counter()
    for kind in KINDS:
        for seed in range(1000 + part, 1000 + TIMES, PARTS):
            machine = make()
            try:
                found = strike_once(machine, kind, seed)
            finally:
                machine.close()
            assert found.wrong == (), f"seed {seed}: {found}"
            ends[f"{kind} {found.end}"] += 1
    part_once("R8" if make is Emulator else "R8 avr", TIMES // PARTS, seed=1000 + part, ends=dict(ends))
