"""The simulated referee: answers a doubtful reading with what was laid, and puts a table right that lost the thread."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.cards import SEATS, Seat
from table_controller.runtime.clock import Clock
from table_controller.sim.players import People
from table_controller.table.effects import AskHuman, Effect, Publish
from table_controller.table.events import Event, IncidentUpdated, PlayCorrected, PlayEntered, ResumeRequested, Resync
from table_controller.table.state import TableState

ANSWER_MS = 2500
WATCH_MS = 1000
LOST_AFTER_MS = 7000
"""So long may the table lag behind what happened before it counts as having lost the thread."""


class Referee:
    """Give ``perform`` to the runtime, and call ``watch`` once."""

    def __init__(
        self, clock: Clock, people: People, post: Callable[[Event], None], state: Callable[[], TableState]
    ) -> None:
        self._clock, self._people, self._post, self._state = clock, people, post, state
        self._differs_since_ms: int | None = None

    def perform(self, effect: Effect) -> None:
        """Listen to what the table asks."""
        if isinstance(effect, AskHuman):
            self._later(lambda: self._answer(effect.play))
        elif isinstance(effect, Publish) and effect.kind == "incident":
            data = dict(effect.data)
            if data["kind"] in ("td_call", "stop"):
                self._later(lambda: self._attend(data))

    def watch(self) -> None:
        """Say what is to be said; look every second whether the table knows whose turn it is and the cards left."""
        self._clock.call_at(self._clock.now_ms() + WATCH_MS, self.watch)
        now = self._clock.now_ms()
        for event in self._people.errors.said(now):
            self._post(event)
        if not self._differs():
            self._differs_since_ms = None
        elif self._differs_since_ms is None:
            self._differs_since_ms = now
        elif now - self._differs_since_ms >= LOST_AFTER_MS:
            self._differs_since_ms = None
            self._resync(now)

    def _later(self, act: Callable[[], None]) -> None:
        self._clock.call_at(self._clock.now_ms() + ANSWER_MS, act)

    def _answer(self, play: int) -> None:
        cards = self._people.truth.truth_of(self._state(), play)
        if cards is not None:
            self._post(PlayCorrected(self._clock.now_ms(), play, cards, "simulated referee", "looked at the table"))

    def _differs(self) -> bool:
        real, state = self._people.deal, self._state()
        if real is None or state.deal is None or state.phase not in ("playing", "trick_over"):
            return False
        return real.over or (state.deal.turn, state.deal.counts) != (real.turn, real.counts)

    def _resync(self, now: int) -> None:
        real = self._people.deal
        assert real is not None
        turn = real.turn
        if turn is None:
            self._end(now)
            return
        e, n, w, s = (real.counts[seat] for seat in SEATS)
        last = None if real.leading else real.trick.last_seat
        cards = self._people.truth.laid[-1][1] if last is not None and self._people.truth.laid else ()
        self._post(Resync(now, "simulated referee", turn, (e, n, w, s), last, cards))

    def _end(self, now: int) -> None:
        """The table goes on before the play that ended the deal, and is told that play."""
        real, (seat, cards) = self._people.deal, self._people.truth.laid[-1]
        assert real is not None
        e, n, w, s = (real.counts[each] + (len(cards) if each == seat else 0) for each in SEATS)
        self._post(Resync(now, "simulated referee", seat, (e, n, w, s)))
        self._later(lambda: self._enter(seat, cards))

    def _enter(self, seat: Seat, cards: tuple[str, ...]) -> None:
        if self._state().phase == "playing":
            self._post(PlayEntered(self._clock.now_ms(), seat, cards, "simulated referee"))

    def _attend(self, data: dict[str, object]) -> None:
        now = self._clock.now_ms()
        number = data["number"]
        assert isinstance(number, int)
        self._post(IncidentUpdated(now, number, "resolved", "simulated referee", "attended"))
        if self._state().phase == "paused":
            self._post(ResumeRequested(now, "simulated referee"))
