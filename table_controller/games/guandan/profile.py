"""Profiles: named rule sets held as data, with inheritance.

See ``profiles/*.toml`` for every setting and its source.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from table_controller.errors import ConfigError
from table_controller.games.guandan.hands import HandPolicy


@dataclass(frozen=True)
class Profile:
    """One rule set, resolved. Times in milliseconds; 0 means there is no such clock."""

    name: str
    policy: HandPolicy
    fullhouse_triple_left: bool
    partner_takes_lead_after: int
    pass_a_on_own_level_only: bool
    return_to_opponent_limited: bool
    return_smallest_when_none: bool
    sorting_ms: int
    play_warning_ms: int
    play_grace_ms: int
    tribute_ms: int
    return_ms: int
    tribute_step_ms: int
    officiating: str


def profile_names() -> list[str]:
    """The shipped profiles."""
    folder = files(__package__) / "profiles"
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))


def _resolve(name: str) -> dict[str, dict[str, Any]]:
    entry = files(__package__) / "profiles" / f"{name}.toml"
    if not entry.is_file():
        raise ConfigError(f"There is no profile '{name}'.", way_out=f"Profiles: {', '.join(profile_names())}.")
    data = tomllib.loads(entry.read_text(encoding="utf-8"))
    parent = data.pop("inherits", None)
    data.pop("name", None)
    merged = _resolve(parent) if parent else {}
    for section, values in data.items():
        known = merged.get(section)
        if parent and (known is None or not set(values) <= set(known)):
            unknown = set(values) - set(known or ())
            raise ConfigError(f"Profile '{name}', section [{section}]: unknown setting {sorted(unknown)}.")
        merged[section] = {**(known or {}), **values}
    return merged


@cache
def load_profile(name: str) -> Profile:
    """A shipped profile by name; raises ConfigError naming an unknown profile or setting."""
    data = _resolve(name)
    hands = dict(data["hands"])
    triple_left = hands.pop("fullhouse_triple_left")
    return Profile(
        name=name,
        policy=HandPolicy(**hands),
        fullhouse_triple_left=triple_left,
        officiating=data["officiating"]["mode"],
        **data["trick"],
        **data["levels"],
        **data["tribute"],
        **data["clocks"],
    )
