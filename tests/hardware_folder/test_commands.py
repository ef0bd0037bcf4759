"""Every command that the pages of the hardware folder name is there."""

from __future__ import annotations

import re

import pytest

from hardware.tools.data import HARDWARE, ROOT
from table_controller.cli import main

PAGES = sorted([*HARDWARE.glob("*.md"), *HARDWARE.glob("assembly/*.md")])
COMMAND = re.compile(r"`table-controller ([a-z]+)((?: [a-z]+)?)((?: [^`]*)?)`")


def commands() -> dict[tuple[str, ...], set[str]]:
    """(command, perhaps what it does): the options named with it."""
    found: dict[tuple[str, ...], set[str]] = {}
    for page in PAGES:
        for command, what, rest in COMMAND.findall(page.read_text(encoding="utf-8")):
            words = (command,) if command == "print" else (command, *what.split())
            found.setdefault(words, set()).update(re.findall(r"--[a-z-]+", rest))
    return found


def test_there_are_commands() -> None:
    assert {("dealer", "selftest"), ("dealer", "flash"), ("camera", "check"), ("doctor",)} <= set(commands())


@pytest.mark.parametrize("words", sorted(commands()), ids=" ".join)
def test_a_command_is_there_with_its_options(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*words, "--help"])
    assert end.value.code == 0
    known = capsys.readouterr().out
    assert [option for option in commands()[words] if option not in known] == []


def test_what_print_is_asked_for_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["print", "--help"])
    known = capsys.readouterr().out
    for page in PAGES:
        for what in re.findall(r"print (mat|prompts|marks)", page.read_text(encoding="utf-8")):
            assert what in known


def test_the_make_targets_are_there() -> None:
    named = {
        found
        for page in PAGES
        for found in re.findall(r"`make -C firmware ?([a-z-]*)`", page.read_text(encoding="utf-8"))
    }
    text = (ROOT / "firmware/Makefile").read_text(encoding="utf-8")
    assert named
    assert all(re.search(rf"^{target}:", text, re.MULTILINE) for target in named if target)
