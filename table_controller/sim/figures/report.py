"""What a figure command keeps, prints and draws while it runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from table_controller.errors import InputError


class Log:
    """Outcomes of finished scenes, one JSON line each; a run that was broken off goes on from them."""

    def __init__(self, path: Path | None, settings: Mapping[str, Any]) -> None:
        self._path, self._settings = path, dict(settings)
        self.done: dict[int, dict[str, Any]] = {}
        if path is None:
            return
        if path.exists():
            self._read(path)
        else:
            self._begin(path)

    def _begin(self, path: Path) -> None:
        try:
            path.write_text(json.dumps(self._settings) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: it cannot be written ({error.strerror}).", way_out="Name another.") from error

    def _read(self, path: Path) -> None:
        try:
            first, *others = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            self.done = {int(entry["scene"]): entry for entry in others}
        except OSError as error:
            raise InputError(f"{path}: it cannot be read ({error.strerror}).", way_out="Name another file.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is not a log of this command.", way_out="Name another file.") from error
        if not isinstance(first, dict) or first.get("figure") != self._settings.get("figure"):
            raise InputError(f"{path} is not a log of this command.", way_out="Name another file.")
        if first != self._settings:
            raise InputError(
                f"{path} is the log of a run with other settings: {self._differences(first)}.",
                way_out="Name another file, or repeat those.",
            )

    def _differences(self, other: Mapping[str, Any]) -> str:
        """What differs in a log's settings, as words."""
        keys = [key for key in {**self._settings, **other} if self._settings.get(key) != other.get(key)]
        pairs = [(key.replace("_", " "), _plain(other.get(key)), _plain(self._settings.get(key))) for key in keys]
        return ", ".join(f"{name} {there} there, {here} now" for name, there, here in pairs)

    def add(self, entry: dict[str, Any]) -> None:
        """Keep a finished scene."""
        self.done[int(entry["scene"])] = entry
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")


def _plain(value: Any) -> str:
    if value is None:
        return "not said"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


class Progress:
    """A bar on the error stream, where that is a terminal or a file that somebody watches."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what = total, what

    def show(self, done: int, words: str) -> None:
        """Draw it anew."""
        share = min(1.0, done / max(1, self._total))
        bar = ("#" * round(30 * share)).ljust(30, ".")
        end = "\n" if done >= self._total or not sys.stderr.isatty() else ""
        start = "\r" if sys.stderr.isatty() else ""
        print(f"{start}{self._what} [{bar}] {done}/{self._total} {words}", end=end, file=sys.stderr, flush=True)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns under each other, the first one to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
