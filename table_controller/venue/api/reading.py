"""What may be read: tables, timelines, incidents, evidence, results, standings."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import web

from table_controller.errors import TableError
from table_controller.table.incidents import KINDS, NOTED
from table_controller.venue import records
from table_controller.venue.api.route import AIR, LOOKERS, OFFICIALS, READERS, Call, Problem, Route, Schema, answer
from table_controller.venue.case import case as one_case
from table_controller.venue.documents import seats_of
from table_controller.venue.hall import View
from table_controller.venue.standings import standings

MOST_EVENTS = 500


def _view(call: Call) -> View:
    view = call.service.hall.views.get(call.place("table"))
    if view is None:
        raise Problem(404, "There is no such table.")
    return view


async def tables(call: Call) -> web.StreamResponse:
    """Every table's row."""
    return answer({"tables": call.service.hall.rows()})


async def table(call: Call) -> web.StreamResponse:
    """The newest documents of one table."""
    view = _view(call)
    documents = {name: view.documents.get(name) for name in ("state", "info", "health")}
    return answer({"row": call.service.hall.row(view.table), **documents})


async def events(call: Call) -> web.StreamResponse:
    """Events of one boot after a number."""
    after, limit = call.number("after", 0, 2**53), call.number("limit", MOST_EVENTS, MOST_EVENTS)
    boot, name = call.request.query.get("boot", "")[:100], call.place("table")
    found = await asyncio.to_thread(call.service.archive.missed, name, _safe(boot), after, limit)
    made = [json.loads(payload) for payload in found]
    whole = [said["seq"] for said in made] == list(range(after + 1, after + 1 + len(made)))
    return answer({"events": made, "complete": whole and len(made) < limit})


