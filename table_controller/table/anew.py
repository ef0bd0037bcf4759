"""Judging a deal anew from its record, as a human corrected it: incidents that no longer hold are withdrawn."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace

from table_controller.cards import SEATS, Seat, over_conserved
from table_controller.games.guandan.deal import Action, Deal, Verdict, Void, replay_actions
from table_controller.games.guandan.proof import proved
from table_controller.table.exchange import begin_turn
from table_controller.table.incidents import OPEN
from table_controller.table.match_state import PastDeal
from table_controller.table.proofs import prove, withdraw_unproved
from table_controller.table.refusal import Refusal
from table_controller.table.turn import Draft
from table_controller.table.undone import withdraw_ruled

Verdicts = list[tuple[Action, Verdict]]
OF_A_REPORT = ("missed_report", "wrong_report")
GONE = "no longer holds after a correction"
OF_A_PLAY = ("not_a_play", "does_not_beat", "too_many_cards", "irregular_layout", "out_of_turn")
"""Kinds that hold or fall with what a play of the record was."""


def verdicts_of(draft: Draft, actions: Iterable[Action]) -> Verdicts:
    """What these actions come to, from the deal's first lead or the last resync. Changes nothing."""
    return replay_actions(_start(draft), actions, draft.profile, void_of(draft.state.deal))


def void_of(deal: Deal | None) -> Void | None:
    """The void hand of a deal, and where in its record it was declared."""
    return (deal.void, deal.void_after) if deal is not None and deal.void is not None else None


def _start(draft: Draft) -> Deal:
    state = draft.state
    if state.resynced is not None:
        return copy.deepcopy(state.resynced)
    assert state.deal is not None
    limit = draft.profile.report.report_limit
    return Deal(leader=state.leader or state.deal.leader, level=state.deal_level, report_limit=limit)


def judge_anew(draft: Draft, at_ms: int, *, misread: bool = True) -> None:
    """The deal from its start with the record as it stands now; the turn and the clock follow.

    ``misread``: the record was wrong, so that rulings on what never was go too; not where play only went back.
    """
    state, before = draft.state, draft.state.deal
    assert before is not None
    deal = _start(draft)
    verdicts = replay_actions(deal, state.actions[state.judged_from :], draft.profile, void_of(before))
    refuse_impossible(verdicts)
    state.actions[state.judged_from :] = [with_reading(action, verdict) for action, verdict in verdicts]
    state.deal = deal
    if not deal.leading or deal.trick_number != before.trick_number or deal.turn != before.turn:
        state.names_type, state.nameable = None, []
    keep_reports(before, deal)
    _settle_incidents(draft, verdicts, dict(before.reported), at_ms, misread=misread)
    if deal.turn is not None and deal.turn != before.turn and state.phase in ("playing", "trick_over", "paused"):
        begin_turn(draft, deal.turn, at_ms)
        if state.phase == "paused":
            draft.hold_clock()
            state.thinking.since_ms = None


def refuse_impossible(verdicts: Verdicts) -> None:
    """A correction that the number of cards or the end of the deal contradicts is refused, with the play named."""
    for place, (action, verdict) in enumerate(verdicts):
        impossible = verdict.fault in ("too_many_cards", "pass_by_leader")
        early_end = verdict.deal_over and place < len(verdicts) - 1
        if impossible or early_end:
            why = "the deal would have ended before" if early_end else verdict.fault
            raise Refusal(
                f"With these cards number {action.number} by {action.seat} could not be: {why}.", code="ILLEGAL"
            )


def with_reading(action: Action, verdict: Verdict) -> Action:
    """An action with what its cards come to now."""
    judgement = verdict.judgement
    if judgement and judgement.reading:
        return replace(action, reading=judgement.reading.text())
    return replace(action, reading="") if judgement else action


def faults_of(verdicts: Verdicts) -> set[tuple[str, int]]:
    """Kind and number of everything irregular in a record."""
    found = {(verdict.fault, action.number) for action, verdict in verdicts if verdict.fault}
    found |= {("irregular_layout", action.number) for action, verdict in verdicts if verdict.irregular}
    return found | {("out_of_turn", action.number) for action, verdict in verdicts if verdict.out_of_turn}


def _settle_incidents(draft: Draft, verdicts: Verdicts, shown: dict[Seat, int], at_ms: int, *, misread: bool) -> None:
    """Raise what shows only now, withdraw what no longer holds."""
    before = draft.state.actions[: draft.state.judged_from]
    _settle_faults(draft, draft.state.deal_number, verdicts, before, at_ms, misread=misread)
    _settle_reports(draft, verdicts, at_ms, misread=misread)
    if misread:
        _reports_put_right(draft, verdicts, shown, at_ms)
    _settle_conservation(draft, at_ms)
    withdraw_unproved(draft, at_ms)
    prove(draft, at_ms)


