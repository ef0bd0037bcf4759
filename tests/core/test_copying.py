"""The copy that an event is tried on: equal, as a deep copy would be, and sharing nothing that can change."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import pytest

from table_controller.sim.event_table import EventTable
from table_controller.table.copying import copied
from table_controller.table.state import TableState


@pytest.fixture(scope="module")
def played() -> TableState:
    """A state with something in most of its parts."""
    table = EventTable(5)
    table.open("huaian")
    for _ in range(3):
        table.play_deal()
    return table.core.state


def changeable(value: Any, found: dict[int, Any]) -> dict[int, Any]:
    """Every list, dict and mutable dataclass in a value, by its identity."""
    kind = getattr(type(value), "__dataclass_params__", None)
    if isinstance(value, (list, dict)) or (kind is not None and not kind.frozen):
        found[id(value)] = value
    if isinstance(value, dict):
        parts: list[Any] = list(value.values())
    elif isinstance(value, (list, tuple)):
        parts = list(value)
    elif is_dataclass(value) and not hasattr(type(value), "__deepcopy__"):
        parts = [getattr(value, one.name) for one in fields(value)]
    else:
        parts = []
    for part in parts:
        changeable(part, found)
    return found


def test_it_is_equal_and_shares_nothing_that_can_change(played: TableState) -> None:
    other = copied(played)
    assert other == played == copy.deepcopy(played)
    assert other.digest() == played.digest()
    mine, its = changeable(played, {}), changeable(other, {})
    assert len(mine) == len(its) > 20
    assert not set(mine) & set(its)


@dataclass
class Part:
    numbers: list[int] = field(default_factory=list)


@dataclass
class Whole:
    one: Part
    other: Part
    pair: tuple[Part, str]
    odd: set[int]


def test_one_thing_named_twice_is_one_thing_in_the_copy() -> None:
    part = Part([1])
    whole = copied(Whole(part, part, (part, "x"), {1, 2}))
    assert whole.one is whole.other is whole.pair[0] is not part
    whole.one.numbers.append(2)
    whole.odd.add(3)
    assert part.numbers == [1]


def test_what_never_changes_is_shared() -> None:
    words = ("a", (1, 2.0, None), True)
    assert copied(words) is words
