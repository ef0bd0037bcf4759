"""The table of incidents in docs/rules.md says of each kind what the code says: its words, its place, its penalty."""

from __future__ import annotations

import re
from pathlib import Path

from table_controller.games.guandan import penalties
from table_controller.games.guandan.penalties import LATER, Given, proposed
from table_controller.games.guandan.profile import Profile, load_profile
from table_controller.table.incidents import KINDS

ROOT = Path(__file__).parents[2]
NEEDS_WORDS = {
    "tribute_late": f"; each further 15 s: {penalties.PLAIN[LATER][0]}",
    "return_late": f"; each further 15 s: {penalties.PLAIN[LATER][0]}",
    "banned_type": " after a wrong play (L259), else none",
}
"""Kinds whose proposal hangs on more than the kind."""


def rows() -> dict[str, list[str]]:
    text = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    table = text[text.index("<!-- incidents -->") : text.index("<!-- end of incidents -->")]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:3] == "| `"]
    return {line[0].strip("`"): line[1:] for line in lines}


def escalation(kind: str, profile: Profile) -> str:
    """What is proposed the first time, the second and so on, as long as it changes."""
    given: list[Given] = []
    found: list[str] = []
    for _ in range(5):
        answer = proposed(kind, "E", given, profile, game=1, round_=1)
        if answer is None or (found and answer.penalty == found[-1]):
            break
        found.append(answer.penalty)
        given.append(Given("warning", "E", kind, 1, 1))
    return " → ".join(found)


def test_every_row_says_what_the_code_does() -> None:
    told = rows()
    assert set(told) == set(KINDS)
    for name, kind in KINDS.items():
        zh, text, _, penalty, _ = told[name]
        assert (zh, text) == (kind.zh, kind.rule), name
        by = {seed: escalation(name, load_profile(p)) for seed, p in (("000", "huaian"), ("003", "national"))}
        same = by["000"] == by["003"]
        wanted = by["000"] if same else "; ".join(f"{seed}: {what or 'none'}" for seed, what in by.items())
        assert penalty == wanted + NEEDS_WORDS.get(name, ""), name


def lines_of(text: str) -> set[tuple[str, int]]:
    """Seed and line of every place that a text names."""
    found, seed = set(), ""
    for part in re.findall(r"\b(?:000|003)\b|L\d+(?:-L\d+)?", text):
        if part[0] != "L":
            seed = part
            continue
        first, *last = part.replace("L", "").split("-")
        found |= {(seed, line) for line in range(int(first), int(last[0] if last else first) + 1)}
    return found


def test_a_proposal_names_a_place_that_its_kind_names_or_the_article_of_the_penalty() -> None:
    """Whoever looks a proposal up finds what its kind cites, or the line that names the penalty."""
    of_penalties = lines_of("000 L217-L233, L305-L321; 003 L153-L178")
    for name, kind in KINDS.items():
        for profile in (load_profile("huaian"), load_profile("national")):
            answer = proposed(name, "E", [], profile, game=1, round_=1)
            if answer is not None:
                assert lines_of(answer.rule) <= lines_of(kind.rule) | of_penalties, (name, answer.rule)
                seeds = {seed for seed, _ in lines_of(answer.rule)}
                assert seeds == {"003" if answer.penalty.startswith("class") else "000"}, (name, answer.rule)
