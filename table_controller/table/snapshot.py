"""The public picture of a table, for scoreboards, referees and overlays: no plan, no card that was not shown."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from table_controller.cards import PAIRS, SEATS
from table_controller.games.guandan.deal import Action
from table_controller.games.guandan.penalties import tally
from table_controller.games.guandan.profile import Profile, rules_of
from table_controller.table.asked import doubtful_plays, other_questions, owed
from table_controller.table.before_deal import before_deal, customs, reveals
from table_controller.table.incidents import KINDS
from table_controller.table.state import TableState


def _action(action: Action) -> dict[str, Any]:
    return {
        "number": action.number,
        "seat": action.seat,
        "pass": not action.cards and not action.stopped,
        "stopped": action.stopped,
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
            "owes_report": deal.owes_report.get(seat) if deal else None,
            "place": deal.out.index(seat) + 1 if deal and seat in deal.out else None,
            "last": last.get(seat),
            "lamp": state.lamps.get(seat, "off"),
            "prompt": state.prompts[seat][-1] if state.prompts[seat] else None,
            "ready": seat in state.ready,
        }
        for seat in SEATS
    }


def _sorting_clock(state: TableState, at_ms: int, profile: Profile) -> dict[str, Any]:
    """The sorting allowance as a clock: what is left of it runs down, or waits with a pause."""
    paused = state.phase == "paused"
    left = max(0, state.sorting_ends_ms - (0 if paused else at_ms))
    whole = max(profile.sorting_ms, left)
    told = {"kind": "sorting", "seat": None, "running": not paused, "elapsed_ms": whole - left}
    return {**told, "warning_ms": whole, "limit_ms": whole, "warned": not left}


def _clock(state: TableState, at_ms: int, profile: Profile) -> dict[str, Any]:
    clock = state.clock
    if (state.under if state.phase == "paused" else state.phase) == "sorting":
        return _sorting_clock(state, at_ms, profile)
    return {
        "kind": clock.kind,
        "seat": clock.seat,
        "running": clock.running,
        "elapsed_ms": clock.elapsed(at_ms),
        "warning_ms": clock.warning_ms,
        "limit_ms": clock.limit_ms,
        "warned": clock.warned,
    }


def _match(state: TableState) -> dict[str, Any]:
    """The match, its games and counters by pair, and the time thought."""
    match = state.match
    counters = {pair: asdict(tally(state.given, pair, match.game, match.round)) for pair in PAIRS}
    return {
        "system": match.system,
        "deals": match.deals,
        "minutes": match.minutes,
        "games": match.games,
        "format": match.format,
        "round": match.round,
        "game": match.game,
        "names": list(match.names),
        "ends_ms": match.ends_ms or None,
        "time_up": match.time_up,
        "called": match.called,
        "played": [dict(game) for game in match.played],
        "over": match.over,
        "winner": match.winner,
        "counters": counters,
        "reminded": list(state.reminded),
        "thinking_ms": dict(state.thinking.used),
        "pair_thinking_ms": dict(state.thinking.of_pairs()),
        "delay_share": {pair: round(state.thinking.share(pair), 3) for pair in PAIRS},
        "between_ms": state.thinking.between_ms,
        "no_tribute": state.no_tribute,
        "names_leader": state.namer if state.no_tribute else None,
        "named_leader": state.named_leader,
    }


def _rights(state: TableState) -> dict[str, Any]:
    """Rights lost for now, types barred or named, cards shown and not spent: all public at the table."""
    return {
        "stopped": [{"seat": s.seat, "trick": s.trick, "once": s.once, "pair": s.partner_too} for s in state.stops],
        "barred_types": [{"seat": b.seat, "type": b.type, "trick": b.trick} for b in state.bans],
        "must_lead": {"seat": state.must_lead.seat, "type": state.must_lead.type} if state.must_lead else None,
        "names_type": state.names_type,
        "nameable": list(state.nameable),
        "owes_card": [{"seat": s.seat, "card": s.card} for s in state.shown_cards],
        "exposed": [list(pair) for pair in state.exposed[-27:]],
        "void": state.deal.void if state.deal else None,
    }


def past_deal(state: TableState, number: int) -> dict[str, Any] | None:
    """A finished deal of this game, with its plays and places; None where no record is kept of it."""
    found = next((past for past in state.past if past.number == number), None)
    if found is None:
        return None
    order = next((line["order"] for line in state.results if line["deal"] == number), ())
    plays = [_action(action) for action in found.actions]
    return {"deal": number, "level": found.level, "order": order, "plays": plays}


def snapshot(state: TableState, at_ms: int) -> dict[str, Any]:
    """The whole public state, JSON-ready, as of ``at_ms`` (monotonic ms)."""
    deal, profile = state.deal, rules_of(state.profile, state.rules)
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
        "clock": _clock(state, at_ms, profile),
        "table_lamp": state.lamps.get("table", "off"),
        "exchange": {
            "owing": list(state.exchange.owing),
            "shown": dict(state.exchange.shown),
            "pays": dict(state.exchange.pays),
            "returned": dict(state.exchange.returned),
            "resisted": state.exchange.resisted,
            "reveals": reveals(state, profile),
        },
        "before": before_deal(state, profile, at_ms),
        "customs": customs(profile),
        "questions": [{**_action(action), **told} for action, told in doubtful_plays(state)],
        "asked": [*other_questions(state), *owed(state, profile)],
        "recent": [_action(action) for action in state.actions[-12:]],
        "incidents": [
            {**asdict(i), "zh": KINDS[i.kind].zh, "en": KINDS[i.kind].en, "rule": i.rule or KINDS[i.kind].rule}
            for i in state.incidents
            if i.is_open
        ][-20:],
        "results": state.results[-8:],
        "match": _match(state),
        "rights": _rights(state),
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
