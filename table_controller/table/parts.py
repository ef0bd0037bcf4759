"""A play laid in parts: cards that slide in a moment later belong to it; laid after a pause they are an irregularity.

A whole hand goes down at once (seed 000 L157; 003 L29), but a thrown card may come to rest a second after the others.
"""

from __future__ import annotations

from dataclasses import replace

from table_controller.cards import UNKNOWN
from table_controller.games.guandan.judge import judge
from table_controller.table.anew import judge_anew, verdicts_of
from table_controller.table.state import Early
from table_controller.table.turn import EARLY_HOLD_MS, Draft

TOGETHER_MS = 1500
"""Cards that come to rest within this time of each other were laid at once."""


def completes(draft: Draft, action: Early) -> Early | None:
    """The action to take: itself, or whole with the part that was rejected; None where it completed the last play."""
    if action.doubtful or UNKNOWN in action.cards:
        return action
    whole = _with_rejected(draft, action)
    if whole is not None:
        return whole
    return None if _completed_last(draft, action) else action


def _with_rejected(draft: Draft, action: Early) -> Early | None:
    state, deal, first = draft.state, draft.state.deal, draft.state.rejected
    if deal is None or first is None or first.seat != action.seat or deal.turn != action.seat or first.doubtful:
        return None
    cards = (*first.cards, *action.cards)
    judgement = judge(cards, state.deal_level, draft.profile, deal.to_beat)
    if judgement.reading is None or not judgement.beats or len(cards) > deal.counts[action.seat]:
        return None
    if any(i.number == first.incident and i.is_open for i in state.incidents):
        draft.withdraw(first.incident, action.at_ms, "the rest of the play was laid after it")
    if action.at_ms - first.at_ms > TOGETHER_MS:
        draft.incident("split_play", action.at_ms, action.seat, detail=" ".join(cards))
    state.rejected = None
    return replace(action, cards=cards)


def _completed_last(draft: Draft, action: Early) -> bool:
    """Whether the cards belong to the play that this seat has just made, which was legal without them."""
    state, deal = draft.state, draft.state.deal
    last = state.actions[-1] if state.actions else None
    if deal is None or last is None or last.seat != action.seat or not last.cards or last.is_doubtful:
        return False
    if deal.trick.last_seat != action.seat or state.lifted == action.seat:
        return False
    if action.at_ms - last.at_ms > EARLY_HOLD_MS or last.number - 1 < 0 or len(state.actions) <= state.judged_from:
        return False
    whole = replace(last, cards=(*last.cards, *action.cards), at_ms=last.at_ms)
    verdicts = verdicts_of(draft, [*state.actions[state.judged_from : -1], whole])
    if verdicts[-1][1].fault:
        return False
    state.actions[-1] = whole
    split = action.at_ms - last.at_ms > TOGETHER_MS
    draft.publish(
        "correction", play=whole.number, seat=whole.seat, cards=whole.cards, was=last.cards, by="table", deal=0
    )
    judge_anew(draft, action.at_ms)
    if split:
        draft.incident("split_play", action.at_ms, action.seat, whole.number, detail=" ".join(whole.cards))
    return True