def settle_past(draft: Draft, past: PastDeal, verdicts: Verdicts, at_ms: int) -> None:
    """The same for a deal that is over: its faults, and what its plays prove of its exchange."""
    _settle_faults(draft, past.number, verdicts, past.actions[: past.judged_from], at_ms, misread=True)
    if past.exchange is not None:
        found = proved(list(past.actions), past.exchange, past.level, draft.profile)
        withdraw_unproved(draft, at_ms, past.number, found)
        prove(draft, at_ms, past.number, found)


def _settle_faults(
    draft: Draft, number: int, verdicts: Verdicts, before: Iterable[Action], at_ms: int, *, misread: bool
) -> None:
    """``before``: plays before the last resync, which nobody judges any more."""
    state, faults = draft.state, faults_of(verdicts)
    seats, unjudged = {action.number: action.seat for action, _ in verdicts}, {action.number for action in before}
    mine = [i for i in state.incidents if draft.of_deal(i, number) and i.play is not None]
    for incident in mine:
        holds = (incident.kind, incident.play) in faults or incident.play in unjudged
        if incident.kind in OF_A_PLAY and incident.status in OPEN and not holds:
            draft.withdraw(incident.number, at_ms, GONE)
        elif incident.kind in OF_A_PLAY and incident.status == "resolved" and misread and not holds:
            withdraw_ruled(draft, incident, at_ms, GONE)
    known = {(i.kind, i.play) for i in mine if not i.is_withdrawn}
    for kind, play in sorted(faults - known):
        draft.incident(kind, at_ms, seats[play], play, deal=number)


def _settle_conservation(draft: Draft, at_ms: int) -> None:
    """A human's word may make a third copy of a card, or show that there was none; doubtful plays ask by themselves."""
    state, seen = draft.state, list[str]()
    mine = [i for i in state.incidents if i.kind == "conservation" and draft.of_this_deal(i)]
    for action in state.actions:
        surplus = [card for card in over_conserved([*seen, *action.cards]) if card in action.cards]
        seen += action.cards
        if action.is_doubtful:
            continue
        asked = [i for i in mine if i.play == action.number and not i.is_withdrawn]
        if surplus and not asked:  # whoever was asked and said that it is so is not asked again
            draft.incident("conservation", at_ms, action.seat, action.number, detail=" ".join(surplus))
        for incident in [] if surplus else [i for i in asked if i.is_open]:
            draft.withdraw(incident.number, at_ms, "no longer holds after a correction")


def first_dues(verdicts: Verdicts) -> dict[Seat, int]:
    """What each seat had to report, once a hand: a later play with fewer cards makes no new one due (seed 000 L167)."""
    dues: dict[Seat, int] = {}
    for action, verdict in verdicts:
        if verdict.report is not None:
            dues.setdefault(action.seat, verdict.report)
    return dues


def _settle_reports(draft: Draft, verdicts: Verdicts, at_ms: int, *, misread: bool) -> None:
    state = draft.state
    since_ms = state.actions[state.judged_from].at_ms if 0 < state.judged_from < len(state.actions) else 0
    dues = first_dues(verdicts)
    for incident in list(draft.state.incidents):
        may_go = incident.status in OPEN or (misread and incident.status == "resolved")
        if not draft.of_this_deal(incident) or not may_go or incident.seat is None or incident.at_ms < since_ms:
            continue
        due = dues.get(incident.seat)
        wrong = incident.kind == "wrong_report" and incident.detail.split(" ")[0] == str(due)
        if wrong or (incident.kind == "missed_report" and due is None):
            withdraw_ruled(draft, incident, at_ms, GONE)


def _reports_put_right(draft: Draft, verdicts: Verdicts, shown: dict[Seat, int], at_ms: int) -> None:
    """A report was of another number than is held, as the record shows now; the right number stands from now on."""
    deal = draft.state.deal
    assert deal is not None
    for seat, due in first_dues(verdicts).items():
        if seat not in deal.reported:
            continue
        deal.reported[seat] = due
        told = [i for i in draft.state.incidents if i.kind in OF_A_REPORT and i.seat == seat and draft.of_this_deal(i)]
        numbers = [int(i.detail.split(" ")[0]) for i in told if i.kind == "wrong_report"]
        number = numbers[-1] if numbers else shown[seat]
        if number != due and all(i.is_withdrawn for i in told):
            draft.incident("wrong_report", at_ms, seat, detail=f"{number} shown, {due} held")


def keep_reports(old: Deal, new: Deal) -> None:
    """Reports were seen apart from the plays: they stand as they were made."""
    for seat in SEATS:
        if seat in old.reported:
            new.reported[seat] = old.reported[seat]
            new.owes_report.pop(seat, None)
