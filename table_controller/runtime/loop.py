"""The one consumer: event → core → journal → commit → effects, in that order, one event at a time.

``TableRuntime`` runs synchronously under a virtual clock and as a task under asyncio, where the durable write happens
in a thread, so that a slow disk delays an event's effects but neither the serial line nor the clock.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from table_controller.errors import JournalError, TableError
from table_controller.journal.replay import event_record
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import Clock, Timer
from table_controller.table.core import Outcome, TableCore
from table_controller.table.effects import CancelTimer, Effect, Publish, SetTimer
from table_controller.table.events import Event, TimerFired
from table_controller.table.refusal import Refusal
from table_controller.table.state import TableState

log = logging.getLogger(__name__)
QUEUE_LIMIT = 10_000
RETRY_MS = 1000

Perform = Callable[[Effect], None]
Committed = Callable[[Event, TableState, tuple[Effect, ...]], None]


class TableRuntime:
    """Owns the core, the journal and the timers; adapters post events and are given effects."""

    def __init__(self, core: TableCore, journal: JournalWriter, clock: Clock) -> None:
        self.core = core
        self.clock = clock
        self.fault = ""
        """Plain words while the journal cannot be written: nothing is acted on until it can."""
        self.refusals: deque[tuple[Event, Refusal]] = deque(maxlen=100)
        self._journal = journal
        self._queue: deque[Event] = deque()
        self._timers: dict[str, Timer] = {}
        self._performers: list[Perform] = []
        self._first: list[Callable[[Event], None]] = []
        self._watchers: list[Committed] = []
        self._draining = False
        self._wake: asyncio.Event | None = None
        self._asked: dict[int, asyncio.Future[Refusal | None]] = {}
        self._is_over = False
        self._head_since_ms: int | None = None
        self.adapter_errors = 0
        """How often an adapter raised instead of taking an effect."""

    def waiting_ms(self) -> int:
        """How long the event at the head of the queue has been waiting to be durable."""
        return 0 if self._head_since_ms is None else max(0, self.clock.now_ms() - self._head_since_ms)

    @property
    def state(self) -> TableState:
        """The committed state: read it, never change it."""
        return self.core.state

    def add(
        self,
        perform: Perform | None = None,
        committed: Committed | None = None,
        first: Callable[[Event], None] | None = None,
    ) -> None:
        """Register an adapter: ``perform`` is given every effect, ``committed`` every event once it stands.

        ``first`` is given the event before its effects.
        """
        if first is not None:
            self._first.append(first)
        if perform is not None:
            self._performers.append(perform)
        if committed is not None:
            self._watchers.append(committed)

    def post(self, event: Event) -> None:
        """Queue an event (from the loop's thread). Under a virtual clock it is handled before this returns."""
        if len(self._queue) >= QUEUE_LIMIT:
            raise TableError(f"The event queue is full: {type(event).__name__} was not taken.", code="QUEUE")
        self._queue.append(event)
        if self._wake is not None:
            if self._head_since_ms is None:
                self._head_since_ms = self.clock.now_ms()
            self._wake.set()
        elif not self._draining:
            self._drain()

    async def ask(self, event: Event) -> Refusal | None:
        """Post an event and wait until it stands or was refused: for a person who wants to know why not.

        Cancelled if the table stops first: whether the event was still written only its journal knows.
        """
        if self._is_over:
            return Refusal("The table is being stopped: this was not taken.", code="STOPPING")
        answer: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._asked[id(event)] = answer
        try:
            self.post(event)
            return await answer
        finally:
            self._asked.pop(id(event), None)

    def _drain(self) -> None:
        self._draining = True
        try:
            while self._queue:
                event = self._queue[0]
                outcome = self.core.handle(event)
                self._journal.append(self._record(event, outcome))
                self._queue.popleft()
                self._release(event, outcome)
        finally:
            self._draining = False

    async def run(self) -> None:
        """Consume for ever under asyncio."""
        self._wake = asyncio.Event()
        if self._queue:
            self._wake.set()
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._queue:
                    await self._consume_one()
        finally:
            self._is_over = True
            for answer in self._asked.values():  # nobody will answer any more
                answer.cancel()

    async def _consume_one(self) -> None:
        event = self._queue[0]
        if self._head_since_ms is None:
            self._head_since_ms = self.clock.now_ms()
        outcome = self._handle_safely(event)
        record = self._record(event, outcome)
        try:
            await self._write(record)
        except JournalError as error:
            if not self.fault:
                log.error("%s", error.line())
            self.fault = error.line()
            self._head_since_ms = None  # a full disk is said in words: a restart would not make room
            await self._pause(RETRY_MS)
            return
        self.fault = ""
        self._queue.popleft()
        self._head_since_ms = self.clock.now_ms() if self._queue else None
        self._release(event, outcome)

    async def _write(self, record: dict[str, Any]) -> None:
        """A record once begun is written whole, also where the table is stopped meanwhile: the file is closed next."""
        writing = asyncio.ensure_future(asyncio.to_thread(self._journal.append, record))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.gather(writing, return_exceptions=True)
            raise

    def _record(self, event: Event, outcome: Outcome) -> dict[str, Any]:
        """What the journal keeps, and how many events the feed is told of (feed/refill.py)."""
        record = event_record(event, outcome, self.clock.wall())
        told = sum(isinstance(effect, Publish) for effect in outcome.effects)
        return {**record, "told": told} if told else record

    def _handle_safely(self, event: Event) -> Outcome:
        try:
            return self.core.handle(event)
        except Exception:
            # A defect of ours: the old state stands, the event is journalled as rejected, the table shows it.
            log.exception("The core could not handle %s", event)
            return Outcome(self.core.state, refusal=Refusal("The table could not handle this.", code="DEFECT"))

    async def _pause(self, pause_ms: int) -> None:
        waiting = asyncio.Event()
        timer = self.clock.call_at(self.clock.now_ms() + pause_ms, waiting.set)
        try:
            await waiting.wait()
        finally:
            timer.cancel()

    def _release(self, event: Event, outcome: Outcome) -> None:
        self.core.commit(outcome)
        if outcome.refusal is not None:
            self.refusals.append((event, outcome.refusal))
            log.info("refused %s: %s", type(event).__name__, outcome.refusal.line())
        for watch_first in self._first:
            self._tell(watch_first, event)
        for effect in outcome.effects:
            if isinstance(effect, SetTimer):
                self._set_timer(effect.name, effect.at_ms)
            elif isinstance(effect, CancelTimer):
                self._cancel_timer(effect.name)
            else:
                for perform in self._performers:
                    self._tell(perform, effect)
        for watch in self._watchers:
            self._tell(watch, event, self.core.state, outcome.effects)
        answer = self._asked.get(id(event))
        if answer is not None and not answer.done():
            answer.set_result(outcome.refusal)

    def _tell(self, adapter: Callable[..., None], *said: object) -> None:
        """An adapter's defect must not stop the game (in virtual time it is raised: there it is looked for)."""
        if self._wake is None:
            adapter(*said)
            return
        try:
            adapter(*said)
        except Exception:
            self.adapter_errors += 1
            log.exception("An adapter could not take %s", said[0])

    def _set_timer(self, name: str, at_ms: int) -> None:
        self._cancel_timer(name)
        self._timers[name] = self.clock.call_at(at_ms, lambda: self._fire(name, at_ms))

    def _cancel_timer(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _fire(self, name: str, at_ms: int) -> None:
        self._timers.pop(name, None)
        self.post(TimerFired(at_ms, name))
