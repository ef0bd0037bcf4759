"""The figure of prompt cards: a few of ours and of a plain set through the product's eye, none taken for another."""

from __future__ import annotations

import json

import pytest

from table_controller.cli import main


@pytest.mark.parametrize("name", ["ours", "colour"])
def test_prompt_cards_of_a_few_circles_are_read_once_and_right(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["sim", "prompts", "--count", "8", "--seed", "2", "--set", name, "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["laid"] == 8
    assert report["taken_for_another"] == 0
    assert report["right"] == 8, report["faults"]
