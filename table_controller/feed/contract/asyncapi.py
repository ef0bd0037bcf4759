"""The AsyncAPI 3 document of the feed, made from the schemas."""

from __future__ import annotations

from typing import Any

from table_controller.feed.contract.documents import DOCUMENTS
from table_controller.feed.contract.events import EVENTS
from table_controller.feed.contract.schemas import schema_names, schema_of
from table_controller.feed.topics import ROOT

PARAMETERS = {"venue": "the venue's name", "table": "the table's name"}
CHANNELS: dict[str, tuple[str, tuple[str, ...], str, int, bool]] = {
    "availability": ("live/{table}/availability", ("availability",), "ready, offline, or lost by the will", 1, True),
    "info": ("live/{table}/info", ("info",), "versions and capabilities", 1, True),
    "state": ("live/{table}/state", ("state",), "the whole public snapshot", 1, True),
    "event": ("live/{table}/event", tuple(f"event/{kind}" for kind in EVENTS), "one numbered event each", 1, False),
    "alert": ("live/{table}/alert/{number}", ("alert",), "an open incident; empty once it is settled", 1, True),
    "health": ("live/{table}/health", ("health",), "how the adapters are", 0, True),
    "seal": ("seal/{table}/{stage}", ("seal/commit", "seal/reveal"), "the dealer's commitment and its plan", 1, True),
    "air": ("air/{table}/{name}", ("availability", "info", "state", *(f"event/{kind}" for kind in EVENTS)),
            "the same messages after the relay's delay", 1, False),
    "hall": ("venue/hall/{document}", ("schedule", "roster", "announcement"), "said by the venue's service", 1, True),
    "air_roster": ("air/hall/roster", ("roster",), "who sits where, for who reads the air alone", 1, True),
    "command": ("cmd/{table}/{verb}", ("command",), "a person's command, by way of the venue service", 1, False),
    "reply": ("reply/{table}/{client}", ("reply",), "what became of a command", 1, False),
}  # fmt: skip
"""Name: address below the venue, messages, words, QoS, retained."""
COMPONENTS = "#/components/schemas/"
TABLE_RECEIVES = ("command",)


def _id(name: str) -> str:
    return name.replace("/", "_")


def _channel(address: str, messages: tuple[str, ...], words: str) -> dict[str, Any]:
    whole = f"{ROOT}/{{venue}}/{address}"
    names = [part[1:-1] for part in whole.split("/") if part.startswith("{")]
    return {
        "address": whole,
        "description": words,
        "parameters": {name: {"description": PARAMETERS.get(name, name)} for name in names},
        "messages": {_id(name): {"$ref": f"#/components/messages/{_id(name)}"} for name in messages},
    }


def _operation(name: str, qos: int, *, retained: bool) -> dict[str, Any]:
    return {
        "action": "receive" if name in TABLE_RECEIVES else "send",
        "channel": {"$ref": f"#/channels/{name}"},
        "bindings": {"mqtt": {"qos": qos, "retain": retained, "bindingVersion": "0.2.0"}},
    }


def document() -> dict[str, Any]:
    """The whole document, from the table's point of view: it sends all but commands."""
    messages = {
        _id(name): {"name": name, "contentType": "application/json", "payload": {"$ref": f"{COMPONENTS}{_id(name)}"}}
        for name in schema_names()
    }
    schemas = {_id(name): {k: v for k, v in schema_of(name).items() if k != "$schema"} for name in schema_names()}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Guandan table feed",
            "version": "1.0.0",
            "description": "What automatic Guandan tables say over MQTT 5. docs/feed.md explains it.",
            "license": {"name": "AGPL-3.0-or-later"},
        },
        "defaultContentType": "application/json",
        "servers": {"broker": {"host": "broker.example:1883", "protocol": "mqtt", "protocolVersion": "5.0"}},
        "channels": {
            name: _channel(address, sent, words) for name, (address, sent, words, _, _) in CHANNELS.items()
        },
        "operations": {
            name: _operation(name, qos, retained=kept) for name, (_, _, _, qos, kept) in CHANNELS.items()
        },
        "components": {"messages": messages, "schemas": schemas},
    }  # fmt: skip


__all__ = ["CHANNELS", "DOCUMENTS", "document"]
