"""Prompt cards: PASS, report numbers, TD and STOP. The circle is a stack; a report stays made while it is covered."""

from __future__ import annotations

from table_controller.cards import UNKNOWN
from table_controller.table.events import PromptCircleCleared, PromptLaid, PromptLifted, PromptTouched, TdPressed
from table_controller.table.machine import UNDER_PAUSE
from table_controller.table.play import go_on, passed
from table_controller.table.referee_events import PromptTold
from table_controller.table.refusal import Refusal
from table_controller.table.reports import lifted as report_lifted
from table_controller.table.reports import report
from table_controller.table.state import Early
from table_controller.table.turn import Draft


def laid(draft: Draft, event: PromptLaid) -> None:
    """A prompt card newly laid: the newest one counts."""
    state = draft.state
    state.prompts[event.seat].append(event.kind)
    phase = state.under if state.phase == "paused" else state.phase
    playing = phase in ("playing", "trick_over")
    if event.kind == "PASS":
        if playing and state.deal is not None and event.seat not in state.deal.out:
            passed(draft, Early(event.seat, event.at_ms, (), ()))
    elif event.kind == "TD":
        _call(draft, "td_call", event)
    elif event.kind == "STOP":
        _call(draft, "stop", event)
    elif event.kind.isdigit() and playing:
        report(draft, event.seat, int(event.kind), event.at_ms)
    elif event.kind == UNKNOWN and playing:
        draft.incident("doubtful_prompt", event.at_ms, event.seat, evidence=event.evidence)


def told(draft: Draft, event: PromptTold) -> None:
    """Which prompt card it was: it counts from now, as if it had been read."""
    state = draft.state
    found = next((i for i in state.incidents if i.number == event.incident and i.kind == "doubtful_prompt"), None)
    if found is None or not found.is_open or found.seat is None:
        raise Refusal(f"There is no open question {event.incident} about a prompt card.", code="INCIDENT")
    known = ("PASS", "TD", "STOP", *(str(n) for n in range(1, 11)))
    if event.kind and event.kind not in known:
        raise Refusal(f"'{event.kind}' is no prompt card.", way_out=f"Cards: {' '.join(known)}.", code="PROMPT_KIND")
    draft.update(found.number, event.at_ms, event.by, event.kind or "none", status="resolved")
    stack = state.prompts[found.seat]
    if UNKNOWN in stack:
        stack.remove(UNKNOWN)
    if event.kind:
        laid(draft, PromptLaid(event.at_ms, found.seat, event.kind))


def _call(draft: Draft, kind: str, event: PromptLaid | TdPressed) -> None:
    draft.incident(kind, event.at_ms, event.seat)
    draft.buzz("td")
    if draft.state.phase in UNDER_PAUSE:
        draft.pause(event.at_ms, kind)
    elif kind == "td_call" and draft.state.pause_reason == "stop":
        draft.state.pause_reason = kind  # lifting the STOP card lets play go on no longer: the referee does


def lifted(draft: Draft, event: PromptLifted) -> None:
    """A prompt card was picked up; lifting STOP lets play go on."""
    stack = draft.state.prompts[event.seat]
    if event.kind in stack:
        stack.reverse()
        stack.remove(event.kind)
        stack.reverse()
    report_lifted(draft, event.seat, event.kind)
    if event.kind == "STOP":
        _stop_lifted(draft, event.at_ms)


def touched(draft: Draft, event: PromptTouched) -> None:
    """A PASS card tapped or moved in its seat's turn to follow is a pass; anything else touched means nothing."""
    deal = draft.state.deal
    if deal is None or draft.state.phase != "playing" or deal.turn != event.seat or deal.leading:
        return
    if event.kind == "PASS":
        passed(draft, Early(event.seat, event.at_ms, (), ()))


def circle_cleared(draft: Draft, event: PromptCircleCleared) -> None:
    """All prompt cards of a seat were collected."""
    held_stop = "STOP" in draft.state.prompts[event.seat]
    for kind in draft.state.prompts[event.seat]:
        report_lifted(draft, event.seat, kind)
    draft.state.prompts[event.seat] = []
    if held_stop:
        _stop_lifted(draft, event.at_ms)


def _stop_lifted(draft: Draft, at_ms: int) -> None:
    if draft.state.phase == "paused" and draft.state.pause_reason == "stop":
        draft.resume(at_ms)
        go_on(draft, at_ms)


def td_pressed(draft: Draft, event: TdPressed) -> None:
    """The TD button, the same as a TD card."""
    if not draft.state.table:
        raise Refusal("The table is not open.", code="CLOSED")
    _call(draft, "td_call", event)
