"""Every fault in every state it can strike in, on the emulator and on the real firmware."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_controller.dealer.messages import State
from table_controller.sim.dealer_faults.catalogue import FAULTS, Fault
from table_controller.sim.dealer_faults.document import render
from table_controller.sim.dealer_faults.trial import try_fault

ROOT = Path(__file__).resolve().parents[2]
PAIRS = [(fault, state) for fault in FAULTS for state in State if state in fault.expect]


@pytest.mark.parametrize(("fault", "state"), PAIRS, ids=[f"{fault.number}-{state.name}" for fault, state in PAIRS])
def test_one_right_outcome(machine, fault: Fault, state: State):
    found = try_fault(fault, state, machine)
    assert found.wrong == ()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.number)
def test_every_pair_is_run_or_has_a_reason(fault: Fault):
    """A state that is in neither list, or in both, was forgotten."""
    assert set(fault.expect) | set(fault.cannot) == set(State)
    assert not set(fault.expect) & set(fault.cannot)
    assert all(len(reason) > 10 for reason in fault.cannot.values())


def test_every_fault_is_there():
    assert {int(fault.number.rstrip("abcd")) for fault in FAULTS} == set(range(1, 27))


def test_the_page_is_what_was_run():
    written = (ROOT / "docs" / "dealer-faults.md").read_text(encoding="utf-8")
    assert written == render(), "run: python -m table_controller.sim.dealer_faults"
