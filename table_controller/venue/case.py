"""The evidence of one incident in one document: pictures before, at and after it, readings, the clock, hash and lock.

It is made of what the table published, so it says nothing that was secret when it was said. Blocking.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sqlalchemy import Connection, Engine, select

from table_controller.table.incidents import OPEN
from table_controller.venue import records
from table_controller.venue.evidence import EvidenceStore
from table_controller.venue.store import tables as t

Row = dict[str, Any]
ACTS = ("play", "pass")
READINGS = ("play", "pass", "correction", "tribute", "return", "exchange_corrected", "exposed", "report")
CLOCK = (
    "play_begins", "play", "pass", "trick_over", "warn20", "warning_withdrawn", "violation30", "turn_stopped",
    "clock_extended", "clock_set", "paused", "resumed", "stop", "deal_over",
)  # fmt: skip
CALLS = ("td_call", "stop")
AROUND = 2
"""Acts before and after the one in question whose readings and clock belong to it."""
OF_THE_CLOCK = ("seat", "number", "reason", "extra_ms", "elapsed_ms", "lead", "by", "stamp_ms")


def case(engine: Engine, store: EvidenceStore, number: int, now_ms: int) -> Row | None:
    """The document, or None where there is no such incident.

    ``sha256`` is that of ``evidence`` as JSON with sorted keys, no spaces and plain ASCII.
    """
    told = records.incident(engine, number, now_ms)
    if told is None:
        return None
    with engine.begin() as connection:
        said = _deal(connection, told)
        pictures = _pictures(connection, told)
        states = _states(connection, told)
    facts = _facts(told, said, pictures)
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    hashes = [one["sha256"] for one in facts["pictures"] if one["sha256"]]
    appealed = told["appeal"] is not None and not told["appeal"]["closed_at"]
    locked = told["status"] in OPEN or appealed or any(store.locked(one, now_ms) for one in hashes)
    found = {one: states[one] for one in hashes if one in states}
    return {"incident": told, "evidence": facts, "sha256": digest, "locked": locked, "states": found}


def _deal(connection: Connection, told: Row) -> list[Row]:
    """What the table said in that deal, in order."""
    e = t.event.c
    wanted = select(e.payload).where(e.tbl == told["table"], e.boot == told["boot"], e.deal == told["deal"])
    return [json.loads(payload) for payload in connection.execute(wanted.order_by(e.seq)).scalars()]


def _pictures(connection: Connection, told: Row) -> dict[int, Row]:
    e = t.evidence.c
    same = (e.tbl == told["table"], e.boot == told["boot"], e.deal == told["deal"], e.area == "play")
    wanted = select(t.evidence).where(*same)
    return {row["play"]: dict(row) for row in connection.execute(wanted).mappings()}


def _states(connection: Connection, told: Row) -> dict[str, str]:
    """Whether each picture is here, by its hash: that changes, and is no part of the evidence."""
    e = t.evidence.c
    same = (e.tbl == told["table"], e.boot == told["boot"], e.deal == told["deal"])
    return {row[0]: row[1] for row in connection.execute(select(e.sha256, e.state).where(*same)) if row[0]}


def _facts(told: Row, said: list[Row], pictures: dict[int, Row]) -> Row:
    acts = [one for one in said if one["data"].get("kind") in ACTS]
    raised = next((one for one in said if _raises(one, told)), None)
    at = _act(acts, told, raised)
    place = acts.index(at) if at is not None else len([a for a in acts if raised is None or a["seq"] < raised["seq"]])
    first, last = max(0, place - AROUND), place + AROUND + 1
    from_seq = acts[first]["seq"] if first < len(acts) else 0
    until_seq = acts[last - 1]["seq"] if last <= len(acts) else said[-1]["seq"] if said else 0
    near = [one for one in said if from_seq <= one["seq"] <= until_seq]
    over = last <= len(acts) or any(one["data"].get("kind") == "deal_over" for one in said)
    return {
        "table": told["table"], "boot": told["boot"], "deal": told["deal"], "incident": told["number"],
        "kind": told["kind"], "seat": told["seat"], "play": at["data"]["number"] if at is not None else None,
        "raised": {"seq": raised["seq"], "ts": raised["ts"], "mono_ms": raised["mono_ms"]} if raised else None,
        "pictures": [
            *_shown(acts, place, at, told["seat"], pictures),
            *_circles(said, at, raised, told["seat"]),
        ],
        "readings": [_reading(one) for one in near if one["data"].get("kind") in READINGS],
        "clock": _clock(near),
        "complete": over,
    }  # fmt: skip


def _raises(said: Row, told: Row) -> bool:
    return bool(said["data"].get("kind") == "incident" and said["data"].get("number") == told["number"])


def _act(acts: list[Row], told: Row, raised: Row | None) -> Row | None:
    """The act that an incident names; without one the last of its seat before it was raised. A call names none: what
    led to it lies before it, whoever did it."""
    if told["play"] is None and told["kind"] in CALLS:
        return None
    if told["play"] is not None:
        return next((one for one in acts if one["data"].get("number") == told["play"]), None)
    before = [one for one in acts if raised is None or one["seq"] < raised["seq"]]
    own = [one for one in before if told["seat"] is None or one["data"].get("seat") == told["seat"]]
    return own[-1] if own else None


def _shown(acts: list[Row], place: int, at: Row | None, seat: str | None, pictures: dict[int, Row]) -> list[Row]:
    """Pictures of the play itself, and of the last one before and the next one after it: the seat's own, and any."""
    seat = seat or (at["data"].get("seat") if at is not None else None)
    sides: list[tuple[str, list[Row]]] = [
        ("before", acts[:place][::-1]),
        ("at", [at] if at is not None else []),
        ("after", acts[place + (at is not None) :]),
    ]
    found: list[Row] = []
    for when, side in sides:
        with_one = [one for one in side if one["data"].get("number") in pictures]
        own = [one for one in with_one if one["data"].get("seat") == seat]
        for one in sorted([*with_one[:1], *[o for o in own[:1] if o not in with_one[:1]]], key=lambda o: int(o["seq"])):
            kept = pictures[one["data"]["number"]]
            found.append({
                "when": when, "area": "play", "play": kept["play"], "seat": one["data"].get("seat"),
                "stamp_ms": one["data"].get("stamp_ms"), "sha256": kept["sha256"],
            })  # fmt: skip
    return found


