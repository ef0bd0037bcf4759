"""The one way to a simulated dealer: the real firmware in the AVR bench where its tools are, else the emulator."""

from __future__ import annotations

from typing import NamedTuple

from table_controller.dealer.bench import Bench, unavailable_reason
from table_controller.dealer.emulator import Emulator
from table_controller.dealer.machine import Machine
from table_controller.errors import DeviceError


class Simulated(NamedTuple):
    """A machine, its kind (``avr`` or ``emulator``), and why it is not the AVR bench (empty: it is, or not asked)."""

    machine: Machine
    kind: str
    reason: str


def open_simulated(*, prefer_avr: bool = True, cards: int = 0) -> Simulated:
    """A simulated dealer with ``cards`` cards in its hopper. Builds firmware and bench on first use."""
    reason = ""
    if prefer_avr:
        reason = unavailable_reason()
        if not reason:
            try:
                return Simulated(Bench(cards), "avr", "")
            except DeviceError as error:
                reason = error.line()
    return Simulated(Emulator(cards), "emulator", reason)
