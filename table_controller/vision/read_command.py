"""``table-controller read``: reads photographs and prints the cards, as a table for people or as JSON lines."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from table_controller.errors import InputError, TableError, UsageError
from table_controller.vision.enrol.command import DEFAULT_DECKS, say
from table_controller.vision.enrol.opening import open_reader
from table_controller.vision.enrol.store import check_name
from table_controller.vision.images import load_photo, photo_files
from table_controller.vision.reader import IndexReading

MOST_THREADS = 64
"""Each thread takes memory of its own; more than a machine has cores gain nothing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``read``."""
    parser.add_argument("photos", nargs="+", type=Path, metavar="PHOTO", help="a picture, or a folder of pictures")
    parser.add_argument("--json", action="store_true", help="print one JSON object a photograph, a line each")
    parser.add_argument("--models", type=Path, metavar="DIR", help="the folder with the weights (default: the shipped)")
    parser.add_argument("--deck", metavar="NAME", help="read with this enrolled deck")
    parser.add_argument("--decks", type=Path, default=DEFAULT_DECKS, metavar="DIR", help="where decks are kept")
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help=f"threads for the networks, 1 to {MOST_THREADS} (default 1)",
    )


def as_record(file: Path, readings: Sequence[IndexReading], reduction: int = 1) -> dict[str, Any]:
    """What ``--json`` prints for one photograph; boxes in pixels of the original."""
    cards = [
        {
            "card": reading.card,
            "confidence": round(reading.confidence, 4),
            "box": [round(value * reduction, 1) for value in reading.box],
            "doubtful": reading.doubtful,
        }
        for reading in readings
    ]
    return {"file": str(file), "cards": cards}


def as_table(file: Path, readings: Sequence[IndexReading], reduction: int = 1) -> str:
    """What is printed for people: a heading, then a line for each corner from left to right."""
    if not readings:
        return f"{file}: no cards found."
    doubtful = sum(reading.doubtful for reading in readings)
    lines = [f"{file}: {len(readings)} corners, {doubtful} doubtful", "  card  sure     x     y"]
    for reading in sorted(readings, key=lambda r: r.centre):
        x, y = (round(value * reduction) for value in reading.centre)
        mark = "  doubtful" if reading.doubtful else ""
        lines.append(f"  {reading.card:<4} {reading.confidence:5.0%} {x:5} {y:5}{mark}")
    return "\n".join(lines)


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for an option that is not possible."""
    if not 1 <= args.threads <= MOST_THREADS:
        raise UsageError(f"--threads {args.threads} is not possible.", way_out=f"Name 1 to {MOST_THREADS}.")
    if args.deck is not None:
        check_name(args.deck)


def run(args: argparse.Namespace) -> int:
    """Reads every photograph; a bad one costs one line on standard error and the exit status, not the others."""
    try:
        _check(args)
        reader = open_reader(args.decks, args.deck or "", args.models, args.threads, say)
    except TableError as error:
        print(error.line(), file=sys.stderr)
        return error.exit_status
    status = 0
    for file in photo_files(args.photos):
        try:
            photo = load_photo(file)
        except InputError as error:
            print(error.line(), file=sys.stderr, flush=True)
            status = error.exit_status
            continue
        readings = reader.read_photo(photo.image)
        if args.json:
            print(json.dumps(as_record(file, readings, photo.reduction), ensure_ascii=False), flush=True)
            if not readings:
                print(f"{file}: no cards found.", file=sys.stderr, flush=True)
        else:
            print(as_table(file, readings, photo.reduction), flush=True)
    return status
