"""The dealer on a real serial port: a non-blocking descriptor in the asyncio loop, found again after replugging."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import serial

from table_controller.dealer import words
from table_controller.dealer.link import DealerLink
from table_controller.dealer.messages import QUIET_MS
from table_controller.dealer.plan import RandomBytes
from table_controller.dealer.ports import BY_ID, find_port, open_port, stable_name
from table_controller.errors import DeviceError
from table_controller.table.effects import Effect, RunDeal, StopDealer
from table_controller.table.events import Event

REOPEN_MS = 1000
"""Between two looks for a port that is not there."""


class SerialLink:
    """Owns a link and a port. Everything happens in the loop's thread; nothing here blocks or raises into the loop."""

    def __init__(
        self,
        port: str,
        post: Callable[[Event], None],
        *,
        now_ms: Callable[[], int],
        random_bytes: RandomBytes = os.urandom,
        quiet_ms: int = QUIET_MS,
        by_id: Path = BY_ID,
    ) -> None:
        self.link = DealerLink(post, kind=port, random_bytes=random_bytes, quiet_ms=quiet_ms)
        self._wanted = port
        self._by_id = by_id
        self._now_ms = now_ms
        self._path: Path | None = None
        self._port: serial.Serial | None = None
        self._out = bytearray()
        self._writing = False
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

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
        """When the link next acts by itself; the loop's own timer sees to it."""
        return self.link.next_deadline_ms

    def start(self) -> None:
        """Opens the port, or begins to look for it. Call it in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._open()

    def perform(self, effect: Effect) -> None:
        """Carries out PlanDeal, RunDeal or StopDealer now."""
        if isinstance(effect, StopDealer):
            self._out.clear()  # STOP does not queue behind bytes the port would not take
        self.link.perform(effect, self._now_ms())
        self._settle()

    def self_test(self) -> bool:
        """Begin a self-test (see DealerLink.self_test); its verdict is ``link.test``."""
        begun = self.link.self_test(self._now_ms())
        self._settle()
        return begun

    def resume(self, effect: RunDeal) -> None:
        """After a restart of the controller: the deal that was under way (see DealerLink.resume)."""
        self.link.resume(effect, self._now_ms())
        self._settle()

    def close(self) -> None:
        """Leaves the port; the dealer stops by itself if it was moving."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._drop_port()
        self._loop = None

    # --- the port -------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        try:
            path = self._path if self._path and self._path.exists() else find_port(self._wanted, self._by_id)
            self._port = open_port(path)
        except DeviceError as error:
            self._went(error.line())
            return
        self._path = stable_name(path, self._by_id)
        self.link.kind = str(path)
        if self._loop is not None:
            self._loop.add_reader(self._port.fileno(), self._readable)
        self.link.opened(self._now_ms())
        self._settle()

    def _went(self, message: str) -> None:
        self._drop_port()
        self.link.closed(self._now_ms(), message)
        self._settle()

    def _unplugged(self) -> str:
        return words.both(
            f"{self._path} 上的发牌机被拔掉了。重新插上，发牌从停下处继续。",
            f"The dealer on {self._path} was unplugged. Plug it in: the deal goes on where it stopped.",
        )

    def _drop_port(self) -> None:
        port, self._port = self._port, None
        self._out.clear()
        if port is None:
            return
        if self._loop is not None:
            self._loop.remove_reader(port.fileno())
            self._loop.remove_writer(port.fileno())
        self._writing = False
        with contextlib.suppress(OSError):  # it may be gone already
            port.close()

    def _readable(self) -> None:
        port = self._port
        if port is None:
            return
        now_ms = self._now_ms()
        try:
            data = os.read(port.fileno(), 4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._went(self._unplugged())
            return
        self.link.received(data, now_ms)
        self._settle()

    def _writable(self) -> None:
        if self._port is None or self._loop is None:
            return
        try:
            sent = os.write(self._port.fileno(), self._out) if self._out else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            self._went(self._unplugged())
            return
        del self._out[:sent]
        if self._out and not self._writing:
            self._loop.add_writer(self._port.fileno(), self._writable)
            self._writing = True
        elif not self._out and self._writing:
            self._loop.remove_writer(self._port.fileno())
            self._writing = False

    # --- time -----------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Writes what the link wants written and sets the timer to its next deadline."""
        self._out += self.link.take_output()
        if self._out:
            self._writable()
        if self._loop is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        now_ms = self._now_ms()
        deadlines = [self.link.next_deadline_ms, None if self._port is not None else now_ms + REOPEN_MS]
        due_ms = min((deadline for deadline in deadlines if deadline is not None), default=None)
        if due_ms is not None:
            self._timer = self._loop.call_later(max(0, due_ms - now_ms) / 1000, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.link.tick(self._now_ms())
        if self._port is None:
            self._open()
        else:
            self._settle()
