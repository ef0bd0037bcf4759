"""The same case with the seats turned, the suits changed, the cards in another order: the answer turns with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from table_controller.cards import PAIRS, SEATS

SUITS = "SDC"
"""Hearts stay: the wild is a heart."""


class Turn:
    """Every seat ``by`` places on; with an odd number the pairs change their names."""

    def __init__(self, by: int) -> None:
        self.seats = {seat: SEATS[(place + by) % 4] for place, seat in enumerate(SEATS)}
        self.pairs = {pair: PAIRS[(place + by) % 2] for place, pair in enumerate(PAIRS)}
        self.words = {**self.seats, **self.pairs}

    def __call__(self, value: Any) -> Any:
        """A value of a case, an event or what a table tells; tuples and lists keep their order."""
        if isinstance(value, str):
            return re.sub(r"\b(?:EW|NS|[ENWS])\b", lambda found: self.words[found[0]], value)
        if isinstance(value, dict):
            return {self(key): self(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self(item) for item in value)
        return value

    def places(self, row: Iterable[Any]) -> tuple[Any, ...]:
        """A row that stands in the order of the seats."""
        found = dict(zip((self.seats[seat] for seat in SEATS), row, strict=True))
        return tuple(found[seat] for seat in SEATS)


def recoloured(value: Any, shift: int) -> Any:
    """Spades, diamonds and clubs changed round."""
    if isinstance(value, str):
        return re.sub(
            r"\b([2-9TJQKA])([SDC])\b", lambda m: m[1] + SUITS[(SUITS.index(m[2]) + shift) % len(SUITS)], value
        )
    if isinstance(value, dict):
        return {key: recoloured(item, shift) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(recoloured(item, shift) for item in value)
    return value
