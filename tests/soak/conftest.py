"""What a long test found is kept in ``build/soak/results.jsonl``: a part that passed is not run again by its program.

``tests/reliability.py`` makes the table in docs/reliability.md of it. Delete the file to begin anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = Path(os.environ.get("SOAK_RESULTS", str(ROOT / "build" / "soak" / "results.jsonl")))

Keep = Callable[..., None]


@cache
def program() -> str:
    """A hash of the product's sources."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "table_controller").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def kept() -> list[dict[str, Any]]:
    """Everything kept so far."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


@pytest.fixture
def part_once(request: pytest.FixtureRequest) -> Keep:
    """Call it with row and count once a part has passed. A part that has passed before is not run again."""
    name = request.node.nodeid
    for line in kept():
        if line["test"] == name and line["program"] == program():
            pytest.skip(f"passed on {line['date'][:10]} by the same program")
    began = time.monotonic()

    def keep(row: str, count: int, **more: Any) -> None:
        line = {
            "row": row, "test": name, "count": count, "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "program": program(), "seconds": round(time.monotonic() - began, 1), **more,
        }  # fmt: skip
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        with RESULTS.open("a") as file:
            file.write(json.dumps(line) + "\n")

    return keep
