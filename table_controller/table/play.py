"""Playing: plays, passes, reports and tricks."""

from __future__ import annotations

import copy
from dataclasses import replace

from table_controller.cards import UNKNOWN, Seat, over_conserved
from table_controller.games.guandan.deal import Action, Deal, Verdict
from table_controller.games.guandan.hands import readings
from table_controller.games.guandan.penalties import NO_PENALTY, pass_is_wrong
from table_controller.table.deal_end import end_deal
from table_controller.table.duties import BANNED, broken_duty, check_shown_cards, punished, unname
from table_controller.table.effects import AskHuman, CancelTimer, SetTimer
from table_controller.table.events import AreaCleared, CardsGone, CardsSeen, PassPressed, PlayEntered
from table_controller.table.exchange import begin_turn, end_sorting, exchange_goes_on, return_put_right, shown
from table_controller.table.parts import completes
from table_controller.table.proofs import prove
from table_controller.table.refusal import Refusal
from table_controller.table.reports import early_report, missed_report
from table_controller.table.shot_clock import judge_time
from table_controller.table.state import Early
from table_controller.table.stops import barred, followed, forget, skip
from table_controller.table.turn import EARLY_HOLD_MS, Draft

IN_PLAY = ("playing", "trick_over")

SAID = ("word", "knock")
"""Ways of passing that no camera sees."""


def cards_seen(draft: Draft, event: CardsSeen) -> None:
    """New cards in a play area: a tribute, a return or a play, by the phase. Between deals they only lie there."""
    draft.state.areas[event.seat] += len(event.cards)
    if draft.state.phase in ("standby", "dealing", "deal_over", "game_over", "fault"):
        return
    laid(draft, Early(event.seat, event.at_ms, event.cards, event.doubtful, event.evidence))


def play_entered(draft: Draft, event: PlayEntered) -> None:
    """A play told by a human instead of the camera; it may replace one that was misread as no play."""
    draft.require("sorting", "tribute", "returning", "playing", "trick_over", "paused")
    if event.replaces:
        found = next((i for i in draft.state.incidents if i.number == event.replaces), None)
        if found is None or not found.is_open or found.seat != event.seat:
            raise Refusal(f"There is no open incident {event.replaces} of seat {event.seat}.", code="INCIDENT")
        draft.withdraw(found.number, event.at_ms, f"read anew by {event.by}")
        draft.state.rejected = None
    if draft.state.phase == "tribute" and event.seat not in draft.state.exchange.owing:
        raise Refusal(f"Seat {event.seat} owes no tribute.", way_out="Name the seat that pays.", code="TRIBUTE")
    laid(draft, Early(event.seat, event.at_ms, event.cards, ()))


def laid(draft: Draft, action: Early) -> None:
    """Cards laid: what they are depends on the phase. While play is paused they wait for it to go on."""
    if not action.cards:
        raise Refusal("A play needs at least one card.", code="EMPTY")
    if draft.state.phase == "paused":
        draft.state.early.append(action)
        return
    if draft.state.phase == "sorting":
        end_sorting(draft, action.at_ms, action.seat)
    if draft.state.phase in ("tribute", "returning"):
        shown(draft, action)
    elif not return_put_right(draft, action):
        take_or_hold(draft, action)


def go_on(draft: Draft, at_ms: int) -> None:
    """After a pause: what was laid or passed meanwhile takes effect."""
    if draft.state.phase in IN_PLAY:
        if playing_deal(draft).over:
            end_deal(draft, at_ms)
            return
        settle_turn(draft, at_ms)
        take_waiting(draft)
        if draft.state.early:
            draft.emit(SetTimer("early", at_ms + EARLY_HOLD_MS))
        return
    exchange_goes_on(draft, at_ms)
    waiting, draft.state.early = draft.state.early, []
    for action in waiting:
        _lay_if_due(draft, action)


def _lay_if_due(draft: Draft, action: Early) -> None:
    """What was laid during a pause and nobody waits for must not keep the table paused: it only lies there."""
    trial = Draft(copy.deepcopy(draft.state))
    try:
        laid(trial, action)
    except Refusal:
        return
    draft.state = trial.state
    draft.effects.extend(trial.effects)


def pass_pressed(draft: Draft, event: PassPressed) -> None:
    """The PASS button, the same as a PASS card; or a pass that was said or knocked, as a human tells."""
    draft.require("playing", "trick_over", "paused")
    if draft.state.phase == "paused" and draft.state.under not in IN_PLAY:
        raise Refusal(f"Nobody passes in '{draft.state.under}'.", code="PHASE")
    said = event.how in SAID
    deal = playing_deal(draft)
    if said and pass_is_wrong("pass_said", draft.profile) and not (deal.leading and deal.turn == event.seat):
        draft.incident("pass_said", event.at_ms, event.seat, detail=event.how)
    passed(draft, Early(event.seat, event.at_ms, (), ()))
    if said:  # nothing showed it: what came after it may have counted as out of turn
        take_unapplied(draft, event.at_ms)


