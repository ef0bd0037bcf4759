"""What the long tests found is kept in ``build/soak/results.jsonl``, by the sources that each of them really runs.

A long test names those in a marker: ``@pytest.mark.runs("cards games ...")``. A name is a module or a package of
``table_controller``, or a pattern of files under the checkout. ``starts`` names what the test runs in other processes
(modules, or files of tests), ``besides`` packages that are imported there and do nothing to what is counted.
tests/repo/test_parts.py holds the names against what is imported. A change of anything else lets results stand.

``tests/reliability.py`` makes the table in docs/reliability.md of the results. Delete the file to begin anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PRODUCT = ROOT / "table_controller"
RESULTS = Path(os.environ.get("SOAK_RESULTS", str(ROOT / "build" / "soak" / "results.jsonl")))
_LEFT_OUT = {"__pycache__", "build"}


def sources(name: str) -> Iterator[Path]:
    """The files of a name of the marker; none if there is no such thing."""
    if "/" in name:
        yield from sorted(path for path in ROOT.glob(name) if path.is_file())
        return
    if (PRODUCT / f"{name}.py").is_file():
        yield PRODUCT / f"{name}.py"
    for path in sorted((PRODUCT / name).rglob("*")):
        if path.is_file() and not _LEFT_OUT & set(path.relative_to(PRODUCT).parts):
            yield path


@cache
def program(test: Path, words: tuple[str, ...]) -> str:
    """A hash of a long test's own file and of the sources it names. Raises ValueError for a name without any."""
    digest = hashlib.sha256(test.read_bytes())
    for name in sorted(" ".join(words).split()):
        found = list(sources(name))
        if not found:
            raise ValueError(f"{test.name} names {name}, which is not there")
        for path in found:
            digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def kept() -> list[dict[str, Any]]:
    """Everything kept so far."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def keep(line: dict[str, Any]) -> None:
    """Add a result, which outlives this run at once."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("a") as file:
        file.write(json.dumps(line) + "\n")
