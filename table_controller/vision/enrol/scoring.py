"""How a reader does on labelled photographs: corners right, wrong and missed; a doubtful reading counts as missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from table_controller.vision.enrol.labels import Label
from table_controller.vision.images import load_photo
from table_controller.vision.reader import Reader
from table_controller.vision.reading import IndexReading

ROUND_BOX = 0.25
"""A reading belongs to a label when its middle lies in the box grown by this share of it on each side."""


@dataclass(frozen=True)
class Score:
    """Counts over photographs; ``mistakes`` are (photograph, card, read as)."""

    right: int
    wrong: int
    missed: int
    cards: int
    cards_read: int
    mistakes: tuple[tuple[str, str, str], ...]

    def lines(self) -> list[str]:
        """As printed."""
        corners = max(1, self.right + self.wrong + self.missed)
        return [
            f"corners {corners}: right {self.right / corners:.3f} wrong {self.wrong / corners:.4f} "
            f"missed {self.missed / corners:.3f}",
            f"cards {self.cards}: read {self.cards_read / max(1, self.cards):.3f}",
            *(f"  {name}: {card} read as {read}" for name, card, read in self.mistakes),
        ]


def _near(label: Label, readings: Sequence[IndexReading], reduction: int) -> list[str]:
    x0, y0, x1, y1 = label.box
    dx, dy = ROUND_BOX * (x1 - x0), ROUND_BOX * (y1 - y0)
    near = []
    for reading in readings:
        x, y = ((reading.box[k] + reading.box[k + 2]) / 2 * reduction for k in (0, 1))
        if not reading.doubtful and x0 - dx <= x <= x1 + dx and y0 - dy <= y <= y1 + dy:
            near.append(reading.card)
    return near


def score(reader: Reader, files: Mapping[str, Path], labels: Mapping[str, Sequence[Label]]) -> Score:
    """Read every photograph and compare; raises InputError for one that cannot be read."""
    right = missed = cards = cards_read = 0
    mistakes: list[tuple[str, str, str]] = []
    for name, file in files.items():
        photo = load_photo(file)
        readings = reader.read_photo(photo.image)
        found = set()
        for label in labels[name]:
            near = _near(label, readings, photo.reduction)
            if label.card in near:
                right += 1
                found.add(label.card)
            elif near:
                mistakes.append((name, label.card, near[0]))
            else:
                missed += 1
        wanted = {label.card for label in labels[name]}
        cards, cards_read = cards + len(wanted), cards_read + len(wanted & found)
    return Score(right, len(mistakes), missed, cards, cards_read, tuple(mistakes))
