"""Errors of more than one act, or with a ruling in between, seen by the camera: exactly their incidents are raised."""

from __future__ import annotations

import json
from typing import Any

import pytest

from table_controller.sim.mistakes import LEADS_TO, TWO_ACTS

pytestmark = [pytest.mark.broker, pytest.mark.timeout(900)]


def test_errors_of_more_than_one_act_are_noticed_each_for_what_it_was(table_controller: Any) -> None:
    """Rulings, named types, cards swapped and wrongs put right, through camera and recogniser."""
    done = table_controller(
        "sim", "--deals", "2", "--seed", "3", "--emulator", *(word for name in TWO_ACTS for word in ("--mistake", name))
    )
    raised = [line.split()[2] for line in done.stderr.splitlines() if line.startswith("incident")]
    assert sorted(raised) == sorted(kind for name in TWO_ACTS for kind in LEADS_TO[name])
    assert json.loads(done.stdout.splitlines()[-1])["misreads"] == 0
