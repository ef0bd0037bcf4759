"""The configuration of one table: a TOML file whose every key is known, typed and within its range."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from table_controller.errors import ConfigError

Section = TypeVar("Section")


def _setting(default: Any, *, low: float | None = None, high: float | None = None, words: str = "") -> Any:
    return field(default=default, metadata={"low": low, "high": high, "words": words})


TOML_WORDS = "Correct that line, or the one before: each section and key stands once, text stands in straight quotes."


@dataclass(frozen=True)
class TableSettings:
    """Who this table is and which rules it plays."""

    id: str = _setting("table-1", words="a short name without / + #")
    venue: str = _setting("venue", words="a short name without / + #")
    profile: str = _setting("default", words="a rule set: default, national, huaian, or a file of your own (ours.toml)")
    officiating: str = _setting("advise", words="advise, or enforce (a violation at 30 s stops the turn)")


@dataclass(frozen=True)
class CameraSettings:
    """Where pictures come from."""

    source: str = _setting("v4l2:0", words="v4l2:N, v4l2:/dev/…, pi, frames:FILE, folder:DIR, video:FILE")
    evidence: bool = _setting(True)
    evidence_days: int = _setting(30, low=1, high=3650)
    evidence_mb: int = _setting(500, low=10, high=1_000_000)
    exposure: int = _setting(0, low=0, high=1_000_000, words="0: the camera's own, else held at this value")
    deck: str = _setting("", words="the name of an enrolled deck, or empty for any deck")
    focus: int = _setting(-1, low=-1, high=100_000, words="-1: the camera's own, else held at this value")


@dataclass(frozen=True)
class DealerSettings:
    """The dealer's serial port."""

    port: str = _setting("auto", words="auto, /dev/serial/by-id/…, or none to deal by hand")


@dataclass(frozen=True)
class FeedSettings:
    """The MQTT broker."""

    host: str = _setting("127.0.0.1", words="a host name alone (no mqtt://, no :port), or empty for no feed")
    port: int = _setting(1883, low=1, high=65535)
    username: str = _setting("")
    password_file: str = _setting("", words="a file that holds the password alone")
    tls: bool = _setting(False)
    ca_file: str = _setting("", words="a PEM file; empty: the authorities that the system believes")
    commands: bool = _setting(True)
    home_assistant: bool = _setting(False)


@dataclass(frozen=True)
class PanelSettings:
    """Lamps, buttons and the buzzer on the Pi's pins."""

    enabled: bool = _setting(True)


@dataclass(frozen=True)
class WebSettings:
    """The table's own page."""

    host: str = _setting("127.0.0.1")
    port: int = _setting(8080, low=0, high=65535)
    url: str = _setting("", words="where the venue's service reaches this page, such as http://10.0.0.7:8080")
    token_file: str = _setting("", words="a file that holds the venue's word for pictures alone")


@dataclass(frozen=True)
class StateSettings:
    """Where journals, evidence and the outbox are kept."""

    directory: str = _setting("state", words="a folder the controller may write")


@dataclass(frozen=True)
class Config:
    """The whole file."""

    table: TableSettings = field(default_factory=TableSettings)
    camera: CameraSettings = field(default_factory=CameraSettings)
    dealer: DealerSettings = field(default_factory=DealerSettings)
    feed: FeedSettings = field(default_factory=FeedSettings)
    panel: PanelSettings = field(default_factory=PanelSettings)
    web: WebSettings = field(default_factory=WebSettings)
    state: StateSettings = field(default_factory=StateSettings)


setting = _setting
"""A key with its default, its range and the words that say what it is: for configurations of other programs too."""


def _allowed(name: str, kind: type, metadata: Any) -> str:
    if metadata["low"] is not None:
        return f"{name} is a whole number from {metadata['low']} to {metadata['high']}."
    words = f": {metadata['words']}" if metadata["words"] else ""
    return f"{name} is a {'true/false' if kind is bool else 'text'}{words}."


