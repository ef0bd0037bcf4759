"""What was told to lie on the table: a recogniser that has to be started again must not tell it once more."""

from __future__ import annotations

from table_controller.cards import SEATS, Seat
from table_controller.table.events import (
    AreaCleared,
    CardsGone,
    CardsSeen,
    Event,
    PromptCircleCleared,
    PromptLaid,
    PromptLifted,
)


class Lying:
    """The cards in each play area and the prompt cards in each circle, by the recogniser's own events."""

    def __init__(self) -> None:
        self._cards: dict[Seat, list[str]] = {seat: [] for seat in SEATS}
        self._prompts: dict[Seat, list[int]] = {seat: [] for seat in SEATS}

    @property
    def cards(self) -> tuple[tuple[Seat, tuple[str, ...]], ...]:
        """Each seat's cards, in the order they came."""
        return tuple((seat, tuple(cards)) for seat, cards in self._cards.items())

    @property
    def prompts(self) -> tuple[tuple[Seat, tuple[int, ...]], ...]:
        """Each seat's prompt cards by their markers, the lowest first."""
        return tuple((seat, tuple(markers)) for seat, markers in self._prompts.items())

    def clear(self) -> None:
        """A deal begins: the table is bare."""
        for seat in SEATS:
            self._cards[seat].clear()
            self._prompts[seat].clear()

    def note(self, event: Event) -> None:
        """Take in what the recogniser told; events of other kinds change nothing."""
        if isinstance(event, CardsSeen):
            self._cards[event.seat].extend(event.cards)
        elif isinstance(event, CardsGone):
            for card in event.cards:
                if card in self._cards[event.seat]:
                    self._cards[event.seat].remove(card)
        elif isinstance(event, AreaCleared):
            self._cards[event.seat].clear()
        elif isinstance(event, PromptLaid):
            self._prompts[event.seat].append(event.marker)
        elif isinstance(event, PromptLifted):
            if event.marker in self._prompts[event.seat]:
                self._prompts[event.seat].remove(event.marker)
        elif isinstance(event, PromptCircleCleared):
            self._prompts[event.seat].clear()
