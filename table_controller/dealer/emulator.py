"""A dealer in pure Python behind the same interface as the AVR bench: cards, trays, sensors, faults and the line."""

from __future__ import annotations

from collections import deque

from table_controller.dealer import messages as m
from table_controller.dealer.emulated_firmware import EmulatedFirmware
from table_controller.dealer.machine import LINE_FAULTS, Line

_JAM_PLACES = {"feeder": m.Place.FEEDER, "beam": m.Place.BEAM, "exit": m.Place.EXIT_E}


class Emulator:
    """See dealer.machine.Machine."""

    kind = "emulator"

    def __init__(self, cards: int = 0) -> None:
        self.plugged = True
        self._now_ms = 0
        self._hopper: deque[int] = deque(range(cards))
        self._fed = 0
        self._trays: list[list[int]] = [[] for _ in range(m.EXITS)]
        self._in_tray = [0] * m.EXITS
        self._released: list[int] = []
        self._jam: tuple[str, int, int] | None = None
        self._double_at: int | None = None
        self._bad_back: int | None = None
        self._lost_memory = False
        self._stuck: dict[m.Input, bool] = {}
        self._unsafe = False
        self._driver_fault = False
        self._to_mcu, self._to_host = Line(), Line()
        self._inbox = b""
        self._firmware = EmulatedFirmware(self, boot=1)

    # --- Machine --------------------------------------------------------------------------------------------------

    def load(self, cards: int) -> None:
        """See Machine."""
        self._hopper = deque(range(cards))
        self._fed = 0
        self._trays = [[] for _ in range(m.EXITS)]
        self._in_tray = [0] * m.EXITS
        self._released = []
        self._jam = self._double_at = self._bad_back = None

    def write(self, data: bytes) -> None:
        """See Machine."""
        if self.plugged:
            self._inbox += self._to_mcu.carry(data)

    def advance(self, ms: int) -> bytes:
        """See Machine."""
        end = self._now_ms + ms
        out = b""
        while True:
            due = self._firmware.next_ms
            self._now_ms = end if due is None else min(max(due, self._now_ms), end)
            self._firmware.run(self._now_ms)
            if self._inbox:
                data, self._inbox = self._inbox, b""
                self._firmware.receive(data)
            out += self._firmware.take_output()
            due = self._firmware.next_ms
            if self._now_ms >= end and (due is None or due > end):
                return self._to_host.carry(out) if self.plugged else b""

    def fault(self, name: str, **arguments: int | str) -> None:
        """See Machine."""
        if name in LINE_FAULTS:
            line = self._to_mcu if arguments.pop("direction", "to_host") == "to_mcu" else self._to_host
            line.fault(name, **arguments)  # type: ignore[arg-type]  # names and types are checked by Line.fault itself
        elif name == "reset":
            self.reset()
        elif name == "jam":
            place, index = str(arguments.get("place", "feeder")), int(arguments.get("index", self._fed))
            self._jam = (place, index, int(arguments.get("times", 1_000)))
        elif name == "double_feed":
            self._double_at = int(arguments.get("index", self._fed))
        elif name == "bad_back":
            self._bad_back = int(arguments.get("index", self._fed))
        elif name == "eeprom":
            self._lost_memory = True
        elif name == "hopper_empty":
            left = int(arguments.get("left", 0))
            self._hopper = deque(list(self._hopper)[:left])
        elif name == "leftover":
            last = self._hopper[-1] if self._hopper else self._fed - 1
            self._hopper.extend(range(last + 1, last + 1 + int(arguments.get("count", 1))))
        elif name == "sensor_stuck":
            self._stuck[m.Input[str(arguments["sensor"])]] = bool(int(arguments.get("active", 1)))
        elif name == "lid":
            self._unsafe = bool(int(arguments.get("open", 1)))
        elif name == "driver":
            self._driver_fault = bool(int(arguments.get("active", 1)))
        elif name == "clear":
            self._jam = self._double_at = self._bad_back = None
            self._unsafe = self._driver_fault = False
            self._stuck.clear()
        else:
            raise ValueError(f"The simulated dealer has no fault '{name}'.")

    def delivered(self) -> dict[str, list[int]]:
        """See Machine."""
        return {letter: list(tray) for letter, tray in zip(m.EXIT_LETTERS, self._trays, strict=True)}

    def state(self) -> int:
        """See Machine."""
        return self._firmware.state

    def released(self) -> list[int]:
        """See Machine."""
        return list(self._released)

    def reset(self) -> None:
        """See Machine."""
        old = self._firmware
        if self._lost_memory:
            self._firmware = EmulatedFirmware(self, boot=1, cause=m.Cause.EXTERNAL | 0x80)
        else:
            self._firmware = EmulatedFirmware(self, old.boot + 1, m.Cause.EXTERNAL, old.settings)
        self._lost_memory = False
        self._firmware.now_ms = self._now_ms

    def unplug(self) -> None:
        """See Machine."""
        self.plugged = False
        self._inbox = b""

    def replug(self) -> None:
        """See Machine."""
        self.plugged = True

    def close(self) -> None:
        """See Machine."""
        self.plugged = False

    # --- Mechanics ------------------------------------------------------------------------------------------------

    def inputs(self, *, emitter: bool = True) -> m.Input:
        """See Mechanics. HOME reads inactive unless stuck: the emulator's chute is never left on its flag."""
        value = m.Input(0) if emitter else m.Input(0x3F)  # every beam reads blocked
        for offset, count in enumerate(self._in_tray):
            if count:
                value |= m.Input.TRAY_E << offset
        if self._hopper:
            value |= m.Input.HOPPER
            if emitter and self._hopper[0] != self._bad_back:
                value |= m.Input.BACK
        if self._unsafe:
            value |= m.Input.UNSAFE
        if self._driver_fault:
            value |= m.Input.DRIVER_FAULT
        for sensor, active in self._stuck.items():
            value = value | sensor if active else value & ~sensor
        return m.Input(value)

    def feed(self, exit_index: int) -> tuple[int, int]:
        """See Mechanics."""
        fault = self._jammed(exit_index) or self._blind(exit_index)
        if fault or not self._hopper:
            return fault or (m.Fault.JAM, m.Place.FEEDER)
        double = self._double_at is not None and self._fed >= self._double_at
        self._drop(exit_index)
        if double and self._hopper:
            self._double_at = None
            self._drop(exit_index)
            return (m.Fault.DOUBLE_FEED, m.Place.BEAM)
        return (0, 0)

    def open_trays(self) -> None:
        """See Mechanics."""
        self._released.append(sum(self._in_tray))
        self._in_tray = [0] * m.EXITS

    def _drop(self, exit_index: int) -> None:
        self._trays[exit_index].append(self._hopper.popleft())
        self._in_tray[exit_index] += 1
        self._fed += 1

    def _jammed(self, exit_index: int) -> tuple[int, int] | None:
        if self._jam is None or self._fed < self._jam[1]:
            return None
        place, index, times = self._jam
        self._jam = (place, index, times - 1) if times > 1 else None
        if place != "feeder" and self._hopper:
            self._hopper.popleft()  # it is stuck on its way
            self._fed += 1
        return (m.Fault.JAM, _JAM_PLACES[place] + (exit_index if place == "exit" else 0))

    def _blind(self, exit_index: int) -> tuple[int, int] | None:
        """What a sensor that stuck after the self-test makes of the next card (which does drop)."""
        own = m.Input(m.Input.EXIT_E << exit_index)
        for sensor, active in self._stuck.items():
            if sensor == m.Input.BEAM:
                return (m.Fault.JAM if active else m.Fault.SENSOR, m.Place.BEAM)
            if sensor == own:
                return (m.Fault.JAM, m.Place.EXIT_E + exit_index)
            if m.Input.EXIT_E <= sensor <= m.Input.EXIT_B and active:
                return (m.Fault.WRONG_EXIT, m.Place.EXIT_E + sensor.bit_length() - 2)
        return None
