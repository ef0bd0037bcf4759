"""Plain prompt cards as venues print them, without markers: two drawn sets for the simulated table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from table_controller.drawings.words import prompt_lines
from table_controller.geometry import Geometry
from table_controller.resources import resource

Picture = NDArray[np.uint8]
DESIGNS = ("white", "colour")
_PAPERS = {"PASS": (64, 140, 84), "TD": (196, 44, 44), "STOP": (214, 120, 30)}
_NUMBERS = (240, 214, 92)
_INK = (22, 20, 24)


def plain_kinds(geometry: Geometry) -> tuple[str, ...]:
    """The kinds of prompt cards, each once."""
    return tuple(dict.fromkeys(geometry.prompt_box))


def plain_prompt_picture(geometry: Geometry, kind: str, design: str, px_per_mm: float) -> Picture:
    """One card as RGBA: a word or number, black on ``white``, or on a ``colour`` with small ones in two corners."""
    if design not in DESIGNS:
        raise ValueError(f"a plain set is one of {', '.join(DESIGNS)}, not {design}")
    k = px_per_mm
    width, height = (round(side * k) for side in geometry.prompt_card_mm)
    coloured = design == "colour"
    paper = _PAPERS.get(kind, _NUMBERS) if coloured else (247, 246, 240)
    ink = (250, 248, 240) if coloured and kind in _PAPERS else _INK
    card = Image.new("RGB", (width, height), paper)
    on = ImageDraw.Draw(card)
    large = 20 if kind.isdigit() else 15 if kind == "TD" else 11
    middle = (width / 2, height * (0.44 if coloured else 0.5))
    on.text(middle, kind, font=_font(large * k), fill=ink, anchor="mm")
    if coloured:
        on.text((width / 2, height * 0.8), prompt_lines(kind)[1], font=_font(5.5 * k), fill=ink, anchor="mm")
        half = Image.new("L", (width, height), 0)
        ImageDraw.Draw(half).text((3 * k, 2 * k), kind[:2], font=_font(4.5 * k), fill=255)
        for mask in (half, half.transpose(Image.Transpose.ROTATE_180)):
            card.paste(ink, (0, 0), mask)
    elif kind in ("6", "9"):
        on.rectangle((width / 2 - 6 * k, middle[1] + 9 * k, width / 2 + 6 * k, middle[1] + 10.2 * k), fill=ink)
    on.rectangle((0, 0, width - 1, height - 1), outline=tuple(value * 4 // 5 for value in paper), width=round(0.4 * k))
    card.putalpha(255)
    return np.asarray(card, dtype=np.uint8)


def _font(size_px: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(resource("table_controller/web/fonts/TableSans.ttf")), round(size_px))
