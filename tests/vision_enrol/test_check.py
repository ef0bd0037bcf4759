"""The one-minute check of a deck that came from another table: exported there, imported and checked here."""

from __future__ import annotations

import random
from pathlib import Path

import cv2
import pytest

from table_controller.cli import main
from table_controller.sim.figures.enrolment import lay_stage
from table_controller.sim.scene import Scene
from table_controller.vision.enrol.deck import Deck
from table_controller.vision.enrol.plan import CHECK_CARDS, Stage, check_stage
from table_controller.vision.enrol.store import DeckStore


def pictures(folder: Path, style: str, cards: tuple[str, ...] = CHECK_CARDS, count: int = 1) -> str:
    """A recording of a table on which these cards lie, as long as ``count`` pictures are shown."""
    folder.mkdir()
    rng = random.Random(7)
    scene = Scene(rng, style=style)
    lay_stage(scene, Stage(check_stage().words, {"S": cards}), rng)
    for number in range(count):
        cv2.imwrite(str(folder / f"{number}.jpg"), scene.render(), [cv2.IMWRITE_JPEG_QUALITY, 95])
    return f"folder:{folder}"


@pytest.fixture
def imported(deck: Deck, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """``--decks`` of a table that took the deck over from another."""
    there, here, file = tmp_path / "there", tmp_path / "here", tmp_path / "hall.deck"
    DeckStore(there).save(deck)
    assert main(["deck", "export", "hall", str(file), "--decks", str(there)]) == 0
    assert main(["deck", "import", str(file), "--decks", str(here)]) == 0
    said = capsys.readouterr().out
    assert "deck check hall" in said and "核对" in said
    return ["--decks", str(here)]


def test_the_same_deck_at_another_table_passes(
    imported: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = pictures(tmp_path / "same", "bridge", count=2)
    assert main(["deck", "check", "hall", "--camera", source, *imported]) == 0
    said = capsys.readouterr().out
    assert "AS KH QC" in said and "corners are read right" in said and "全部读对" in said


def test_cards_that_read_otherwise_are_named(
    imported: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    another = ("AC", *CHECK_CARDS[1:])
    source = pictures(tmp_path / "another", "bridge", another, count=7)
    assert main(["deck", "check", "hall", "--camera", source, *imported]) == 65
    said = capsys.readouterr().out
    assert "AS is read as AC" in said and "where AS should lie it looks like AC" in said
    assert "读成" in said and "enrol the deck at this table" in said and "重新登记" in said


def test_a_recording_too_short_for_a_check_says_so(
    imported: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = pictures(tmp_path / "short", "bridge", CHECK_CARDS[:3])
    assert main(["deck", "check", "hall", "--camera", source, *imported]) == 69
    line = capsys.readouterr().err
    assert "nothing was compared" in line and "Traceback" not in line
