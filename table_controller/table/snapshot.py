"""The public picture of a table, for scoreboards, referees and overlays: no plan, no card that was not shown."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from table_controller.cards import SEATS
from table_controller.games.guandan.deal import Action
from table_controller.table.incidents import ASKING, KINDS
from table_controller.table.state import TableState


def _action(action: Action) -> dict[str, Any]:
    return {
        "number": action.number,
        "seat": action.seat,
        "pass": not action.cards,
        "cards": list(action.cards),
        "reading": action.reading,
        "doubtful": action.is_doubtful,
        "unsure": list(action.unsure),
        "evidence": action.evidence,
        "corrected": bool(action.original) and action.original != action.cards,
        "trick": action.trick,
    }


def _seats(state: TableState) -> dict[str, Any]:
    deal = state.deal
    last: dict[str, dict[str, Any]] = {}
    if deal is not None:
        for action in state.actions:
            if action.trick == deal.trick_number or deal.leading:
                last[action.seat] = _action(action)
    return {
        seat: {
            "left": deal.counts[seat] if deal else None,
            "reported": deal.reported.get(seat) if deal else None,
            "place": deal.out.index(seat) + 1 if deal and seat in deal.out else None,
            "last": last.get(seat),
            "lamp": state.lamps.get(seat, "off"),
            "prompt": state.prompts[seat][-1] if state.prompts[seat] else None,
            "ready": seat in state.ready,
        }
        for seat in SEATS
    }


def _clock(state: TableState, at_ms: int) -> dict[str, Any]:
    clock = state.clock
    return {
        "kind": clock.kind,
        "seat": clock.seat,
        "running": clock.running,
        "elapsed_ms": clock.elapsed(at_ms),
        "warning_ms": clock.warning_ms,
        "limit_ms": clock.limit_ms,
        "warned": clock.warned,
    }


def _questions(state: TableState) -> list[dict[str, Any]]:
    """What a human is asked: the doubtful plays of this deal that nobody has settled, oldest first.

    ``open`` says whether the cards may still be told: once the deal is over its record stands.
    """
    plays = {action.number: action for action in state.actions if action.is_doubtful}
    asked = []
    for incident in state.incidents:
        action = plays.get(incident.play or 0)
        if action is not None and incident.kind in ASKING and incident.status in ("open", "acknowledged"):
            told = {"incident": incident.number, "kind": incident.kind, "asked": "referee"}
            asked.append({**_action(action), **told, "open": state.phase in ("playing", "trick_over", "paused")})
    return asked


def snapshot(state: TableState, at_ms: int) -> dict[str, Any]:
    """The whole public state, JSON-ready, as of ``at_ms`` (monotonic ms)."""
    deal = state.deal
    return {
        "table": state.table,
        "venue": state.venue,
        "profile": state.profile,
        "phase": state.phase,
        "under": state.under if state.phase in ("paused", "fault") else "",
        "pause_reason": state.pause_reason,
        "deal": state.deal_number,
        "level": state.deal_level,
        "levels": dict(state.levels),
        "level_owner": state.owner,
        "turn": deal.turn if deal and state.phase in ("playing", "trick_over", "paused") else None,
        "leader": deal.trick.leader if deal else state.leader,
        "trick": deal.trick_number if deal else 0,
        "to_beat": deal.to_beat.text() if deal and deal.to_beat else None,
        "order": [seat for seat in (deal.order if deal else state.last_order) if seat],
        "seats": _seats(state),
        "clock": _clock(state, at_ms),
        "table_lamp": state.lamps.get("table", "off"),
        "exchange": {
            "owing": list(state.exchange.owing),
            "shown": dict(state.exchange.shown),
            "pays": dict(state.exchange.pays),
            "returned": dict(state.exchange.returned),
            "resisted": state.exchange.resisted,
        },
        "questions": _questions(state),
        "recent": [_action(action) for action in state.actions[-12:]],
        "incidents": [
            {**asdict(i), "zh": KINDS[i.kind].zh, "en": KINDS[i.kind].en, "rule": KINDS[i.kind].rule}
            for i in state.incidents
            if i.status in ("open", "acknowledged")
        ][-20:],
        "results": state.results[-8:],
        "dealer": {
            "online": state.dealer.online,
            "kind": state.dealer.kind,
            "job": state.dealer.job,
            "pack": state.dealer.pack,
            "index": state.dealer.index,
            "counts": list(state.dealer.counts),
            "fault": state.dealer.fault,
            "message": state.dealer.message,
            "commitment": state.dealer.commitment,
        },
        "camera_lost": state.camera_lost,
    }
