"""What the archive can be asked: incidents with their evidence, timelines, results, games. Blocking."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from sqlalchemy import Connection, Engine, desc, select

from table_controller.cards import PAIRS, SEATS
from table_controller.table.incidents import KINDS, OPEN
from table_controller.venue.archived import TAKEN_BACK
from table_controller.venue.documents import seats_of
from table_controller.venue.store import tables as t

Row = dict[str, Any]
STEPS = ("acknowledged", "arrived", "ended")
CSV_HEAD = (
    "table", "round", "game", "deal", "level", "1st", "2nd", "3rd", "4th", "winner", "rise", "levels_EW", "levels_NS",
    "EW", "NS", "entered", "checked", "note", "at",
)  # fmt: skip


def open_incidents(engine: Engine) -> list[Row]:
    """Every incident that nobody has settled, oldest first, with its words."""
    wanted = select(t.incident).where(t.incident.c.status.in_(OPEN)).order_by(t.incident.c.id)
    with engine.begin() as connection:
        return [_worded(dict(row)) for row in connection.execute(wanted).mappings()]


def _worded(row: Row) -> Row:
    kind = KINDS.get(row["kind"])
    words = {"zh": kind.zh if kind else row["kind"], "en": kind.en if kind else row["kind"]}
    return {**row, **words, "rule": row["rule"] or (kind.rule if kind else "")}


def incidents(engine: Engine, now_ms: int, *, status: str, table: str, limit: int) -> list[Row]:
    """As the API tells them: open ones first, oldest first; then those that are settled, newest first."""
    wanted = select(t.incident)
    if table:
        wanted = wanted.where(t.incident.c.tbl == table)
    opened = wanted.where(t.incident.c.status.in_(OPEN)).order_by(t.incident.c.id).limit(limit)
    settled = wanted.where(t.incident.c.status.not_in(OPEN)).order_by(desc(t.incident.c.id))
    with engine.begin() as connection:
        rows = [dict(row) for row in connection.execute(opened).mappings()]
        if status != "open" and len(rows) < limit:
            rows += [dict(row) for row in connection.execute(settled.limit(limit - len(rows))).mappings()]
        return [_told(connection, _worded(row), now_ms) for row in rows]


def incident(engine: Engine, number: int, now_ms: int) -> Row | None:
    """One, by the archive's own number."""
    with engine.begin() as connection:
        row = connection.execute(select(t.incident).where(t.incident.c.id == number)).mappings().one_or_none()
        return _told(connection, _worded(dict(row)), now_ms) if row is not None else None


def _told(connection: Connection, row: Row, now_ms: int) -> Row:
    kept = (
        "id", "boot", "number", "deal", "kind", "zh", "en", "rule", "seat", "play", "proposal", "needs", "status",
        "raised_at", "reason", "penalty", "lapsed",
    )  # fmt: skip
    made: Row = {"table": row["tbl"], **{key: row[key] for key in kept}, "age_ms": max(0, now_ms - row["raised_ms"])}
    for step in STEPS:
        by, at = row[f"{step}_by"], row[f"{step}_at"]
        made[step] = {"by": by, "at": at} if at else None
    found = connection.execute(select(t.appeal).where(t.appeal.c.incident_id == row["id"])).mappings().one_or_none()
    made["appeal"] = {k: v for k, v in found.items() if k != "incident_id"} if found is not None else None
    made["evidence"] = [_picture(dict(e)) for e in connection.execute(_pictures(row)).mappings()]
    return made


def _pictures(row: Row) -> Any:
    """The play that an incident names; without one the last plays of its deal before it."""
    e = t.evidence.c
    wanted = select(t.evidence).where(
        e.tbl == row["tbl"], e.boot == row["boot"], e.deal == row["deal"], e.area == "play"
    )
    if row["play"] is not None:
        return wanted.where(t.evidence.c.play == row["play"])
    return wanted.order_by(desc(t.evidence.c.id)).limit(2)


def _picture(row: Row) -> Row:
    return {key: row[key] for key in ("play", "sha256", "state")}


def timeline(engine: Engine, table: str, before: int, limit: int) -> list[Row]:
    """A table's events over all its boots, newest first."""
    wanted = select(t.event.c.id, t.event.c.payload).where(t.event.c.tbl == table)
    if before:
        wanted = wanted.where(t.event.c.id < before)
    with engine.begin() as connection:
        rows = connection.execute(wanted.order_by(desc(t.event.c.id)).limit(limit)).all()
    return [{"id": row[0], "at": (said := json.loads(row[1]))["ts"], **said} for row in rows]


def games(engine: Engine, round_: int | None) -> list[Row]:
    """Games that are over and count: their teams, winner and points."""
    wanted = select(t.game).order_by(t.game.c.round, t.game.c.tbl, t.game.c.game)
    if round_ is not None:
        wanted = wanted.where(t.game.c.round == round_)
    with engine.begin() as connection:
        rows = connection.execute(wanted).mappings().all()
    return [game for game in (_game(dict(row)) for row in rows) if game["by"] != TAKEN_BACK]


def _game(row: Row) -> Row:
    data = json.loads(row["data"])
    maps = {key: dict(data.get(key) or ()) for key in ("levels", "points", "level_points")}
    told = {key: data.get(key) for key in ("winner", "difference", "by")}
    head = {"table": row["tbl"], "EW": row["ew"], "NS": row["ns"], "ended_ms": row["ended_ms"]}
    return {**head, **{key: row[key] for key in ("round", "game", "at")}, **told, **maps}


def results(engine: Engine, round_: int | None, roster: Row) -> list[Row]:
    """Deals that are over, one row each, with the teams that ``roster`` (documents.py's book) names for its round."""
    wanted = select(t.result).order_by(t.result.c.round, t.result.c.tbl, t.result.c.id)
    if round_ is not None:
        wanted = wanted.where(t.result.c.round == round_)
    with engine.begin() as connection:
        rows = connection.execute(wanted).mappings().all()
    return [_result(dict(row), roster) for row in rows]


def _result(row: Row, roster: Row) -> Row:
    data = json.loads(row["data"])
    seats = seats_of(roster, row["round"], row["tbl"])
    told = {key: data.get(key) for key in ("level", "order", "winner", "rise", "double_down", "foul", "corrected")}
    return {
        "table": row["tbl"],
        **{key: row[key] for key in ("round", "game", "deal", "at", "entered_by", "checked_by")},
        **told,
        "levels": dict(data.get("levels") or ()),
        **{pair: seats.get(pair) or "" for pair in PAIRS},
    }


def as_csv(rows: list[Row]) -> str:
    """For a spreadsheet: one line a deal. A cell never begins as a formula would."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(CSV_HEAD)
    for row in rows:
        places = [seat or "" for seat in (*(row["order"] or ()), *(None,) * len(SEATS))][: len(SEATS)]
        note = f"foul {row['foul']}" if row.get("foul") else "corrected" if row.get("corrected") else ""
        cells = [row[key] for key in ("table", "round", "game", "deal", "level")]
        cells += [*places, row["winner"], row["rise"], *(row["levels"].get(pair, "") for pair in PAIRS)]
        cells += [*(row[pair] for pair in PAIRS), row["entered_by"], row["checked_by"], note, row["at"]]
        writer.writerow([_plain(cell) for cell in cells])
    return out.getvalue()


def _plain(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
