"""The public picture of a table, for scoreboards, referees and overlays: no plan, no card that was not shown."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from table_controller.cards import PAIRS, SEATS
from table_controller.games.guandan.deal import Action
from table_controller.games.guandan.penalties import tally
from table_controller.table.incidents import ASKING, KINDS
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


def _questions(state: TableState) -> list[dict[str, Any]]:
    """What a human is asked: the doubtful plays of this deal that nobody has settled, oldest first.

    ``open`` says whether the cards may still be told: once the deal is over its record stands.
    """
    plays = {action.number: action for action in state.actions if action.is_doubtful}
    asked = []
    for incident in state.incidents:
        action = plays.get(incident.play or 0)
        if action is not None and incident.kind in ASKING and incident.is_open:
            told = {"incident": incident.number, "kind": incident.kind, "asked": "referee"}
            asked.append({**_action(action), **told, "open": state.phase in ("playing", "trick_over", "paused")})
    return asked


def _other_questions(state: TableState) -> list[dict[str, Any]]:
    """Doubtful cards of the exchange and prompt cards that could not be read, each with its picture."""
    return [
        {
            "incident": i.number,
            "kind": i.kind,
            "seat": i.seat,
            "evidence": i.evidence,
            "cards": [i.detail] if i.kind == "doubtful_exchange" else [],
            "asked": "referee",
            "open": state.phase not in ("deal_over", "game_over"),
        }
        for i in state.incidents
        if i.kind in ("doubtful_exchange", "doubtful_prompt") and i.is_open
    ]


def _owed(state: TableState) -> list[dict[str, Any]]:
    """What somebody must name before play can go on as the rules say: a type, or the next leader (000 L227, L255)."""
    asked: list[dict[str, Any]] = []
    common = {"incident": 0, "evidence": "", "cards": [], "open": True}
    if state.names_type is not None and state.deal is not None:
        asked.append(
            {
                **common,
                "kind": "name_type",
                "seat": state.deal.turn,
                "asked": state.names_type,
                "choices": list(state.nameable),
                "zh": "请指定须领出的牌型",
                "en": "the type to lead is to be named",
            }
        )
    waits = state.phase in ("standby", "deal_over", "dealing", "sorting", "fault")
    if state.no_tribute and state.named_leader is None and waits:
        asked.append(
            {
                **common,
                "kind": "name_leader",
                "seat": None,
                "asked": state.namer,
                "choices": list(SEATS),
                "zh": "犯规后不贡牌，请对方指定领出者",
                "en": "no tribute after a foul: the leader is to be named",
            }
        )
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
        "asked": [*_other_questions(state), *_owed(state)],
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
