"""The sources that each long test names are those it runs: a result must not outlive a change of what was tested."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import grimp
import pytest

from tests import parts
from tests.loaded import load

ROOT = Path(__file__).parents[2]
SOURCES = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if path != Path(__file__)]
LONG = [str(path.relative_to(ROOT / "tests")) for path in SOURCES if "mark.runs(" in path.read_text(encoding="utf-8")]
GRAPH = grimp.build_graph("table_controller", exclude_type_checking_imports=True)


def modules_of(file: Path) -> set[str]:
    """The product's modules that a file imports, at its top or in a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("table_controller"):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in GRAPH.modules else str(node.module) for name in names}
    return found


def packages(modules: set[str]) -> set[str]:
    """What these modules lead to, as packages of the product: everything they import, and what that imports."""
    reached = modules.union(*(GRAPH.find_upstream_modules(module) for module in modules))
    return {module.split(".")[1] for module in reached if "." in module}


def names(mark: pytest.Mark, *, besides: bool = False) -> set[str]:
    """What a mark names."""
    return set(" ".join((*mark.args, mark.kwargs.get("besides", "") if besides else "")).split())


def starts(mark: pytest.Mark) -> set[str]:
    """The modules that a test starts in other processes."""
    found: set[str] = set()
    for name in mark.kwargs.get("starts", "").split():
        found |= modules_of(ROOT / name) if "/" in name else {name}
    return found


def marks(module: Any) -> list[pytest.Mark]:
    """The marks of a module and of its tests."""
    own = getattr(module, "pytestmark", [])
    of_tests = [mark for name in dir(module) for mark in getattr(getattr(module, name), "pytestmark", [])]
    return [mark for mark in [*(own if isinstance(own, list) else [own]), *of_tests] if mark.name == "runs"]


@pytest.mark.parametrize("name", LONG)
def test_a_long_test_names_all_that_it_runs(name: str) -> None:
    found = marks(load(name))
    assert found
    assert packages(modules_of(ROOT / "tests" / name)) <= set().union(*(names(mark, besides=True) for mark in found))
    for mark in found:
        for one in names(mark):
            assert list(parts.sources(one)), f"{one} is not there"
        assert packages(starts(mark)) <= names(mark, besides=True)


def test_every_test_that_keeps_parts_names_them() -> None:
    keeps = [path for path in SOURCES if re.search(r"\bpart_once\(", path.read_text(encoding="utf-8"))]
    assert [str(path.relative_to(ROOT / "tests")) for path in keeps] == LONG
    assert len(LONG) > 8


def test_a_result_stands_until_what_it_names_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ROOT", tmp_path)
    monkeypatch.setattr(parts, "PRODUCT", tmp_path / "table_controller")
    test = tmp_path / "test_it.py"
    for path in ("test_it.py", "table_controller/cards.py", "table_controller/web/page.html", "models/a.onnx"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)

    def program(*names: str) -> str:
        parts.program.cache_clear()
        return parts.program(test, names)

    before = program("cards", "models/*.onnx")
    (tmp_path / "table_controller/web/page.html").write_text("another")
    assert program("cards", "models/*.onnx") == before
    seen = {before}
    for path in ("table_controller/cards.py", "models/a.onnx", "test_it.py"):
        (tmp_path / path).write_text("another")
        seen.add(program("cards", "models/*.onnx"))
    assert len(seen) == 4
    assert program("web") != program("cards")
    with pytest.raises(ValueError, match="names sleeves, which is not there"):
        program("sleeves")
