"""What may be done at one table: commands, the steps of an incident, appeals."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web
from sqlalchemy import update

from table_controller.feed.commands import verbs_of
from table_controller.venue import records
from table_controller.venue.api.route import OFFICIALS, REFEREES, Call, Problem, Route, answer, word
from table_controller.venue.commander import NotSent
from table_controller.venue.store import tables as t
from table_controller.venue.store.database import put

STEPS = {"acknowledge": "acknowledged", "arrive": "arrived", "resolve": "resolved", "overturn": "overturned"}
MOST_AT_ONCE = 200


async def give(call: Call, table: str, verb: str, data: dict[str, Any]) -> dict[str, Any]:
    """Give a command as whoever asks, note it, and return the table's reply; raises Problem."""
    who = call.who
    if verb not in verbs_of(who.role):
        await call.note(verb[:60], table, data, "not allowed")
        raise Problem(403, f"The role '{who.role}' may not give the command '{verb[:40]}'.", code="ROLE")
    try:
        reply = await call.service.commander.give(table, verb, data, role=who.role, by=who.name)
    except NotSent as error:
        await call.note(verb, table, data, error.message)
        raise Problem(error.status, error.message, way_out=error.way_out, code=error.code) from error
    await call.note(verb, table, data, "ok" if reply.get("ok") else str(reply.get("problem")))
    if not reply.get("ok"):
        raise Problem(409, str(reply.get("problem"))[:400], code=str(reply.get("code"))[:40] or "REFUSED")
    return reply


async def command(call: Call) -> web.StreamResponse:
    """A command for one table."""
    data = await call.body()
    verb = word(data, "do", most=40)
    rest = {key: value for key, value in data.items() if key not in ("do", "by", "role")}
    reply = await give(call, call.place("table"), verb, rest)
    return answer({"ok": True, "tx": reply.get("tx")})


async def _incident(call: Call, number: int) -> dict[str, Any]:
    found = await asyncio.to_thread(records.incident, call.service.engine, number, call.service.people.now_ms())
    if found is None:
        raise Problem(404, "There is no such incident.")
    return found


async def step(call: Call) -> web.StreamResponse:
    """Acknowledge, arrive, resolve, overturn or rule."""
    name, data = call.place("step"), await call.body()
    if name not in STEPS and name != "rule":
        raise Problem(404, f"Steps: {', '.join([*STEPS, 'rule'])}.")
    found = await _incident(call, call.number_of_path("id"))
    verb, rest = _as_command(name, found, data)
    reply = await give(call, found["table"], verb, rest)
    return answer({"ok": True, "tx": reply.get("tx")})


def _as_command(name: str, found: dict[str, Any], data: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if name == "rule":
        allowed = ("penalty", "reason", "lapsed", "apply", "seat")
        return "rule", {"number": found["number"], **{key: data[key] for key in allowed if key in data}}
    return "incident", {"number": found["number"], "status": STEPS[name], "reason": word(data, "reason", default="")}


async def acknowledge_many(call: Call) -> web.StreamResponse:
    """Several at once."""
    data = await call.body()
    ids = data.get("ids")
    whole = isinstance(ids, list) and all(
        isinstance(i, int) and not isinstance(i, bool) and 0 <= i < 2**53 for i in ids
    )
    if not whole or not ids or len(ids) > MOST_AT_ONCE:
        raise Problem(400, f"'ids' must be a list of 1 to {MOST_AT_ONCE} incidents.")

    async def one(number: int) -> dict[str, Any]:
        found = await _incident(call, number)
        verb, rest = _as_command("acknowledge", found, {})
        return await give(call, found["table"], verb, rest)

    return answer({"results": await together({str(i): one(i) for i in dict.fromkeys(ids)})})


async def together(acts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Do all at once; what becomes of each in words."""
    done = await asyncio.gather(*acts.values(), return_exceptions=True)
    told: dict[str, dict[str, Any]] = {}
    for name, found in zip(acts, done, strict=True):
        if isinstance(found, Problem):
            told[name] = {"ok": False, "problem": found.line(), "code": found.code}
        elif isinstance(found, BaseException):
            raise found
        else:
            told[name] = {"ok": True, "problem": ""}
    return told


async def appeal(call: Call) -> web.StreamResponse:
    """An appeal against an incident: its evidence stays."""
    data, service = await call.body(), call.service
    found = await _incident(call, call.number_of_path("id"))
    if found["appeal"] is not None:
        raise Problem(409, "There is an appeal already.")
    note = word(data, "note", most=2000)
    row = {"incident_id": found["id"], "note": _safe(note), "by": call.who.name, "at": service.clock.wall()}

    def write() -> None:
        with service.engine.begin() as connection:
            put(connection, t.appeal, {**row, "closed_at": ""})

    await asyncio.to_thread(write)
    await call.note("appeal", found["table"], {"id": found["id"], "note": note}, "ok")
    return answer({"ok": True})


async def close_appeal(call: Call) -> web.StreamResponse:
    """An appeal is decided."""
    data, service = await call.body(), call.service
    found = await _incident(call, call.number_of_path("id"))
    if found["appeal"] is None or found["appeal"]["closed_at"]:
        raise Problem(409, "There is no open appeal.")
    outcome = word(data, "outcome", most=2000)
    values = {"outcome": _safe(outcome), "closed_by": call.who.name, "closed_at": service.clock.wall()}

    def write() -> None:
        with service.engine.begin() as connection:
            connection.execute(update(t.appeal).where(t.appeal.c.incident_id == found["id"]).values(values))

    await asyncio.to_thread(write)
    await call.note("appeal closed", found["table"], {"id": found["id"], "outcome": outcome}, "ok")
    return answer({"ok": True})


def _safe(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


_TEXT = {"type": "string", "maxLength": 200}
_COMMAND = {"type": "object", "required": ["do"], "properties": {"do": _TEXT}}
_STEP = {"type": "object", "properties": {"reason": _TEXT, "penalty": _TEXT, "lapsed": _TEXT}}
_IDS = {"type": "object", "required": ["ids"], "properties": {"ids": {"type": "array", "items": {"type": "integer"}}}}
_NOTE = {"type": "object", "required": ["note"], "properties": {"note": {"type": "string", "maxLength": 2000}}}
_OUTCOME = {"type": "object", "required": ["outcome"], "properties": {"outcome": {"type": "string", "maxLength": 2000}}}
HEAD = ("head_referee",)
ROUTES = (
    Route("POST", "/api/tables/{table}/command", command, "a command for one table", OFFICIALS, body=_COMMAND),
    Route("POST", "/api/incidents/acknowledge", acknowledge_many, "acknowledge several", REFEREES, body=_IDS),
    Route("POST", "/api/incidents/{id}/appeal", appeal, "an appeal: its evidence stays", HEAD, body=_NOTE),
    Route("POST", "/api/incidents/{id}/appeal/close", close_appeal, "an appeal is decided", HEAD, body=_OUTCOME),
    Route("POST", "/api/incidents/{id}/{step}", step, "a step of an incident, or a ruling", REFEREES, body=_STEP),
)  # fmt: skip