def passed(draft: Draft, action: Early) -> None:
    """A pass by card or button; while play is paused it waits."""
    if draft.state.phase == "paused":
        draft.state.early.append(action)
    else:
        take_or_hold(draft, action)


def cards_gone(draft: Draft, event: CardsGone) -> None:
    """Some cards left an area."""
    draft.state.areas[event.seat] = max(0, draft.state.areas[event.seat] - len(event.cards))
    _lifted(draft, event.seat)


def area_cleared(draft: Draft, event: AreaCleared) -> None:
    """A play area is empty."""
    draft.state.areas[event.seat] = 0
    _lifted(draft, event.seat)


def _lifted(draft: Draft, seat: Seat) -> None:
    """Cards left an area: a wrong play taken back, or the last play while it can still be beaten."""
    state = draft.state
    if state.rejected is not None and state.rejected.seat == seat:
        state.rejected = None
    if state.deal is not None and state.deal.trick.last_seat == seat and not state.deal.over:
        state.lifted = seat


def playing_deal(draft: Draft) -> Deal:
    """The deal under way; a phase that plays always has one."""
    deal = draft.state.deal
    assert deal is not None, "a table that plays has a deal"
    return deal


def take_or_hold(draft: Draft, action: Early) -> None:
    """Apply an action in turn, with what was waiting for it; hold one that came before its turn.

    A sleeve may hide an earlier seat's play, so nobody is accused before the earlier seats have had time to be seen.
    """
    deal = playing_deal(draft)
    if action.cards:
        whole = completes(draft, action)
        if whole is None:
            return
        action = whole
    if action.seat != deal.turn:
        if action.seat in deal.out:
            raise Refusal(f"Seat {action.seat} is out.", code="OUT")
        draft.state.early.append(action)
        draft.emit(SetTimer("early", draft.state.early[0].at_ms + EARLY_HOLD_MS))
        return
    _take(draft, action)
    take_waiting(draft)


def take_waiting(draft: Draft) -> None:
    """Apply held actions whose turn has come."""
    state = draft.state
    while state.phase in IN_PLAY and state.early:
        turn = playing_deal(draft).turn
        due = next((early for early in state.early if early.seat == turn), None)
        if due is None:
            return
        state.early.remove(due)
        _take(draft, due)
    if not state.early:
        draft.emit(CancelTimer("early"))


def take_unapplied(draft: Draft, at_ms: int) -> None:
    """What counted as out of turn only because a play was missing is in turn now: its incident is withdrawn."""
    state = draft.state
    while state.phase in ("playing", "trick_over") and state.unapplied:
        turn = playing_deal(draft).turn
        due = next((early for early in state.unapplied if early.seat == turn and not _ruled_on(draft, early)), None)
        if due is None:
            return
        state.unapplied.remove(due)
        if any(i.number == due.incident and i.is_open for i in state.incidents):
            draft.withdraw(due.incident, at_ms, "in turn, once the missed play was told")
        _take(draft, due)


def _ruled_on(draft: Draft, early: Early) -> bool:
    """Whether a referee has settled it as out of turn: then the cards went back to the hand (000 L275)."""
    return any(i.number == early.incident and i.status == "resolved" for i in draft.state.incidents)


def _take(draft: Draft, action: Early) -> None:
    missed_report(draft, action.seat, action.at_ms)
    if action.cards:
        _play(draft, action)
    else:
        _pass(draft, action)


def _new_action(draft: Draft, early: Early) -> tuple[Action, tuple[str, ...]]:
    """The action as it enters the record, with the cards that conservation flags."""
    state = draft.state
    action = Action(
        state.next_action,
        early.seat,
        early.at_ms,
        early.cards,
        early.doubtful,
        playing_deal(draft).trick_number,
        evidence=early.evidence,
    )
    spent = [card for other in state.actions for card in other.cards]
    surplus = tuple(card for card in over_conserved([*spent, *action.cards]) if card in action.cards)
    if surplus:
        places = tuple(i for i, card in enumerate(action.cards) if card in surplus)
        action = replace(action, doubtful=tuple(sorted({*action.doubtful, *places})))
    return action, surplus


