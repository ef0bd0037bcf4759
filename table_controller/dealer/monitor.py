"""The bytes of the line as text: a line a frame, and one for every block that is none."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import fields
from enum import IntEnum

from table_controller.dealer import messages as m
from table_controller.dealer.framing import MAX_CONTENT, Frame, decode
from table_controller.dealer.words import place_words

_ENUMS: dict[str, type[IntEnum]] = {
    "state": m.State, "reason": m.Reason, "fault": m.Fault, "result": m.Result, "cause": m.Cause, "kind": m.EventKind,
}  # fmt: skip
_SHOWN_BYTES = 24


class Monitor:
    """Bytes in, in any pieces and from both directions; lines out. ``>`` marks commands, ``<`` the dealer's words."""

    def __init__(self) -> None:
        self.frames = self.bad = 0
        self._block = bytearray()
        self._zeros = 0

    def feed(self, data: bytes) -> Iterator[str]:
        """The lines that ``data`` completes."""
        for byte in data:
            self._zeros = 0 if byte else self._zeros + 1
            if self._zeros == m.STOP_ZEROS:
                yield f"> STOP's own path: {m.STOP_ZEROS} zeros"
            if byte:
                if len(self._block) <= MAX_CONTENT + 1:
                    self._block.append(byte)
            elif self._block:
                yield self._line(bytes(self._block))
                self._block.clear()

    def rest(self) -> Iterator[str]:
        """What is left at the end of a recording: a frame that never ended."""
        if self._block:
            self.bad += 1
            yield f"? not ended: {_hex(bytes(self._block))}"
            self._block.clear()

    def _line(self, block: bytes) -> str:
        frame = decode(block)
        if frame is None:
            self.bad += 1
            return f"? no frame: {_hex(block)}"
        self.frames += 1
        return describe(frame)


def describe(frame: Frame) -> str:
    """A frame in a line: direction, name, sequence, fields with their names."""
    kind = m.COMMANDS.get(frame.type) or m.ANSWERS.get(frame.type)
    mark = ">" if frame.type < 0x80 else "<"
    if kind is None:
        return f"{mark} type 0x{frame.type:02X} #{frame.sequence}: unknown, {_hex(frame.payload)}"
    try:
        message = kind.unpack(frame.payload)
    except struct.error:
        return f"{mark} {kind.__name__} #{frame.sequence}: wrong size, {_hex(frame.payload)}"
    told = [f"{field.name}={_value(field.name, getattr(message, field.name))}" for field in fields(message)]
    return f"{mark} {kind.__name__} #{frame.sequence} {' '.join(told)}"


def _value(name: str, value: int | bytes) -> str:
    if isinstance(value, bytes):
        text = value.rstrip(b"\0")
        if name in ("firmware", "device", "pack_id", "serial"):
            return repr(text.decode("ascii", "replace"))
        return "/".join(str(count) for count in value) if name in ("counts", "quotas") else _hex(value)
    if name == "cause":
        return _named(m.Cause, value & 0x7F) + ("+DEFAULTS" if value & 0x80 else "")
    if name in _ENUMS:
        return _named(_ENUMS[name], value)
    if name == "place":
        return (place_words(value) or "none").replace(" ", "_")
    if name == "inputs":
        return "|".join(bit.name for bit in m.Input if bit & value and bit.name) or "none"
    if name == "geometry":
        return f"{value:04x}"
    if name in ("session", "job"):
        return f"{value:08x}"
    if name == "of":
        return m.COMMANDS[value].__name__ if value in m.COMMANDS else f"0x{value:02X}"
    return str(value)


def _named(kind: type[IntEnum], value: int) -> str:
    return kind(value).name if value in set(kind) else str(value)


def _hex(data: bytes) -> str:
    more = f"… ({len(data)} bytes)" if len(data) > _SHOWN_BYTES else ""
    return (data[:_SHOWN_BYTES].hex(" ") or "empty") + more
