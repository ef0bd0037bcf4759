"""``table-controller record``: a match from its journal, as JSON, CSV, or a form to print and sign."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from table_controller.app import record_forms
from table_controller.app.record_forms import LOST_ZH
from table_controller.app.record_matches import Match, Matches
from table_controller.app.terminal import say
from table_controller.errors import EX_DATAERR, UsageError
from table_controller.games.guandan.deal import Action
from table_controller.games.guandan.profile import rules_of
from table_controller.journal.reader import Reading, Records, no_journal, of_journal
from table_controller.journal.replay import journal_hash, replay
from table_controller.journal.snapshot import Place, claimed, snapshot_path
from table_controller.table.carry import document
from table_controller.table.incidents import KINDS, Incident
from table_controller.table.snapshot import snapshot
from table_controller.table.state import TableState

FORMS = ("json", "csv", "slip", "notice", "appeal", "carry")
CSV_HEAD = (
    "game",
    "deal",
    "level",
    "1st",
    "2nd",
    "3rd",
    "4th",
    "winner",
    "rise",
    "EW",
    "NS",
    "entered",
    "checked",
    "note",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("journal", type=Path, metavar="JOURNAL", help="a table's state/journal.jsonl")
    words = (
        "json: everything; csv: the results; slip: the score slip to print and sign; notice: the penalty notice; "
        "appeal: the appeal form, filled as far as known; carry: what a spare table needs to go on"
    )
    parser.add_argument("--as", dest="form", choices=FORMS, default="json", help=words)
    parser.add_argument("--incident", type=int, metavar="N", help="the incident of a notice or an appeal")
    parser.add_argument("--round", type=int, metavar="N", help="the last match of this round (default: the last match)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write it (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Write the record; exit status 65 where its journal is not whole; raises JournalError for what is no journal."""
    text, lost = written(args.journal, args.form, args.incident, args.round)
    status = EX_DATAERR if lost else 0
    if lost:
        way = "look with `table-controller recover`, and compare it with what was written by hand"
        say(f"NOT WHOLE: {lost}. What came after it is missing here: {way}.")
        say(f"不完整：{LOST_ZH}。请用 `table-controller recover` 查看，并与手写的记录核对。")
    if args.out is None:
        sys.stdout.write(text)
        return status
    try:
        args.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{args.out} cannot be written: {error.strerror}.", way_out="Name another file.") from error
    return status


def _lost(reading: Reading, claim: Place | None) -> str:
    """What was acknowledged and cannot be read: of the journal, or of its end that a snapshot tells of; else empty."""
    if reading.damage and not reading.torn:
        return f"the journal is damaged, {reading.damage}"
    gone = claim.number - reading.number if claim is not None else 0
    return f"{gone} records are gone from the journal's end" if gone > 0 else ""


def written(journal: Path, form: str, incident: int | None = None, round_: int | None = None) -> tuple[str, str]:
    """The record in one of its forms, and what of its journal is lost (empty: nothing)."""
    claim = claimed(snapshot_path(journal))  # first: a table that runs writes on meanwhile
    records = Records(journal)
    raised: dict[int, Incident] = {}
    matches = Matches(round_)

    def see(state: TableState) -> None:
        raised.update((i.number, i) for i in state.incidents)
        matches.see(state)

    replayed = replay(matches.hearing(of_journal(records, journal)), each=see)
    reading = records.reading
    if not reading.number:
        raise no_journal(journal)
    if not replayed.same:
        say(replayed.words())
    state, lost = replayed.core.state, _lost(reading, claim)
    if form == "carry":
        return document(state.table, (record["event"] for record in _events(records)), matches.last_wall), lost
    match, incidents = matches.of(state), [raised[number] for number in sorted(raised)]
    whole = record_of(match, matches.last_ms, _walls(records, match, incidents), incidents)
    whole["evidence"] = {
        "chain": reading.last_hash,
        "journal_hash": journal_hash(records),
        "reproduced": replayed.same,
        "damage": reading.damage,
        "lost": lost,
    }
    return _as_form(whole, form, incident), lost


