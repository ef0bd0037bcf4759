"""The bugs of ``make mutants`` can still be put in: each stands exactly once where it is said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loaded import load

ROOT = Path(__file__).parents[2]


made = load("mutants.py")


def test_there_are_twenty_and_eighteen_are_wanted() -> None:
    assert (len(made.BUGS), made.WANTED) == (20, 18)


@pytest.mark.parametrize("number", range(20))
def test_a_bug_can_be_put_in(number: int) -> None:
    bug = made.BUGS[number]
    assert (ROOT / bug.file).read_text(encoding="utf-8").count(bug.right) == 1, "mend the list in tests/mutants.py"
    assert bug.wrong != bug.right
    for tests in bug.tests:
        assert (ROOT / tests).exists()
