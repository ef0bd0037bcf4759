"""What the pages say is what the code does."""

from __future__ import annotations

import ast
import dataclasses
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller.app.profiles import markdown_table
from table_controller.config import Config, parse_config
from table_controller.dealer import messages, words
from table_controller.feed.topics import ROOT, Topics
from table_controller.games.guandan.profile import profile_names, profile_sections
from table_controller.games.guandan.settings import SETTINGS
from table_controller.sim.catalogue import markdown_table as kinds_raised
from table_controller.sim.mistakes import LEADS_TO, MISTAKES
from table_controller.table.commands import command_names
from table_controller.table.incidents import KINDS
from table_controller.table.machine import diagram

PACKAGE = Path("table_controller")


def sources(root: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Every module of the product, parsed."""
    for path in sorted((root / PACKAGE).rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def text_of(root: Path, page: str) -> str:
    """A page of the documents."""
    return (root / page).read_text(encoding="utf-8")


def first_cells(text: str) -> set[str]:
    """What stands in backticks in the first column of a page's tables."""
    return {
        name
        for line in text.splitlines()
        if line.startswith("|")
        for name in re.findall(r"`([^`]+)`", line.split("|")[1])
    }


def between(text: str, name: str) -> str:
    """What stands between a page's two markers of this name."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, re.DOTALL)
    assert found, f"the markers of '{name}' are missing"
    return found.group(1).strip()


def test_the_state_diagram_is_the_machines(root: Path) -> None:
    shown = between(text_of(root, "docs/architecture.md"), "state diagram")
    assert shown == f"```mermaid\n{diagram()}\n```"


def error_codes(root: Path) -> set[str]:
    """Every code that is written out: ``code = "X"`` in an error's class, ``code="X"`` in a call, a deal's failures."""
    found: set[str] = set()
    for _, tree in sources(root):
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "code" and isinstance(node.value, ast.Constant):
                found.add(str(node.value.value))
            elif isinstance(node, ast.ClassDef):
                for line in node.body:
                    if isinstance(line, ast.Assign) and [ast.unparse(t) for t in line.targets] == ["code"]:
                        found.add(ast.literal_eval(line.value))
    failures = [value for value in vars(words).values() if isinstance(value, words.Failure)]
    assert len(failures) >= 5
    return found | {failure.code for failure in failures} | {fault.name for fault in messages.Fault if fault}


def test_every_error_code_is_explained_and_no_other(root: Path) -> None:
    codes = error_codes(root) | {"REFUSED"}
    assert {"CONFIG", "JOURNAL", "PHASE", "JAM", "MCU_RESET"} <= codes
    listed = {name for name in first_cells(text_of(root, "docs/errors.md")) if name.isupper()}
    assert listed == codes


def test_every_exit_status_is_explained(root: Path) -> None:
    text = text_of(root, "docs/errors.md")
    tree = ast.parse((root / PACKAGE / "errors.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            assert f"| `{node.value.value!s}` |" in text, ast.unparse(node)


def test_every_incident_has_its_row_in_the_rules(root: Path) -> None:
    rows = first_cells(between(text_of(root, "docs/rules.md"), "incidents"))
    assert rows == set(KINDS)


def test_every_error_of_the_simulation_is_shown_with_what_it_raises(root: Path) -> None:
    shown = between(text_of(root, "docs/rules.md"), "mistakes").splitlines()[2:]
    rows = [[re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")] for line in shown]
    assert {row[0][0]: tuple(row[2]) for row in rows} == LEADS_TO
    assert set(LEADS_TO) == set(MISTAKES)
    assert {kind for kinds in LEADS_TO.values() for kind in kinds} <= set(KINDS)


def test_the_table_of_what_raises_each_kind_is_the_made_one(root: Path) -> None:
    assert between(text_of(root, "docs/rules.md"), "raised") == kinds_raised()


def test_every_setting_of_a_profile_is_in_the_rules(root: Path) -> None:
    text = text_of(root, "docs/rules.md")
    base = tomllib.loads((root / PACKAGE / "games/guandan/profiles/base.toml").read_text(encoding="utf-8"))
    settings = [name for section in base.values() if isinstance(section, dict) for name in section]
    assert len(settings) > 10
    assert [name for name in settings if f"`{name}`" not in text] == []
    assert [name for name in profile_names() if f"`{name}`" not in text] == []


def test_the_profiles_shown_are_the_shipped_ones(root: Path) -> None:
    assert between(text_of(root, "docs/rules.md"), "profiles") == markdown_table()


def test_every_setting_has_its_meaning_and_its_source() -> None:
    names = {name for section in profile_sections("base").values() for name in section}
    assert names == set(SETTINGS)
    assert all(s.zh and s.en and s.source for s in SETTINGS.values())


def test_every_command_is_in_the_docs_and_no_other(root: Path) -> None:
    shown = first_cells(between(text_of(root, "docs/commands.md"), "commands"))
    assert shown == set(command_names())


def toml_blocks(text: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/operating-guide.md"])
def test_config_examples_are_read_without_complaint(root: Path, page: str) -> None:
    blocks = toml_blocks(text_of(root, page))
    assert blocks
    for block in blocks:
        parse_config(block, page)


def test_every_config_key_is_explained(root: Path) -> None:
    text = text_of(root, "docs/operating-guide.md")
    for section in dataclasses.fields(Config):
        for key in dataclasses.fields(section.default_factory()):  # type: ignore[operator]
            assert f"`{section.name}.{key.name}`" in text, f"{section.name}.{key.name}"


def published(root: Path) -> dict[str, set[str]]:
    """The kinds of event that the core publishes and their fields: every ``publish(`` there. ``**`` gives no names."""
    found: dict[str, set[str]] = {}
    for path, tree in sources(root):
        if "table" not in path.relative_to(root / PACKAGE).parts:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("draft.publish", "self.publish"):
                assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}: write the kind out"
                names = {keyword.arg or "**" for keyword in node.keywords}
                if "kind" in names:  # an event has one already: the feed names this one ``what``
                    names = names - {"kind"} | {"what"}
                found.setdefault(str(node.args[0].value), set()).update(names)
    return found


def test_every_published_event_is_in_the_feeds_page_with_its_fields(root: Path) -> None:
    kinds = published(root)
    assert {"play", "pass", "deal_over", "correction", "violation30"} <= set(kinds)
    rows = {}
    for line in between(text_of(root, "docs/feed.md"), "events").splitlines()[2:]:
        cells = line.split("|")
        rows[re.findall(r"`([^`]+)`", cells[1])[0]] = set(re.findall(r"`([^`]+)`", cells[2]))
    assert set(rows) == set(kinds)
    for kind, fields in kinds.items():
        assert fields - {"**"} == rows[kind] or ("**" in fields and fields - {"**"} < rows[kind]), kind


def test_every_topic_is_in_the_feeds_page(root: Path) -> None:
    topics, text = Topics("{venue}", "{table}"), text_of(root, "docs/feed.md")
    for topic in (topics.availability, topics.info, topics.state, topics.event, topics.health):
        assert f"`{topic}`" in text
    assert f"`{ROOT}/{{venue}}/live/{{table}}/alert/{{n}}`" in text
    for stage in ("commit", "reveal"):
        assert f"`{topics.seal(stage)}`" in text
