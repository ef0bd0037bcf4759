"""Profiles: named rule sets held as data, with inheritance.

Every setting stands in ``profiles/base.toml``; what it means and its source is in ``settings.py``.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from table_controller.errors import ConfigError
from table_controller.games.guandan.hands import HandPolicy
from table_controller.games.guandan.profile_sections import Before, Penalties, Record, Report, Round, Scores

Sections = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Profile:
    """One rule set, resolved. Times in milliseconds; 0 means there is no such clock."""

    name: str
    policy: HandPolicy
    fullhouse_triple_left: bool
    wild_declared: str
    partner_takes_lead_after: int
    pass_by: str
    pass_a_on_own_level_only: bool
    pass_a_failures: int
    foul_passes_a: bool
    return_to_opponent_limited: bool
    return_smallest_when_none: bool
    level_card_above_ten: bool
    returns_revealed_by: str
    sorting_ms: int
    play_warning_ms: int
    play_grace_ms: int
    tribute_ms: int
    return_ms: int
    tribute_step_ms: int
    officiating: str
    before: Before
    report: Report
    round: Round
    penalties: Penalties
    scores: Scores
    record: Record


def profile_names() -> list[str]:
    """The shipped profiles."""
    folder = files(__package__) / "profiles"
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))


def _shipped(name: str) -> str:
    entry = files(__package__) / "profiles" / f"{name}.toml"
    if not entry.is_file():
        way_out = f"Profiles: {', '.join(profile_names())}, or a file of your own (ours.toml)."
        raise ConfigError(f"There is no profile '{name}'.", way_out=way_out)
    return entry.read_text(encoding="utf-8")


def _parsed(name: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"Profile '{name}' is no TOML: {error}.") from error


def _merged(name: str, data: dict[str, Any], seen: tuple[str, ...] = ()) -> Sections:
    """The sections of a profile over those it inherits; a setting that nobody knows, or of another type, is named."""
    if name in seen:
        raise ConfigError(f"Profile '{name}' inherits from itself.")
    parent = data.pop("inherits", None if name == "base" else "default")
    data.pop("name", None)
    below = _merged(parent, _parsed(parent, _shipped(parent)), (*seen, name)) if parent else {}
    merged = {section: dict(values) for section, values in below.items()}
    for section, values in data.items():
        if not isinstance(values, dict) or (parent and section not in below):
            raise ConfigError(
                f"Profile '{name}': unknown section [{section}].", way_out=f"Sections: {', '.join(below)}."
            )
        merged.setdefault(section, {})
        for key, value in values.items():
            if parent:
                _check(name, section, key, value, below[section])
            merged[section][key] = value
    return merged


PAIRS_OF_NUMBERS = ("shuffles_first", "shuffles_later", "least_share_used", "bye", "withdrawal", "lost_by_penalty")
"""Lists that hold two numbers, no more and no less."""


def _check(name: str, section: str, key: str, value: Any, known: dict[str, Any]) -> None:
    where = f"Profile '{name}', section [{section}]"
    if key not in known:
        raise ConfigError(f"{where}: unknown setting '{key}'.", way_out=f"Settings: {', '.join(known)}.")
    pattern = known[key]
    number = isinstance(pattern, float) and isinstance(value, int) and not isinstance(value, bool)
    if type(value) is not type(pattern) and not number:
        raise ConfigError(f"{where}: '{key}' must be {_kind(pattern)}, not {value!r}.")
    items = value if isinstance(value, list) else [value]
    if any(isinstance(item, int | float) and not 0 <= item < 10**9 for item in items):
        raise ConfigError(f"{where}: '{key}' must not be below 0 or beyond a billion, not {value!r}.")
    if key in PAIRS_OF_NUMBERS and (len(items) != 2 or not all(type(item) in (int, float) for item in items)):
        raise ConfigError(f"{where}: '{key}' must be two numbers, not {value!r}.")
    if (key.endswith("_steps") and key != "pass_manner_steps" and not items) or (
        key == "least_share_used" and not items[1]
    ):
        raise ConfigError(f"{where}: '{key}' must not be {value!r}.")


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a word", list: "a list"}
    return kinds.get(type(value), "something else")


def profile_sections(name: str, own: str = "") -> Sections:
    """Every setting of a profile by section; ``own`` is the text of a venue's own file, for a name not shipped."""
    return _merged(name, _parsed(name, own or _shipped(name)))


def read_own_profile(path: Path) -> str:
    """The text of a venue's own profile, as JSON of the settings it overrides, checked; raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The profile {path} cannot be read: {error}.") from error
    own_rules(path.stem, text)
    return text


@cache
def load_profile(name: str) -> Profile:
    """A shipped profile by name; raises ConfigError naming an unknown profile or setting."""
    return _profile(name, profile_sections(name))


@cache
def own_rules(name: str, text: str) -> Profile:
    """A venue's own profile from the text of its file; the journal keeps the text, so that a replay needs no file."""
    return _profile(name, profile_sections(name, text))


def rules_of(name: str, own: str) -> Profile:
    """The rules of a table: shipped, or its venue's own."""
    return own_rules(name, own) if own else load_profile(name)


def named_rules(name: str) -> tuple[str, str]:
    """Name and own text of the profile that a configuration names: shipped, or a file (``ours.toml``), checked."""
    if not name.endswith(".toml"):
        load_profile(name)
        return name, ""
    path = Path(name)
    return path.stem, read_own_profile(path)


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _profile(name: str, sections: Sections) -> Profile:
    data = {section: _tuples(values) for section, values in sections.items()}
    hands = dict(data["hands"])
    triple_left, declared = hands.pop("fullhouse_triple_left"), hands.pop("wild_declared")
    try:
        return Profile(
            name=name,
            policy=HandPolicy(**hands),
            fullhouse_triple_left=triple_left,
            wild_declared=declared,
            officiating=data["officiating"]["mode"],
            before=Before(**data["before"]),
            report=Report(**data["report"]),
            round=Round(**data["round"]),
            penalties=Penalties(**data["penalties"]),
            scores=Scores(**data["scores"]),
            record=Record(**data["record"]),
            **data["trick"],
            **data["levels"],
            **data["tribute"],
            **data["clocks"],
        )
    except ValueError as error:
        raise ConfigError(f"Profile '{name}': {error}") from error


def as_text(value: Any) -> str:
    """A setting's value as it stands in a profile's file."""
    return json.dumps(value, ensure_ascii=False)
