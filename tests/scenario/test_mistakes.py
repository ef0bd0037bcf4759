"""Every error that simulated people make in one act, seen by the camera: exactly its incidents are raised."""

from __future__ import annotations

import json
from typing import Any

import pytest

from table_controller.sim.mistakes import LEADS_TO, MISTAKES, TWO_ACTS

pytestmark = [pytest.mark.broker, pytest.mark.timeout(900)]
ONE_ACT = [name for name in MISTAKES if name not in TWO_ACTS]


def test_people_who_err_are_noticed_each_for_what_it_was_and_a_jam_is_survived(table_controller: Any) -> None:
    """Every error that people can make, through camera and recogniser: exactly its incidents, and no other."""
    done = table_controller(
        "sim", "--deals", "2", "--seed", "4", "--emulator", "--dealer-fault", "jam",
        *(word for name in ONE_ACT for word in ("--mistake", name)),
    )  # fmt: skip
    raised = [line.split()[2] for line in done.stderr.splitlines() if line.startswith("incident")]
    assert sorted(raised) == sorted(["dealer_fault", *(kind for name in ONE_ACT for kind in LEADS_TO[name])])
    assert json.loads(done.stdout.splitlines()[-1])["misreads"] == 0
