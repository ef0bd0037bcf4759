"""How drawn decks look: four named styles, and any number of others by number (``drawn-17``), each its own deck."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from table_controller.errors import UsageError

Colour = tuple[int, int, int]
FONTS = ("Century.otf", "Narrow.otf", "Palatino.otf", "Sans.otf")
DRAWN = "drawn-"


@dataclass(frozen=True)
class SuitShape:
    """How the suit signs differ from the plain ones: factors of width, and how far a diamond's sides bend in."""

    heart: float = 1.0
    spade: float = 1.0
    diamond: float = 1.0
    bend: float = 0.0
    leaf: float = 1.0
    foot: float = 1.0


@dataclass(frozen=True)
class DeckStyle:
    """How one kind of deck looks. Lengths in mm, colours in RGB."""

    name: str
    font: str
    rank_mm: float = 9.0
    suit_mm: float = 7.2
    gap_mm: float = 1.3
    index_x_mm: float = 6.4
    index_top_mm: float = 3.6
    widest_mm: float = 7.6
    pip_mm: float = 11.5
    paper: Colour = (250, 249, 244)
    black: Colour = (24, 22, 24)
    red: Colour = (200, 26, 34)
    back: Colour = (38, 64, 140)
    joker_mm: float = 22.0
    stretch: float = 1.0
    """Ranks this much wider than the typeface draws them."""
    slant: float = 0.0
    """Ranks lean by this share of their height."""
    weight_mm: float = 0.0
    """Strokes this much thicker (or thinner) on each side."""
    shape: SuitShape = field(default_factory=SuitShape)
    court_frame: bool = True
    joker_word: str = "stacked"
    """``stacked`` letters, or the word ``turned`` to run down the edge."""


STYLES: dict[str, DeckStyle] = {
    style.name: style
    for style in (
        DeckStyle("classic", "Century.otf"),
        DeckStyle(
            "bridge", "Narrow.otf", rank_mm=10.0, suit_mm=6.8, index_x_mm=5.6, back=(140, 34, 42), red=(212, 30, 30)
        ),
        DeckStyle(
            "club", "Palatino.otf", rank_mm=8.6, suit_mm=7.0, gap_mm=1.6, paper=(246, 243, 234), back=(30, 92, 66)
        ),
        DeckStyle("bold", "Sans.otf", rank_mm=8.8, suit_mm=7.6, index_top_mm=3.2, red=(190, 20, 44), joker_mm=20.0),
    )
}


def style_named(name: str) -> DeckStyle:
    """The style in STYLES, or the drawn one of a number (``drawn-17``); raises UsageError for another name."""
    if name in STYLES:
        return STYLES[name]
    number = name.removeprefix(DRAWN)
    if name.startswith(DRAWN) and number.isdigit():
        return _drawn(int(number))
    raise UsageError(
        f"'{name}' is not a drawn deck.", way_out=f"Decks: {', '.join(sorted(STYLES))}, or {DRAWN}1, {DRAWN}2, …"
    )


def _drawn(number: int) -> DeckStyle:
    rng = random.Random(f"{DRAWN}{number}")

    def near(middle: float, share: float) -> float:
        return middle * rng.uniform(1 - share, 1 + share)

    rank_mm = rng.uniform(8.2, 10.6)
    warm = rng.randint(0, 10)
    paper = (rng.randint(240, 252), rng.randint(238, 250) - warm // 3, rng.randint(232, 246) - warm)
    return DeckStyle(
        f"{DRAWN}{number}",
        rng.choice(FONTS),
        rank_mm=rank_mm,
        suit_mm=rng.uniform(6.2, 8.2),
        gap_mm=rng.uniform(0.8, 2.0),
        index_x_mm=rng.uniform(5.8, 7.0),
        index_top_mm=rng.uniform(3.0, 4.6),
        widest_mm=rng.uniform(6.8, 8.2),
        pip_mm=rng.uniform(10.0, 13.0),
        paper=paper,
        black=(rng.randint(10, 40), rng.randint(10, 36), rng.randint(14, 44)),
        red=(rng.randint(178, 222), rng.randint(14, 46), rng.randint(22, 54)),
        back=rng.choice(((38, 64, 140), (140, 34, 42), (30, 92, 66), (60, 60, 66), (96, 46, 120), (168, 96, 30))),
        joker_mm=rng.uniform(18.0, 23.0),
        stretch=rng.uniform(0.85, 1.2),
        slant=rng.choice((0.0, 0.0, rng.uniform(0.05, 0.16))),
        weight_mm=rng.uniform(-0.1, 0.2),
        shape=SuitShape(
            near(1.0, 0.12), near(1.0, 0.12), near(1.0, 0.12), rng.uniform(-0.25, 0.5), near(1.0, 0.1), near(1.0, 0.35)
        ),
        court_frame=rng.random() < 0.65,
        joker_word="stacked" if rng.random() < 0.75 else "turned",
    )
