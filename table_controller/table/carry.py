"""A match moved to a spare table: levels, incidents, counters and clocks come along, whatever was under way is paused.

The document holds the first table's events; the spare table handles them anew, so that nothing is lost on the way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from table_controller.errors import JournalError
from table_controller.table.codec import from_data
from table_controller.table.contest import await_start
from table_controller.table.effects import SetTimer, WatchMode
from table_controller.table.match_state import Thinking
from table_controller.table.referee_events import MatchCarried
from table_controller.table.refusal import Refusal
from table_controller.table.state import ClockState, TableState
from table_controller.table.turn import Draft

VERSION = 1
LEAST_LEFT_MS = 60_000
"""So much of a round stays, if it was there: where the clocks of two tables differ, a referee can still extend it."""


def document(table: str, events: Iterable[dict[str, Any]], wall: str = "") -> str:
    """What a spare table needs to go on: the events of this one's journal, as their plain data.

    ``wall`` is the wall label of the last event, by which the spare table knows how long the move took.
    """
    return json.dumps({"carry": VERSION, "table": table, "wall": wall, "events": list(events)}, ensure_ascii=False)


def left_at(text: str) -> str:
    """The wall label of the last event in a document; empty where it has none."""
    try:
        return str(json.loads(text).get("wall", ""))
    except (ValueError, AttributeError):
        return ""


def _state_of(text: str) -> tuple[TableState, int]:
    """The other table's state, and the stamp of its last event by its own clock."""
    from table_controller.table.core import TableCore

    try:
        data = json.loads(text)
        events = data["events"] if data["carry"] == VERSION else None
    except (ValueError, KeyError, TypeError):
        events = None
    if not isinstance(events, list):
        raise Refusal(
            "This is no match that can be carried here.", way_out="Write it anew with `record`.", code="CARRY"
        )
    core = TableCore()
    try:
        for event in events:
            core.commit(core.handle(from_data(event)))
    except (JournalError, AttributeError, TypeError, ValueError) as error:
        raise Refusal(f"The carried match cannot be read: {error}.", code="CARRY") from error
    return core.state, max((int(event["at_ms"]) for event in events), default=0)


def carried(draft: Draft, event: MatchCarried) -> None:
    """The match goes on here; what was under way stands paused until the referee lets it go on."""
    state = draft.state
    if state.phase != "standby" or state.deal_number:
        raise Refusal("A match is carried only to a table that has played nothing yet.", code="CARRY")
    other, last_ms = _state_of(event.document)
    if not other.table:
        raise Refusal("The carried match was never opened.", code="CARRY")
    clock, used_ms = other.clock, other.clock.elapsed_ms
    mine = (state.table, state.venue, state.dealer, state.lamps, state.areas, state.prompts, state.camera_lost)
    at_rest = draft.state.phase
    for name, value in vars(other).items():
        setattr(state, name, value)
    state.table, state.venue, state.dealer, state.lamps, state.areas, state.prompts, state.camera_lost = mine
    _stand_still(draft, clock, used_ms, event.at_ms, at_rest)
    _move_round(draft, event.at_ms, last_ms, event.away_ms)
    draft.publish("match_carried", by=event.by, was=other.table, deal=state.deal_number, phase=state.phase)


def _move_round(draft: Draft, at_ms: int, last_ms: int, away_ms: int) -> None:
    """The round ends at its appointed time (003 L106): what the move took is gone, unless the referee extends it.

    ``last_ms`` is the other table's last stamp, ``away_ms`` what has passed since then.
    """
    match = draft.state.match
    runs = bool(match.ends_ms) and not match.over and not match.time_up
    by_ms = at_ms - last_ms - away_ms
    if runs:
        least_ms = min(LEAST_LEFT_MS, max(0, match.ends_ms - last_ms))
        by_ms = max(by_ms, at_ms + least_ms - match.ends_ms)
    match.begun_ms += by_ms if match.begun_ms else 0
    match.ended_ms += by_ms if match.over else 0
    match.ends_ms += by_ms if match.ends_ms else 0
    if runs:
        draft.emit(SetTimer("round", match.ends_ms))
    if not match.over:
        await_start(draft, at_ms)


def _stand_still(draft: Draft, clock: ClockState, used_ms: int, at_ms: int, at_rest: str) -> None:
    """Stamps of the other table's clock mean nothing here: only the time used counts."""
    state = draft.state
    under = state.under if state.phase == "paused" else state.phase
    state.phase = at_rest
    state.clock = replace(clock, anchor_ms=at_ms, elapsed_ms=used_ms, running=False)
    state.early, state.early_reports, state.unapplied, state.rejected = [], {}, [], None
    state.thinking = Thinking(dict(state.thinking.used), state.thinking.between_ms)
    if under in ("dealing", "fault", "standby", "deal_over", "game_over"):
        if under == "game_over" or state.last_order:
            draft.move("carried_over" if under == "game_over" else "carried_between")
        state.under = ""
        return
    draft.move("carried")
    draft.emit(WatchMode("play"))
    state.under, state.pause_reason = under, "moved from another table"
    state.sorting_ends_ms = draft.profile.sorting_ms
    draft.lamp(None, "blink")
