"""Events as plain data and back, without loss: what the journal writes and reads."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from table_controller.errors import JournalError
from table_controller.table import events, referee_events
from table_controller.table.events import Event

EVENT_TYPES: dict[str, type[Event]] = {
    name: kind
    for module in (events, referee_events)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}
UNHASHED_FIELDS = frozenset({"confidence", "evidence", "circle", "boot", "nonce", "commitment", "firmware", "message"})
"""Fields outside the journal hash: confidences, file names, random ids and words."""


def to_data(event: Event) -> dict[str, Any]:
    """An event as JSON-ready data with its type under ``type``."""
    data: dict[str, Any] = {"type": type(event).__name__}
    for field in fields(event):
        value = getattr(event, field.name)
        data[field.name] = list(value) if isinstance(value, tuple) else value
    return data


def from_data(data: dict[str, Any]) -> Event:
    """The event that ``to_data`` made this from; raises JournalError naming an unknown type or field."""
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items() if key != "type"}
    kind = EVENT_TYPES.get(str(data.get("type")))
    if kind is None:
        raise JournalError(
            f"Unknown event type {data.get('type')!r}.", way_out="Replay with the version that wrote it."
        )
    try:
        build: Any = kind
        event: Event = build(**values)
    except TypeError as error:
        raise JournalError(
            f"Event {data['type']}: {error}.", way_out="Replay with the version that wrote it."
        ) from error
    return event


def hashed_data(event: Event) -> dict[str, Any]:
    """The part of an event that the journal hash covers."""
    return hashed_part(to_data(event))


def hashed_part(data: dict[str, Any]) -> dict[str, Any]:
    """The same of an event as it was written: a field that a later version adds changes no old hash."""
    return {key: value for key, value in data.items() if key not in UNHASHED_FIELDS}
