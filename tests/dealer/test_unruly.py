"""R8: a line that loses, repeats, swaps or delays frames, a pulled cable, an MCU reset: dealt once, or asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_controller.dealer.emulator import Emulator
from table_controller.dealer.machine import Machine
from table_controller.sim.dealer_faults.unruly import KINDS, strike_once

TIMES = {True: 20, False: 6}
"""On the emulator, and on the real firmware, whose trials take ten times as long."""


@pytest.mark.parametrize("kind", KINDS)
def test_dealt_exactly_once_or_a_person_is_asked(make_machine: Callable[[], Machine], kind: str) -> None:
    ends, hit = set(), 0
    for seed in range(TIMES[make_machine is Emulator]):
        machine = make_machine()
        try:
            found = strike_once(machine, kind, seed)
        finally:
            machine.close()
        assert found.wrong == (), f"seed {seed}: {found}"
        ends.add(found.end)
        hit += found.hit
    assert hit or kind in ("unplug", "reset")
    assert "dealt" in ends
    assert "asked" in ends or kind != "reset"
