"""What somebody is asked at a table: doubtful plays, exchange and prompt cards, and what is to be named or said."""

from __future__ import annotations

from typing import Any

from table_controller.cards import SEATS, UNKNOWN
from table_controller.games.guandan.deal import Action
from table_controller.games.guandan.hands import Reading, parse_reading, readings, wild_of
from table_controller.games.guandan.order import beats
from table_controller.games.guandan.placement import fits
from table_controller.games.guandan.profile import Profile
from table_controller.table.incidents import ASKING
from table_controller.table.state import TableState

COMMON: dict[str, Any] = {"incident": 0, "evidence": "", "cards": [], "open": True}


def doubtful_plays(state: TableState) -> list[tuple[Action, dict[str, Any]]]:
    """The doubtful plays of this deal that nobody has settled, oldest first, each with what is asked of it.

    ``open`` says whether the cards may still be told: once the deal is over its record stands.
    """
    plays = {action.number: action for action in state.actions if action.is_doubtful}
    asked = []
    for incident in state.incidents:
        action = plays.get(incident.play or 0)
        if action is not None and incident.kind in ASKING and incident.is_open:
            told = {"incident": incident.number, "kind": incident.kind, "asked": "referee"}
            asked.append((action, {**told, "open": state.phase in ("playing", "trick_over", "paused")}))
    return asked


def other_questions(state: TableState) -> list[dict[str, Any]]:
    """Doubtful cards of the exchange and prompt cards that could not be read, each with its picture."""
    return [
        {
            "incident": i.number,
            "kind": i.kind,
            "seat": i.seat,
            "evidence": i.evidence,
            "cards": i.detail.split() if i.kind == "doubtful_exchange" else [],
            "asked": "referee",
            "open": state.phase not in ("deal_over", "game_over"),
        }
        for i in state.incidents
        if i.kind in ("doubtful_exchange", "doubtful_prompt") and i.is_open
    ]


def owed(state: TableState, profile: Profile) -> list[dict[str, Any]]:
    """What is to be named or said before play can go on as the rules say: a type, a leader, a wild (000 L121-L255)."""
    return [*_type_to_name(state), *_leader_to_name(state), *_wild_to_say(state, profile)]


def _type_to_name(state: TableState) -> list[dict[str, Any]]:
    if state.names_type is None or state.deal is None:
        return []
    words = {"zh": "请指定须领出的牌型", "en": "the type to lead is to be named"}
    choices = list(state.nameable)
    return [
        {**COMMON, "kind": "name_type", "seat": state.deal.turn, "asked": state.names_type, "choices": choices, **words}
    ]


def _leader_to_name(state: TableState) -> list[dict[str, Any]]:
    waits = state.phase in ("standby", "deal_over", "dealing", "sorting", "fault")
    if not state.no_tribute or state.named_leader is not None or not waits:
        return []
    words = {"zh": "犯规后不贡牌，请对方指定领出者", "en": "no tribute after a foul: the leader is to be named"}
    return [{**COMMON, "kind": "name_leader", "seat": None, "asked": state.namer, "choices": list(SEATS), **words}]


def _wild_to_say(state: TableState, profile: Profile) -> list[dict[str, Any]]:
    """What the last play's wild stands for, until somebody acts after it.

    ``at_once``: whenever the cards have more readings than one (000 L121); ``when_needed``: where their places leave
    more than one (003 L18).
    """
    action = state.actions[-1] if state.actions else None
    playing = state.phase in ("playing", "trick_over", "paused") and state.deal is not None
    if action is None or not playing or action.declared or UNKNOWN in action.cards or action.is_doubtful:
        return []
    if wild_of(state.deal_level) not in action.cards:
        return []
    choices = [one.text() for one in _meanings(state, action, profile)]
    if len(choices) < 2:
        return []
    words = {"zh": "请说明红心级牌当作什么", "en": "what the wild stands for is to be said"}
    told = {"kind": "declare", "seat": action.seat, "asked": action.seat, "play": action.number}
    return [{**COMMON, **told, "taken": action.reading, "choices": choices, **words}]


def _meanings(state: TableState, action: Action, profile: Profile) -> list[Reading]:
    level = state.deal_level
    found = readings(action.cards, level, profile.policy)
    if profile.wild_declared != "at_once":
        placed = [one for one in found if fits(action.cards, one, level, triple_left=profile.fullhouse_triple_left)]
        found = tuple(placed) or found
    before = _beaten(state, action, profile)
    return [one for one in found if before is None or beats(before, one, level)]


def _beaten(state: TableState, action: Action, profile: Profile) -> Reading | None:
    """What the play was laid upon; None for a lead."""
    same = [a for a in state.actions if a.trick == action.trick and a.cards and a.number < action.number]
    if not same or not same[-1].reading:
        return None
    return parse_reading(same[-1].reading, readings(same[-1].cards, state.deal_level, profile.policy))
