"""The facts of the rule texts (``tests/cases/facts.json``): each is found by its id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FACTS = json.loads((Path(__file__).parents[1] / "cases" / "facts.json").read_text(encoding="utf-8"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes ``fact`` runs for every fact and profile whose id begins with one of its module's PREFIXES."""
    if "fact" in metafunc.fixturenames:
        pairs = [(f, p) for f in FACTS if f["id"].startswith(metafunc.module.PREFIXES) for p in f["profile"]]
        assert {f["id"] for f, _ in pairs} == set(metafunc.module.CHECKS), "a fact without its check, or the reverse"
        metafunc.parametrize(("fact", "profile"), pairs, ids=[f"{f['id']}-{p}" for f, p in pairs])


@pytest.fixture(scope="session")
def facts() -> list[dict[str, Any]]:
    """All of them."""
    return FACTS
