"""Every setting of a profile does something: it is read by the product's code, and by code that is used."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from table_controller.games.guandan.profile import profile_sections
from table_controller.games.guandan.settings import SETTINGS

PACKAGE = Path(__file__).parents[2] / "table_controller"
HOLDERS = ("profile.py", "profile_sections.py", "settings.py")
"""These hold the settings and read none of them."""
KEPT_AS = {"mode": "officiating"}
"""A setting whose field has another name."""


@cache
def trees() -> dict[Path, ast.Module]:
    files = [path for path in PACKAGE.rglob("*.py") if "sim" not in path.parts and path.name not in HOLDERS]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}


def functions_reading(name: str) -> set[str]:
    """The functions that read a field of this name; ``<module>`` for what stands outside of any."""
    found: set[str] = set()
    for tree in trees().values():
        inside = {
            child: node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for child in ast.walk(node)
        }
        for node in ast.walk(tree):
            field = isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
            if field or (isinstance(node, ast.Constant) and node.value == name):  # a field's name in a table
                found.add(inside.get(node, "<module>"))
    return found


@cache
def names_used() -> frozenset[str]:
    """Every name that some code of the product uses, beside where it is defined."""
    used = set[str]()
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, ast.Attribute):
                used.add(node.attr)
    return frozenset(used)


def test_every_setting_is_described() -> None:
    assert {key for values in profile_sections("base").values() for key in values} == set(SETTINGS)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_a_setting_is_read_by_code_that_is_used(name: str) -> None:
    readers = functions_reading(KEPT_AS.get(name, name))
    assert readers, f"no code reads '{name}'"
    assert readers & {"<module>", *names_used()}, f"only {readers} read '{name}', and nobody calls them"
