"""One deal from the host's side: load the plan, start, watch, release. STATUS is the truth, events only hurry it."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from table_controller.dealer import messages as m
from table_controller.dealer import words
from table_controller.dealer.framing import crc16
from table_controller.dealer.plan import check_plan, counts_of
from table_controller.dealer.session import MakeCommand
from table_controller.table.effects import RunDeal
from table_controller.table.events import DealDone, DealFailed, DealProgress, Event

PROGRESS_EVERY = 9
_MOVING = (m.State.TESTING, m.State.DEALING, m.State.STOPPING, m.State.RELEASING)

Ask = Callable[[MakeCommand, int], None]


def wire_job(effect: RunDeal) -> int:
    """The job's 32-bit number on the wire: it names job, pack and plan, so that only the very same deal is resumed."""
    return zlib.crc32(f"{effect.job}:{effect.pack}:{effect.plan}".encode()) or 1


class DealJob:
    """Phases: joining (reads STATUS first), loading, starting, running, stopping; ``over`` when its end was posted."""

    def __init__(
        self,
        effect: RunDeal,
        ask: Ask,
        post: Callable[[Event], None],
        *,
        begun: bool = False,
        by_person: bool = True,
    ) -> None:
        self.effect = effect
        self.by_person = by_person
        """A person asked for it, and it has not been joined yet: it may clear a latched fault."""
        self.wire = wire_job(effect)
        self.over = False
        self.phase = "waiting"
        self._ask = ask
        self._post = post
        self._quotas = counts_of(effect.plan)
        self._pack = effect.pack.encode("ascii", "replace")[:8].ljust(8, b"\0")
        self._counts = [0] * m.EXITS
        self._index = 0
        self._progress = 0
        self.begun = begun
        """START may have reached the dealer: from here on a dealer that knows nothing means a void deal."""
        self._may_clear = self._by_person = self._still_latched = False

    # --- what the link calls --------------------------------------------------------------------------------------

    def join(self, now_ms: int) -> None:
        """Begins, or goes on after a lost link. Only a person's start may clear a latched fault, and only once."""
        self.phase = "joining"
        self._may_clear = self._by_person = self.by_person
        self._still_latched = self.by_person = False
        self.poll(now_ms)

    def poll(self, now_ms: int) -> None:
        """Asks for STATUS."""
        self._ask(m.Status, now_ms)

    def stopping(self) -> None:
        """STOP was sent; the next STATUS says what became of the deal."""
        self.phase = "stopping"

    def status(self, reply: m.StatusReply, now_ms: int) -> None:
        """A STATUS arrived."""
        if self.phase == "joining":
            self._join(reply, now_ms)
        elif self.phase in ("running", "stopping"):
            self._watch(reply, now_ms)

    def event(self, event: m.Event, now_ms: int) -> None:
        """An event arrived; all but cards are settled by the STATUS that follows."""
        if event.kind == m.EventKind.CARD:
            if self.phase in ("starting", "running", "stopping") and event.a == self._index + 1 and event.b < m.EXITS:
                self._counts[event.b] += 1
                self._index = event.a
                self._show_progress(now_ms)
        elif event.kind != m.EventKind.INPUT and self.phase != "joining":
            self.poll(now_ms)

    def acknowledged(self, command: m.Command, now_ms: int) -> None:
        """A command of this job was carried out."""
        if isinstance(command, m.Start) and self.phase == "starting":
            self.phase = "running"
        elif isinstance(command, m.ClearFault | m.Stop):
            self.poll(now_ms)

    def refused(self, command: m.Command, result: int, now_ms: int) -> None:
        """A command was not carried out; a latched fault explains itself in the STATUS that follows."""
        if result == m.Result.FAULTED or isinstance(command, m.ClearFault):
            self._may_clear = False
            self._still_latched = isinstance(command, m.ClearFault)
            self.poll(now_ms)
            self.phase = "running" if self.phase == "starting" else self.phase
        elif not isinstance(command, m.Stop | m.EventsFrom):
            self.fail(words.refused_failure(command, result), now_ms)

    def fail(self, failure: words.Failure, now_ms: int) -> None:
        """Ends the job with its reason."""
        if not self.over:
            self.over = True
            job, counts = self.effect.job, tuple(self._counts)
            self._post(
                DealFailed(now_ms, job, failure.code, failure.place, failure.message, failure.void, counts),
            )

    def check(self) -> bool:
        """Whether the plan can be dealt at all. Before anything is sent."""
        return not check_plan(self.effect.plan)

    # --- joining --------------------------------------------------------------------------------------------------

    def _join(self, reply: m.StatusReply, now_ms: int) -> None:
        same = reply.job == self.wire
        if reply.state == m.State.FAULT:
            if self._may_clear:
                self._may_clear = False
                self._ask(m.ClearFault, now_ms)
            else:
                self._take(reply, now_ms, same=same)
                self.fail(words.fault_failure(reply, cause_stays=self._still_latched), now_ms)
        elif same:
            self._rejoin(reply, now_ms)
        elif self.begun:
            self.fail(words.LOST_JOB, now_ms)
        elif reply.state not in _MOVING:
            self._load(now_ms)
        elif reply.state != m.State.STOPPING:
            self._ask(m.Stop, now_ms)

    def _rejoin(self, reply: m.StatusReply, now_ms: int) -> None:
        self._take(reply, now_ms, same=True)
        if reply.state == m.State.STOPPED and reply.reason == m.Reason.HOST_STOP and not self._by_person:
            self.fail(words.STOPPED, now_ms)
            return
        if reply.state in (m.State.PLANNED, m.State.STOPPED):
            self._start(now_ms)
            return
        self.phase = "running"
        self.begun = True
        self._watch(reply, now_ms)

    def _load(self, now_ms: int) -> None:
        self.phase = "loading"
        exits = bytes(m.EXIT_LETTERS.index(letter) for letter in self.effect.plan)
        for offset in range(0, len(exits), m.MAX_CHUNK):
            self._ask_chunk(offset, exits[offset : offset + m.MAX_CHUNK], now_ms)
        quotas, crc, pack = bytes(self._quotas), crc16(exits), self._pack
        self._ask(lambda session: m.PlanCommit(session, self.wire, len(exits), quotas, crc, pack), now_ms)
        self._start(now_ms)

    def _ask_chunk(self, offset: int, chunk: bytes, now_ms: int) -> None:
        self._ask(lambda session: m.PlanChunk(session, self.wire, offset, chunk), now_ms)

    def _start(self, now_ms: int) -> None:
        self.phase = "starting"
        self.begun = True
        pack = self._pack
        self._ask(lambda session: m.Start(session, self.wire, pack), now_ms)

    # --- running --------------------------------------------------------------------------------------------------

    def _take(self, reply: m.StatusReply, now_ms: int, *, same: bool) -> None:
        if same and reply.index >= self._index:
            self._counts = list(reply.counts)
            self._index = reply.index
            self._show_progress(now_ms)

    def _watch(self, reply: m.StatusReply, now_ms: int) -> None:
        if reply.job != self.wire:
            if self.phase == "stopping" and not self.begun:
                self.fail(words.STOPPED, now_ms)
            else:
                self.fail(words.LOST_JOB, now_ms)
            return
        self._take(reply, now_ms, same=True)
        if reply.state == m.State.FAULT:
            self.fail(words.fault_failure(reply), now_ms)
        elif reply.state == m.State.RELEASED:
            self._finish(now_ms)
        elif self.phase == "stopping":
            if reply.state not in _MOVING:
                self.fail(words.STOPPED, now_ms)
        elif reply.state == m.State.COUNTED:
            self._release(now_ms)
        elif reply.state == m.State.STOPPED:
            self._stopped(reply, now_ms)
        elif reply.state == m.State.IDLE:
            self.fail(words.LOST_JOB, now_ms)

    def _stopped(self, reply: m.StatusReply, now_ms: int) -> None:
        if reply.reason == m.Reason.HOST_SILENT:
            self._start(now_ms)  # we were away; counts and index are those of the dealer
        else:
            self.fail(words.STOPPED, now_ms)

    def _release(self, now_ms: int) -> None:
        if tuple(self._counts) != self._quotas:
            self.fail(words.COUNT_DIFFERS, now_ms)
        else:
            self._ask(lambda session: m.Release(session, self.wire), now_ms)

    def _finish(self, now_ms: int) -> None:
        if tuple(self._counts) != self._quotas:
            self.fail(words.COUNT_DIFFERS, now_ms)
        elif not self.over:
            self.over = True
            self._post(DealDone(now_ms, self.effect.job, tuple(self._counts)))

    def _show_progress(self, now_ms: int) -> None:
        if self._index // PROGRESS_EVERY > self._progress // PROGRESS_EVERY:
            self._post(DealProgress(now_ms, self.effect.job, self._index, tuple(self._counts)))
        self._progress = self._index
