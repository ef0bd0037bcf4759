"""Clean deals through renderer and recogniser, hurried, with sleeves and late clearing: nobody is accused.

``SOAK_CAMERA_DEALS`` says how many deals (200). A run that was ended goes on where it stopped; the journal of a table
that failed stays in ``build/soak``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_controller.journal.reader import read_journal

DEALS = int(os.environ.get("SOAK_CAMERA_DEALS", "200"))
PROFILES = ("default", "huaian", "national")
FOLDER = Path(__file__).parents[2] / "build" / "soak"
A_RUN = 4
"""Deals of one table: from the second on with tribute."""
QUESTIONS = ("doubtful_reading", "doubtful_prompt", "doubtful_exchange", "conservation")
"""The table asks what lies there and accuses nobody."""

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(0),
    pytest.mark.broker,
    pytest.mark.runs(
        "cards config errors files games geometry resources table journal runtime dealer vision panel "
        "sim app drawings models/*.onnx models/classes.txt hardware/*.toml",
        starts="table_controller.app.simulation",
        besides="feed web",
    ),
]


def play(seed: int, profile: str, journal: Path) -> dict[str, Any]:
    """One table of ``A_RUN`` deals: its result, its incidents by kind, and how often the thread was lost."""
    journal.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "table_controller", "sim", "--deals", str(A_RUN), "--seed", str(seed), "--emulator",
         "--profile", profile, "--journal", str(journal)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    kinds = Counter(line.split()[2] for line in done.stderr.splitlines() if line.startswith("incident"))
    types = Counter(r["event"]["type"] for r in read_journal(journal).records if r["kind"] == "event")
    misread = [line for line in done.stderr.splitlines() if line.startswith("misread")]
    result = json.loads(done.stdout.splitlines()[-1])
    told = {name: result[name] for name in ("deals", "plays", "passes", "reports", "doubtful", "misreads")}
    return {**told, "incidents": dict(kinds), "resyncs": types["Resync"], "misread": misread}


@pytest.mark.parametrize("seed", range(5000, 5000 + -(-DEALS // A_RUN)))
def test_clean_deals_through_the_camera_accuse_nobody(seed: int, part_once: Callable[..., None]) -> None:
    """No incident but questions, and no play read wrong that the table was sure of."""
    profile = PROFILES[seed % len(PROFILES)]
    FOLDER.mkdir(parents=True, exist_ok=True)
    journal = FOLDER / f"camera-{profile}-{seed}.jsonl"
    found = play(seed, profile, journal)
    told = f"seed {seed}, profile {profile}: {found}"
    assert found["deals"] == A_RUN, told
    assert [kind for kind in found["incidents"] if kind not in QUESTIONS] == [], told
    assert (found["misreads"], found["resyncs"]) == (0, 0), told
    journal.unlink()
    part_once("R17 camera", A_RUN, plays=found["plays"], doubtful=found["doubtful"])
