"""Debounce as pure code: raw edges with stamps in, one press out, stamped with its first edge.

gpiozero's own bounce handling is not used: its mock ignores it, and a press within a millisecond of a limit must count
with the stamp of its first edge.
"""

from __future__ import annotations

from dataclasses import dataclass

QUIET_MS = 25
"""A contact has settled when it has been quiet this long; cheap push buttons bounce for 1-10 ms."""


@dataclass
class Debouncer:
    """One button. A press counts at its first edge; bounces within the quiet time belong to it."""

    down: bool = False
    _changed_ms: int = -QUIET_MS

    def edge(self, at_ms: int, *, pressed: bool) -> bool:
        """A raw edge; True when it is the start of a new press."""
        settled = at_ms - self._changed_ms >= QUIET_MS
        self._changed_ms = at_ms
        was_down, self.down = self.down, pressed
        return pressed and settled and not was_down
