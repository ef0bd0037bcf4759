"""What a seat must or may not play: barred types, the named type, a card that was shown (000 L255-L261, L277)."""

from __future__ import annotations

from collections.abc import Sequence

from table_controller.cards import UNKNOWN
from table_controller.games.guandan.deal import Action
from table_controller.games.guandan.hands import TYPES
from table_controller.games.guandan.judge import judge
from table_controller.games.guandan.obligation import LeadBan, MustLead, ShownCard
from table_controller.games.guandan.plays import all_plays
from table_controller.table.turn import Draft

BANNED = "banned_type"
WRONG_PLAYS = ("not_a_play", "does_not_beat", "too_many_cards")
"""错牌: what the rules make of them is the same (seed 000 L253-L259)."""


def broken_duty(draft: Draft, action: Action) -> LeadBan | MustLead | None:
    """What a lead breaks: a type that is barred, or another than the one that was named; None for any other lead."""
    state, deal = draft.state, draft.state.deal
    assert deal is not None
    duties: list[LeadBan | MustLead] = [*state.bans]
    if state.must_lead is not None:
        duties.append(state.must_lead)
    if not duties:
        return None
    reading = judge(action.cards, state.deal_level, draft.profile).reading
    if reading is None:
        return None
    return next((d for d in duties if d.broken_by(action.seat, deal.trick_number, reading.type)), None)


def punished(draft: Draft, duty: LeadBan | MustLead) -> bool:
    """Whether the text names a penalty: a warning where a wrong play barred the type (000 L259), else none (L277)."""
    cause = next((i.kind for i in draft.state.incidents if i.number == duty.incident), "")
    return isinstance(duty, LeadBan) and cause in WRONG_PLAYS


def check_shown_cards(draft: Draft, action: Action) -> None:
    """A card shown without owing tribute goes at the seat's first single, or with a later play (seed 000 L261)."""
    if action.is_doubtful:
        return
    for shown in [s for s in draft.state.shown_cards if s.seat == action.seat]:
        kept = shown.kept(action.cards)
        if kept is None:
            continue
        draft.state.shown_cards.remove(shown)
        if not kept:
            draft.incident("shown_card_kept", action.at_ms, action.seat, action.number, detail=shown.card)


def owe_card(draft: Draft, shown: ShownCard) -> None:
    """From now on this card is due."""
    if shown not in draft.state.shown_cards:
        draft.state.shown_cards.append(shown)


def types_in(cards: Sequence[str], level: str) -> list[str]:
    """The types of play that cards shown hold; every type where one of them was not read."""
    if UNKNOWN in cards or not cards:
        return list(TYPES)
    held = {reading.type for known in all_plays(cards, level).values() for reading in known}
    return [name for name in TYPES if name in held]


def unname(draft: Draft) -> None:
    """Nobody is to name a type any more: it was named, the lead was made or lost, or the ruling is gone."""
    draft.state.names_type, draft.state.nameable = None, []