def _safe(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


async def timeline(call: Call) -> web.StreamResponse:
    """What happened at one table, newest first."""
    before, limit = call.number("before", 0, 2**53), call.number("limit", 200, MOST_EVENTS)
    found = await asyncio.to_thread(records.timeline, call.service.engine, _safe(call.place("table")), before, limit)
    return answer({"events": found})


async def incidents(call: Call) -> web.StreamResponse:
    """Incidents, open ones first."""
    service, query = call.service, call.request.query
    status = query.get("status", "open")
    if status not in ("open", "all"):
        raise Problem(400, "'status' must be open or all.")
    found = await asyncio.to_thread(
        records.incidents,
        service.engine,
        service.people.now_ms(),
        status=status,
        table=_safe(query.get("table", "")[:100]),
        limit=call.number("limit", 200, 2000),
    )
    return answer({"incidents": found})


async def incident(call: Call) -> web.StreamResponse:
    """One incident."""
    service = call.service
    number = call.number_of_path("id")
    found = await asyncio.to_thread(records.incident, service.engine, number, service.people.now_ms())
    if found is None:
        raise Problem(404, "There is no such incident.")
    return answer(found)


async def picture(call: Call) -> web.StreamResponse:
    """A picture of a play, by its hash."""
    path = await asyncio.to_thread(call.service.evidence.path, call.place("sha256"))
    if path is None:
        raise Problem(404, "There is no such picture here.")
    await call.note("evidence", "", {"sha256": path.stem}, "shown")
    headers = {"Cache-Control": "private, no-store", "X-Sha256": path.stem, "Content-Type": "image/jpeg"}
    return web.FileResponse(path, headers=headers)


async def case(call: Call) -> web.StreamResponse:
    """All the evidence of one incident, with its hash and whether it is locked."""
    service, number = call.service, call.number_of_path("id")
    found = await asyncio.to_thread(one_case, service.engine, service.evidence, number, service.people.now_ms())
    if found is None:
        raise Problem(404, "There is no such incident.")
    await call.note("evidence", found["incident"]["table"], {"incident": number, "sha256": found["sha256"]}, "shown")
    return answer(found)


async def results(call: Call) -> web.StreamResponse:
    """Deals and games that are over."""
    service, form = call.service, call.request.query.get("format", "json")
    if form not in ("json", "csv"):
        raise Problem(400, "'format' must be json or csv.")
    round_ = call.number("round", 0, 10_000) or None
    rows = await asyncio.to_thread(records.results, service.engine, round_, service.documents.book())
    if form == "csv":
        headers = {"Content-Disposition": 'attachment; filename="results.csv"'}
        # Spreadsheets take a CSV for UTF-8 only with this mark.
        text = "\ufeff" + records.as_csv(rows)
        return web.Response(text=text, content_type="text/csv", charset="utf-8", headers=headers)
    games = await asyncio.to_thread(records.games, service.engine, round_)
    return answer({"results": rows, "games": games})


async def places(call: Call) -> web.StreamResponse:
    """Standings, up to a round; ``byes`` names a team, with commas between, for each bye that it had."""
    service, until = call.service, call.number("round", 0, 10_000)
    games = await asyncio.to_thread(records.games, service.engine, None)
    counted = [game for game in games if not until or game["round"] <= until]
    form = call.request.query.get("format", "swiss")
    if form not in ("swiss", "round_robin", "knockout"):
        raise Problem(400, "'format' must be swiss, round_robin or knockout.")
    try:
        byes = [name for name in call.request.query.get("byes", "").split(",") if name]
        return answer({"standings": standings(counted, service.profile, form, byes)})
    except (TableError, ValueError, TypeError, KeyError) as error:
        raise Problem(500, f"The games in the archive cannot be counted: {error}.") from error


async def kinds(call: Call) -> web.StreamResponse:
    """Every kind of incident in words; ``noted``: a human may note it."""
    rows = [
        {"name": name, "zh": kind.zh, "en": kind.en, "rule": kind.rule, "noted": name in NOTED}
        for name, kind in KINDS.items()
    ]
    return answer(rows)


async def air_state(call: Call) -> web.StreamResponse:
    """The newest state on air."""
    found = call.service.aired.states.get(call.place("table"))
    if found is None:
        raise Problem(404, "Nothing of this table is on air.")
    return answer(found)


async def air_events(call: Call) -> web.StreamResponse:
    """Events that were aired."""
    after, boot = call.number("after", 0, 2**53), call.request.query.get("boot", "")
    limit = call.number("limit", MOST_EVENTS, MOST_EVENTS)
    events, complete = call.service.aired.after(call.place("table"), boot, after, limit)
    return answer({"events": [json.loads(payload) for payload in events], "complete": complete})


def _round_on_air(call: Call) -> int:
    found: Any = call.service.aired.states.get(call.place("table"))
    for key in ("data", "match", "round"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, int) else 0


async def air_roster(call: Call) -> web.StreamResponse:
    """Who sits at one table: names are on air without delay."""
    seats = seats_of(call.service.documents.book(), _round_on_air(call), call.place("table"))
    return answer(seats or {"names": ["", "", "", ""], "EW": "", "NS": ""})


async def status(call: Call) -> web.StreamResponse:
    """How the service is."""
    service = call.service
    missing = {f"{table} {boot}": seq for (table, boot), seq in service.archive.gaps().items()}
    lost = sum(known.lost for known in service.archive.cursors.values())
    archive = {"events": service.archive.events, "refused": service.archive.refused, "gaps": missing, "lost": lost}
    return answer(
        {
            "broker": {
                "online": service.wire.online,
                "problem": service.wire.problem,
                "connects": service.wire.connects,
            },
            "archive": archive,
            "relay": {"tables": len(service.relays)},
            "tables": len(service.hall.views),
        }
    )


_INT: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string"}
_PAGE: dict[str, Schema] = {"before": _INT, "limit": _INT}
_AFTER: dict[str, Schema] = {"boot": _TEXT, "after": _INT, "limit": _INT}
_INCIDENTS: dict[str, Schema] = {"status": {"enum": ["open", "all"]}, "table": _TEXT, "limit": _INT}
_RESULTS: dict[str, Schema] = {"round": _INT, "format": {"enum": ["json", "csv"]}}
_PLACES: dict[str, Schema] = {
    "round": _INT,
    "byes": {"type": "string", "maxLength": 400},
    "format": {"enum": ["swiss", "round_robin", "knockout"]},
}
ROUTES = (
    Route("GET", "/api/tables", tables, "every table, those that need somebody first"),
    Route("GET", "/api/tables/{table}", table, "one table's newest documents"),
    Route("GET", "/api/tables/{table}/events", events, "events of one boot after a number", query=_AFTER),
    Route("GET", "/api/tables/{table}/timeline", timeline, "what happened, newest first", READERS, _PAGE),
    Route("GET", "/api/incidents", incidents, "incidents, open ones first", OFFICIALS, _INCIDENTS),
    Route("GET", "/api/incidents/{id}", incident, "one incident", OFFICIALS),
    Route("GET", "/api/incidents/{id}/evidence", case, "an incident's evidence in one document", OFFICIALS),
    Route("GET", "/api/evidence/{sha256}", picture, "the picture of a play", OFFICIALS, answer="image/jpeg"),
    Route("GET", "/api/results", results, "deals and games that are over", LOOKERS, _RESULTS, also="text/csv"),
    Route("GET", "/api/standings", places, "places of the teams", LOOKERS, _PLACES),
    Route("GET", "/api/kinds", kinds, "every kind of incident in words", READERS),
    Route("GET", "/api/status", status, "how the service is", READERS),
    Route("GET", "/api/air/{table}/state", air_state, "the newest state on air", AIR),
    Route("GET", "/api/air/{table}/roster", air_roster, "who sits at one table", AIR),
    Route("GET", "/api/air/{table}/events", air_events, "events that were aired", AIR, _AFTER),
)  # fmt: skip
