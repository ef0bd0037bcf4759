"""``table-controller dealer``: what concerns the dealing machine alone."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from table_controller.dealer.audit import PROVES, PROVES_NOT, Audit, audit
from table_controller.errors import EX_DATAERR


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``dealer``."""
    what = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    audits = what.add_parser("audit", help="check published commitments against the revealed plans")
    audits.add_argument("file", type=Path, help="a journal, or messages of the feed, one a line")
    audits.add_argument("--json", action="store_true")


def as_text(found: Audit, file: Path) -> str:
    """The audit for people: a line a deal, then what it proves and what it does not, in both languages."""
    source = "a journal" if found.kind == "journal" else "messages of the feed"
    lines = [f"{file}: {source}, {len(found.deals)} deals"]
    if found.damage:
        lines.append(f"  the journal can be read only in part: {found.damage}")
    for deal in found.deals:
        mark = "ok" if deal.holds else "NOT OK"
        counts = " ".join(str(count) for count in deal.counts) or "-"
        lines.append(f"  job {deal.job}: {deal.outcome}, {deal.cards} cards, counted {counts}: {mark}")
        lines += [f"    {fault}" for fault in deal.faults]
    return "\n".join([*lines, "", *PROVES, *PROVES_NOT])


def run(args: argparse.Namespace) -> int:
    """Runs ``dealer``; exit status 65 when something does not hold."""
    found = audit(args.file)
    if args.json:
        deals = [{**asdict(deal), "holds": deal.holds} for deal in found.deals]
        print(json.dumps({"kind": found.kind, "damage": found.damage, "deals": deals}, ensure_ascii=False))
    else:
        print(as_text(found, args.file))
    return 0 if not found.damage and all(deal.holds for deal in found.deals) else EX_DATAERR
