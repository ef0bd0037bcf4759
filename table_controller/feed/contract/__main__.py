"""``python -m table_controller.feed.contract DIR``: write schemas and AsyncAPI document; ``--check`` compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from table_controller.feed.contract.asyncapi import document
from table_controller.feed.contract.schemas import schema_names, schema_of


def files() -> dict[str, str]:
    """Every file of the contract by its name."""
    made: dict[str, Any] = {f"{name.replace('/', '-')}.schema.json": schema_of(name) for name in schema_names()}
    made["asyncapi.json"] = document()
    return {name: json.dumps(data, ensure_ascii=False, indent=1) + "\n" for name, data in made.items()}


def differing(folder: Path) -> list[str]:
    """Names of files that are missing, old, or there without need."""
    wanted = files()
    there = {path.name for path in folder.glob("*.json")}
    old = [
        name
        for name, text in wanted.items()
        if name not in there or (folder / name).read_text(encoding="utf-8") != text
    ]
    return sorted({*old, *(there - set(wanted))})


def main(arguments: list[str]) -> int:
    """Write or compare; returns an exit status."""
    check = "--check" in arguments
    folder = Path(next((word for word in arguments if not word.startswith("--")), "docs/schema"))
    if check:
        print("\n".join(differing(folder)))
        return 1 if differing(folder) else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name in differing(folder):
        (folder / name).unlink(missing_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
