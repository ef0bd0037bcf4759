"""``table-controller print mat|prompts|marks --out FILE.pdf``: what a table needs on paper, at true scale."""

from __future__ import annotations

import argparse
from pathlib import Path

from table_controller.drawings.marks_pdf import mark_pages
from table_controller.drawings.mat_pdf import mat_pages
from table_controller.drawings.prompts_pdf import prompt_pages
from table_controller.errors import InputError
from table_controller.geometry import load_geometry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "what",
        choices=("mat", "prompts", "marks"),
        help="the mat with its markers, the prompt cards, or the marks at the table's edge (discard, reserve)",
    )
    parser.add_argument("--out", metavar="FILE.pdf", type=Path, required=True, help="the PDF to write")
    parser.add_argument("--tiles", action="store_true", help="the mat on A4 pages to be glued, not on one large page")
    parser.epilog = "Print at 100 % (no fitting to the page); a printed prompt card is 36 mm wide: measure one."


def run(args: argparse.Namespace) -> int:
    """Write the PDF; raises InputError where it cannot be written. Returns the exit status."""
    target: Path = args.out
    if not target.parent.is_dir():
        raise InputError(f"{target.parent}: there is no such folder.", way_out="Make it or name another.")
    geometry = load_geometry()
    if args.what == "mat":
        page = mat_pages(geometry, target, tiles=args.tiles)
    elif args.what == "prompts":
        page = prompt_pages(geometry, target)
    else:
        page = mark_pages(geometry, target)
    page.save()
    print(f"{target}: print it at 100 %.")
    return 0
