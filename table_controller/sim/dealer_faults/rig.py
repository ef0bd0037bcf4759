"""A table's core, the dealer's link and a simulated machine, pushed through time together; and a person there."""

from __future__ import annotations

import random  # the plans of a simulated run
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from table_controller.dealer.machine import Machine
from table_controller.dealer.messages import State
from table_controller.dealer.plan import counts_of
from table_controller.dealer.stepped import SteppedLink
from table_controller.sim.dealer_faults.around import Around
from table_controller.table.core import TableCore
from table_controller.table.effects import Buzzer, Effect, Lamp, PlanDeal, RunDeal, StopDealer
from table_controller.table.events import (
    DealDone,
    DealerOffline,
    DealFailed,
    DealPlanned,
    DealRequested,
    Event,
    StopRequested,
    TableOpened,
)

QUOTAS = (2, 2, 2, 2, 0)
CARDS = sum(QUOTAS)
STEP_MS = 5
QUIET_MS = 100
LIMIT_MS = 60_000
"""Everything a scenario waits for happens within this time, or the scenario has failed."""


class Stuck(AssertionError):
    """A scenario did not come to its end."""


class Rig:
    """``log`` holds every event the link posted; the core takes them as it would of a whole deal."""

    def __init__(self, machine: Machine, *, seed: int = 1, start_ms: int = 0, first_sequence: int = 0) -> None:
        self.machine = Around(machine)
        self.log: list[Event] = []
        self.refused: list[str] = []
        self.lamps: dict[str | None, str] = {}
        self.buzzed: list[str] = []
        self.plan = ""
        self.core = TableCore()
        self._rng = random.Random(seed)
        self._quotas: tuple[int, ...] = QUOTAS
        self._now_ms = start_ms
        self._queue: deque[Event] = deque()
        self._first_sequence = first_sequence
        self._link = self._new_link()
        self.machine.load(CARDS)
        self.tell(TableOpened(start_ms, "table", "venue", "default"))

    # --- time -----------------------------------------------------------------------------------------------------

    def run(self, ms: int) -> None:
        """Time passes."""
        end = self._now_ms + ms
        while self._now_ms < end:
            self._now_ms = min(end, self._now_ms + STEP_MS)
            self._link.step(self._now_ms)
            self._drain()

    def until(self, true: Callable[[], object]) -> None:
        """Time passes until something is true."""
        end = self._now_ms + LIMIT_MS
        while not true():
            if self._now_ms >= end:
                raise Stuck(f"not within {LIMIT_MS} ms; the last events: {self.log[-3:]}")
            self.run(STEP_MS)

    # --- what can be seen -----------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """A deal is under way, as the host sees it."""
        return self._link.busy

    @property
    def online(self) -> bool:
        """The dealer answers."""
        return self._link.online

    @property
    def state(self) -> int:
        """The firmware's own state."""
        return self.machine.state()

    @property
    def dealt(self) -> int:
        """Cards that lie, or lay, in the trays."""
        return sum(map(len, self.machine.delivered().values()))

    def exact(self) -> bool:
        """Every card went where the plan says, once, and no tray was opened before all lay there."""
        wanted = {letter: [at for at, place in enumerate(self.plan) if place == letter] for letter in "ENWSB"}
        return self.machine.delivered() == wanted and not self.short_release()

    def short_release(self) -> bool:
        """Whether trays were opened with only a part of the cards in them (empty ones may be opened again)."""
        return bool(set(self.machine.released()) - {CARDS, 0})

    @property
    def offline_words(self) -> str:
        """What was said last about a dealer that is not there."""
        return next((event.message for event in reversed(self.log) if isinstance(event, DealerOffline)), "")

    # --- a person -------------------------------------------------------------------------------------------------

    def press_start(self) -> None:
        """START; after a fault it says that the cause is gone."""
        self.tell(DealRequested(self._now_ms, "panel", leader="E"))

    def press_stop(self) -> None:
        """STOP."""
        self.tell(StopRequested(self._now_ms, "panel"))

    def collect(self) -> None:
        """Every card is collected and lies in the hopper again."""
        self.machine.load(CARDS)

    def next_deal(self) -> None:
        """The hands have been played, the table is clear, the pack is back in the hopper."""
        self.core.state.phase = "deal_over"
        self.collect()

    # --- the host -------------------------------------------------------------------------------------------------

    def kill(self, away_ms: int) -> int:
        """The controller dies now and is back after ``away_ms``: all it knows is what its journal holds.

        Returns the state in which it finds the firmware.
        """
        self.machine.advance(away_ms)
        found = self.state
        self._now_ms += away_ms
        self._queue.clear()
        self._link = self._new_link()
        state = self.core.state
        if state.phase == "dealing" and state.dealer.plan:
            self._link.resume(RunDeal(state.dealer.job, state.dealer.pack, state.dealer.plan), self._now_ms)
        return found

    def tell(self, event: Event) -> None:
        """An event for the core, and what it leads to."""
        self._queue.append(event)
        self._drain()

    def _new_link(self) -> SteppedLink:
        return SteppedLink(
            self.machine,
            self._queue.append,
            now_ms=self._now_ms,
            random_bytes=self._rng.randbytes,
            quiet_ms=QUIET_MS,
            first_sequence=self._first_sequence,
        )

    def _drain(self) -> None:
        while self._queue:
            event = self._queue.popleft()
            self.log.append(event)
            if isinstance(event, DealPlanned):
                self.plan = event.plan
            if isinstance(event, DealDone) and event.counts == counts_of(self.plan):
                event = replace(event, counts=self._quotas)  # the core has asked for a whole deal
            outcome = self.core.handle(event)
            if outcome.refusal is not None:
                self.refused.append(outcome.refusal.code)
            self.core.commit(outcome)
            for effect in outcome.effects:
                self._perform(effect)

    def _perform(self, effect: Effect) -> None:
        if isinstance(effect, Lamp):
            self.lamps[effect.seat] = effect.mode
        elif isinstance(effect, Buzzer):
            self.buzzed.append(effect.pattern)
        elif isinstance(effect, PlanDeal):
            self._quotas = effect.quotas
            self._link.perform(PlanDeal(effect.job, effect.pack, QUOTAS), self._now_ms)
        elif isinstance(effect, RunDeal | StopDealer):
            self._link.perform(effect, self._now_ms)

    # --- the ways into each state ---------------------------------------------------------------------------------

    def reach(self, state: State) -> None:
        """Brings the firmware into a state, on the way on which a deal comes through it."""
        self.until(lambda: self.online)
        if state == State.IDLE:
            return
        if state == State.PLANNED:
            self.machine.fault("drop_frame", direction="to_mcu", type=0x05, count=2)
        elif state == State.COUNTED:
            self.machine.fault("drop_frame", direction="to_mcu", type=0x06, count=2)
        elif state == State.FAULT:
            self.machine.fault("jam", place="feeder", index=3, times=2)
        self.press_start()
        if state in (State.DEALING, State.STOPPING, State.STOPPED):
            self.until(lambda: self.dealt >= 3)
            self.run(40)  # the next card has been picked
        if state in (State.STOPPING, State.STOPPED):
            self.press_stop()
        if state in (State.STOPPED, State.FAULT, State.RELEASED):
            self.until(lambda: not self.busy)
            self.run(50)
        self.until(lambda: self.state == state)
        if state == State.RELEASED:
            self.next_deal()

    def failures(self, since: int) -> list[DealFailed]:
        """The deals that failed after the log had ``since`` events."""
        return [event for event in self.log[since:] if isinstance(event, DealFailed)]
