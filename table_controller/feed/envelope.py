"""The envelope round every message: who says it, its number, and when."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

VERSION = 1


@dataclass
class Enveloper:
    """Numbers the events of one (table, boot). A state carries the number of the last event in it."""

    venue: str
    table: str
    boot: str
    seq: int = 0
    rev: int = 0
    sync: bool = field(default=True)
    """Whether the wall clock is known to be right; off in a simulated, virtual-time run."""

    def event(self, kind: str, data: dict[str, Any], *, deal: int, mono_ms: int, wall: str) -> tuple[int, bytes]:
        """The next numbered event: (its number, payload)."""
        self.seq += 1
        return self.seq, self._payload(f"event/{kind}", {**data, "kind": kind}, deal, mono_ms, wall)

    def state(self, schema: str, data: dict[str, Any], *, deal: int, mono_ms: int, wall: str) -> bytes:
        """A retained document as of the last event."""
        self.rev += 1
        return self._payload(schema, data, deal, mono_ms, wall)

    def _payload(self, schema: str, data: dict[str, Any], deal: int, mono_ms: int, wall: str) -> bytes:
        message = {
            "v": VERSION,
            "schema": schema,
            "venue": self.venue,
            "table": self.table,
            "boot": self.boot,
            "seq": self.seq,
            "rev": self.rev,
            "ts": wall,
            "mono_ms": mono_ms,
            "sync": self.sync,
            "deal": deal,
            "data": data,
        }
        return json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
