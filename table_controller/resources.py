"""Where the product finds what it ships: ``models/`` and ``hardware/*.toml``, inside the wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path

from table_controller.errors import InputError

_PACKAGE = Path(__file__).resolve().parent


def resource(relative: str) -> Path:
    """The path of a shipped file, such as ``hardware/geometry.toml`` or ``models/classes.txt``.

    In a wheel these live under ``table_controller/_data``; in a checkout beside the package.
    """
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        path = base / relative
        if path.exists():
            return path
    raise InputError(f"The shipped file {relative} is missing.", way_out="Install the package again.", code="RESOURCE")
