"""What long runs share: progress that outlives the run, one line a finished piece, under ``build/soak``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("SOAK_FOLDER", Path(__file__).resolve().parents[2] / "build" / "soak"))
"""Remove it to begin anew; a new weight file or another length does not find old lines by their keys."""


class Progress:
    """Finished pieces by their key. Only what ended clean is entered, so a failed piece is run again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.done: dict[str, dict[str, Any]] = {}
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:  # the line that was being written when the run was ended
                continue
            self.done[entry.pop("key")] = entry

    def enter(self, key: str, **figures: Any) -> None:
        """This piece ended clean."""
        self.done[key] = figures
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **figures}) + "\n")


@pytest.fixture(scope="session")
def progress() -> Callable[[str], Progress]:
    """The progress of a long run by its name."""
    return lambda name: Progress(FOLDER / f"{name}.jsonl")
