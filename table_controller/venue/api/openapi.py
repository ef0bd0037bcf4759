"""The OpenAPI 3.1 document, made from the routes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from table_controller import __version__
from table_controller.venue.api.route import Route

PROBLEM = {
    "type": "object",
    "required": ["ok", "problem", "code"],
    "properties": {"ok": {"const": False}, "problem": {"type": "string"}, "code": {"type": "string"}},
}
STATUSES = ("400", "401", "403", "404", "409", "413", "429", "500", "502", "504")
_REFUSAL = {"$ref": "#/components/responses/Problem"}


def _parameters(route: Route) -> list[dict[str, Any]]:
    places = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    query = [{"name": name, "in": "query", "schema": schema} for name, schema in route.query.items()]
    header = {"name": "X-Table-Controller", "in": "header", "required": True, "schema": {"const": "1"}}
    return [*places, *query, *([header] if route.changes else [])]


def _operation(route: Route) -> dict[str, Any]:
    made: dict[str, Any] = {
        "summary": route.words,
        "parameters": _parameters(route),
        "responses": {
            "200": {
                "description": "done",
                "content": {name: {"schema": {}} for name in (route.answer, route.also) if name},
            },
            **dict.fromkeys(STATUSES, _REFUSAL),
        },
        "security": [] if route.roles is None else [{"session": []}, {"token": []}],
    }
    if route.roles is not None:
        made["x-roles"] = list(route.roles)
    if route.body is not None:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": route.body}}}
    return made


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    problem = {"description": "why not", "content": {"application/json": {"schema": PROBLEM}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Guandan venue service", "version": __version__, "license": {"name": "AGPL-3.0-or-later"}},
        "paths": paths,
        "components": {
            "responses": {"Problem": problem},
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": "venue_session"},
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
    }