def _circles(said: list[Row], at: Row | None, raised: Row | None, seat: str | None) -> list[Row]:
    """The seat's prompt circle before, at and after: at the act itself, and when the incident was raised."""
    seat = seat or (at["data"].get("seat") if at is not None else None)
    named = [one for one in said if one["data"].get("prompt_sha256") and one["data"].get("seat") == seat]
    moments = [one["seq"] for one in (at, raised) if one is not None]
    if not moments:
        return []
    first, last = min(moments), max(moments)
    sides: list[tuple[str, list[Row]]] = [
        ("before", [one for one in named if one["seq"] < first][-1:]),
        ("at", [one for one in named if one["seq"] in moments]),
        ("after", [one for one in named if one["seq"] > last][:1]),
    ]
    return [
        {
            "when": when, "area": "prompt", "play": one["data"].get("number") if one["data"]["kind"] in ACTS else None,
            "seat": seat, "stamp_ms": one["data"].get("stamp_ms", one["mono_ms"]),
            "sha256": one["data"]["prompt_sha256"],
        }
        for when, side in sides for one in side
    ]  # fmt: skip


def _reading(said: Row) -> Row:
    kept = ("kind", "number", "play", "seat", "cards", "card", "was", "reading", "left", "doubtful", "confidence",
            "unsure", "by", "change", "stamp_ms", "evidence_sha256", "prompt_sha256")  # fmt: skip
    data = said["data"]
    return {"seq": said["seq"], "mono_ms": said["mono_ms"], **{key: data[key] for key in kept if key in data}}


def _clock(near: list[Row]) -> list[Row]:
    """What moved the clock; an act with the time that its seat used, where the clock did not stand in between."""
    made: list[Row] = []
    since: int | None = None
    for one in near:
        data = one["data"]
        kind = data.get("kind")
        if kind not in CLOCK:
            continue
        line = {"seq": one["seq"], "mono_ms": one["mono_ms"], "kind": kind}
        line |= {key: data[key] for key in OF_THE_CLOCK if key in data}
        if kind in ACTS:
            stamp = data.get("stamp_ms")
            line["used_ms"] = stamp - since if isinstance(stamp, int) and since is not None else None
            since = stamp if isinstance(stamp, int) else None
        elif kind in ("paused", "resumed", "clock_set", "clock_extended", "trick_over", "turn_stopped"):
            since = None
        made.append(line)
    return made
