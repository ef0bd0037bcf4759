"""Playing: plays, passes, reports, tricks and the end of a deal."""

from __future__ import annotations

from dataclasses import replace

from table_controller.cards import UNKNOWN, Seat, other_pair, over_conserved
from table_controller.games.guandan.deal import Action, Deal, Verdict
from table_controller.games.guandan.match import settle
from table_controller.table.effects import AskHuman, CancelTimer, SetTimer
from table_controller.table.events import AreaCleared, CardsGone, CardsSeen, PassPressed, PlayEntered
from table_controller.table.exchange import begin_turn, end_sorting, shown
from table_controller.table.refusal import Refusal
from table_controller.table.state import Early
from table_controller.table.turn import EARLY_HOLD_MS, Draft


def cards_seen(draft: Draft, event: CardsSeen) -> None:
    """New cards in a play area: a tribute, a return or a play, by the phase."""
    draft.require("sorting", "tribute", "returning", "playing", "trick_over", "paused")
    draft.state.areas[event.seat] += len(event.cards)
    laid(draft, Early(event.seat, event.at_ms, event.cards, event.doubtful, event.evidence))


def play_entered(draft: Draft, event: PlayEntered) -> None:
    """A play told by a human instead of the camera."""
    draft.require("sorting", "tribute", "returning", "playing", "trick_over", "paused")
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
        shown(draft, action.seat, action.cards, action.at_ms)
    else:
        take_or_hold(draft, action)


def go_on(draft: Draft) -> None:
    """After a pause: what was laid or passed meanwhile takes effect."""
    if draft.state.phase in ("playing", "trick_over"):
        if playing_deal(draft).over:
            end_deal(draft, draft.state.clock.anchor_ms)
            return
        take_waiting(draft)
        if draft.state.early:
            draft.emit(SetTimer("early", draft.state.clock.anchor_ms + EARLY_HOLD_MS))
        return
    waiting, draft.state.early = draft.state.early, []
    for action in waiting:
        laid(draft, action)


def pass_pressed(draft: Draft, event: PassPressed) -> None:
    """The PASS button, the same as a PASS card."""
    draft.require("playing", "trick_over", "paused")
    passed(draft, Early(event.seat, event.at_ms, (), ()))


def passed(draft: Draft, action: Early) -> None:
    """A pass by card or button; while play is paused it waits."""
    if draft.state.phase == "paused":
        draft.state.early.append(action)
    else:
        take_or_hold(draft, action)


def cards_gone(draft: Draft, event: CardsGone) -> None:
    """Some cards left an area."""
    draft.state.areas[event.seat] = max(0, draft.state.areas[event.seat] - len(event.cards))


def area_cleared(draft: Draft, event: AreaCleared) -> None:
    """A play area is empty."""
    draft.state.areas[event.seat] = 0


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
    while state.phase in ("playing", "trick_over") and state.early:
        turn = playing_deal(draft).turn
        due = next((early for early in state.early if early.seat == turn), None)
        if due is None:
            return
        state.early.remove(due)
        _take(draft, due)
    if not state.early:
        draft.emit(CancelTimer("early"))


def _take(draft: Draft, action: Early) -> None:
    _missed_report(draft, action.seat, action.at_ms)
    if action.cards:
        _play(draft, action)
    else:
        _pass(draft, action)


def _judge_time(draft: Draft, at_ms: int) -> None:
    """The stamp decides, and a tie goes to the player, whenever the camera's reading arrived."""
    clock = draft.state.clock
    if clock.kind != "play":
        return
    used = clock.elapsed(at_ms)
    if used > clock.limit_ms and not clock.violations:
        violation(draft, at_ms)
    elif clock.warned and used <= clock.warning_ms:
        draft.publish("warning_withdrawn", seat=clock.seat)


def violation(draft: Draft, at_ms: int) -> None:
    """30 s passed: an incident; play goes on as the referee says."""
    clock = draft.state.clock
    clock.violations += 1
    if clock.seat is not None:
        draft.lamp(clock.seat, "fast")
    draft.buzz("violation")
    draft.incident("time_violation", at_ms, clock.seat)
    draft.publish("violation30", seat=clock.seat)


def stop_turn(draft: Draft, at_ms: int) -> None:
    """``enforce``: a violation at 30 s stops the turn, and the next seat plays (seed 000 L311).

    While a reading of this trick is doubtful, or an action waits to be understood, the table only advises: the seat may
    have played without being seen.
    """
    state, deal = draft.state, playing_deal(draft)
    unsure = any(action.is_doubtful and action.trick == deal.trick_number for action in state.actions)
    if state.officiating != "enforce" or unsure or deal.to_beat_unknown or state.early or state.camera_lost:
        return
    seat = deal.turn
    assert seat is not None, "a clock runs for a seat in turn"
    led = deal.leading
    trick = deal.trick_number
    verdict = deal.stop_turn(seat)
    draft.publish("turn_stopped", seat=seat, lead=led)
    if not led:
        state.actions.append(Action(state.next_action, seat, at_ms, trick=trick))
        state.next_action += 1
    after(draft, verdict, at_ms)


