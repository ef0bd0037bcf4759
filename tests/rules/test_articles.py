"""Every line of both texts stands in a row of the rules' table, and what a row names is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = {"000": set(range(1, 440, 2)), "003": set(range(1, 185))}
"""The lines of the texts that are not empty: 000 has an empty one between any two."""


def rows() -> list[list[str]]:
    text = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    table = text[text.index("## Article by article") : text.index("## Incidents")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:2] == "| "][
        1:
    ]


def test_no_line_of_either_text_is_left_out() -> None:
    covered: dict[str, set[int]] = {"000": set(), "003": set()}
    for row in rows():
        for part in row[1].split(";"):
            seed = re.search(r"000|003", part)
            for first, last in re.findall(r"L(\d+)(?:-L(\d+))?", part):
                assert seed is not None, row
                covered[seed[0]] |= set(range(int(first), int(last or first) + 1))
    assert {seed: sorted(lines - covered[seed]) for seed, lines in LINES.items()} == {"000": [], "003": []}


def test_every_file_and_name_of_a_row_is_there() -> None:
    places = {
        "games/": "table_controller/games/guandan/",
        "table/": "table_controller/table/",
        "app/": "table_controller/app/",
    }
    for row in rows():
        code = ""
        for name in re.findall(r"`([^`]+)`", row[3]):
            path = next((full + name[len(short) :] for short, full in places.items() if name.startswith(short)), name)
            if path == "cards.py":
                path = "table_controller/cards.py"
            if "/" in path or path.endswith(".py"):
                assert (ROOT / path).exists(), (row[0], name)
                code = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""
            elif re.fullmatch(r"[a-z_]+|[A-Z_]+", name) and code and "_" in name:
                everywhere = [p.read_text(encoding="utf-8") for p in (ROOT / "table_controller").rglob("*.py")]
                assert any(name in text for text in (code, *everywhere)), (row[0], name)
