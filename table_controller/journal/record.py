"""One line of a journal: ``crc32 canonical-json``. The JSON carries its number and the hash of the line before.

A line is taken only when it is byte for byte what writing its content would give: a lenient reader took flipped bits.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

FIRST_PREVIOUS = "0" * 64


def canonical(data: Any) -> bytes:
    """The one JSON form of a value."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def encode(data: dict[str, Any]) -> bytes:
    """A record as a line, newline included."""
    body = canonical(data)
    return b"%08x %s\n" % (zlib.crc32(body), body)


def decode(line: bytes) -> dict[str, Any] | None:
    """The record of a whole line, or None when a single bit of it is not as written."""
    if not line.endswith(b"\n") or len(line) < 11 or line[8:9] != b" ":
        return None
    try:
        data = json.loads(line[9:-1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    try:
        return data if encode(data) == line else None
    except (ValueError, UnicodeEncodeError):
        return None


def line_hash(line: bytes) -> str:
    """The link of the chain: sha256 of a whole line."""
    return hashlib.sha256(line).hexdigest()
