"""One conversation with the dealer, sans-IO: bytes and ``now_ms`` in, bytes, results and the next deadline out.

One command is on its way at a time; it is repeated until its answer comes or the retries are spent. The dealer answers
a repeat from its cache, so a command is carried out once. Answers count only with our session and sequence. Events are
delivered once and in order; a missing one is read again by its number.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from table_controller.dealer import messages as m
from table_controller.dealer.framing import Decoder, Frame, encode


@dataclass(frozen=True)
class Replied:
    """A command was answered: by its own reply, or by an Ack that says OK."""

    command: m.Command
    answer: m.Answer


@dataclass(frozen=True)
class Refused:
    """A command was answered with another result than OK."""

    command: m.Command
    result: int


@dataclass(frozen=True)
class Lost:
    """No answer after every retry; everything queued is dropped."""

    command: m.Command


@dataclass(frozen=True)
class Rebooted:
    """An answer carries another boot id: the dealer has restarted and knows nothing of us."""

    boot: int
    cause: int


Result = Replied | Refused | Lost | Rebooted | m.Event
MakeCommand = Callable[[int], m.Command]
"""Builds a command for a session id."""


@dataclass
class _Pending:
    command: m.Command
    sequence: int
    tries: int
    deadline_ms: int


class Session:
    """See the module. Nothing is sent before ``now_ms + quiet_ms``."""

    def __init__(self, session_id: int, now_ms: int, *, quiet_ms: int = m.QUIET_MS, first_sequence: int = 0) -> None:
        self.id = session_id
        self.boot: int | None = None
        self.bad_answers = 0
        self.received = 0
        """Bytes received, frames or not: tells a silent port from another device."""
        self._decoder = Decoder()
        self._sequence = first_sequence
        self._quiet_until_ms = now_ms + quiet_ms
        self._queue: deque[m.Command] = deque()
        self._pending: _Pending | None = None
        self._out = bytearray()
        self._expected_event: int | None = None

    @property
    def bad_frames(self) -> int:
        """Blocks received that were no frames."""
        return self._decoder.bad

    @property
    def idle(self) -> bool:
        """Nothing is queued or unanswered."""
        return self._pending is None and not self._queue

    @property
    def next_deadline_ms(self) -> int | None:
        """When ``tick`` has something to do; None when it has not."""
        if self._pending is not None:
            return self._pending.deadline_ms
        return self._quiet_until_ms if self._queue else None

    def request(self, make: MakeCommand, now_ms: int) -> None:
        """Queues a command."""
        self._queue.append(make(self.id))
        self._pump(now_ms)

    def stop(self, now_ms: int) -> None:
        """STOP goes first: before the queue, in place of what is pending, behind the zeros the interrupt looks for."""
        self._queue.clear()
        self._out += bytes(m.STOP_ZEROS)
        self._send(m.Stop(self.id), now_ms)

    def shout_stop(self) -> None:
        """STOP's own path alone: needs no session, brings no answer, works in the quiet window too."""
        self._out += bytes(m.STOP_ZEROS)

    def take_output(self) -> bytes:
        """What must be written now."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def tick(self, now_ms: int) -> list[Result]:
        """Repeats what is overdue, or gives it up."""
        pending = self._pending
        if pending is None or now_ms < pending.deadline_ms:
            self._pump(now_ms)
            return []
        if pending.tries >= m.RETRIES:
            self._pending = None
            self._queue.clear()
            return [Lost(pending.command)]
        pending.tries += 1
        pending.deadline_ms = now_ms + m.REPLY_MS
        if isinstance(pending.command, m.Stop):
            self._out += bytes(m.STOP_ZEROS)
        self._out += encode(Frame(pending.sequence, pending.command.TYPE, pending.command.pack()))
        return []

    def receive(self, data: bytes, now_ms: int) -> list[Result]:
        """What ``data`` brings, in order. Never raises on any bytes."""
        self.received += len(data)
        results: list[Result] = []
        for frame in self._decoder.feed(data):
            results += self._frame(frame, now_ms)
        self._pump(now_ms)
        return results

    def _pump(self, now_ms: int) -> None:
        if self._pending is None and self._queue and now_ms >= self._quiet_until_ms:
            self._send(self._queue.popleft(), now_ms)

    def _send(self, command: m.Command, now_ms: int) -> None:
        self._sequence = (self._sequence + 1) & 0xFFFF
        self._pending = _Pending(command, self._sequence, 1, now_ms + m.REPLY_MS)
        self._out += encode(Frame(self._sequence, command.TYPE, command.pack()))

    def _frame(self, frame: Frame, now_ms: int) -> list[Result]:
        kind = m.ANSWERS.get(frame.type)
        try:
            answer = kind.unpack(frame.payload) if kind else None
        except struct.error:
            answer = None
        if answer is None:
            self.bad_answers += 1
            return []
        if self.boot is not None and answer.boot != self.boot:
            self.boot = None
            self._pending = None
            self._queue.clear()
            return [Rebooted(answer.boot, answer.cause)]
        if answer.session != self.id:
            self.bad_answers += 1
            return []
        if isinstance(answer, m.Event):
            return self._event(answer, now_ms)
        return self._answer(frame.sequence, answer, now_ms)

    def _answer(self, sequence: int, answer: m.Answer, now_ms: int) -> list[Result]:
        pending = self._pending
        if pending is None or sequence != pending.sequence:
            self.bad_answers += 1
            return []
        if isinstance(answer, m.Ack) and answer.result != m.Result.OK:
            self._pending = None
            return [Refused(pending.command, answer.result)]
        if not isinstance(answer, m.REPLY_OF[pending.command.TYPE]):
            self.bad_answers += 1
            return []
        self._pending = None
        results: list[Result] = []
        if isinstance(answer, m.HelloReply):
            self.boot = answer.boot
        elif isinstance(answer, m.StatusReply):
            self._catch_up(answer.next_event)
        elif isinstance(answer, m.EventsReply):
            results += self._reread(answer)
        return [*results, Replied(pending.command, answer)]

    def _catch_up(self, next_event: int) -> None:
        """STATUS says how far the numbers have come: read what we have not had."""
        if self._expected_event is None:
            self._expected_event = next_event
        elif _ahead(next_event, self._expected_event) > 0:
            self._ask_events()

    def _ask_events(self) -> None:
        if self._expected_event is not None and not any(isinstance(item, m.EventsFrom) for item in self._queue):
            self._queue.appendleft(m.EventsFrom(self.id, self._expected_event))

    def _event(self, event: m.Event, now_ms: int) -> list[Result]:
        if self._expected_event is None:
            return []
        gap = _ahead(event.number, self._expected_event)
        if gap > 0:
            self._ask_events()
            return []
        if gap < 0:
            return []
        self._expected_event = (event.number + 1) & 0xFFFF
        return [event]

    def _reread(self, reply: m.EventsReply) -> list[Result]:
        results: list[Result] = []
        for index in range(len(reply.events) // 4):
            number = (reply.first + index) & 0xFFFF
            if self._expected_event is None or _ahead(number, self._expected_event) < 0:
                continue  # had already
            self._expected_event = (number + 1) & 0xFFFF
            kind, a, b, c = reply.events[4 * index : 4 * index + 4]
            results.append(m.Event(reply.session, reply.boot, reply.cause, number, kind, a, b, c))
        return results


def _ahead(number: int, reference: int) -> int:
    """How far ``number`` is ahead of ``reference``, across the 16-bit wrap: -32768..32767."""
    return ((number - reference + 0x8000) & 0xFFFF) - 0x8000
