"""One conversation with a dealer by hand: a command, its answer, the next. Over a port or a simulated machine."""

from __future__ import annotations

import contextlib
import functools
import os
import select
from collections.abc import Callable
from typing import Protocol, TypeVar

import serial

from table_controller.dealer import messages as m
from table_controller.dealer import words
from table_controller.dealer.machine import Machine
from table_controller.dealer.plan import RandomBytes
from table_controller.dealer.session import Lost, Rebooted, Refused, Replied, Session
from table_controller.errors import DeviceError

STEP_MS = 5
MOVING = (m.State.TESTING, m.State.DEALING, m.State.STOPPING, m.State.RELEASING)
REST_MS = 60_000
"""Whatever moves comes to rest within this time."""
FLASH = "Flash the dealer: table-controller dealer flash."

A = TypeVar("A", bound=m.Answer)
T = TypeVar("T", int, bytes)


class Wire(Protocol):
    """Where the bytes go: time passes in ``advance`` only."""

    name: str

    def now_ms(self) -> int:
        """Monotonic milliseconds."""

    def write(self, data: bytes) -> None:
        """Bytes to the dealer."""

    def advance(self, ms: int) -> bytes:
        """Waits at most so long; what came."""


class MachineWire:
    """A simulated machine: its time passes as fast as it can."""

    def __init__(self, machine: Machine) -> None:
        self.name = f"the simulated dealer ({machine.kind})"
        self._machine = machine
        self._now_ms = 0

    def now_ms(self) -> int:
        """See Wire."""
        return self._now_ms

    def write(self, data: bytes) -> None:
        """See Wire."""
        self._machine.write(data)

    def advance(self, ms: int) -> bytes:
        """See Wire."""
        self._now_ms += ms
        return self._machine.advance(ms)


class PortWire:
    """A serial port, open and non-blocking."""

    def __init__(self, port: serial.Serial, now_ms: Callable[[], int]) -> None:
        self.name = str(port.port)
        self._port = port
        self._clock = now_ms

    def now_ms(self) -> int:
        """See Wire."""
        return self._clock()

    def write(self, data: bytes) -> None:
        """See Wire. All of it, or DeviceError."""
        left = memoryview(data)
        while left:
            _, ready, _ = select.select([], [self._port.fileno()], [], 2.0)
            if not ready:
                raise DeviceError(f"{self.name} takes no bytes.", way_out="Pull the cable and plug it in.", code="PORT")
            left = left[self._use(functools.partial(os.write, self._port.fileno(), left)) :]

    def advance(self, ms: int) -> bytes:
        """See Wire."""
        ready, _, _ = select.select([self._port.fileno()], [], [], ms / 1000)
        return self._use(lambda: os.read(self._port.fileno(), 4096)) if ready else b""

    def close(self) -> None:
        """Leaves the port; again does nothing."""
        with contextlib.suppress(OSError):  # it may be gone already
            self._port.close()

    def _use(self, call: Callable[[], T]) -> T:
        try:
            done = call()
        except OSError as error:
            raise DeviceError(f"{self.name} has gone.", way_out="Plug the dealer in.", code="PORT") from error
        if not done:  # readable and nothing to read: the port is gone
            raise DeviceError(f"{self.name} has gone.", way_out="Plug the dealer in.", code="PORT")
        return done


class Console:
    """Commands one by one. ``heard`` is called with every byte in either direction."""

    def __init__(
        self,
        wire: Wire,
        random_bytes: RandomBytes,
        *,
        quiet_ms: int = m.QUIET_MS,
        heard: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self.wire = wire
        self.hello: m.HelloReply | None = None
        self._heard = heard
        number = int.from_bytes(random_bytes(4), "little") or 1
        self._session = Session(number, wire.now_ms(), quiet_ms=quiet_ms)

    def greet(self, *, any_version: bool = False) -> m.HelloReply:
        """HELLO; DeviceError when nobody answers, it is no dealer, or (unless ``any_version``) of another version."""
        self.hello = reply = self.ask(lambda number: m.Hello(number, m.PROTOCOL_VERSION, m.GEOMETRY_CRC), m.HelloReply)
        device = text_of(reply.device)
        if device != m.DEVICE_NAME:
            raise DeviceError(
                f"{self.wire.name} is a '{device}', not a dealer.", way_out="Name the dealer's port.", code="NO_DEALER"
            )
        ours, theirs = (m.PROTOCOL_VERSION, m.GEOMETRY_CRC), (reply.protocol, reply.geometry)
        if ours != theirs and not any_version:
            raise DeviceError(
                f"The dealer has protocol {theirs[0]}, geometry {theirs[1]:04x}; this program has protocol {ours[0]}, "
                f"geometry {ours[1]:04x}.",
                way_out=FLASH,
                code="OTHER_VERSION",
            )
        return reply

    def ask(self, make: Callable[[int], m.Command], kind: type[A]) -> A:
        """A command and its answer. DeviceError: no answer, a restart meanwhile, or a refusal (code REFUSED)."""
        self._session.request(make, self.wire.now_ms())
        return self._answer(kind)

    def status(self) -> m.StatusReply:
        """STATUS."""
        return self.ask(m.Status, m.StatusReply)

    def stop(self) -> None:
        """STOP, behind the zeros of its own path."""
        self._session.stop(self.wire.now_ms())
        self._answer(m.Ack)

    def until_rest(self) -> m.StatusReply:
        """STATUS again and again until nothing moves."""
        end = self.wire.now_ms() + REST_MS
        while (status := self.status()).state in MOVING:
            if self.wire.now_ms() > end:
                raise DeviceError("The dealer does not come to rest.", way_out="Switch it off.", code="DEALER_FAULT")
            self.wait(100)
        return status

    def wait(self, ms: int) -> None:
        """Listens for so long."""
        end = self.wire.now_ms() + ms
        while self.wire.now_ms() < end:
            self._pump()

    def _pump(self) -> list[object]:
        out = self._session.take_output()
        if out:
            self._heard(out)
            self.wire.write(out)
        data = self.wire.advance(STEP_MS)
        if data:
            self._heard(data)
        now = self.wire.now_ms()
        return [*self._session.receive(data, now), *self._session.tick(now)]

    def _answer(self, kind: type[A]) -> A:
        while True:
            for result in self._pump():
                if isinstance(result, Replied) and isinstance(result.answer, kind):
                    return result.answer
                if isinstance(result, Refused):
                    failure = words.refused_failure(result.command, result.result)
                    raise DeviceError(failure.message, code="REFUSED_COMMAND")
                if isinstance(result, Rebooted):
                    raise DeviceError("The dealer restarted meanwhile.", way_out="Try again.", code="MCU_RESET")
                if isinstance(result, Lost):
                    self._give_up()

    def _give_up(self) -> None:
        heard = self._session.received
        if heard and self.hello is None:
            raise DeviceError(
                f"What {self.wire.name} sends ({heard} bytes) is not a dealer's.",
                way_out="Name the dealer's port.",
                code="NO_DEALER",
            )
        raise DeviceError(
            f"{self.wire.name} does not answer.", way_out="Check the dealer's power and its cable.", code="NO_ANSWER"
        )


def text_of(field: bytes) -> str:
    """A char field without its padding."""
    return field.rstrip(b"\0").decode("ascii", "replace")
