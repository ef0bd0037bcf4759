"""JSON Schema (2020-12) of whole messages, by the name that a message gives in ``schema``, or by its plane."""

from __future__ import annotations

from typing import Any

from table_controller.feed.contract.documents import BARE, DOCUMENTS
from table_controller.feed.contract.events import EVENTS
from table_controller.feed.contract.parts import FLAG, TEXT, WHOLE, Schema
from table_controller.feed.envelope import VERSION

DIALECT = "https://json-schema.org/draft/2020-12/schema"
BASE = "urn:guandan:feed:1:"


def _envelope(name: str, data: Schema) -> Schema:
    fields: dict[str, Schema] = {
        "v": {"const": VERSION},
        "schema": {"const": name},
        "venue": TEXT,
        "table": TEXT,
        "boot": TEXT,
        "seq": WHOLE,
        "rev": WHOLE,
        "ts": TEXT,
        "mono_ms": WHOLE,
        "sync": FLAG,
        "deal": WHOLE,
        "data": data,
    }
    return {"type": "object", "properties": fields, "required": list(fields)}


def _event(kind: str, data: Schema) -> Schema:
    fields = {"kind": {"const": kind}, **data["properties"]}
    return _envelope(f"event/{kind}", {**data, "properties": fields, "required": ["kind", *data["required"]]})


def schema_names() -> list[str]:
    """Every message there is: ``event/play``, ``state``, ``command``, …"""
    return [*(f"event/{kind}" for kind in EVENTS), *DOCUMENTS, *BARE]


def schema_of(name: str) -> Schema:
    """The schema of one message; raises KeyError for a name that is none."""
    if name in BARE:
        made = BARE[name]
    elif name in DOCUMENTS:
        made = _envelope(name, DOCUMENTS[name])
    else:
        kind = name.removeprefix("event/")
        made = _event(kind, EVENTS[kind])
    return {"$schema": DIALECT, "$id": BASE + name.replace("/", ":"), "title": name, **made}


def name_of(topic: str, message: Any) -> str:
    """Which schema a message on this topic is to be checked with."""
    last = topic.rsplit("/", maxsplit=1)[-1]
    if last == "availability" or "/hall/" in topic:
        return last
    if "/cmd/" in topic:
        return "command"
    if "/reply/" in topic:
        return "reply"
    return str(message.get("schema", "")) if isinstance(message, dict) else ""


def strict(schema: Any) -> Any:
    """The same with every object closed: for tests, where a field that the contract does not name is an error."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items() if key not in ("const", "enum", "required")}
    made |= {key: schema[key] for key in ("const", "enum", "required") if key in schema}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        made["properties"] = {key: strict(value) for key, value in schema["properties"].items()}
        made["additionalProperties"] = False
    return made
