"""The marks at the table's edge: true to scale, in the font, printed by the command."""

from __future__ import annotations

import argparse
import io
import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from hardware.tools.__main__ import strokes
from table_controller.drawings.marks_pdf import mark_pages
from table_controller.drawings.page import FONT_FILE
from table_controller.drawings.print_command import add_arguments, run
from table_controller.geometry import load_geometry
from table_controller.resources import resource

PT = 72 / 25.4


def test_one_page_a_seat_with_its_words(tmp_path: Path) -> None:
    page = mark_pages(load_geometry(), tmp_path / "marks.pdf")
    assert [text[:3] for text in page.texts if "100 %" in text] == ["东 E", "北 N", "西 W", "南 S"]
    assert page.texts.count("弃牌区") == page.texts.count("discard") == 4
    with TTFont(str(resource(FONT_FILE))) as font:
        known = font.getBestCmap()
    assert {c for text in page.texts for c in text if ord(c) not in known} == set()


def test_rectangle_circle_and_edge_are_as_far_apart_as_on_the_table() -> None:
    g, target = load_geometry(), io.BytesIO()
    mark_pages(g, target).save()
    drawn = strokes(target.getvalue())
    assert len(drawn) == 4
    text = drawn[0].decode("latin-1")
    lines = [tuple(float(n) / PT for n in found) for found in re.findall(r"(\S+) (\S+) m (\S+) (\S+) l", text)]
    level = sorted({round(y0, 1) for _, y0, _, y1 in lines if y0 == y1})
    upright = sorted({round(x0, 1) for x0, _, x1, _ in lines if x0 == x1})
    edge, low, high = level
    assert high - low == pytest.approx(g.discard_mm[1], abs=0.15)
    assert low - edge == pytest.approx(g.discard_edge_mm, abs=0.15)
    assert upright[-1] - upright[0] == pytest.approx(g.discard_mm[0], abs=0.15)
    assert upright[1] - upright[0] == pytest.approx(g.discard_mm[0] / 2, abs=0.15)  # the tick at the side's middle


def test_the_command_prints_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    target = tmp_path / "marks.pdf"
    assert run(parser.parse_args(["marks", "--out", str(target)])) == 0
    assert target.read_bytes().startswith(b"%PDF")
    assert "100 %" in capsys.readouterr().out
