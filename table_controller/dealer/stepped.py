"""A dealer link over a simulated machine, pumped by a virtual clock: no thread, no wall time, the same in every run."""

from __future__ import annotations

import os
from collections.abc import Callable

from table_controller.dealer import words
from table_controller.dealer.link import DealerLink
from table_controller.dealer.machine import Machine
from table_controller.dealer.messages import QUIET_MS
from table_controller.dealer.plan import RandomBytes
from table_controller.table.effects import Effect, RunDeal
from table_controller.table.events import Event

STEP_MS = 5
"""How finely time passes while an answer or a card is awaited: it bounds how late an event's stamp can be."""
UNPLUGGED = words.both(
    "发牌机的 USB 线被拔掉了。重新插上，发牌从停下处继续。",
    "The dealer's USB cable is unplugged. Plug it in: the deal goes on where it stopped.",
)


class SteppedLink:
    """Owns a link and a machine. Call ``step(now_ms)`` at the latest at every ``next_deadline_ms``."""

    def __init__(
        self,
        machine: Machine,
        post: Callable[[Event], None],
        *,
        now_ms: int = 0,
        random_bytes: RandomBytes = os.urandom,
        quiet_ms: int = QUIET_MS,
        first_sequence: int = 0,
    ) -> None:
        self.machine = machine
        self.link = DealerLink(
            post, kind=machine.kind, random_bytes=random_bytes, quiet_ms=quiet_ms, first_sequence=first_sequence
        )
        self._at_ms = now_ms
        self._plugged = machine.plugged
        if self._plugged:
            self.link.opened(now_ms)

    @property
    def busy(self) -> bool:
        """A deal is under way."""
        return self.link.busy

    @property
    def online(self) -> bool:
        """The handshake succeeded and the link stands."""
        return self.link.state == "online"

    @property
    def next_deadline_ms(self) -> int | None:
        """When ``step`` should be called next."""
        if self.link.busy or self.link.awaiting:
            return self._at_ms + STEP_MS
        return self.link.next_deadline_ms

    def perform(self, effect: Effect, now_ms: int) -> None:
        """Carries out PlanDeal, RunDeal or StopDealer at ``now_ms``."""
        self.step(now_ms)
        self.link.perform(effect, self._at_ms)
        self.machine.write(self.link.take_output())

    def self_test(self, now_ms: int) -> bool:
        """Begin a self-test (see DealerLink.self_test); its verdict is ``link.test``."""
        self.step(now_ms)
        begun = self.link.self_test(self._at_ms)
        self.machine.write(self.link.take_output())
        return begun

    def resume(self, effect: RunDeal, now_ms: int) -> None:
        """After a restart of the controller: the deal that was under way (see DealerLink.resume)."""
        self.step(now_ms)
        self.link.resume(effect, self._at_ms)
        self.machine.write(self.link.take_output())

    def step(self, now_ms: int) -> None:
        """Lets the machine and the link live until ``now_ms``, in steps that do not depend on who calls when."""
        while self._at_ms < now_ms:
            due = self.next_deadline_ms
            target = now_ms if due is None else min(now_ms, max(due, self._at_ms + 1))
            self._advance(target)

    def close(self) -> None:
        """Ends the machine."""
        self.machine.close()

    def _advance(self, target_ms: int) -> None:
        self._watch_cable()
        data = self.machine.advance(target_ms - self._at_ms)
        self._at_ms = target_ms
        if data:
            self.link.received(data, target_ms)
        self.link.tick(target_ms)
        self.machine.write(self.link.take_output())

    def _watch_cable(self) -> None:
        if self.machine.plugged != self._plugged:
            self._plugged = self.machine.plugged
            if self._plugged:
                self.link.opened(self._at_ms)
            else:
                self.link.closed(self._at_ms, UNPLUGGED)
