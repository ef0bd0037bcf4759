"""Log-in, people, keys of pages and the audit."""

from __future__ import annotations

import asyncio

from aiohttp import web

from table_controller.errors import TableError
from table_controller.feed.commands import verbs_of
from table_controller.venue.api.route import AIR, DIRECTOR, HEADS, Call, Problem, Route, Schema, answer, word
from table_controller.venue.people import ROLES, SHORTEST_PASSWORD, TooMany

COOKIE = "venue_session"
_TEXT = {"type": "string"}


async def log_in(call: Call) -> web.StreamResponse:
    """Start a session."""
    data = await call.body()
    name, password = word(data, "name", most=40), word(data, "password")
    service, hours = call.service, call.service.config.web.session_hours
    try:
        found = await asyncio.to_thread(service.people.log_in, name, password, call.origin, hours)
    except TooMany as error:
        await call.note("login", "", {"name": name}, "too many")
        raise Problem(429, error.message, way_out=error.way_out, code=error.code) from error
    if found is None:
        await call.note("login", "", {"name": name}, "wrong")
        raise Problem(401, "Name or password is wrong.", code="LOGIN")
    person, token = found
    made = Call(call.request, service, person)
    await made.note("login", "", {}, "ok")
    response = answer({"ok": True, "name": person.name, "role": person.role, "token": token, "expires_s": hours * 3600})
    secure = bool(service.config.web.tls_certificate)
    response.set_cookie(COOKIE, token, httponly=True, samesite="Strict", secure=secure, max_age=hours * 3600, path="/")
    return response


async def log_out(call: Call) -> web.StreamResponse:
    """End the session."""
    token = token_of(call.request)
    if token:
        await asyncio.to_thread(call.service.people.log_out, token)
    response = answer({"ok": True})
    response.del_cookie(COOKIE, path="/")
    return response


async def me(call: Call) -> web.StreamResponse:
    """Who is logged in, and which commands it may give."""
    who, venue = call.who, call.service.config.venue.name
    return answer({"name": who.name, "role": who.role, "venue": venue, "verbs": sorted(verbs_of(who.role))})


async def new_password(call: Call) -> web.StreamResponse:
    """One's own password."""
    data, who, people = await call.body(), call.who, call.service.people
    old, new = word(data, "old"), word(data, "new")
    if await asyncio.to_thread(people.log_in, who.name, old, call.origin, 1) is None:
        raise Problem(403, "The old password is wrong.", code="LOGIN")
    await _set(call, who.name, who.role, new)
    await call.note("password", "", {}, "ok")
    return answer({"ok": True})


async def _set(call: Call, name: str, role: str, password: str) -> None:
    try:
        await asyncio.to_thread(call.service.people.set_person, name, role, password)
    except TableError as error:
        raise Problem(400, error.message, way_out=error.way_out, code=error.code) from error


async def people(call: Call) -> web.StreamResponse:
    """Everybody."""
    return answer({"people": await asyncio.to_thread(call.service.people.everybody)})


async def put_person(call: Call) -> web.StreamResponse:
    """Add somebody, or set role and password anew."""
    data = await call.body()
    name, role = word(data, "name", most=40), word(data, "role", most=40)
    await _set(call, name, role, word(data, "password"))
    await call.note("person", "", {"name": name, "role": role}, "ok")
    return answer({"ok": True})


async def put_key(call: Call) -> web.StreamResponse:
    """A key for a page that cannot log in: shown once."""
    data = await call.body()
    name, role = word(data, "name", most=40), word(data, "role", most=40)
    if role not in ("overlay", "scoreboard", "viewer"):
        raise Problem(400, "A key is for overlay, scoreboard or viewer.")
    try:
        key = await asyncio.to_thread(call.service.people.add_key, name, role)
    except TableError as error:
        raise Problem(400, error.message, way_out=error.way_out, code=error.code) from error
    await call.note("key", "", {"name": name, "role": role}, "ok")
    return answer({"ok": True, "key": key})


async def remove_person(call: Call) -> web.StreamResponse:
    """Somebody or a key no longer enters."""
    name = call.place("name")
    if name == call.who.name:
        raise Problem(409, "You cannot remove yourself.")
    if not await asyncio.to_thread(call.service.people.remove, name):
        raise Problem(404, "There is nobody of this name.")
    await call.note("person removed", "", {"name": name}, "ok")
    return answer({"ok": True})


async def audit(call: Call) -> web.StreamResponse:
    """What was done, by whom, newest first."""
    limit, before = call.number("limit", 100, 1000), call.number("before", 0, 2**53)
    return answer({"audit": await asyncio.to_thread(call.service.people.audit, limit, before)})


def token_of(request: web.Request) -> str:
    """The session's token or the key of a request."""
    header = request.headers.get("Authorization", "")
    if header.startswith("Bearer "):
        return header.removeprefix("Bearer ").strip()
    if request.path.startswith(("/api/air/", "/api/tables")) and request.method == "GET" and "key" in request.query:
        return str(request.query["key"])
    return request.cookies.get(COOKIE, "")


_PERSON = {
    "type": "object",
    "required": ["name", "role", "password"],
    "properties": {"name": _TEXT, "role": {"enum": list(ROLES)}, "password": {**_TEXT, "minLength": SHORTEST_PASSWORD}},
}
_KEY = {
    "type": "object",
    "required": ["name", "role"],
    "properties": {"name": _TEXT, "role": {"enum": ["overlay", "scoreboard", "viewer"]}},
}
_LOGIN = {"type": "object", "required": ["name", "password"], "properties": {"name": _TEXT, "password": _TEXT}}
_NEW = {"type": "object", "required": ["old", "new"], "properties": {"old": _TEXT, "new": _TEXT}}
_PAGE: dict[str, Schema] = {"limit": {"type": "integer", "maximum": 1000}, "before": {"type": "integer"}}
ROUTES = (
    Route("POST", "/api/login", log_in, "start a session", None, body=_LOGIN),
    Route("POST", "/api/logout", log_out, "end the session", None),
    Route("GET", "/api/me", me, "who is logged in", AIR),
    Route("POST", "/api/me/password", new_password, "one's own password", AIR, body=_NEW),
    Route("GET", "/api/people", people, "everybody", DIRECTOR),
    Route("POST", "/api/people", put_person, "add somebody, or set role and password anew", DIRECTOR, body=_PERSON),
    Route("DELETE", "/api/people/{name}", remove_person, "somebody no longer enters", DIRECTOR),
    Route("POST", "/api/keys", put_key, "a key for a page that cannot log in", DIRECTOR, body=_KEY),
    Route("GET", "/api/audit", audit, "what was done, newest first", HEADS, query=_PAGE),
)
