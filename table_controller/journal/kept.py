"""Journals that are kept: every later version has to replay them to what people saw, or say from where it does not.

A kept journal is NAME.jsonl.gz with NAME.json beside it: what a replay must give. A version that judges otherwise on
purpose writes into NAME.json ``"differs": {"from": RECORD, "why": "…"}``: that is the migration, in words.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.errors import InputError, JournalError
from table_controller.journal.program import essence
from table_controller.journal.reader import Records
from table_controller.journal.replay import Replay, journal_hash, replay


@dataclass(frozen=True)
class Kept:
    """A kept journal and what was written down of it."""

    path: Path
    expected: dict[str, Any]

    def problem(self) -> str:
        """Why this program does not replay it as it must; empty when it does."""
        records = Records(self.path)
        found = journal_hash(records)
        if records.reading.damage:
            return records.reading.damage
        if found != self.expected["journal_hash"]:
            return "Its events read differently: another journal hash."
        result = replay(records)
        allowed = self.expected.get("differs")
        if allowed is not None:
            if result.differs != allowed["from"]:
                return (
                    f"It differs from record {result.differs}, not from {allowed['from']} as written: {allowed['why']}"
                )
            return ""
        if not result.same:
            return result.words()
        if essence(result.core.state) != self.expected["seen"]:
            return "Its last state looks different."
        return ""


def kept_journals(folder: Path) -> list[Kept]:
    """Those of a folder, by name."""
    return [
        Kept(path.with_name(f"{path.stem}.jsonl.gz"), json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob("*.json"))
    ]


def keep_journal(path: Path, records: Records, result: Replay, folder: Path) -> Path:
    """Add a whole journal to a folder; raises JournalError for one that is damaged, or that differs already."""
    if records.reading.damage or not result.same:
        raise JournalError(f"{path} does not replay: it is not kept.", way_out="Keep one that this version wrote.")
    name = path.name.removesuffix(".gz").removesuffix(".jsonl")
    made = folder / f"{name}.jsonl.gz"
    data = path.read_bytes()
    expected = {
        "written_by": result.writer,
        "events": result.events,
        "refused": result.refused,
        "journal_hash": journal_hash(records),
        "seen": essence(result.core.state),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made.write_bytes(gzip.compress(gzip.decompress(data) if path.suffix == ".gz" else data, 9, mtime=0))
        made.with_name(f"{name}.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{made} cannot be written: {error.strerror}.", way_out="Name another folder.") from error
    return made
