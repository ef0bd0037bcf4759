"""Which touches of a prompt card were meant: a hand on its way to the play area passes over the circle too.

A touch is told only when the seat's play area has stayed quiet round it: nobody taps and plays in one movement.
A pass that was meant and is not told can be made again; a play that is taken for a pass cannot be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from table_controller.cards import Seat
from table_controller.table.events import CardsSeen, Event, PromptLaid, PromptTouched

WAIT_MS = 1_200
"""How long after a touch the play area must stay quiet."""
BEFORE_MS = 600
"""How long before it, too."""


class TapWaiting:
    """Holds touches back until the seat's play area has shown that they were meant."""

    def __init__(self) -> None:
        self._held: dict[Seat, PromptTouched] = {}
        self._busy_ms: dict[Seat, int] = {}

    @property
    def pending(self) -> bool:
        """Whether a touch waits: more frames are needed."""
        return bool(self._held)

    def judge(self, events: Iterable[Event], busy: Mapping[Seat, bool], grab_ms: int) -> list[Event]:
        """A frame's events without the touches, and with those from before that were meant, in the order of their
        stamps. ``busy``: seats over whose play area something moves or has changed."""
        for seat in (seat for seat, is_busy in busy.items() if is_busy):
            self._busy_ms[seat] = grab_ms
            self._held.pop(seat, None)
        told: list[Event] = []
        for event in events:
            if isinstance(event, PromptTouched):
                if event.at_ms - self._busy_ms.get(event.seat, -BEFORE_MS - 1) > BEFORE_MS:
                    self._held[event.seat] = event
                continue
            if isinstance(event, CardsSeen | PromptLaid):
                # the next player has acted on it: it comes first
                self._held.pop(event.seat, None)
                told += self._release(list(self._held))
            told.append(event)
        told += self._release([seat for seat, held in self._held.items() if grab_ms - held.at_ms >= WAIT_MS])
        return sorted(told, key=lambda event: event.at_ms)

    def _release(self, seats: Iterable[Seat]) -> list[Event]:
        return [self._held.pop(seat) for seat in seats]
