"""The dealer's self-test over the link of a running table: sensors, chute and home flag, without dealing."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.dealer import messages as m
from table_controller.dealer import words
from table_controller.dealer.console import MOVING, REST_MS
from table_controller.dealer.session import MakeCommand

Ask = Callable[[MakeCommand, int], None]
RUNNING, WELL, FAILED = "running", "well", "failed"
GOOD = words.both("发牌机自检正常。", "The self-test found nothing wrong.")
GONE = words.both("自检中断：发牌机没有应答。", "The self-test broke off: the dealer does not answer.")
NO_REST = words.both("发牌机停不下来。请关掉它的电源。", "The dealer does not come to rest. Switch it off.")
STOPPED = words.both("自检被停止。", "The self-test was stopped.")


class SelfTest:
    """One test, from the press of a button to its verdict. ``message`` in Chinese and English, once it is over.

    A fault that is latched is cleared once: whoever asks for a test has looked.
    """

    def __init__(self, ask: Ask, now_ms: int) -> None:
        self._ask = ask
        self._until_ms = now_ms + REST_MS
        self._cleared = self._clearing_failed = self._begun = False
        self.state = RUNNING
        self.message = ""
        self._ask(m.Selftest, now_ms)

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.state == RUNNING

    def acknowledged(self, command: m.Command, now_ms: int) -> None:
        """The dealer took a command: after a cleared fault the test is asked for, after the test how it stands."""
        if isinstance(command, m.ClearFault):
            self._ask(m.Selftest, now_ms)
        elif isinstance(command, m.Selftest):
            self._begun = True
            self._ask(m.Status, now_ms)

    def refused(self, result: int, now_ms: int) -> None:
        """The dealer did not take a command."""
        if result == m.Result.FAULTED and not self._cleared:
            self._cleared = True
            self._ask(m.ClearFault, now_ms)
        elif result == m.Result.FAULTED:
            self._clearing_failed = self._begun = True
            self._ask(m.Status, now_ms)
        else:
            self._end(FAILED, words.BUSY.message)

    def status(self, reply: m.StatusReply, now_ms: int) -> None:
        """How the dealer stands; what it said before the test began is no verdict."""
        if not self._begun:
            return
        if reply.state == m.State.FAULT:
            self._end(FAILED, words.fault_failure(reply, cause_stays=self._clearing_failed).message)
        elif reply.state == m.State.STOPPING:
            self._end(FAILED, STOPPED)
        elif reply.state not in MOVING:
            self._end(WELL, GOOD)
        elif now_ms > self._until_ms:
            self._end(FAILED, NO_REST)

    def gone(self) -> None:
        """The link is down."""
        self._end(FAILED, GONE)

    def stopped(self) -> None:
        """A person pressed Stop."""
        self._end(FAILED, STOPPED)

    def _end(self, state: str, message: str) -> None:
        if self.running:
            self.state, self.message = state, message
