"""The worked cases of the rule texts, from tests/cases or ``$CASES_DIR``; two files have tests of their own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from table_controller.games.guandan.profile import load_profile
from tests.rules.case_runner import FIELDS, OPERATIONS, CaseError, answer_of, differing, profiles_of

CASES_DIR = Path(os.environ.get("CASES_DIR", Path(__file__).parents[1] / "cases"))
OF_THEIR_OWN = ("facts.json", "officiating.json")


def _cases() -> list[Any]:
    found = []
    for path in sorted(CASES_DIR.glob("*.json")):
        if path.name in OF_THEIR_OWN:
            continue
        for case in json.loads(path.read_text(encoding="utf-8")):
            for profile in profiles_of(case):
                found.append(pytest.param(case, profile, id=f"{case['id']}-{profile}"))
    return found


@pytest.mark.parametrize(("case", "profile"), _cases())
def test_case(case: dict[str, Any], profile: str) -> None:
    answer = answer_of(case, load_profile(profile))
    assert list(differing(case, answer)) == [], case.get("rule", "")


def test_there_are_cases() -> None:
    assert len(_cases()) > 500 or "CASES_DIR" in os.environ
    assert set(FIELDS) == set(OPERATIONS)


CASE: dict[str, Any] = {
    "id": "X",
    "given": {"op": "report_due", "cards_before": 12, "cards_played": 2},
    "expect": {"due": True, "card": 10},
}


def test_a_case_needs_no_more_than_its_op() -> None:
    for profile in profiles_of(CASE):
        assert list(differing(CASE, answer_of(CASE, load_profile(profile)))) == []
    wrong = {**CASE, "expect": {"card": 9}}
    assert list(differing(wrong, answer_of(wrong, load_profile("huaian")))) == ["card: 10, not 9"]
    assert profiles_of({"profile": "huaian"}) == ("huaian",)


def test_ten_is_written_either_way() -> None:
    ways = [
        {"op": "classify", "level": level, "cards": cards}
        for level, cards in (("10", ["10S", "th"]), ("T", ["TS", "TH"]))
    ]
    one, other = (answer_of({**CASE, "given": given, "expect": {}}, load_profile("huaian")) for given in ways)
    assert one == other
    assert one["valid"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"given": {"op": "report_dew"}}, "report_dew"),
        ({"given": {**CASE["given"], "cards_left": 3}}, "cards_left"),
        ({"given": {"op": "report_due", "cards_before": 12}}, "cards_played"),
        ({"expect": {"dew": True}}, "dew"),
        ({"expectation": {}}, "expectation"),
        ({"given": {"op": "classify", "level": "1", "cards": ["5S"]}}, "'1'"),
        ({"given": {"op": "classify", "level": "2", "cards": ["5X"]}}, "5X"),
        ({"given": {"op": "trick", "leader": "E", "actions": [["W", "5S"]]}}, "the turn is E's"),
        ({"given": {"op": "next_level", "finish_order": ["E", "W"], "levels": {"EW": "2"}}}, "EW and NS"),
        ({"given": {"op": "next_level", "finish_order": ["E", "N"], "levels": {"EW": "2", "NS": "2"}}}, "leaves open"),
        (
            {"given": {"op": "next_level", "finish_order": ["E", "E"], "levels": {"EW": "2", "NS": "2"}}},
            "each seat once",
        ),
        ({"given": {"op": "classify", "level": "2", "cards": "5S"}}, "no list of cards"),
        ({"given": {"op": "compare", "level": "2", "previous": ["4C"], "next": ["3D"], "next_as": "?"}}, "no reading"),
    ],
)
def test_what_nothing_would_look_at_is_named(change: dict[str, Any], named: str) -> None:
    case = {**CASE, **change}
    with pytest.raises(Exception, match=named):
        answer_of(case, load_profile("huaian"))


def test_the_error_is_of_the_case() -> None:
    with pytest.raises(CaseError):
        answer_of({**CASE, "given": {"op": "?"}}, load_profile("huaian"))
