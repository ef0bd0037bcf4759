"""What is generated in hardware/ is what is committed, can be read, and names only what there is."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from fontTools.ttLib import TTFont

from hardware.tools import __main__ as tools
from hardware.tools import harness
from hardware.tools.data import HARDWARE, bom, toml
from hardware.tools.sheet import A4, Sheet, pdf
from table_controller.drawings.page import FONT_FILE
from table_controller.resources import resource

SHEETS = [*tools.drawings(), *harness.sheets()]


def test_regenerated_equals_committed() -> None:
    names = [str(path.relative_to(HARDWARE)) for path in tools.stale()]
    assert names == [], "run: .venv/bin/python -m hardware.tools"


def test_nothing_generated_is_left_over() -> None:
    """A drawing whose sheet is gone must go too."""
    known = {*tools.texts(), *tools.pdfs()}
    folders = (HARDWARE / "drawings", HARDWARE / "harness")
    assert {path for folder in folders for path in folder.iterdir()} - known == set()


def test_check_names_what_differs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    path = HARDWARE / "throughput.md"
    monkeypatch.setattr(tools, "texts", lambda: {path: "something else"})
    monkeypatch.setattr(tools, "pdfs", dict)
    before = path.read_text(encoding="utf-8")
    assert tools.main(["--check"]) == 1
    assert "throughput.md" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == before


def test_a_pdf_that_draws_something_else_differs() -> None:
    def page(x: float, words: str) -> list[bytes]:
        sheet = Sheet("one", "One", "1", "1 : 1", size=A4)
        sheet.line(20, 20, x, 40)
        sheet.text(30, 60, words)
        return tools.strokes(pdf([sheet]))

    assert len(page(50, "a")) == 1
    assert page(50, "a") == page(50, "a")
    assert page(50, "a") != page(51, "a")
    assert page(50, "ab") != page(50, "ba")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_words_of_a_sheet_do_not_cover_each_other(sheet: Sheet) -> None:
    assert len(sheet.texts) > 10
    assert sheet.overlaps() == []


def test_overlapping_words_are_noticed() -> None:
    sheet = Sheet("one", "One", "1", "1 : 1", size=A4)
    assert sheet.overlaps() == []
    sheet.text(50, 50, "first words")
    sheet.text(52, 51, "second words")
    sheet.text(50, 3, "beyond")
    sheet.text(120, 50, "across", turn=90)
    sheet.text(118, 54, "crossed")
    pairs = sheet.overlaps()
    assert ("first words", "second words") in pairs
    assert ("beyond", "frame") in pairs
    assert ("across", "crossed") in pairs


def test_every_character_is_in_the_font() -> None:
    with TTFont(str(resource(FONT_FILE))) as font:
        known = font.getBestCmap()
    assert {c for sheet in SHEETS for text in sheet.texts for c in text if ord(c) not in known} == set()


@pytest.mark.parametrize("path", sorted(HARDWARE.glob("*/*.svg")), ids=lambda path: path.stem)
def test_an_svg_has_its_size_and_stays_within(path) -> None:
    tree = ET.parse(path).getroot()
    assert tree.attrib["width"].endswith("mm")
    _, _, width, height = map(float, tree.attrib["viewBox"].split())
    points = [pair.split(",") for item in tree.iter() for pair in item.attrib.get("points", "").split()]
    assert points
    assert all(0 <= float(x) <= width and 0 <= float(y) <= height for x, y in points)


def test_drawings_and_harness_name_only_parts_of_the_bom() -> None:
    parts = set(bom())
    shapes = re.compile(r"\b(?:(?:PS|PCB|SE|MP|TJ|[ABCDFHJKLMQRSTUXYW])\d+|W[ABC])\b")
    cables = {cable.name for cable in harness.cables()}
    # sheet numbers, and the drivers' own mode pins
    free = {sheet.number for sheet in SHEETS} | cables
    for sheet in SHEETS:
        named = {name for text in sheet.texts for name in shapes.findall(text)}
        assert named - parts - free == set(), sheet.name


def test_the_harness_joins_parts_of_the_bom() -> None:
    for cable in harness.cables():
        ends = {cable.plug, cable.source, cable.part, *cable.target.split(", ")}
        assert ends <= set(bom()), cable.name
        assert {way.name for way in cable.ways} == set(
            re.findall(r"pinlabels: \[(.*)\]", harness.yml(cable))[0].replace('"', "").split(", ")
        )


def test_wires_of_a_cable_can_be_told_apart() -> None:
    for cable in harness.cables():
        assert [way.number for way in cable.ways] == list(range(1, len(cable.ways) + 1)), cable.name
        wires = [way.wire for way in cable.ways]
        assert len(set(wires)) == len(wires), cable.name
        assert f"{len(cable.ways)} ways" in bom()[cable.plug]["description"], cable.name


def test_the_tray_is_not_red_green_or_blue_and_names_its_seats() -> None:
    colour = toml("hardware/geometry.toml")["mat"]["colour"]
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    assert max(red, green, blue) - min(red, green, blue) < 0.2 * max(red, green, blue)
    for name in ("tray", "table-plan"):
        texts = next(sheet for sheet in SHEETS if sheet.name == name).texts
        assert {"东 E", "北 N", "西 W", "南 S"} <= set(texts)
