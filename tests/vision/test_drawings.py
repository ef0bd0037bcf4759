"""The printed mat and prompt cards: every glyph there, true to scale, found by the table's eye."""

from __future__ import annotations

import argparse
import base64
import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont

from table_controller.drawings.mat_pdf import mat_pages
from table_controller.drawings.page import FONT_FILE, Page
from table_controller.drawings.print_command import add_arguments, run
from table_controller.drawings.prompts_pdf import prompt_pages
from table_controller.drawings.words import marker_cells
from table_controller.errors import InputError
from table_controller.geometry import load_geometry
from table_controller.resources import resource

GEOMETRY = load_geometry()


def pages(tmp_path: Path) -> list[Page]:
    return [
        mat_pages(GEOMETRY, tmp_path / "mat.pdf", tiles=False),
        mat_pages(GEOMETRY, tmp_path / "tiles.pdf", tiles=True),
        prompt_pages(GEOMETRY, tmp_path / "prompts.pdf"),
    ]


def test_no_glyph_is_missing_in_what_is_printed(tmp_path: Path) -> None:
    with TTFont(str(resource(FONT_FILE))) as font:
        known = font.getBestCmap()
    for page in pages(tmp_path):
        assert page.texts
        assert {c for text in page.texts for c in text if ord(c) not in known} == set()


def test_the_font_holds_the_words_of_the_game() -> None:
    with TTFont(str(resource(FONT_FILE))) as font:
        known = font.getBestCmap()
    words = "掼蛋一手牌一圈一副一局一轮级牌红心级牌贡还抗双下接风借报牌大王小王裁判停不要东南西北♠♥♦♣0123456789AJQK"
    assert [c for c in words if ord(c) not in known] == []


def test_prompt_cards_are_printed_once_each_with_their_words(tmp_path: Path) -> None:
    texts = prompt_pages(GEOMETRY, tmp_path / "prompts.pdf").texts
    assert texts.count("PASS") == 40
    assert texts.count("不要") == 40
    assert [texts.count(kind) for kind in ("1", "10", "TD", "STOP")] == [4, 4, 8, 8]


def test_the_pdfs_have_true_size_and_the_font_inside(tmp_path: Path) -> None:
    for what, width_mm in (("mat", 650.0), ("prompts", 210.0)):
        target = tmp_path / f"{what}.pdf"
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        assert run(parser.parse_args([what, "--out", str(target)])) == 0
        data = target.read_bytes()
        box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+)", data)
        assert box is not None
        assert float(box[1]) / 72 * 25.4 == pytest.approx(width_mm, abs=0.1)
        assert b"/FontFile2" in data


def test_a_card_is_cut_36_by_46_millimetres(tmp_path: Path) -> None:
    page = prompt_pages(GEOMETRY, tmp_path / "prompts.pdf")
    page.save()
    data = (tmp_path / "prompts.pdf").read_bytes()
    stream = next(s for s in re.findall(rb"stream\r?\n(.*?)endstream", data, re.S) if s.strip().endswith(b"~>"))
    text = zlib.decompress(base64.a85decode(b"<~" + stream.strip(), adobe=True)).decode("latin-1")
    lines = [tuple(map(float, found)) for found in re.findall(r"([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l", text)]
    upright = sorted({round(x0 / 72 * 25.4, 1) for x0, _, x1, _ in lines if x0 == x1})
    level = sorted({round(y0 / 72 * 25.4, 1) for _, y0, _, y1 in lines if y0 == y1})
    assert np.diff(upright) == pytest.approx([36] * 4, abs=0.11)
    assert np.diff(level) == pytest.approx([46] * 6, abs=0.11)


def test_markers_are_the_dictionary_s() -> None:
    cells = marker_cells("DICT_5X5_250", 7)
    assert cells.shape == (7, 7)
    assert cells[0].all() and cells[-1].all() and cells[:, 0].all() and cells[:, -1].all()
    assert not np.array_equal(cells, marker_cells("DICT_5X5_250", 8))


def test_a_place_that_is_not_there_is_said(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with pytest.raises(InputError, match="no such folder"):
        run(parser.parse_args(["mat", "--out", str(tmp_path / "none" / "mat.pdf")]))
