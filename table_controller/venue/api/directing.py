"""What concerns the whole hall: start, pause and end all, announcements, schedule, roster, and the relay."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from table_controller.cards import SEATS
from table_controller.venue.api.acting import give, together
from table_controller.venue.api.route import (
    AIR,
    DIRECTOR,
    HEADS,
    LARGEST_BODY,
    LOOKERS,
    Call,
    Problem,
    Route,
    answer,
    word,
)
from table_controller.venue.documents import seats_of
from table_controller.venue.hall import CALLS
from table_controller.venue.settings import LONGEST_DELAY_S

LAST_DEAL = ("最后一副", "last deal")
ROUND_OVER = "round over / 本轮结束"
VERBS = {"start": "start", "pause": "pause", "resume": "resume", "end": "end_round", "remind": "remind",
         "match": "match", "extend_round": "extend_round"}  # fmt: skip
SHARED = ("pause", "resume", "remind")
"""What a head referee may do for the whole hall too."""
RELAY_ACTS = ("go", "hold", "cut", "delay")


def _tables(call: Call, data: dict[str, Any]) -> list[str]:
    """The tables that are named, or all that are there."""
    named, views = data.get("tables"), call.service.hall.views
    if named is None:
        return sorted(view.table for view in views.values() if view.availability not in ("offline", "unknown"))
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named) or not named:
        raise Problem(400, "'tables' must be a list of tables, or null for all.")
    unknown = [name for name in named if name not in views]
    if unknown:
        raise Problem(404, f"There is no table {unknown[0][:60]}.")
    return list(dict.fromkeys(named))


async def hall(call: Call) -> web.StreamResponse:
    """One act for all tables, or for those that are named."""
    data = await call.body()
    what = word(data, "do", most=40)
    if call.who.role != "director" and what not in SHARED:
        raise Problem(403, f"Only the director may do '{what}' for the hall.", code="ROLE")
    if what == "announce":
        return await _announce(call, data)
    if what not in VERBS:
        raise Problem(400, f"'do' must be one of: {', '.join([*VERBS, 'announce'])}.")
    rest = {key: value for key, value in data.items() if key not in ("do", "tables", "by", "role")}
    if what == "end":
        rest = {"reason": ROUND_OVER}
    tables = _tables(call, data)
    if not tables:
        raise Problem(409, "No table is there.")
    if what == "end" and data.get("tables") is None:
        await _put_announcement(call, "last_deal", *LAST_DEAL)
    if what == "resume" and data.get("tables") is None:
        acts = {name: _resume(call, name, rest) for name in tables}
    else:
        acts = {
            name: give(call, name, VERBS[what], {**rest, **_names(call, what, name, rest.get("round"))})
            for name in tables
        }
    return answer({"results": await together(acts)})


async def _resume(call: Call, table: str, rest: dict[str, Any]) -> dict[str, Any]:
    """The whole hall goes on, but no table takes its referee by surprise."""
    if call.service.hall.views[table].data.get("pause_reason") in CALLS:
        raise Problem(
            409, "It is paused for a referee who was called.", way_out="Choose that table by itself.", code="CALLED"
        )
    return await give(call, table, "resume", rest)


def _names(call: Call, what: str, table: str, round_: Any) -> dict[str, Any]:
    """Who sits there in that round, for a match."""
    round_ = round_ if isinstance(round_, int) else 0
    names = seats_of(call.service.documents.book(), round_, table).get("names")
    return {"names": names} if what == "match" and names else {}


async def _announce(call: Call, data: dict[str, Any]) -> web.StreamResponse:
    kind = word(data, "kind", default="text")
    if kind not in ("text", "last_deal"):
        raise Problem(400, "'kind' must be text or last_deal.")
    default = LAST_DEAL if kind == "last_deal" else ("", "")
    zh, en = word(data, "zh", default=default[0]), word(data, "en", default=default[1])
    await _put_announcement(call, kind, zh, en)
    return answer({"ok": True, "results": {}})


async def _put_announcement(call: Call, kind: str, zh: str, en: str) -> None:
    made = {"kind": kind, "zh": zh, "en": en, "by": call.who.name, "at": call.service.clock.wall()}
    await call.service.put_document("announcement", made if zh or en else None)
    await call.note("announce", "", made, "ok")


async def announcement(call: Call) -> web.StreamResponse:
    """What was announced."""
    return answer({"announcement": call.service.documents.get("announcement")})


async def schedule(call: Call) -> web.StreamResponse:
    """The schedule."""
    return answer(call.service.documents.get("schedule") or {})


async def put_schedule(call: Call) -> web.StreamResponse:
    """A new schedule: any object."""
    data = await call.body()
    await call.service.put_document("schedule", data)
    await call.note("schedule", "", {"bytes": len(json.dumps(data))}, "ok")
    return answer({"ok": True})


async def roster(call: Call) -> web.StreamResponse:
    """Who sits where: what was written last, and each round's own."""
    return answer(call.service.documents.book())


