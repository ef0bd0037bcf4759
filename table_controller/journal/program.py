"""Which program wrote a journal, and what everybody at the table could see of a state: what another version must equal.

A state's whole digest changes with every field that a version adds. Its essence does not: score, phase, turn, plays and
incidents as people saw them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from table_controller import __version__
from table_controller.journal.record import canonical
from table_controller.table.state import TableState

_JUDGING = ("table", "games", "cards.py")


def _sources(place: Traversable) -> Iterable[tuple[str, bytes]]:
    if place.is_file():
        if place.name.endswith((".py", ".toml")):
            yield place.name, place.read_bytes()
        return
    for child in sorted(place.iterdir(), key=lambda child: child.name):
        yield from _sources(child)


@cache
def judging() -> str:
    """A short hash of the sources that judge: rules and core. It differs where two programs of one version may too."""
    digest = hashlib.sha256()
    for name in _JUDGING:
        for file, content in _sources(files("table_controller").joinpath(name)):
            digest.update(f"{file} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:8]


def program() -> str:
    """This program, as its journals name it: ``0.1.0+1a2b3c4d``."""
    return f"{__version__}+{judging()}"


def essence(state: TableState) -> str:
    """A short hash of what people saw. Only ever add to it together with a new name for it in the records."""
    deal = state.deal
    seen: dict[str, Any] = {
        "phase": state.phase,
        "deal": state.deal_number,
        "levels": state.levels,
        "orders": [line["order"] for line in state.results],
        "turn": deal.turn if deal else None,
        "left": deal.counts if deal else None,
        "plays": [[action.seat, list(action.cards), action.reading] for action in state.actions],
        "incidents": [[item.number, item.kind, item.seat, item.status, item.penalty] for item in state.incidents],
    }
    return hashlib.sha256(canonical(seen)).hexdigest()[:16]
