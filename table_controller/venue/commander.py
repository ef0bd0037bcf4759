"""Gives commands to tables over the broker, and waits for their answers."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from table_controller.errors import TableError
from table_controller.feed.commands import GOOD_FOR_MS
from table_controller.feed.envelope import VERSION
from table_controller.feed.topics import Topics
from table_controller.venue.hall import Hall
from table_controller.venue.wire import Batch, Wire

ANSWER_S = 6.0
CLIENT = "venue"


class NotSent(TableError):
    """The command could not be given, or was not answered; ``status`` is HTTP's."""

    code = "NOT_SENT"

    def __init__(self, message: str, status: int, *, way_out: str = "") -> None:
        super().__init__(message, way_out=way_out)
        self.status = status


@dataclass
class Commander:
    """Belongs to the loop's thread."""

    venue: str
    hall: Hall
    wire: Wire
    client: str = CLIENT
    _waiting: dict[str, asyncio.Future[dict[str, Any]]] = field(default_factory=dict)

    async def give(self, table: str, verb: str, data: dict[str, Any], *, role: str, by: str) -> dict[str, Any]:
        """The table's reply; raises NotSent where there is none."""
        view = self.hall.views.get(table)
        if view is None or view.mono is None or view.availability in ("offline", "lost"):
            raise NotSent(f"Table {table} is not there.", 504, way_out="Look at its controller and its network.")
        if not self.wire.online:
            raise NotSent("The broker is away.", 502, way_out="Give the command again once it is back.")
        tx = secrets.token_hex(12)
        mono_ms, at_ms = view.mono
        message = {
            "v": VERSION,
            "tx": tx,
            "client": self.client,
            "role": role,
            "by": by,
            "boot": view.boot,
            "expires_mono_ms": mono_ms + (self.hall.now_ms() - at_ms) + GOOD_FOR_MS,
            "data": data,
        }
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[tx] = answer
        topic = Topics(self.venue, table).command(verb)
        payload = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        self.wire.publish(topic, payload, expiry_s=GOOD_FOR_MS // 1000)
        try:
            return await asyncio.wait_for(answer, ANSWER_S)
        except TimeoutError:
            raise NotSent(f"Table {table} does not answer.", 504, way_out="It may have done it: look.") from None
        finally:
            self._waiting.pop(tx, None)

    def take(self, batch: Batch) -> None:
        """Replies."""
        for heard in batch:
            if heard.plane == "reply" and heard.said is not None:
                answer = self._waiting.get(str(heard.said.get("tx")))
                if answer is not None and not answer.done():
                    answer.set_result(heard.said)