async def put_roster(call: Call) -> web.StreamResponse:
    """A new roster."""
    data = await call.body()
    tables = data.get("tables")
    if not isinstance(tables, dict) or len(tables) > 2000:
        raise Problem(400, "'tables' must be an object, a table each.")
    made = {name[:100]: _seated(name, seats) for name, seats in tables.items()}
    round_ = data.get("round", 1)
    if isinstance(round_, bool) or not isinstance(round_, int) or not 1 <= round_ <= 10_000:
        raise Problem(400, "'round' must be a whole number from 1.")
    await call.service.put_document("roster", {"round": round_, "tables": made})
    await call.note("roster", "", {"round": round_, "tables": len(made)}, "ok")
    return answer({"ok": True})


def _seated(name: str, seats: Any) -> dict[str, Any]:
    if not isinstance(seats, dict):
        raise Problem(400, f"The entry of table {name[:60]} must be an object.")
    names = seats.get("names", [""] * len(SEATS))
    if not isinstance(names, list) or len(names) != len(SEATS) or not all(isinstance(n, str) for n in names):
        raise Problem(400, f"'names' of table {name[:60]} must be four names: E, N, W, S.")
    teams = {pair: word(seats, pair, most=100, default="") for pair in ("EW", "NS")}
    return {"names": [n[:60] for n in names], **teams}


async def relay(call: Call) -> web.StreamResponse:
    """The relay's state for each table."""
    return answer({"relay": call.service.relay_rows()})


async def control_relay(call: Call) -> web.StreamResponse:
    """Hold, go on, cut, or another delay."""
    data = await call.body()
    what = word(data, "do", most=10)
    if what not in RELAY_ACTS:
        raise Problem(400, f"'do' must be one of: {', '.join(RELAY_ACTS)}.")
    said: dict[str, Any] = {"do": what, "by": call.who.name}
    if what == "delay":
        delay_s = data.get("delay_s")
        if isinstance(delay_s, bool) or not isinstance(delay_s, int | float) or not 0 <= delay_s <= LONGEST_DELAY_S:
            raise Problem(400, f"'delay_s' must be 0 to {LONGEST_DELAY_S}.")
        said["delay_ms"] = round(delay_s * 1000)
    if not call.service.wire.online:
        raise Problem(502, "The broker is away.")
    tables = _tables(call, data)
    heard = await call.service.tell_relay(tables, said) if tables else set()
    for table in tables:
        await call.note(f"relay {what}", table, said, "ok" if table in heard else "no answer")
    unheard = Problem(504, "The relay does not answer.", way_out="Look whether it runs.", code="RELAY")
    if not heard and tables:
        raise unheard
    no = {"ok": False, "code": unheard.code, "problem": unheard.line()}
    results = {table: {"ok": True, "problem": ""} if table in heard else no for table in tables}
    return answer({"results": results} | ({"ok": True} if heard.issuperset(tables) else {}))


_TEXT = {"type": "string", "maxLength": 200}
_NAMED = {"anyOf": [{"type": "array", "items": _TEXT}, {"type": "null"}]}
_HALL = {"type": "object", "required": ["do"], "properties": {"do": {"enum": [*VERBS, "announce"]}, "tables": _NAMED}}
_RELAY = {
    "type": "object",
    "required": ["do"],
    "properties": {
        "do": {"enum": list(RELAY_ACTS)},
        "tables": _NAMED,
        "delay_s": {"type": "number", "minimum": 0, "maximum": LONGEST_DELAY_S},
    },
}
_ROSTER = {
    "type": "object",
    "required": ["tables"],
    "properties": {"round": {"type": "integer"}, "tables": {"type": "object"}},
}
_OBJECT = {"type": "object", "description": f"up to {LARGEST_BODY} bytes"}
ROUTES = (
    Route("POST", "/api/hall", hall, "one act for all tables", HEADS, body=_HALL),
    Route("GET", "/api/hall", announcement, "what was announced", AIR),
    Route("GET", "/api/schedule", schedule, "the schedule", LOOKERS),
    Route("PUT", "/api/schedule", put_schedule, "a new schedule", DIRECTOR, body=_OBJECT),
    Route("GET", "/api/roster", roster, "who sits where", LOOKERS),
    Route("PUT", "/api/roster", put_roster, "a new roster", DIRECTOR, body=_ROSTER),
    Route("GET", "/api/relay", relay, "the relay's state", LOOKERS),
    Route("POST", "/api/relay", control_relay, "hold, go, cut or another delay", DIRECTOR, body=_RELAY),
)  # fmt: skip
