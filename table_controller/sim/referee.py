"""The simulated referee: answers a doubtful reading with what was laid, and puts a table right that lost the thread."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.cards import SEATS, Seat
from table_controller.runtime.clock import Clock
from table_controller.sim.truth import Truth
from table_controller.table.effects import AskHuman, Effect, Publish
from table_controller.table.events import Event, IncidentUpdated, PlayCorrected, PlayEntered, ResumeRequested
from table_controller.table.state import TableState

ANSWER_MS = 2500
REFUSED_PLAYS = frozenset({"not_a_play", "does_not_beat", "too_many_cards"})


class Referee:
    """Give ``perform`` to the runtime."""

    def __init__(
        self, clock: Clock, truth: Truth, post: Callable[[Event], None], state: Callable[[], TableState]
    ) -> None:
        self._clock, self._truth, self._post, self._state = clock, truth, post, state

    def perform(self, effect: Effect) -> None:
        """Listen to what the table asks."""
        if isinstance(effect, AskHuman):
            self._later(lambda: self._answer(effect.play))
        elif isinstance(effect, Publish) and effect.kind == "incident":
            data = dict(effect.data)
            if data["kind"] in REFUSED_PLAYS and data["seat"] in SEATS:
                self._later(lambda: self._enter(data))
            elif data["kind"] in ("td_call", "stop"):
                self._later(lambda: self._attend(data))

    def _later(self, act: Callable[[], None]) -> None:
        self._clock.call_at(self._clock.now_ms() + ANSWER_MS, act)

    def _answer(self, play: int) -> None:
        cards = self._truth.truth_of(self._state(), play)
        if cards is not None:
            self._post(PlayCorrected(self._clock.now_ms(), play, cards, "simulated referee", "looked at the table"))

    def _enter(self, data: dict[str, object]) -> None:
        """The table refused a play that was legal as laid: it was misread, and is entered by hand."""
        seat: Seat = data["seat"]  # type: ignore[assignment]
        state = self._state()
        own = [action for action in state.actions if action.cards and action.seat == seat]
        cards = self._truth.nth(seat, len(own))
        if cards is not None and state.deal is not None and state.deal.turn == seat:
            self._truth.misreads.append(f"deal {state.deal_number}: {seat} laid {' '.join(cards)}, {data['kind']}")
            self._post(PlayEntered(self._clock.now_ms(), seat, cards, "simulated referee"))

    def _attend(self, data: dict[str, object]) -> None:
        now = self._clock.now_ms()
        number = data["number"]
        assert isinstance(number, int)
        self._post(IncidentUpdated(now, number, "resolved", "simulated referee", "attended"))
        if self._state().phase == "paused":
            self._post(ResumeRequested(now, "simulated referee"))
