"""Make ``TableSans.ttf`` and ``TableSans.woff2``: the one font of pages and drawings, a subset of Noto Sans SC (OFL).

Source: npm ``@expo-google-fonts/noto-sans-sc`` (``npm pack`` it, unpack it, name its ``NotoSansSC_500Medium.ttf``)::

    python make_font.py NotoSansSC_500Medium.ttf
    python make_font.py --cards C059-Bold.otf OUT.ttf    # the few glyphs of a drawn deck's index
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

NAME = "Table Sans"
SIGNS = "♠♥♦♣♤♡♢★☆→←↑↓↔✓●○■□▲▼·…–—‘’“”′″《》【】「」、。，：；？！（）％￥×÷≥≤±°①②③④⑤⑥⑦⑧⑨⑩≠≈∞§©®•"


def wanted() -> str:
    """ASCII, Latin-1, signs, and the 6,763 characters of GB 2312."""
    rows = ((row, cell) for row in range(16, 88) for cell in range(1, 95))
    hanzi = "".join(bytes((0xA0 + r, 0xA0 + c)).decode("gb2312", "ignore") for r, c in rows)
    latin = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x100)]))
    return latin + SIGNS + hanzi


def make(source: Path, target: Path, text: str, *, family: str, woff2: bool = False) -> None:
    """Write the subset of ``source`` that holds ``text``, renamed as its licence asks."""
    options = subset.Options()
    options.hinting = False
    options.layout_features = ["kern"]
    options.drop_tables += ["STAT", "BASE", "vhea", "vmtx", "VORG"]
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    options.notdef_outline = True
    font = TTFont(source)
    cutter = subset.Subsetter(options)
    cutter.populate(text=text)
    cutter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 4, 6):
            record.string = family if record.nameID != 6 else family.replace(" ", "")
    font.save(target)
    if woff2:
        font.flavor = "woff2"
        font.save(target.with_suffix(".woff2"))


def main(arguments: list[str]) -> None:
    """Run from the command line; see the module's text."""
    if arguments[:1] == ["--cards"]:
        make(Path(arguments[1]), Path(arguments[2]), "0123456789AJQKOERjoker", family=f"Card {Path(arguments[2]).stem}")
        return
    make(Path(arguments[0]), Path(__file__).with_name("TableSans.ttf"), wanted(), family=NAME, woff2=True)


if __name__ == "__main__":
    main(sys.argv[1:])
