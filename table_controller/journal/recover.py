"""A damaged journal explained and repaired, without dropping an acknowledged event silently.

What can be trusted is the exact prefix of good records: a state is rebuilt from these alone. Whole records after the
damage are kept apart and named, for people: they cannot be applied, because what they followed is unknown.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.errors import InputError, JournalError
from table_controller.journal.reader import JournalContents, read_journal
from table_controller.journal.record import decode
from table_controller.journal.writer import JournalWriter


@dataclass(frozen=True)
class Diagnosis:
    """What a journal is worth. ``later`` are whole records that stand after the damage."""

    contents: JournalContents
    later: tuple[dict[str, Any], ...]
    lost_bytes: int

    @property
    def healthy(self) -> bool:
        """Nothing was lost that had been acknowledged."""
        return not self.contents.damage or self.contents.torn

    def words(self) -> list[str]:
        """The findings in plain sentences."""
        good = self.contents.records
        said = [f"{len(good)} whole records, the last number {good[-1]['n']}." if good else "No whole record."]
        if not self.contents.damage:
            return [*said, "The journal is whole."]
        if self.contents.torn:
            return [
                *said,
                "Its last record is cut off, as a power cut leaves it: it was never acknowledged. Nothing is lost.",
            ]
        said.append(f"Damage: {self.contents.damage}; {self.lost_bytes} bytes cannot be read.")
        kinds = Counter(str(record.get("event", {}).get("type", record.get("kind"))) for record in self.later)
        if self.later:
            names = ", ".join(f"{count} {name}" for name, count in sorted(kinds.items()))
            said.append(f"After the damage {len(self.later)} whole records stand, which cannot be applied: {names}.")
        return said


def diagnose(path: Path) -> Diagnosis:
    """Look at a journal without touching it; raises InputError when there is none, JournalError for another file."""
    contents = read_journal(path)
    if not contents.records or contents.records[0].get("kind") != "header":
        raise JournalError(f"{path} is not a journal.", way_out="A journal is a table's state/journal.jsonl.")
    rest = path.read_bytes()[contents.good_bytes :]
    later = tuple(record for line in rest.splitlines(keepends=True) if (record := decode(line)) is not None)
    lost = sum(len(line) for line in rest.splitlines(keepends=True) if decode(line) is None)
    return Diagnosis(contents, later, lost)


def _free_name(path: Path, kind: str) -> Path:
    number = 1
    while (name := path.with_name(f"{path.name}.{kind}-{number}")).exists():
        number += 1
    return name


def repair(path: Path, found: Diagnosis) -> tuple[Path, Path | None]:
    """Set the damaged file aside and go on from its good records; returns the file kept and that of later records.

    The new journal ends with a record that says what was done. Nothing is deleted.
    """
    kept, later_name = _free_name(path, "damaged"), None
    whole = path.read_bytes()[: found.contents.good_bytes]
    fresh = path.with_name(f"{path.name}.new")
    try:
        if found.later:
            later_name = _free_name(path, "later")
            later_name.write_text(
                "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in found.later), encoding="utf-8"
            )
        fresh.write_bytes(whole)
        writer = JournalWriter(fresh)
        told = {
            "damage": found.contents.damage,
            "lost_bytes": found.lost_bytes,
            "later": len(found.later),
            "kept": kept.name,
        }
        writer.append({"kind": "recovered", **told})
        writer.close()
        path.replace(kept)
        fresh.replace(path)
    except OSError as error:
        raise InputError(
            f"{path} cannot be repaired: {error.strerror}. It was left as it is.",
            way_out="Free some space; mind its rights.",
        ) from error
    return kept, later_name
