"""R2 at length: the stateful properties of the core, more examples and four times as many steps each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = int(os.environ.get("SOAK_EXAMPLES", "1000"))

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(0),
    pytest.mark.runs(
        "cards errors games table sim tests/property/*.py",
        starts="tests/property/test_core_properties.py",
    ),
]


def test_the_core_keeps_its_promises_over_whole_matches(part_once: Callable[..., None]) -> None:
    command = [sys.executable, "-m", "pytest", "tests/property", "-q", "--timeout", "0"]
    env = {**os.environ, "PROPERTY_EXAMPLES": str(EXAMPLES), "PROPERTY_STEPS": "200"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
    part_once("R2", EXAMPLES)
