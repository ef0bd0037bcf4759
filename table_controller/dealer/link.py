"""The link to a dealer, sans-IO: connection, handshake and the deal that runs, over any transport.

Effects PlanDeal, RunDeal and StopDealer go in; the core's dealer events come out through ``post``. The transport calls
``opened``, ``received``, ``closed`` and ``tick`` with monotonic stamps and writes what ``take_output`` gives.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from table_controller.dealer import messages as m
from table_controller.dealer import words
from table_controller.dealer.job import DealJob
from table_controller.dealer.plan import RandomBytes, draw, seal
from table_controller.dealer.selftest import SelfTest
from table_controller.dealer.session import Lost, MakeCommand, Rebooted, Refused, Replied, Result, Session
from table_controller.table.effects import Effect, PlanDeal, RunDeal, StopDealer
from table_controller.table.events import DealerOffline, DealerOnline, DealPlanned, Event

HELLO_AGAIN_MS = 1000
"""After a HELLO that nobody answered, before the next."""
REFUSED_AGAIN_MS = 30_000
"""After something that was no dealer, before it is asked again: the cable may have been moved, or the noise be over."""
START_WITHIN_MS = 10_000
"""A deal asked for while the link is down waits so long for it."""


LOST_SETTINGS = " (its settings are lost: defaults)"


class DealerLink:
    """One dealer. ``kind`` is what DealerOnline calls it: ``avr``, ``emulator`` or the port's name."""

    def __init__(
        self,
        post: Callable[[Event], None],
        *,
        kind: str,
        random_bytes: RandomBytes = os.urandom,
        quiet_ms: int = m.QUIET_MS,
        first_sequence: int = 0,
    ) -> None:
        self.kind = kind
        self.defaults = False
        """The dealer has lost its own settings and runs with defaults."""
        self.state = "closed"
        """closed, hello, online, or refused (not a dealer, or one of another version)."""
        self._post = post
        self._random = random_bytes
        self._quiet_ms = quiet_ms
        self._first_sequence = first_sequence
        self._planned: RunDeal | None = None
        self._noisy = False
        self._session: Session | None = None
        self._boot: int | None = None
        self._job: DealJob | None = None
        self.test: SelfTest | None = None
        """The last self-test, if one was asked for."""
        self._waiting_until_ms = 0
        self._said_offline = False
        self._poll_at_ms = 0

    @property
    def busy(self) -> bool:
        """A deal is being loaded, dealt or released, or is waiting for the link."""
        return self._job is not None and not self._job.over

    @property
    def awaiting(self) -> bool:
        """An answer is due: the transport should be read closely."""
        return self._session is not None and not self._session.idle

    @property
    def next_deadline_ms(self) -> int | None:
        """When ``tick`` next has something to do."""
        times = [] if self._session is None else [self._session.next_deadline_ms]
        if self.state != "closed" and (self._session is None or self._session.idle):
            times.append(self._poll_at_ms)
        if self.busy and self.state != "online":
            times.append(self._waiting_until_ms)
        known = [time for time in times if time is not None]
        return min(known) if known else None

    # --- effects --------------------------------------------------------------------------------------------------

    def resume(self, effect: RunDeal, now_ms: int) -> None:
        """After a restart of the controller: the deal that was under way. It goes on only if the dealer knows it, and
        nobody has pressed Start: what a person stopped, or a latched fault, stays as it is."""
        if not self.busy:
            self._job = DealJob(effect, self._ask, self._post, begun=True, by_person=False)
            self._go(now_ms)

    def perform(self, effect: Effect, now_ms: int) -> None:
        """Carries out PlanDeal, RunDeal or StopDealer; other effects are not the dealer's and are ignored."""
        if isinstance(effect, PlanDeal):
            sealed = seal(draw(effect.quotas, self._random), self._random)
            self._planned = RunDeal(effect.job, effect.pack, sealed.plan)
            self._post(
                DealPlanned(now_ms, effect.job, effect.pack, sealed.plan, sealed.nonce, sealed.commitment),
            )
        elif isinstance(effect, RunDeal):
            self._run(effect, now_ms)
        elif isinstance(effect, StopDealer):
            self._stop(now_ms)

    def self_test(self, now_ms: int) -> bool:
        """Begin a self-test; False where the dealer is away or at work. A deal asked for meanwhile waits for it."""
        if self.state != "online" or self.busy:
            return False
        if not self._testing:
            self.test = SelfTest(self._ask, now_ms)
        return True

    @property
    def _testing(self) -> bool:
        return self.test is not None and self.test.running

    def _run(self, effect: RunDeal, now_ms: int) -> None:
        if self._job is not None and not self._job.over:
            if self._job.effect != effect:
                DealJob(effect, self._ask, self._post).fail(words.BUSY, now_ms)
            return
        last = self._job
        # A plan not drawn here was begun by an earlier host, so the dealer must know it: were it dealt from its first
        # card, cards might already lie in the trays.
        known = last.begun if last is not None and last.effect == effect else self._planned != effect
        self._job = DealJob(effect, self._ask, self._post, begun=known)
        self._go(now_ms)

    def _go(self, now_ms: int) -> None:
        job = self._job
        self._waiting_until_ms = now_ms + START_WITHIN_MS
        if job is None:
            return
        if not job.check():
            job.fail(words.PLAN, now_ms)
        elif self.state == "online" and not self._testing:
            job.join(now_ms)
        elif self.state == "refused":
            job.fail(words.OFFLINE, now_ms)

    def _stop(self, now_ms: int) -> None:
        if self._session is not None and self.state == "online":
            self._session.stop(now_ms)
            if self.test is not None:
                self.test.stopped()
            if self._job is not None and not self._job.over:
                self._job.stopping()
            return
        if self._session is not None:
            self._session.shout_stop()  # no session yet, but it may be moving for an earlier host
        if self._job is not None:
            self._job.fail(words.OFFLINE, now_ms)

    # --- the transport --------------------------------------------------------------------------------------------

    def opened(self, now_ms: int) -> None:
        """The port is open. Nothing is sent in the quiet window; then HELLO."""
        self._said_offline = False
        self._hello(now_ms, self._quiet_ms)

    def closed(self, now_ms: int, message: str) -> None:
        """The port is gone; a running deal waits for it to come back."""
        self._session = None
        self.state = "closed"
        if self.test is not None:
            self.test.gone()
        self._waiting_until_ms = now_ms + START_WITHIN_MS
        self._offline(message, now_ms)

    def received(self, data: bytes, now_ms: int) -> None:
        """Bytes from the dealer; ``now_ms`` is the stamp of the last of them."""
        if self._session is not None:
            for result in self._session.receive(data, now_ms):
                self._result(result, now_ms)

    def tick(self, now_ms: int) -> None:
        """Timeouts, repeats and polls that are due."""
        if self._session is not None:
            for result in self._session.tick(now_ms):
                self._result(result, now_ms)
        if self.busy and self._job is not None and self.state != "online" and now_ms >= self._waiting_until_ms:
            self._job.fail(words.NOISE if self._noisy else words.OFFLINE, now_ms)
        if self.state == "refused" and now_ms >= self._poll_at_ms:
            self._hello(now_ms, 0)
        if self._session is not None and self._session.idle and now_ms >= self._poll_at_ms:
            if self.state == "hello":
                self._hello(now_ms, 0)
            elif self.state == "online":
                self._ask(m.Status, now_ms)

    def take_output(self) -> bytes:
        """What must be written now."""
        return b"" if self._session is None else self._session.take_output()

    # --- inside ---------------------------------------------------------------------------------------------------

    def _ask(self, make: MakeCommand, now_ms: int) -> None:
        if self._session is not None:
            self._session.request(make, now_ms)
            self._poll_at_ms = now_ms + (m.POLL_MS if self.busy or self._testing else m.IDLE_POLL_MS)

    def _hello(self, now_ms: int, quiet_ms: int) -> None:
        self.state = "hello"
        if self.test is not None:
            self.test.gone()
        number = int.from_bytes(self._random(4), "little") or 1
        self._session = Session(number, now_ms, quiet_ms=quiet_ms, first_sequence=self._first_sequence)
        self._session.request(lambda session: m.Hello(session, m.PROTOCOL_VERSION, m.GEOMETRY_CRC), now_ms)

    def _offline(self, message: str, now_ms: int) -> None:
        if not self._said_offline:
            self._said_offline = True
            self._post(DealerOffline(now_ms, message))

    def _result(self, result: Result, now_ms: int) -> None:
        if isinstance(result, Replied):
            self._replied(result, now_ms)
        elif isinstance(result, Rebooted):
            self._waiting_until_ms = now_ms + START_WITHIN_MS
            self._hello(now_ms, 0)  # its answer brings the new boot id: a deal that had begun is void then
        elif isinstance(result, Lost):
            self._lost(result, now_ms)
        elif isinstance(result, Refused):
            if self.test is not None and self._testing:
                self.test.refused(result.result, now_ms)
                self._after_test(now_ms)
            elif self._job is not None and not self._job.over:
                self._job.refused(result.command, result.result, now_ms)
        elif self._job is not None and not self._job.over:
            self._job.event(result, now_ms)

    def _replied(self, replied: Replied, now_ms: int) -> None:
        answer = replied.answer
        if isinstance(answer, m.HelloReply):
            self._greeted(answer, now_ms)
        elif self.test is not None and self._testing:
            if isinstance(answer, m.StatusReply):
                self.test.status(answer, now_ms)
            else:
                self.test.acknowledged(replied.command, now_ms)
            self._after_test(now_ms)
        elif self._job is not None and not self._job.over:
            if isinstance(answer, m.StatusReply):
                self._job.status(answer, now_ms)
            else:
                self._job.acknowledged(replied.command, now_ms)

    def _after_test(self, now_ms: int) -> None:
        """A deal that was asked for during a test begins when it is over."""
        if not self._testing and self._job is not None and self.busy:
            self._job.join(now_ms)

    def _greeted(self, reply: m.HelloReply, now_ms: int) -> None:
        refusal = self._refusal(reply)
        if refusal:
            self._refuse(refusal, now_ms)
            return
        known, self._boot = self._boot, reply.boot
        self.state = "online"
        self._said_offline = self._noisy = False
        self.defaults = bool(reply.cause & 0x80)
        firmware = reply.firmware.rstrip(b"\0").decode("ascii", "replace") + (LOST_SETTINGS if self.defaults else "")
        self._post(DealerOnline(now_ms, reply.boot, firmware, reply.protocol, self.kind))
        if self._job is None or self._job.over:
            self._ask(m.Status, now_ms)
        elif known is not None and known != reply.boot and self._job.begun:
            self._job.fail(words.MCU_RESET, now_ms)
        else:
            self._job.join(now_ms)

    def _refusal(self, reply: m.HelloReply) -> str:
        device = reply.device.rstrip(b"\0").decode("ascii", "replace")
        if device != m.DEVICE_NAME:
            return words.both(
                f"{self.kind} 是“{device}”，不是发牌机。请在牌桌配置里写明发牌机的端口。",
                f"{self.kind} is a '{device}', not a dealer. Set the dealer's port in the table's configuration.",
            )
        ours = f"protocol {m.PROTOCOL_VERSION}, geometry {m.GEOMETRY_CRC:04x}"
        theirs = f"protocol {reply.protocol}, geometry {reply.geometry:04x}"
        if ours != theirs:
            return words.both(
                f"发牌机的固件是 {theirs}，本程序是 {ours}。请重新写入固件。",
                f"The dealer has {theirs}, this controller {ours}. Flash the dealer: make -C firmware flash",
            )
        return ""

    def _refuse(self, message: str, now_ms: int) -> None:
        self._session = None
        self.state = "refused"
        self._poll_at_ms = now_ms + REFUSED_AGAIN_MS
        self._offline(message, now_ms)
        if self._job is not None:
            self._job.fail(words.OFFLINE, now_ms)

    def _lost(self, lost: Lost, now_ms: int) -> None:
        session = self._session
        damaged = session is not None and session.bad_frames > 0
        self._noisy = self._boot is not None and (self._noisy or damaged)  # it was a dealer: so it is the line
        if isinstance(lost.command, m.Hello) and session is not None and session.received and self._boot is None:
            told = f"The device on {self.kind} sends {session.received} bytes but is no dealer."
            zh = f"{self.kind} 上的设备发来 {session.received} 字节，但不是发牌机。请在牌桌配置里写明发牌机的端口。"
            self._refuse(words.both(zh, f"{told} Set the dealer's port in the table's configuration."), now_ms)
            return
        if self._noisy:
            zh = f"{self.kind} 上发牌机发来的数据受到干扰。请检查或更换 USB 线。"
            en = f"What the dealer on {self.kind} sends is damaged. Check or change its USB cable."
        else:
            zh = f"{self.kind} 上的发牌机没有应答。请检查它的电源和连线。"
            en = f"The dealer on {self.kind} does not answer. Check its power and its cable."
        self._offline(words.both(zh, en), now_ms)
        if self.test is not None:
            self.test.gone()
        if not isinstance(lost.command, m.Hello):
            self._waiting_until_ms = now_ms + START_WITHIN_MS
        self.state = "hello"
        self._poll_at_ms = now_ms + HELLO_AGAIN_MS
