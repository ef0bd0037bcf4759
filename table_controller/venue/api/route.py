"""One route as data, and the helpers that every handler uses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from table_controller.errors import TableError
from table_controller.venue.people import Person
from table_controller.venue.service import Service

SERVICE: web.AppKey[Service] = web.AppKey("service", Service)
LOOKERS = ("viewer", "scoreboard", "referee", "head_referee", "director")
READERS = ("viewer", "referee", "head_referee", "director")
REFEREES = ("referee", "head_referee")
OFFICIALS = ("referee", "head_referee", "director")
HEADS = ("head_referee", "director")
DIRECTOR = ("director",)
AIR = ("overlay", *LOOKERS)
LARGEST_BODY = 64 * 1024
Schema = dict[str, Any]
Handler = Callable[["Call"], Awaitable[web.StreamResponse]]


class Problem(TableError):
    """An answer that says why not; ``status`` is HTTP's."""

    code = "API"

    def __init__(self, status: int, message: str, *, way_out: str = "", code: str | None = None) -> None:
        super().__init__(message, way_out=way_out, code=code)
        self.status = status


@dataclass(frozen=True)
class Route:
    """``roles`` None: no log-in is asked for. ``query`` and ``body`` name what is understood, as JSON Schemas."""

    method: str
    path: str
    handler: Handler
    words: str
    roles: tuple[str, ...] | None = LOOKERS
    query: dict[str, Schema] = field(default_factory=dict)
    body: Schema | None = None
    answer: str = "application/json"
    also: str = ""
    """Another type that it may answer with."""

    @property
    def changes(self) -> bool:
        """Whether it wants the header that no other site can set."""
        return self.method != "GET"


@dataclass(frozen=True)
class Call:
    """A request with who asks; the handlers read it by these."""

    request: web.Request
    service: Service
    person: Person | None

    @property
    def who(self) -> Person:
        """Who asks; only where a log-in is asked for."""
        assert self.person is not None
        return self.person

    @property
    def origin(self) -> str:
        """Where the request comes from."""
        return self.request.remote or ""

    def place(self, name: str) -> str:
        """A part of the path."""
        return self.request.match_info[name]

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number of the query; raises Problem."""
        text = self.request.query.get(name, "")
        if not text:
            return default
        return _whole(text, name, most)

    def number_of_path(self, name: str) -> int:
        """A whole number of the path; raises Problem."""
        return _whole(self.place(name), name, 2**53)

    async def body(self) -> dict[str, Any]:
        """The body's object; raises Problem."""
        try:
            data = json.loads(await self.request.read())
        except web.HTTPRequestEntityTooLarge:
            raise Problem(413, f"At most {LARGEST_BODY} bytes are taken.") from None
        except (ValueError, RecursionError):
            raise Problem(400, "The body is not JSON.") from None
        if not isinstance(data, dict):
            raise Problem(400, "The body must be an object.")
        return data

    async def note(self, act: str, table: str, detail: Any, outcome: str) -> None:
        """A line of the audit."""
        words = json.dumps(detail, ensure_ascii=False)
        at, people = self.service.clock.wall(), self.service.people
        await asyncio.to_thread(people.note, at, self.person, self.origin, act, table, words, outcome)


def _whole(text: str, name: str, most: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 16 or int(text) > most:
        raise Problem(400, f"'{name}' must be a whole number up to {most}.")
    return int(text)


def word(data: dict[str, Any], name: str, *, most: int = 200, default: str | None = None) -> str:
    """A text of the body; raises Problem."""
    value = data.get(name, default)
    if not isinstance(value, str) or len(value) > most:
        raise Problem(400, f"'{name}' must be a text of at most {most} characters.")
    return value


def answer(data: Any, status: int = 200) -> web.Response:
    """JSON."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return web.Response(text=text, status=status, content_type="application/json", charset="utf-8")
