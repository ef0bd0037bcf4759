"""Frames on the serial line, sans-IO: ``00 COBS(len, version/flags, sequence, type, payload, crc16) 00``.

Strict COBS, CRC-16/X-25, a delimiter before and after. ``len`` counts the payload, the sequence is 16 bits, numbers are
little-endian. A broken frame costs at most itself: the next delimiter starts afresh.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from table_controller.dealer.messages import FRAMING_VERSION, MAX_PAYLOAD

_HEAD = struct.Struct("<BBHB")
_OVERHEAD = _HEAD.size + 2
MAX_CONTENT = MAX_PAYLOAD + _OVERHEAD
"""Bytes between the delimiters, before COBS; below 254, so one COBS code is always enough."""


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ (0x8408 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_CRC = _crc_table()


def crc16(data: bytes) -> int:
    """CRC-16/X-25 (reflected 0x1021, start and final XOR 0xFFFF)."""
    value = 0xFFFF
    for byte in data:
        value = (value >> 8) ^ _CRC[(value ^ byte) & 0xFF]
    return value ^ 0xFFFF


def cobs_encode(data: bytes) -> bytes:
    """COBS without the delimiter, for at most 253 bytes."""
    return b"".join(bytes([len(block) + 1]) + block for block in data.split(b"\0"))


def cobs_decode(data: bytes) -> bytes | None:
    """The content, or None unless ``data`` is exactly what cobs_encode writes."""
    if not data or 0 in data:
        return None
    out = bytearray()
    at = 0
    while at < len(data):
        end = at + data[at]
        if end > len(data) or data[at] == 0xFF:
            return None
        out += data[at + 1 : end] + b"\0"
        at = end
    return bytes(out[:-1])


@dataclass(frozen=True)
class Frame:
    """A frame that passed every check."""

    sequence: int
    type: int
    payload: bytes


def encode(frame: Frame) -> bytes:
    """The bytes of a frame, delimiters included."""
    head = _HEAD.pack(len(frame.payload), FRAMING_VERSION << 4, frame.sequence, frame.type)
    content = head + frame.payload
    return b"\0" + cobs_encode(content + struct.pack("<H", crc16(content))) + b"\0"


def decode(block: bytes) -> Frame | None:
    """The frame between two delimiters, or None when anything about it is wrong."""
    content = cobs_decode(block)
    if content is None or not _OVERHEAD <= len(content) <= MAX_CONTENT:
        return None
    size, flags, sequence, kind = _HEAD.unpack_from(content)
    if size != len(content) - _OVERHEAD or flags != FRAMING_VERSION << 4:
        return None
    if crc16(content[:-2]) != struct.unpack("<H", content[-2:])[0]:
        return None
    return Frame(sequence, kind, content[_HEAD.size : -2])


class Decoder:
    """Cuts a stream at its delimiters. ``bad`` counts blocks that were no frames; memory is bounded."""

    def __init__(self) -> None:
        self.bad = 0
        self._block = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that ``data`` completes, in order."""
        frames = []
        for byte in data:
            if byte:
                if len(self._block) <= MAX_CONTENT + 1:
                    self._block.append(byte)
                continue
            if self._block:
                frame = decode(bytes(self._block))
                self._block.clear()
                if frame is None:
                    self.bad += 1
                else:
                    frames.append(frame)
        return frames
