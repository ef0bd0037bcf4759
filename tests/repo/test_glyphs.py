"""The shipped font holds every character that pages, drawings and incidents show."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from table_controller.drawings import words
from table_controller.resources import resource
from table_controller.table.incidents import KINDS

FONTS = ("table_controller/web/fonts/TableSans.ttf", "table_controller/web/fonts/TableSans.woff2")


@pytest.fixture(scope="module", params=FONTS)
def known(request: pytest.FixtureRequest) -> set[str]:
    """The characters of a shipped font."""
    with TTFont(resource(request.param)) as font:
        return {chr(code) for code in font.getBestCmap()}


def missing(texts: Iterable[str], known: set[str]) -> set[str]:
    return {sign for text in texts for sign in text if not sign.isspace()} - known


def test_pages(known: set[str], root: Path) -> None:
    pages = sorted((root / "table_controller/web/static").iterdir())
    assert len(pages) >= 5
    assert missing((page.read_text(encoding="utf-8") for page in pages), known) == set()


def test_incidents(known: set[str]) -> None:
    assert missing((kind.zh + kind.en for kind in KINDS.values()), known) == set()


def test_drawings(known: set[str], root: Path) -> None:
    modules = sorted((root / "table_controller/drawings").glob("*.py"))
    printed = [*words.PROMPT_CHINESE.values(), *words.SEAT_CHINESE.values(), *words.prompt_lines("10")]
    assert missing([*printed, *(module.read_text(encoding="utf-8") for module in modules)], known) == set()


def test_health(known: set[str], root: Path) -> None:
    """What the control page says of the adapters."""
    text = (root / "table_controller/app/health.py").read_text(encoding="utf-8")
    assert missing([text], known) == set()
