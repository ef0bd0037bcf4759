"""Telling systemd how it goes: ready, still alive, stopping (``sd_notify``'s protocol: one datagram of words).

The watchdog is fed only while the consumer takes events in time; a stalled loop is restarted by systemd.
"""

from __future__ import annotations

import contextlib
import os
import socket

STALL_MS = 4000
"""An event that has waited so long means that the loop or the disk is stuck."""

START_US = 60_000_000
"""A start may take so long from each word that it goes on."""


class Notifier:
    """Speaks to the service manager that started us, if there is one."""

    def __init__(self, address: str | None = None) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "") if address is None else address

    @property
    def listened_to(self) -> bool:
        """Whether a service manager waits for our words."""
        return bool(self._address)

    def say(self, words: str) -> None:
        """Send ``READY=1``, ``WATCHDOG=1``, ``STATUS=…``; nothing happens where nobody listens."""
        if not self._address:
            return
        name = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out,
        ):
            out.connect(name)
            out.send(words.encode())

    def ready(self, status: str) -> None:
        """Everything is open."""
        self.say(f"READY=1\nSTATUS={status}")

    def starting(self, status: str) -> None:
        """It takes longer, and goes on: another ``START_US`` from now."""
        self.say(f"EXTEND_TIMEOUT_USEC={START_US}\nSTATUS={status}")

    def alive(self, status: str) -> None:
        """The loop is timely."""
        self.say(f"WATCHDOG=1\nSTATUS={status}")

    def stopping(self) -> None:
        """A clean stop has begun."""
        self.say("STOPPING=1")