def _play(draft: Draft, early: Early) -> None:
    state, deal = draft.state, playing_deal(draft)
    action, surplus = _new_action(draft, early)
    judge_time(draft, early.at_ms)
    led, trick = deal.leading, deal.trick_number
    duty = broken_duty(draft, action) if led and not action.is_doubtful else None
    verdict = (
        Verdict(fault=BANNED)
        if duty
        else deal.play(action.seat, action.cards, draft.profile, doubtful=action.is_doubtful)
    )
    if verdict.fault:
        _reject(draft, early, verdict, what="" if duty is None or punished(draft, duty) else NO_PENALTY)
        return
    reading = verdict.judgement.reading if verdict.judgement else None
    action = replace(action, reading=reading.text() if reading else "")
    _record(draft, action)
    state.rejected, state.lifted = None, None
    if not led:
        followed(draft, action.seat)
    if led:
        unname(draft)
    if led and state.must_lead is not None and state.must_lead.trick == trick:
        state.must_lead = None
    if action.is_doubtful:
        _ask(draft, action, "conservation" if surplus else "doubtful_reading")
    if verdict.irregular:
        draft.incident("irregular_layout", early.at_ms, early.seat, action.number)
    check_shown_cards(draft, action)
    prove(draft, early.at_ms)
    early_report(draft, early.seat, early.at_ms)
    after(draft, verdict, early.at_ms)


def _record(draft: Draft, action: Action) -> None:
    draft.think(action.at_ms, action.seat)
    draft.state.actions.append(action)
    draft.state.next_action += 1
    if not action.cards:
        draft.publish("pass", number=action.number, seat=action.seat, stamp_ms=action.at_ms)
        return
    draft.publish(
        "play",
        number=action.number,
        seat=action.seat,
        cards=action.cards,
        reading=action.reading,
        left=playing_deal(draft).counts[action.seat],
        doubtful=action.is_doubtful,
        evidence=action.evidence,
        stamp_ms=action.at_ms,
    )


def _reject(draft: Draft, early: Early, verdict: Verdict, what: str) -> None:
    """Cards that are no legal play change nothing: the turn stays, and a human is told."""
    shown_type = next((r.type for r in readings(early.cards, draft.state.deal_level, draft.profile.policy)), "")
    detail = " ".join(early.cards)
    fault, at_ms = verdict.fault, early.at_ms
    found = draft.incident(fault, at_ms, early.seat, detail=detail, shown_type=shown_type, what=what)
    draft.state.rejected = replace(early, incident=found.number)


def _ask(draft: Draft, action: Action, kind: str) -> None:
    """A doubtful reading stays doubtful: play goes on, and a human is asked."""
    unread = [("?" if card == UNKNOWN else card) for card in action.cards]
    draft.incident(kind, action.at_ms, action.seat, action.number, detail=" ".join(unread))
    question = f"Which cards did seat {action.seat} play? {' '.join(unread)}"
    draft.emit(AskHuman(action.number, action.seat, question, action.evidence))


def _pass(draft: Draft, early: Early) -> None:
    state, deal = draft.state, playing_deal(draft)
    trick = deal.trick_number
    judge_time(draft, early.at_ms)
    verdict = deal.pass_(early.seat)
    if verdict.fault:
        draft.incident(verdict.fault, early.at_ms, early.seat)
        return
    _record(draft, Action(state.next_action, early.seat, early.at_ms, trick=trick))
    after(draft, verdict, early.at_ms)


def after(draft: Draft, verdict: Verdict, at_ms: int) -> None:
    """The next turn, the next trick, or the end of the deal. A seat that may not play is passed over."""
    deal = playing_deal(draft)
    if draft.state.phase == "trick_over":
        draft.move("trick_begins")
    if verdict.deal_over:
        end_deal(draft, at_ms)
        return
    if verdict.trick_over:
        _next_trick(draft, deal)
    turn = deal.turn
    assert turn is not None, "a deal that goes on has a turn"
    found = barred(draft, turn)
    if found is not None:
        after(draft, skip(draft, found, at_ms), at_ms)
        return
    begin_turn(draft, turn, at_ms)


def skip_if_barred(draft: Draft, at_ms: int) -> None:
    """The seat in turn has lost its right, or has come to the turn without one by a human's word: the next plays."""
    deal = draft.state.deal
    if deal is None or deal.turn is None or draft.state.phase not in IN_PLAY:
        return
    found = barred(draft, deal.turn)
    if found is not None:
        after(draft, skip(draft, found, at_ms), at_ms)


def settle_turn(draft: Draft, at_ms: int) -> None:
    """A ruling made while play stood may have ended the trick, barred the seat in turn or taken it out."""
    deal = playing_deal(draft)
    if deal.trick.over or deal.turn is None:
        after(draft, Verdict(trick_over=True), at_ms)
    elif barred(draft, deal.turn) is not None or draft.state.clock.seat != deal.turn:
        after(draft, Verdict(), at_ms)


def _next_trick(draft: Draft, deal: Deal) -> None:
    draft.move("trick_ends")
    winner = deal.trick.last_seat
    leader = deal.next_trick(draft.profile)
    draft.state.lifted, draft.state.rejected, draft.state.unapplied = None, None, []
    forget(draft)
    draft.publish("trick_over", winner=winner, leads=leader, trick=deal.trick_number - 1)
