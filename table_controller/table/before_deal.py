"""What people are told to do: who shuffles, cuts, turns and draws, who turns up the returns, who must report, and how.

Nothing here is kept: it follows from the state and the profile whenever somebody looks.
"""

from __future__ import annotations

from typing import Any

from table_controller.cards import UNKNOWN
from table_controller.games.guandan.before import Roles, first_roles, late_roles, later_roles
from table_controller.games.guandan.irregular import returns_shown
from table_controller.games.guandan.order import card_strength
from table_controller.games.guandan.profile import Profile
from table_controller.table.state import TableState

_JOKERS = {"BJ": "big_joker", "SJ": "small_joker"}
_SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
BEFORE_A_DEAL = ("standby", "deal_over", "game_over", "dealing", "fault")


def _roles(state: TableState, profile: Profile) -> Roles:
    if state.phase != "game_over" and state.deal_number:
        return later_roles(state.last_order, state.deal_number + 1, profile)
    if state.phase != "game_over" and len(state.late) == 1:
        return late_roles(state.late[0][1], profile)
    return first_roles(profile)


def machine_draws(state: TableState, profile: Profile) -> bool:
    """Whether the dealing machine takes the place of shuffling, cutting and drawing (seed 000 L91)."""
    return profile.before.machine_replaces_drawing and (state.dealer.online or state.phase == "dealing")


def in_words(card: str) -> str:
    """A card that a rule names, such as ``2_of_hearts``: no code, for codes in the feed are cards that were shown."""
    return _JOKERS.get(card) or f"{card[0]}_of_{_SUITS[card[1]]}"


def before_deal(state: TableState, profile: Profile, at_ms: int) -> dict[str, Any] | None:
    """Who does what with the pack before the next deal; None while one is under way."""
    if state.phase not in BEFORE_A_DEAL:
        return None
    roles, rules = _roles(state, profile), profile.before
    return {
        "deal": 1 if state.phase == "game_over" else state.deal_number + 1,
        "by_machine": machine_draws(state, profile),
        "shufflers": list(roles.shufflers),
        "shuffles": list(roles.shuffles),
        "cutters": list(roles.cutters),
        "cut_margin": rules.cut_margin,
        "turns": roles.turns,
        "cut_again": [in_words(card) for card in rules.cut_again] if roles.turns else [],
        "first": roles.first,
        "leads": state.named_leader or roles.leads,
        "seated_before_minutes": rules.seated_before_minutes,
        "begins_in_ms": max(0, state.match.begun_ms - at_ms) if state.phase == "standby" else 0,
    }


def reveals(state: TableState, profile: Profile) -> list[str]:
    """Who turns up the returns of a double tribute together (seed 000 L151; 003 L33); nobody while none are due."""
    exchange = state.exchange
    phase = state.under if state.phase == "paused" else state.phase
    if phase != "returning" or len(exchange.pays) < 2:
        return []
    cards = [exchange.shown.get(payer, UNKNOWN) for payer in exchange.pays]
    equal = UNKNOWN not in cards and len({card_strength(card, state.deal_level) for card in cards}) == 1
    by = returns_shown(equal=equal, revealed_by=profile.returns_revealed_by).by
    return list(exchange.pays if by == "payers" else exchange.pays.values())


def customs(profile: Profile) -> dict[str, Any]:
    """How a pass, a report and a wild are shown at this table: cards laid or words said."""
    return {
        "pass_by": profile.pass_by,
        "report_by": profile.report.report_by,
        "report_limit": profile.report.report_limit,
        "wild_declared": profile.wild_declared,
    }
