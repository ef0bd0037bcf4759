"""The shot clock: the stamp of a play decides, and what happens when the limit has passed (seed 000 L317)."""

from __future__ import annotations

from table_controller.games.guandan.clocks import play_clock
from table_controller.games.guandan.penalties import Given
from table_controller.table.incidents import TABLE
from table_controller.table.turn import Draft


def judge_time(draft: Draft, at_ms: int) -> None:
    """The stamp decides, and a tie goes to the player, whenever the camera's reading arrived."""
    clock = draft.state.clock
    if clock.kind != "play":
        return
    verdict = play_clock(clock.elapsed(at_ms), warning_ms=clock.warning_ms, grace_ms=clock.limit_ms - clock.warning_ms)
    if verdict.state == "violation" and not clock.violations:
        violation(draft, at_ms)
    elif clock.warned and verdict.state == "normal":
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


def may_enforce(draft: Draft) -> bool:
    """``enforce``, unless a reading of this trick is doubtful or waits: the seat may have played unseen."""
    state, deal = draft.state, draft.state.deal
    if deal is None or state.officiating != "enforce":
        return False
    unsure = any(action.is_doubtful and action.trick == deal.trick_number for action in state.actions)
    return not (unsure or deal.to_beat_unknown or state.early or state.rejected or state.camera_lost)


def note_enforced(draft: Draft, kind: str) -> None:
    """Under ``enforce`` the table gives what the rule makes automatic; a referee may still overturn it."""
    state = draft.state
    found = next((i for i in reversed(state.incidents) if i.kind == kind and i.is_open), None)
    if found is None or found.seat is None or found.needs != "referee" or found.penalty:
        return
    match = state.match
    state.given.append(Given(found.proposal, found.seat, kind, match.game, match.round, found.number))
    draft.update(found.number, found.at_ms, TABLE, "enforced", status="acknowledged", penalty=found.proposal)
