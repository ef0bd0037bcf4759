"""Server-sent events: the hall's rows as they change, one table's messages, and what is on air."""

from __future__ import annotations

import asyncio
import contextlib

from aiohttp import web

from table_controller.venue.api.entering import token_of
from table_controller.venue.api.route import AIR, LOOKERS, OFFICIALS, Call, Route
from table_controller.venue.hall import RELAY, encode

GAP_MS = 100
"""Rows are sent at most this often."""
KEEPALIVE_S = 10.0
LOOK_AGAIN_MS = 5000
"""How often it is asked anew whether a reader may still read."""
STREAM = "text/event-stream"


async def _begin(call: Call) -> web.StreamResponse:
    headers = {"Content-Type": STREAM, "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    response = web.StreamResponse(headers=headers)
    await response.prepare(call.request)
    return response


async def _pause(call: Call, ms: int) -> None:
    waiting, clock = asyncio.Event(), call.service.clock
    clock.call_at(clock.now_ms() + ms, waiting.set)
    await waiting.wait()


async def hall(call: Call) -> web.StreamResponse:
    """All rows at first, then those that changed; it ends when the reader goes, or may no longer read."""
    response, reader, leave = await _begin(call), HallReader(call), Leave(call)
    with contextlib.suppress(ConnectionError):
        while not call.service.hall.closed and await leave.stands():
            changed = call.service.hall.changed
            await response.write(reader.news() or b": \n\n")
            await _pause(call, GAP_MS)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), KEEPALIVE_S)
    return response


class Leave:
    """A reader's right to read: it ends with his session, his key, his role."""

    def __init__(self, call: Call) -> None:
        self._call, self._clock = call, call.service.clock
        self._due_ms = self._clock.now_ms() + LOOK_AGAIN_MS

    async def stands(self) -> bool:
        """Whether it still holds, looked up now and then."""
        if self._clock.now_ms() < self._due_ms:
            return True
        self._due_ms = self._clock.now_ms() + LOOK_AGAIN_MS
        person = await asyncio.to_thread(self._call.service.people.who, token_of(self._call.request))
        return person is not None and person.role == self._call.who.role


class HallReader:
    """What one reader of the hall has been told."""

    def __init__(self, call: Call) -> None:
        self._service, self._official = call.service, call.who.role in OFFICIALS
        self._version = self._relay = -1
        self._open: dict[int, str] = {}
        self._announced: object = object()

    def news(self) -> bytes:
        """Everything that is new, as server-sent events."""
        hall, service = self._service.hall, self._service
        parts = []
        if hall.version != self._version:
            rows = hall.rows(self._version)
            self._version = hall.version
            parts.append(encode("rows", {"rows": rows}))
            parts += self._incidents()
        if self._relay != service.relay_version:
            self._relay = service.relay_version
            parts.append(encode("relay", {"relay": service.relay_rows()}))
        if (found := service.documents.get("announcement")) != self._announced:
            self._announced = found
            parts.append(encode("hall", {"announcement": found}))
        return b"".join(parts)

    def _incidents(self) -> list[bytes]:
        """Numbers of the open incidents, when they or their states have changed: read them anew."""
        if not self._official:
            return []
        found = {i["id"]: i["status"] for view in self._service.hall.views.values() for i in view.incidents}
        if found == self._open:
            return []
        self._open = found
        return [encode("incident", {"open": sorted(found)})]


async def _follow(call: Call, plane: str) -> web.StreamResponse:
    hall, table, leave = call.service.hall, call.place("table"), Leave(call)
    queue = hall.follow(plane, table)
    try:
        response = await _begin(call)
        first = call.service.aired.states.get(table) if plane == "air" else _newest(call, table)
        with contextlib.suppress(ConnectionError):
            await response.write(encode("state", first) if first else b": \n\n")
            if plane == "air" and (mode := call.service.relays.get(table, {}).get("mode")):
                await response.write(encode(RELAY, {"mode": mode}))
            while not hall.closed and await leave.stands():
                await response.write(await _next(queue))
    finally:
        hall.unfollow(plane, table, queue)
    return response


async def _next(queue: asyncio.Queue[tuple[str, bytes]]) -> bytes:
    try:
        rest, payload = await asyncio.wait_for(queue.get(), KEEPALIVE_S)
    except TimeoutError:
        return b": \n\n"
    if rest in ("state", "event", "availability", RELAY) and payload:
        return b"event: %s\ndata: %s\n\n" % (rest.encode(), _line(payload))
    return encode("cut", {}) if rest == "state" else b""


def _line(payload: bytes) -> bytes:
    return payload.replace(b"\r", b" ").replace(b"\n", b" ")


def _newest(call: Call, table: str) -> object:
    view = call.service.hall.views.get(table)
    return view.documents.get("state") if view is not None else None


async def table(call: Call) -> web.StreamResponse:
    """One table's states and events as they come."""
    return await _follow(call, "live")


async def air(call: Call) -> web.StreamResponse:
    """What is on air of one table."""
    return await _follow(call, "air")


ROUTES = (
    Route("GET", "/api/stream", hall, "the hall's rows as they change", LOOKERS, answer=STREAM),
    Route("GET", "/api/tables/{table}/stream", table, "one table's messages as they come", LOOKERS, answer=STREAM),
    Route("GET", "/api/air/{table}/stream", air, "what is on air of one table", AIR, answer=STREAM),
)
