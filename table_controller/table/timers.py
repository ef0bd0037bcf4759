"""What happens when a timer runs out. Timers are data: the name says what was waited for."""

from __future__ import annotations

from dataclasses import replace

from table_controller.games.guandan.hands import readings
from table_controller.table.contest import round_over
from table_controller.table.effects import SetTimer
from table_controller.table.events import TimerFired
from table_controller.table.exchange import end_sorting, judge_exchange_time, leader_known
from table_controller.table.match_state import MINUTE_MS
from table_controller.table.play import skip_if_barred, take_waiting
from table_controller.table.refusal import Refusal
from table_controller.table.shot_clock import may_enforce, note_enforced, violation
from table_controller.table.state import Early
from table_controller.table.stops import stop
from table_controller.table.turn import EARLY_HOLD_MS, SETTLE_MS, Draft


def fired(draft: Draft, event: TimerFired) -> None:
    """Dispatch by name; a timer that no longer means anything is refused."""
    handlers = {
        "warning": _warning,
        "limit": _limit,
        "late": _late,
        "sorting": _sorting,
        "early": _early,
        "round": _round,
        "seats": _seats,
        "begin": _begin,
    }
    handler = handlers.get(event.name)
    if handler is None:
        raise Refusal(f"There is no timer '{event.name}'.", code="TIMER")
    handler(draft, event)


def _warning(draft: Draft, event: TimerFired) -> None:
    clock = draft.state.clock
    if not clock.running or clock.warned or clock.elapsed(event.at_ms) < clock.warning_ms:
        raise Refusal("No clock waits for this warning.", code="TIMER")
    clock.warned = True
    draft.buzz("warn")
    if clock.kind == "play" and clock.seat is not None:
        draft.lamp(clock.seat, "blink")
        draft.publish("warn20", seat=clock.seat)


def _limit(draft: Draft, event: TimerFired) -> None:
    """The limit and a settling time have passed without a play stamped in time."""
    clock = draft.state.clock
    if not clock.running or clock.elapsed(event.at_ms) < clock.limit_ms + SETTLE_MS:
        raise Refusal("No clock waits for this limit.", code="TIMER")
    if clock.kind != "play":
        _overdue(draft, event)
    elif not clock.violations:
        violation(draft, event.at_ms - SETTLE_MS)
        _stop_turn(draft, event.at_ms)


def _late(draft: Draft, event: TimerFired) -> None:
    """The tribute's or return's limit and a settling time have passed."""
    clock = draft.state.clock
    if not clock.running or clock.late or clock.elapsed(event.at_ms) < clock.warning_ms + SETTLE_MS:
        raise Refusal("No clock waits for this limit.", code="TIMER")
    _overdue(draft, event)


def _overdue(draft: Draft, event: TimerFired) -> None:
    """A tribute or a return is late, and later with each further step (seed 000 L319, 以下类推)."""
    clock, step_ms = draft.state.clock, draft.profile.tribute_step_ms
    # Nothing stamped up to the limit has come within the settling time: the limit itself has passed.
    passed_ms = clock.elapsed(event.at_ms) - SETTLE_MS + 1
    if not judge_exchange_time(draft, passed_ms, event.at_ms - SETTLE_MS):
        raise Refusal("No tribute and no return is waited for.", code="TIMER")
    if clock.violations:
        clock.limit_ms = clock.warning_ms + (clock.violations + 1) * step_ms
        draft.emit(SetTimer("limit", event.at_ms + step_ms))


def _stop_turn(draft: Draft, at_ms: int) -> None:
    """``enforce``: a violation at 30 s stops the turn, once, and the next seat plays (000 L317)."""
    deal, clock = draft.state.deal, draft.state.clock
    if not may_enforce(draft) or deal is None or deal.turn is None:
        return
    found = next(i for i in reversed(draft.state.incidents) if i.kind == "time_violation" and i.seat == clock.seat)
    stop(draft, deal.turn, found.number, once=True)
    note_enforced(draft, "time_violation")
    skip_if_barred(draft, at_ms)


def _round(draft: Draft, event: TimerFired) -> None:
    round_over(draft, event.at_ms)


def _seats(draft: Draft, event: TimerFired) -> None:
    """The players are to take their seats, so long before the start (003 L19)."""
    if not _waits(draft, event.at_ms + draft.profile.before.seated_before_minutes * MINUTE_MS):
        raise Refusal("No round is about to begin.", code="TIMER")
    draft.buzz("warn")
    draft.publish("be_seated", round=draft.state.match.round, minutes=draft.profile.before.seated_before_minutes)


def _begin(draft: Draft, event: TimerFired) -> None:
    """The round begins: whoever is not seated is late (003 L102)."""
    if not _waits(draft, event.at_ms):
        raise Refusal("No round is about to begin.", code="TIMER")
    draft.buzz("warn")
    draft.publish("round_begins", round=draft.state.match.round)


def _waits(draft: Draft, begins_ms: int) -> bool:
    match = draft.state.match
    return match.begun_ms == begins_ms and not match.over and draft.state.phase == "standby"


def _sorting(draft: Draft, event: TimerFired) -> None:
    draft.require("sorting")
    if event.at_ms < draft.state.sorting_ends_ms:
        raise Refusal("The sorting allowance was extended.", code="TIMER")
    if not leader_known(draft):
        raise Refusal("Nobody was named to lead: the first seat to lay cards does.", code="LEADER")
    end_sorting(draft, event.at_ms)


def _early(draft: Draft, event: TimerFired) -> None:
    """An action seen before its turn was not overtaken by the seats before it: now it is out of turn."""
    state = draft.state
    if state.phase in ("playing", "trick_over"):
        take_waiting(draft)
    expired = [early for early in state.early if early.at_ms + EARLY_HOLD_MS <= event.at_ms]
    if not expired:
        if state.early:
            draft.emit(SetTimer("early", state.early[0].at_ms + EARLY_HOLD_MS))
            return
        raise Refusal("Nothing waits for its turn.", code="TIMER")
    for early in expired:
        state.early.remove(early)
        _accuse(draft, early)
    if state.early:
        draft.emit(SetTimer("early", state.early[0].at_ms + EARLY_HOLD_MS))


def _accuse(draft: Draft, early: Early) -> None:
    """A pass or a play before its turn; cards by who had the last word, after taking that play up, were taken back."""
    state, deal = draft.state, draft.state.deal
    kind = "out_of_turn" if early.cards else "pass_out_of_turn"
    shown_type = ""
    if early.cards and deal is not None:
        shown_type = next((r.type for r in readings(early.cards, state.deal_level, draft.profile.policy)), "")
        if state.lifted == early.seat and deal.trick.last_seat == early.seat:
            kind = "taken_back"
    found = draft.incident(kind, early.at_ms, early.seat, detail=" ".join(early.cards), shown_type=shown_type)
    state.unapplied.append(replace(early, incident=found.number))