def _section(cls: type[Section], data: Any, file: str, name: str) -> Section:
    if not isinstance(data, dict):
        raise ConfigError(f"{file}: [{name}] must be a section.", way_out=f"Write [{name}] on a line of its own.")
    kinds = get_type_hints(cls)
    known = {item.name: item for item in fields(cls)}  # type: ignore[arg-type]
    for key, value in data.items():
        item = known.get(key)
        if item is None:
            raise ConfigError(f"{file}: unknown key '{key}' in [{name}].", way_out=f"Known keys: {', '.join(known)}.")
        _check(value, kinds[key], item.metadata, f"{file}: {name}.{key}")
    return cls(**data)


def _check(value: Any, kind: type, metadata: Any, name: str) -> None:
    # bool is an int to Python, but not to a person
    wrong = not isinstance(value, kind) or (kind is int and isinstance(value, bool))
    low, high = metadata["low"], metadata["high"]
    if not wrong and low is not None:
        wrong = not low <= value <= high
    if not wrong and "without / + #" in metadata["words"]:
        wrong = not value or not value.isprintable() or any(mark in value for mark in "/+# ")
    if not wrong and "a host name" in metadata["words"]:
        wrong = any(mark in value for mark in "/ \t\n")
    if wrong:
        raise ConfigError(f"{name} = {value!r} is not allowed.", way_out=_allowed(name.split(": ")[1], kind, metadata))


def parse_config(text: str, file: str) -> Config:
    """A Config from TOML text; raises ConfigError naming file, key and what is allowed."""
    return parse_sections(Config, text, file)


def parse_sections(cls: type[Section], text: str, file: str) -> Section:
    """A dataclass of sections from TOML text; raises ConfigError naming file, key and what is allowed."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}.", way_out=TOML_WORDS) from error
    sections: dict[str, Any] = {}
    known = {item.name: item.default_factory for item in fields(cls)}  # type: ignore[arg-type]
    for name, values in data.items():
        factory = known.get(name, MISSING)
        if factory is MISSING:
            raise ConfigError(f"{file}: unknown section or key '{name}'.", way_out=f"Sections: {', '.join(known)}.")
        sections[name] = _section(factory, values, file, name)  # type: ignore[arg-type]
    return cls(**sections)


def load_config(path: Path) -> Config:
    """Read a file; raises ConfigError when it is missing, unreadable or wrong."""
    return parse_config(read_text(path, "Write one: `table-controller run --help` shows an example."), str(path))


def read_text(path: Path, way_out: str) -> str:
    """A configuration's text, also with the mark that Windows puts before it; raises ConfigError in words."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        if isinstance(error, PermissionError):
            way_out = "Run it with sudo; the table's service needs its group's right to read it (chmod 640)."
        elif isinstance(error, IsADirectoryError):
            way_out = "Name a file."
        raise ConfigError(f"The configuration {path} cannot be read: {error.strerror}.", way_out=way_out) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path} is not UTF-8 text, from line {line} on.",
            way_out="Save it as UTF-8, not as GBK, Latin-1 or UTF-16; is it the right file?",
        ) from error


def secret_of(file: str, key: str) -> str:
    """What a file holds alone, or empty where none is named; raises ConfigError naming the key, never the content."""
    if not file:
        return ""
    try:
        secret = Path(file).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        words = "Write that file, or correct the key."
        if isinstance(error, PermissionError):
            words = (
                f"Its group must be the table's, with the right to read it: chgrp table-controller {file}, chmod 640."
            )
        raise ConfigError(f"{key} {file} cannot be read: {why}.", way_out=words) from error
    if not secret or "\n" in secret:
        wrong = "holds more than one line" if secret else "is empty"
        raise ConfigError(f"{key} {file} {wrong}.", way_out="Write the password alone into it, on one line.")
    return secret


def open_secrets(files: dict[str, str]) -> list[str]:
    """Files of secrets, by their keys, that everybody on this machine may read; in words, with the way out."""
    found = []
    for key, file in files.items():
        with suppress(OSError):
            if file and Path(file).stat().st_mode & 0o004:
                found.append(f"{key} {file} can be read by everybody on this machine: chmod o= {file}")
    return found
