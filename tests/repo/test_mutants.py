"""The bugs of ``make mutants`` can still be put in: each stands exactly once where it is said to be."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "tests" / "mutants.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["mutants"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = load()


def test_there_are_twenty_and_eighteen_are_wanted() -> None:
    assert (len(made.BUGS), made.WANTED) == (20, 18)


@pytest.mark.parametrize("number", range(20))
def test_a_bug_can_be_put_in(number: int) -> None:
    bug = made.BUGS[number]
    assert (ROOT / bug.file).read_text(encoding="utf-8").count(bug.right) == 1, "mend the list in tests/mutants.py"
    assert bug.wrong != bug.right
    for tests in bug.tests:
        assert (ROOT / tests).exists()
