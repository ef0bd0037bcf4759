"""Scripts: what simulated people do, as generators that wait for a time or for a condition on any clock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator

from table_controller.runtime.clock import Clock

POLL_MS = 50
Wait = int | Callable[[], bool]
"""Milliseconds, or a condition that is looked at every ``POLL_MS``."""
Script = Generator[Wait, None, None]


class Stage:
    """Runs scripts side by side."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.lock = threading.Lock()
        """Held while a script acts: who looks at the scene from another thread takes it too."""
        self.failure: BaseException | None = None

    def run(self, script: Script) -> None:
        """Start a script; it goes on at its waits."""
        self._clock.call_at(self._clock.now_ms(), lambda: self._step(script))

    def _step(self, script: Script) -> None:
        try:
            with self.lock:
                wait = next(script)
        except StopIteration:
            return
        except BaseException as error:
            # Under asyncio a timer's exception is only logged: keep it for whoever drives the run.
            self.failure = error
            raise
        if callable(wait):
            self._poll(script, wait)
        else:
            self._clock.call_at(self._clock.now_ms() + wait, lambda: self._step(script))

    def _poll(self, script: Script, condition: Callable[[], bool]) -> None:
        if condition():
            self._step(script)
        else:
            self._clock.call_at(self._clock.now_ms() + POLL_MS, lambda: self._poll(script, condition))


def until(clock: Clock, condition: Callable[[], bool], limit_ms: int) -> Callable[[], bool]:
    """A condition that also ends after ``limit_ms``."""
    end_ms = clock.now_ms() + limit_ms
    return lambda: condition() or clock.now_ms() >= end_ms
