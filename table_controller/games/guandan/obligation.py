"""What a seat has to play, or may not: a card shown without owing tribute, and types barred from the next lead.

Sources: seed 000 L255, L259, L261, L277.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from table_controller.cards import Seat


@dataclass(frozen=True)
class ShownCard:
    """A card shown without owing tribute: to be played at the first single, or with a later play (seed 000 L261)."""

    seat: Seat
    card: str

    def __deepcopy__(self, memo: dict[int, Any]) -> ShownCard:
        return self

    def kept(self, cards: Sequence[str]) -> bool | None:
        """Whether this play meets the obligation; None: it says nothing yet."""
        if self.card in cards:
            return True
        return False if len(cards) == 1 else None


@dataclass(frozen=True)
class LeadBan:
    """A type that ``seat`` may not lead in trick ``trick``, if that lead falls to him (seed 000 L259, L277)."""

    seat: Seat
    type: str
    trick: int
    incident: int = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> LeadBan:
        return self

    def broken_by(self, seat: Seat, trick: int, type_: str) -> bool:
        """Whether a lead breaks it."""
        return (seat, trick, type_) == (self.seat, self.trick, self.type)


@dataclass(frozen=True)
class MustLead:
    """The type that a leader's left-hand neighbour named after a wrong lead (seed 000 L255)."""

    seat: Seat
    type: str
    trick: int
    incident: int = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> MustLead:
        return self

    def broken_by(self, seat: Seat, trick: int, type_: str) -> bool:
        """Whether a lead is of another type."""
        return (seat, trick) == (self.seat, self.trick) and type_ != self.type