def _as_form(whole: dict[str, Any], form: str, incident: int | None) -> str:
    if form == "json":
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    if form == "csv":
        return as_csv(whole)
    if form == "slip":
        return record_forms.slip(whole)
    chosen = next((i for i in whole["incidents"] if i["number"] == incident), None)
    if chosen is None:
        known = ", ".join(str(i["number"]) for i in whole["incidents"]) or "none"
        raise UsageError("Name the incident with --incident N.", way_out=f"Incidents: {known}.")
    return record_forms.notice(whole, chosen) if form == "notice" else record_forms.appeal(whole, chosen)


def _events(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (record for record in records if record.get("kind") == "event")


def _walls(records: Iterable[dict[str, Any]], match: Match, incidents: Iterable[Incident]) -> dict[int, str]:
    """The wall labels of the first event, of those that the record names, and of the last, by their stamps."""
    wanted = {line.get("ended_ms") for line in match.lines} | {incident.at_ms for incident in incidents}
    walls, last = dict[int, str](), (0, "")
    for record in _events(records):
        last = (record["event"]["at_ms"], record["wall"])
        if not walls or last[0] in walls or last[0] in wanted:
            walls[last[0]] = last[1]
    if last[1]:
        walls.pop(last[0], None)
        walls[last[0]] = last[1]
    return walls


def record_of(
    match: Match, at_ms: int, walls: dict[int, str], incidents: Sequence[Incident] | None = None
) -> dict[str, Any]:
    """The whole match, JSON-ready: results, games, plays with their stamps, incidents with their history.

    ``incidents``: all of the journal's, where the state no longer has the oldest.
    """
    state = match.state
    told, profile = snapshot(state, at_ms), rules_of(state.profile, state.rules)
    deals = [_deal(game, past.number, past.level, past.actions) for game, past in match.past]
    if state.phase in ("playing", "trick_over", "paused"):
        deals.append(_deal(state.match.game, state.deal_number, state.deal_level, state.actions))
    return {
        "table": state.table,
        "venue": state.venue,
        "profile": state.profile,
        "officiating": state.officiating,
        "class_1_points": profile.scores.class_1_points,
        "appeal_minutes": profile.record.correction_minutes,
        "slip": {"writer": profile.record.slip_writer, "copies": profile.record.slip_copies},
        "begun": next(iter(walls.values()), ""),
        "written": list(walls.values())[-1] if walls else "",
        "levels": dict(state.levels),
        "match": told["match"],
        "results": [_line(line, walls) for line in match.lines],
        "incidents": [
            {**asdict(i), "zh": KINDS[i.kind].zh, "en": KINDS[i.kind].en, "wall": walls.get(i.at_ms, "")}
            for i in (state.incidents if incidents is None else incidents)
        ],
        "penalties": [asdict(item) for item in state.given],
        "deals": deals,
    }


def _deal(game: int, number: int, level: str, actions: Iterable[Action]) -> dict[str, Any]:
    return {"game": game, "deal": number, "level": level, "plays": [asdict(action) for action in actions]}


def _line(line: dict[str, object], walls: dict[int, str]) -> dict[str, object]:
    ended = line.get("ended_ms")
    return {**line, "wall": walls.get(ended, "") if isinstance(ended, int) else ""}


def as_csv(whole: dict[str, Any]) -> str:
    """One line a deal, for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(CSV_HEAD)
    for line in whole["results"]:
        places = [seat or "" for seat in (*line["order"], None, None, None, None)][:4]
        levels = dict(line["levels"])
        note = f"foul {line['foul']}" if line.get("foul") else "annulled" if line.get("annulled") else ""
        head = [
            line["game"],
            line["deal"],
            line["level"],
            *places,
            line["winner"],
            line["rise"],
            levels["EW"],
            levels["NS"],
        ]
        writer.writerow([*head, line.get("entered_by", ""), line.get("checked_by", ""), note])
    return out.getvalue()
