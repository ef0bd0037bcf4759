"""The hall as it stands now: one compact row a table for a grid of hundreds, kept from the feed; nothing is stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from table_controller.cards import PAIRS, SEATS
from table_controller.runtime import measure
from table_controller.venue.wire import Batch, Heard, envelope_fits

Message = dict[str, Any]
CALLS = ("td_call", "stop")
"""Kinds by which a person at the table asks for a referee."""
RELAY = "relay"
"""Which way the relay goes with a table, among what followers of its air are told."""


@dataclass
class View:
    """What is known of one table."""

    table: str
    availability: str = "unknown"
    boot: str = ""
    documents: dict[str, Message] = field(default_factory=dict)
    seen_ms: int = 0
    state_ms: int = 0
    mono: tuple[int, int] | None = None
    """The clock of this start of the table, and ours when it said so; None before it was heard."""
    version: int = 0
    incidents: list[Message] = field(default_factory=list)

    @property
    def data(self) -> Message:
        """The newest state's own data."""
        found: Message = self.documents.get("state", {}).get("data", {})
        return found

    @property
    def info(self) -> Message:
        """What the table says of itself."""
        found: Message = self.documents.get("info", {}).get("data", {})
        return found


Listener = Callable[[str, Message], None]


class Hall:
    """Belongs to the loop's thread: give it batches there."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self.now_ms = now_ms
        self.views: dict[str, View] = {}
        self.version = 0
        self.changed = asyncio.Event()
        self.closed = False
        """The service ends: whoever follows is to go."""
        self._encoded: dict[str, tuple[int, Message]] = {}
        self._followers: dict[tuple[str, str], set[asyncio.Queue[tuple[str, bytes]]]] = {}

    def take(self, batch: Batch) -> None:
        """Messages of the planes ``live`` and ``air``."""
        for heard in batch:
            if heard.plane == "live":
                self._live(heard)
            self._tell(heard)
        if batch:
            self._wake()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    def close(self) -> None:
        """Let all go who follow."""
        self.closed = True
        self._wake()
        for queue in [queue for queues in self._followers.values() for queue in queues]:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(("", b""))

    def _touch(self, view: View) -> None:
        self.version += 1
        view.version = self.version

    def _view(self, table: str) -> View:
        if table not in self.views:
            self.views[table] = View(table)
        return self.views[table]

    def _live(self, heard: Heard) -> None:
        said = heard.said
        if heard.rest == "availability":
            if said is not None and said.get("state") in ("init", "ready", "offline", "lost"):
                self._available(heard, str(said["state"]), str(said.get("boot", ""))[:100])
            return
        if said is None or not envelope_fits(said, heard.table):
            return
        view = self._view(heard.table)
        view.seen_ms = heard.at_ms
        _hear(view, heard, said)
        if not heard.retained and view.availability in ("unknown", "lost", "offline"):
            view.availability = "ready"
        if heard.rest in ("state", "info", "health"):
            view.documents[heard.rest] = said
            if heard.rest == "state":
                view.state_ms = heard.at_ms
            self._touch(view)

    def _available(self, heard: Heard, state: str, boot: str) -> None:
        view = self._view(heard.table)
        if state == "lost" and view.boot and boot != view.boot:
            return  # the will of an earlier start of the table
        if view.availability != state:
            view.availability = state
            self._touch(view)

    def incidents(self, rows: Iterable[Message]) -> None:
        """Every open incident of the archive, oldest first."""
        by_table: dict[str, list[Message]] = {}
        for row in rows:
            by_table.setdefault(row["tbl"], []).append(row)
        for table in {*by_table, *(view.table for view in self.views.values() if view.incidents)}:
            view = self._view(table)
            if view.incidents != by_table.get(table, []):
                view.incidents = by_table.get(table, [])
                self._touch(view)
        self._wake()

    # --- rows ---------------------------------------------------------------------------------------------------------

    def row(self, table: str) -> Message:
        """One table's row with its ages as of now."""
        view, now = self.views[table], self.now_ms()
        known = self._encoded.get(table)
        if known is None or known[0] != view.version:
            known = (view.version, _row(view))
            self._encoded[table] = known
        made = {**known[1], "seen_ms": now - view.seen_ms if view.seen_ms else None}
        made["clock"] = {**made["clock"], "age_ms": now - view.state_ms if view.state_ms else None}
        if made["urgent"] is not None:
            age_ms = max(0, measure.epoch_ms() - made["urgent"]["raised_ms"])
            made["urgent"] = {**made["urgent"], "age_ms": age_ms}
        return made

    def rows(self, since: int = -1) -> list[Message]:
        """Rows that changed after a version, those that need somebody first."""
        changed = [self.row(view.table) for view in self.views.values() if view.version > since]
        return sorted(changed, key=lambda row: (-row["attention"], row["table"]))

    # --- following one table ------------------------------------------------------------------------------------------

    def follow(self, plane: str, table: str) -> asyncio.Queue[tuple[str, bytes]]:
        """A queue of what one table says on one plane: (state, event, availability), payload."""
        made: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue(256)
        self._followers.setdefault((plane, table), set()).add(made)
        return made

    def unfollow(self, plane: str, table: str, queue: asyncio.Queue[tuple[str, bytes]]) -> None:
        """No longer."""
        self._followers.get((plane, table), set()).discard(queue)

    def _tell(self, heard: Heard) -> None:
        self._hand(heard.plane, heard.table, (heard.rest, heard.payload))

    def relay(self, table: str, mode: str) -> None:
        """The relay goes another way with a table: whoever follows its air is told."""
        self._hand("air", table, (RELAY, relay_mode(mode)))

    def _hand(self, plane: str, table: str, told: tuple[str, bytes]) -> None:
        for queue in self._followers.get((plane, table), ()):
            if queue.full():
                queue.get_nowait()  # a reader that is too slow takes up the thread with the next state
            queue.put_nowait(told)


