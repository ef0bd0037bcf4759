"""Reads labels of photographs: ``{file name: [{"card": "QD", "box": [x0, y0, x1, y1]}, …]}``, boxes in pixels.

A box lies round one visible corner index.
"""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.cards import FACES
from table_controller.errors import InputError

MAX_LABELS_BYTES = 64 * 1024 * 1024
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Label:
    """One corner index of a photograph: its card, and the box (x0, y0, x1, y1) round it."""

    card: str
    box: Box


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _label(entry: Any, place: str) -> Label:
    if not isinstance(entry, dict) or "card" not in entry or "box" not in entry:
        raise InputError(
            f"{place}: a label has a card and a box.", way_out='As {"card": "QD", "box": [10, 20, 30, 50]}.'
        )
    card, box = entry["card"], entry["box"]
    if card not in FACES:
        raise InputError(f"{place}: '{card}' is no card.", way_out="Cards are 2S … AC (T for ten), BJ and SJ.")
    if not isinstance(box, list) or len(box) != 4 or not all(map(_number, box)) or box[0] >= box[2] or box[1] >= box[3]:
        raise InputError(f"{place}: the box of {card} is not x0, y0, x1, y1 with x0 < x1 and y0 < y1.", way_out="")
    return Label(card, (float(box[0]), float(box[1]), float(box[2]), float(box[3])))


def read_labels(path: Path) -> dict[str, list[Label]]:
    """The labels in a file, by file name; raises InputError saying which entry is wrong."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise InputError(f"{path}: this is no ordinary file.", way_out="Name the labels' JSON file.")
        if facts.st_size > MAX_LABELS_BYTES:
            raise InputError(f"{path}: too large for a file of labels.", way_out="Name the labels' JSON file.")
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: it cannot be read ({error.strerror}).", way_out="Check the name.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: this is not JSON.", way_out="Name the labels' JSON file.") from error
    if not isinstance(data, dict) or not all(isinstance(marks, list) for marks in data.values()):
        raise InputError(f"{path}: these are no labels.", way_out='Labels are {"file name": [{"card": …, "box": …}]}.')
    labels = {
        name: [_label(entry, f"{path}, {name}, label {i}") for i, entry in enumerate(marks, 1)]
        for name, marks in data.items()
    }
    if not any(labels.values()):
        raise InputError(f"{path}: it holds no label.", way_out="Label the corners in the photographs first.")
    return labels


def find_photographs(labels: Mapping[str, Sequence[Label]], folder: Path) -> tuple[dict[str, Path], list[str]]:
    """(labelled name to file in ``folder``, names that are not there); raises InputError when none is there."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder.", way_out="Name the folder with the photographs.")
    files = {name: folder / name for name in labels if Path(name).name == name and (folder / name).is_file()}
    if not files:
        raise InputError(
            f"{folder}: none of the labelled photographs is there.", way_out="Check --photos and --labels."
        )
    return files, [name for name in labels if name not in files]
