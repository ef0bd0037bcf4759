"""The table of faults is made from results, and every test that it and the threat model name is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.loaded import load

ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[A-Za-z0-9_./*]+?\.py)(?:::(\w+))?`|`(tests/[a-z_]+)`")


made = load("reliability.py")


def test_every_fault_has_its_row_and_its_tests() -> None:
    assert [row.number for row in made.ROWS] == [f"R{number}" for number in range(1, 22)]
    for row in made.ROWS:
        for path in (*row.tests, *([row.long] if row.long else [])):
            assert (ROOT / path).exists(), f"{row.number}: {path}"


def test_the_table_is_that_of_the_results() -> None:
    text = made.PAGE.read_text(encoding="utf-8")
    results = json.loads(made.RESULTS.read_text(encoding="utf-8"))
    assert made.page(text, results) == text, "run python tests/reliability.py"
    assert all(line["failed"] == 0 for line in results["ci"].values())


def test_results_are_taken_in_by_row_and_a_failure_is_said(tmp_path: Path) -> None:
    junit = tmp_path / "r.xml"
    case = '<testcase classname="tests.journal.test_killed" name="{}">{}</testcase>'
    cases = case.format("a", "") + case.format("b", "<failure/>") + case.format("c", "<skipped/>")
    junit.write_text(f'<testsuites><testsuite timestamp="2026-11-30T10:00:00">{cases}</testsuite></testsuites>')
    found = made.from_junit(junit)
    assert found == {"R4": {"date": "2026-11-30", "passed": 1, "failed": 1}}
    name = "tests/soak/test_hours_soak.py::t[{}]"
    parts = [{"row": "R17", "test": name.format(n), "count": 250, "date": f"2026-11-2{n}T00:00"} for n in (1, 3, 2)]
    deals = {**parts[0], "test": "tests/soak/test_virtual_soak.py::t[0]"}
    long = made.from_soak([*parts, parts[0], deals])
    assert long == {"R17": {"count": 750, "date": "2026-11-23"}}
    text = made.table({"ci": found, "long": long})
    assert "**1 FAILED**" in text
    assert "750 passed, 2026-11-23 (of 10,000 table-hours" in text
    assert "not run" in text


def test_a_long_test_that_could_not_be_tried_stands_in_the_page_with_its_reason() -> None:
    begin = "tests/systemd/test_clean_debian.py"
    line = {
        "row": "clean Debian",
        "test": f"{begin}::t",
        "count": 0,
        "date": "2026-11-29T00:00",
        "not_tried": "no root",
    }
    assert "**NOT TRIED**, 2026-11-29: no root" in made.also({"also": made.also_from_soak([line])})
    tried = {**line, "count": 1}
    del tried["not_tried"]
    assert "| 1 times passed, 2026-11-29 |" in made.also({"also": made.also_from_soak([line, tried])})
    assert made.also({}).count("not yet run") == len(made.ALSO)
    for place, *_ in made.ALSO:
        assert (ROOT / place.split("::")[0]).exists()
    debian = load("systemd/test_clean_debian.py")
    assert debian.lacking(0, "/usr/sbin/debootstrap", None) == ""
    assert debian.lacking(1000, None, None) == "it needs root, for chroot and the package debootstrap"
    assert debian.lacking(0, None, "/made") == ""


THREATS = [
    line for line in SECURITY.splitlines() if line.startswith("| ") and not line.startswith(("| threat", "|---"))
]


@pytest.mark.parametrize("line", THREATS, ids=lambda line: line.split("|")[1].strip()[:40])
def test_a_threat_names_tests_that_are_there_or_says_none(line: str) -> None:
    cell = line.split("|")[3]
    named = NAMED.findall(cell)
    assert named or "*none*" in cell, f"no test and not *none*: {cell}"
    for file, function, folder in named:
        found = list(ROOT.glob(file or folder))
        assert found, f"{file or folder} is not there"
        if function:
            assert f"def {function}(" in found[0].read_text(encoding="utf-8"), f"{file} has no {function}"


def test_all_four_kinds_of_people_are_thought_of() -> None:
    heads = re.findall(r"^## (.+)$", SECURITY, re.MULTILINE)
    assert heads[:4] == ["A player at the table", "A person on the network", "A thief of the SD card", "An insider"]
    assert len(THREATS) > 15
