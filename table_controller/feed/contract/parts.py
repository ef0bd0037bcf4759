"""Small JSON Schemas that the messages are put together from."""

from __future__ import annotations

from typing import Any

from table_controller.cards import PAIRS, RANKS, SEATS

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "maxLength": 2000}
WHOLE: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
SEAT: Schema = {"enum": list(SEATS)}
PAIR: Schema = {"enum": list(PAIRS)}
LEVEL: Schema = {"enum": list(RANKS)}
CARD: Schema = {"type": "string", "pattern": r"^([23456789TJQKA][SHDC]|BJ|SJ|\?\?)$"}
ANY: Schema = {}


def some(item: Schema, most: int | None = None) -> Schema:
    """A list."""
    made: Schema = {"type": "array", "items": item}
    return made if most is None else {**made, "maxItems": most}


def or_none(item: Schema) -> Schema:
    """That, or null."""
    return {"anyOf": [item, {"type": "null"}]}


def whole(**fields: Schema) -> Schema:
    """An object with all of these fields; a reader takes no offence at more."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def maybe(made: Schema, **fields: Schema) -> Schema:
    """The same with fields that may be absent."""
    return {**made, "properties": {**made["properties"], **fields}}


def by_seat(item: Schema) -> Schema:
    """One for each seat."""
    return whole(**dict.fromkeys(SEATS, item))


def by_pair(item: Schema) -> Schema:
    """One for each pair."""
    return whole(**dict.fromkeys(PAIRS, item))


def pairs_of(first: Schema, second: Schema) -> Schema:
    """A list of two-element lists: a mapping as it travels in an event."""
    return some({"type": "array", "prefixItems": [first, second], "minItems": 2, "maxItems": 2})


CARDS: Schema = some(CARD, 54)
SEATS_OR_NONE: Schema = some(or_none(SEAT), 4)
LEVELS_LIST: Schema = pairs_of(PAIR, LEVEL)
