"""A human's word on the course of play: pauses, clocks, the camera, and resync."""

from __future__ import annotations

import copy

from table_controller.cards import SEATS
from table_controller.games.guandan.deal import Deal
from table_controller.games.guandan.judge import judge
from table_controller.table.duties import unname
from table_controller.table.events import CameraBack, CameraLost, PauseRequested, ResumeRequested, Resync
from table_controller.table.exchange import begin_turn
from table_controller.table.play import go_on
from table_controller.table.referee_events import ClockExtended, ClockSet
from table_controller.table.refusal import Refusal
from table_controller.table.stops import given_the_turn
from table_controller.table.turn import Draft


def paused(draft: Draft, event: PauseRequested) -> None:
    """The referee pauses play."""
    draft.pause(event.at_ms, event.reason or f"pause by {event.by}")


def resumed(draft: Draft, event: ResumeRequested) -> None:
    """The referee lets play go on."""
    draft.require("paused")
    draft.resume(event.at_ms)
    go_on(draft, event.at_ms)


def clock_extended(draft: Draft, event: ClockExtended) -> None:
    """More time on the clock that runs or stands, or for sorting."""
    if draft.extend_sorting(event.extra_ms):
        draft.publish("clock_extended", extra_ms=event.extra_ms, by=event.by, reason=event.reason)
        return
    clock = draft.state.clock
    if clock.kind == "none" or event.extra_ms <= 0:
        raise Refusal("No clock runs that could be extended.", code="CLOCK")
    clock.warning_ms += event.extra_ms
    clock.limit_ms += event.extra_ms
    clock.warned = clock.warned and clock.elapsed(event.at_ms) >= clock.warning_ms
    draft.rearm(event.at_ms)
    draft.publish("clock_extended", extra_ms=event.extra_ms, by=event.by, reason=event.reason)


def clock_set(draft: Draft, event: ClockSet) -> None:
    """The time used, as the referee says."""
    clock = draft.state.clock
    if clock.kind == "none" or event.elapsed_ms < 0:
        raise Refusal("No clock runs that could be set.", code="CLOCK")
    clock.elapsed_ms, clock.anchor_ms = event.elapsed_ms, event.at_ms
    clock.warned = clock.warned and event.elapsed_ms >= clock.warning_ms
    draft.rearm(event.at_ms)
    draft.publish("clock_set", elapsed_ms=event.elapsed_ms, by=event.by, reason=event.reason)


def resync(draft: Draft, event: Resync) -> None:
    """Whose turn, counts and last play in one action: a table that lost the thread goes on in seconds."""
    state = draft.state
    if state.deal is None or state.phase not in ("playing", "trick_over", "paused"):
        raise Refusal(f"Not now: the table is in '{state.phase}'.", code="PHASE")
    counts = dict(zip(SEATS, event.counts, strict=True))
    if any(not 0 <= count <= 27 for count in event.counts) or counts[event.turn] == 0 or event.turn == state.deal.void:
        raise Refusal(
            "The counts do not fit.",
            way_out="Each seat holds 0 to 27 cards, the seat in turn at least one.",
            code="COUNTS",
        )
    deal = state.deal
    new = Deal(leader=event.turn, level=state.deal_level, counts=counts, reported=dict(deal.reported))
    new.report_limit, new.trick_number = deal.report_limit, deal.trick_number + 1
    for seat in SEATS:  # what was reported while the thread was lost is not known: nobody is accused of it
        if 0 < counts[seat] <= deal.report_limit:
            new.reported.setdefault(seat, counts[seat])
    out = [seat for seat in deal.out if counts[seat] == 0] + [s for s in SEATS if counts[s] == 0 and s not in deal.out]
    new.trick.out.extend(out)
    if deal.void is not None:
        new.declare_void(deal.void)
    if new.over:
        raise Refusal("With these counts the deal would be over.", way_out="Correct the counts.", code="COUNTS")
    if event.last_seat and event.last_seat != event.turn:  # by the seat in turn itself: everybody passed, and it leads
        new.trick.play(event.last_seat, last_card=False)
        while new.trick.turn not in (event.turn, None):
            new.trick.pass_(new.trick.to_answer[0])
        judgement = judge(event.last_cards, state.deal_level, draft.profile) if event.last_cards else None
        new.to_beat = judgement.reading if judgement else None
        new.to_beat_unknown = new.to_beat is None
    draft.move("resync")
    unname(draft)
    state.must_lead = None
    state.deal, state.early, state.early_reports, state.pause_reason = new, [], {}, ""
    state.unapplied, state.rejected, state.lifted, state.report_lifted = [], None, None, {}
    state.judged_from, state.resynced = len(state.actions), copy.deepcopy(new)
    given_the_turn(draft, event.turn)
    draft.publish("resync", by=event.by, turn=event.turn, counts=event.counts)
    begin_turn(draft, event.turn, event.at_ms)


def camera_lost(draft: Draft, event: CameraLost) -> None:
    """No picture: the game goes on by console; the clock is unaffected."""
    if not draft.state.camera_lost:
        draft.incident("camera_lost", event.at_ms, detail=event.reason)
    draft.state.camera_lost = event.reason or "no picture"


def camera_back(draft: Draft, event: CameraBack) -> None:
    """Pictures arrive again."""
    draft.state.camera_lost = ""
    draft.publish("camera_back")