def relay_mode(mode: str) -> bytes:
    """What a follower of the air is told of the relay: go, hold or cut."""
    return json.dumps({"mode": mode}).encode()


def _hear(view: View, heard: Heard, said: Message) -> None:
    """Which start of the table speaks, and its clock: a state is told as it is made, all else may have waited long."""
    if heard.rest == "event" and view.boot not in ("", said["boot"]):
        return  # one that the disk had lost is sent again under its old boot
    if said["boot"] != view.boot:
        view.boot, view.mono = said["boot"], None
    if heard.retained:
        return
    told, known = (said["mono_ms"], heard.at_ms), view.mono
    if heard.rest == "state" or known is None or told[0] - told[1] > known[0] - known[1]:
        view.mono = told


def _dict(value: Any) -> Message:
    return value if isinstance(value, dict) else {}


def _row(view: View) -> Message:
    data = view.data
    match, clock, seats = _dict(data.get("match")), _dict(data.get("clock")), _dict(data.get("seats"))
    results = data.get("results")
    last = results[-1] if isinstance(results, list) and results and isinstance(results[-1], dict) else None
    questions = data.get("questions")
    asked = [q for q in questions if isinstance(q, dict) and q.get("open")] if isinstance(questions, list) else []
    return {
        "table": view.table,
        "availability": view.availability,
        "boot": view.boot,
        "seq": view.documents.get("state", {}).get("seq", 0),
        "simulated": bool(view.info.get("simulated")),
        "phase": data.get("phase", ""),
        "under": data.get("under", ""),
        "deal": data.get("deal", 0),
        "level": data.get("level", ""),
        "levels": {pair: _dict(data.get("levels")).get(pair, "") for pair in PAIRS},
        "game": match.get("game", 0),
        "round": match.get("round", 0),
        "names": match.get("names") or [],
        "turn": data.get("turn"),
        "left": {seat: _dict(seats.get(seat)).get("left") for seat in SEATS},
        "pause_reason": data.get("pause_reason", ""),
        "camera_lost": data.get("camera_lost") or "",
        "dealer_online": _dealer(_dict(data.get("dealer"))),
        "clock": {key: clock.get(key) for key in CLOCK},
        "incidents": len(view.incidents),
        "questions": len(asked),
        "attention": _attention(view),
        "urgent": _urgent(view),
        "result": {key: last.get(key) for key in ("deal", "winner", "rise")} if last else None,
    }


def _dealer(told: Message) -> bool | None:
    """Whether the dealing machine answers; None where none has ever been heard of, as at a table dealt by hand."""
    if told.get("online"):
        return True
    return False if told.get("kind") or told.get("message") else None


CLOCK = ("kind", "seat", "running", "elapsed_ms", "warning_ms", "limit_ms", "warned")


def _attention(view: View) -> int:
    health = _dict(view.documents.get("health", {}).get("data"))
    if view.availability == "lost" or health.get("controller_fault") or view.data.get("controller_fault"):
        return 4
    if any(i["kind"] in CALLS and i["status"] == "open" for i in view.incidents):
        return 3
    if any(i["status"] == "open" for i in view.incidents) or view.data.get("phase") == "fault":
        return 2
    return 1 if view.incidents else 0


def _urgent(view: View) -> Message | None:
    if not view.incidents:
        return None
    first = min(view.incidents, key=lambda i: (i["status"] != "open", i["kind"] not in CALLS, i["id"]))
    by = first["arrived_by"] or first["acknowledged_by"]
    kept = {key: first[key] for key in ("id", "number", "kind", "seat", "status", "zh", "en", "raised_at")}
    return {**kept, "raised_ms": first["raised_ms"], "by": by}


def encode(name: str, data: Any) -> bytes:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
