"""Which touches of a prompt card were meant: a hand on its way to the play area passes over the circle too.

A touch is told only when the seat's play area has stayed quiet round it: nobody taps and plays in one movement.
A pass that was meant and is not told can be made again; a play that is taken for a pass cannot be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from table_controller.cards import Seat
from table_controller.table.events import AreaCleared, CardsGone, CardsSeen, Event, PromptLaid, PromptTouched

WAIT_MS = 1_200
"""How long the play area must stay as it was, no hand over it, after a touch."""
_LAID_FRAMES = 2
"""What was laid, pushed or taken away shows in so many frames in a row; the edge of a passing arm in one."""


class TapWaiting:
    """Holds touches back until the seat's play area has shown that they were meant."""

    def __init__(self) -> None:
        self._held: dict[Seat, PromptTouched] = {}
        self._over_ms: dict[Seat, int] = {}
        self._changed_frames: dict[Seat, int] = {}

    @property
    def pending(self) -> bool:
        """Whether a touch waits: more frames are needed."""
        return bool(self._held)

    def judge(self, events: Iterable[Event], over: Set[Seat], changed: Set[Seat], grab_ms: int) -> list[Event]:
        """A frame's events without the touches, and with those from before that were meant, in the order of their
        stamps. ``over``: seats with a hand over their play area; ``changed``: those where something lies otherwise."""
        for seat in over | changed:
            self._over_ms[seat] = grab_ms
        self._changed_frames = {seat: self._changed_frames.get(seat, 0) + 1 for seat in changed}
        told: list[Event] = []
        for event in events:
            if isinstance(event, PromptTouched):
                self._held[event.seat] = event
                continue
            if isinstance(event, CardsGone | AreaCleared):
                self._held.pop(event.seat, None)
            if isinstance(event, CardsSeen | PromptLaid):
                # the next player has acted on it: it comes first
                self._held.pop(event.seat, None)
                told += self._release(list(self._held))
            told.append(event)
        for seat, frames in self._changed_frames.items():
            if frames >= _LAID_FRAMES:
                self._held.pop(seat, None)
        told += self._release([seat for seat in self._held if grab_ms - self._quiet_since(seat) >= WAIT_MS])
        return sorted(told, key=lambda event: event.at_ms)

    def _quiet_since(self, seat: Seat) -> int:
        return max(self._held[seat].at_ms, self._over_ms.get(seat, 0))

    def _release(self, seats: Iterable[Seat]) -> list[Event]:
        return [self._held.pop(seat) for seat in seats]
