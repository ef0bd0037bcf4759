"""What the emulated firmware stands on: a machine's own settings, and what it can sense and move."""

from __future__ import annotations

from typing import Protocol

from table_controller.dealer import messages as m

Settings = tuple[int, int, bytes]
"""Steps from the home flag to exit E, the chute's settling time in ms, the machine's number."""
DEFAULTS: Settings = (m.CHUTE_HOME_STEPS, m.CHUTE_SETTLE_MS, bytes(8))


class Mechanics(Protocol):
    """What the firmware can sense and move."""

    def inputs(self, *, emitter: bool = True) -> m.Input:
        """The sensors now."""

    def feed(self, exit_index: int) -> tuple[int, int]:
        """One turn of the pick roller towards an exit: (fault, place); fault 0 when one card went through."""

    def open_trays(self) -> None:
        """The hands are released."""