def _play(draft: Draft, early: Early) -> None:
    state, deal = draft.state, playing_deal(draft)
    action = Action(
        state.next_action,
        early.seat,
        early.at_ms,
        early.cards,
        early.doubtful,
        deal.trick_number,
        evidence=early.evidence,
    )
    spent = [card for other in state.actions for card in other.cards]
    surplus = over_conserved([*spent, *action.cards])
    if surplus:
        places = tuple(i for i, card in enumerate(action.cards) if card in surplus)
        action = replace(action, doubtful=tuple(sorted({*action.doubtful, *places})))
    _judge_time(draft, early.at_ms)
    verdict = deal.play(action.seat, action.cards, draft.profile, doubtful=action.is_doubtful)
    if verdict.fault:
        draft.incident(verdict.fault, early.at_ms, early.seat, detail=" ".join(early.cards))
        return
    reading = verdict.judgement.reading.text() if verdict.judgement and verdict.judgement.reading else ""
    action = replace(action, reading=reading)
    state.actions.append(action)
    state.next_action += 1
    draft.publish(
        "play",
        number=action.number,
        seat=action.seat,
        cards=action.cards,
        reading=reading,
        left=deal.counts[action.seat],
        doubtful=action.is_doubtful,
        evidence=action.evidence,
        stamp_ms=action.at_ms,
    )
    if action.is_doubtful:
        _ask(draft, action, "conservation" if surplus else "doubtful_reading")
    if verdict.irregular:
        draft.incident("irregular_layout", early.at_ms, early.seat, action.number)
    _early_report(draft, early.seat, early.at_ms)
    after(draft, verdict, early.at_ms)


def _ask(draft: Draft, action: Action, kind: str) -> None:
    """A doubtful reading stays doubtful: play goes on, and a human is asked."""
    unread = [("?" if card == UNKNOWN else card) for card in action.cards]
    draft.incident(kind, action.at_ms, action.seat, action.number, detail=" ".join(unread))
    question = f"Which cards did seat {action.seat} play? {' '.join(unread)}"
    draft.emit(AskHuman(action.number, action.seat, question, action.evidence))


def _pass(draft: Draft, early: Early) -> None:
    state, deal = draft.state, playing_deal(draft)
    trick = deal.trick_number
    _judge_time(draft, early.at_ms)
    verdict = deal.pass_(early.seat)
    if verdict.fault:
        draft.incident(verdict.fault, early.at_ms, early.seat)
        return
    action = Action(state.next_action, early.seat, early.at_ms, trick=trick)
    state.actions.append(action)
    state.next_action += 1
    draft.publish("pass", number=action.number, seat=early.seat, stamp_ms=early.at_ms)
    after(draft, verdict, early.at_ms)


def after(draft: Draft, verdict: Verdict, at_ms: int) -> None:
    """The next turn, the next trick, or the end of the deal."""
    deal = playing_deal(draft)
    if draft.state.phase == "trick_over":
        draft.move("trick_begins")
    if verdict.deal_over:
        end_deal(draft, at_ms)
        return
    if verdict.trick_over:
        draft.move("trick_ends")
        winner = deal.trick.last_seat
        leader = deal.next_trick(draft.profile)
        draft.publish("trick_over", winner=winner, leads=leader, trick=deal.trick_number - 1)
    turn = deal.turn
    assert turn is not None, "a deal that goes on has a turn"
    begin_turn(draft, turn, at_ms)


def _missed_report(draft: Draft, seat: Seat, at_ms: int) -> None:
    """A report not made before that seat's next action is missed (seed 000 L165-L169)."""
    deal = playing_deal(draft)
    owed = deal.owes_report.pop(seat, None)
    if owed is not None:
        deal.reported[seat] = owed
        draft.incident("missed_report", at_ms, seat, detail=str(owed))


def _early_report(draft: Draft, seat: Seat, at_ms: int) -> None:
    """A report card seen before the play that made it due."""
    number = draft.state.early_reports.pop(seat, None)
    if number is not None:
        report(draft, seat, number, at_ms)


def report(draft: Draft, seat: Seat, number: int, at_ms: int) -> None:
    """A report card: right, wrong, or before its play was read (then it waits)."""
    deal = playing_deal(draft)
    if deal.report(seat, number):
        draft.publish("report", seat=seat, number=number)
    elif seat in deal.owes_report:
        deal.reported[seat] = deal.owes_report.pop(seat)
        draft.incident("wrong_report", at_ms, seat, detail=f"{number} shown, {deal.counts[seat]} held")
    elif deal.counts[seat] > number:
        draft.state.early_reports[seat] = number


def end_deal(draft: Draft, at_ms: int) -> None:
    """Places, levels, and the next deal's level (seed 000 L43-L49, L189)."""
    state, deal = draft.state, playing_deal(draft)
    order = deal.order
    result = settle(
        order,
        state.levels,
        state.deal_level,
        state.owner,
        pass_a_on_own_level_only=draft.profile.pass_a_on_own_level_only,
    )
    played_at = state.deal_level
    state.last_order, state.winner = order, result.winner
    state.levels, state.deal_level, state.owner = result.levels, result.next_level, result.winner
    line: dict[str, object] = {
        "deal": state.deal_number,
        "level": played_at,
        "order": tuple(order),
        "winner": result.winner,
        "rise": result.rise,
        "double_down": result.double_down,
        "levels": tuple(sorted(result.levels.items())),
        "passes_a": result.passes_a,
    }
    state.results.append(line)
    state.early, state.early_reports = [], {}
    draft.emit(CancelTimer("early"))
    draft.move("game_ends" if result.passes_a else "deal_ends")
    draft.idle()
    draft.publish("deal_over", **line, loser=other_pair(result.winner))
