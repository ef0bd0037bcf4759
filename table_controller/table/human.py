"""A human's word: corrections, pauses, incidents, resync. The original always stays in the record."""

from __future__ import annotations

import copy
from dataclasses import replace

from table_controller.cards import SEATS
from table_controller.games.guandan.deal import Action, Deal, Verdict, replay_actions
from table_controller.games.guandan.judge import judge
from table_controller.table.events import (
    CameraBack,
    CameraLost,
    IncidentUpdated,
    PauseRequested,
    PlayCorrected,
    ResumeRequested,
    Resync,
)
from table_controller.table.exchange import begin_turn
from table_controller.table.incidents import ALLOWED_STEPS, ASKING, STATUSES
from table_controller.table.play import end_deal, go_on, playing_deal, take_waiting
from table_controller.table.refusal import Refusal
from table_controller.table.turn import Draft


def corrected(draft: Draft, event: PlayCorrected) -> None:
    """Replace a reading everywhere and judge the deal anew from its record."""
    state = draft.state
    draft.require("playing", "trick_over", "paused")
    place = next((i for i, action in enumerate(state.actions) if action.number == event.play and action.cards), None)
    if place is None or not event.cards:
        raise Refusal(f"There is no play number {event.play} in this deal.", code="PLAY")
    old = state.actions[place]
    new = replace(old, cards=event.cards, doubtful=(), original=old.original or old.cards)
    state.actions[place] = new
    _close(draft, event.play, event.by)
    draft.publish("correction", play=event.play, seat=new.seat, cards=event.cards, was=old.cards, by=event.by)
    if place >= state.judged_from:
        _judge_anew(draft, event.at_ms)


def _judge_anew(draft: Draft, at_ms: int) -> None:
    """The deal from its first lead, or from the last resync, with the record as it stands now."""
    state, before = draft.state, playing_deal(draft)
    deal = copy.deepcopy(state.resynced) or Deal(leader=before.leader, level=state.deal_level)
    verdicts = replay_actions(deal, state.actions[state.judged_from :], draft.profile)
    _refuse_impossible(verdicts)
    for action, verdict in verdicts:
        known = any(i.kind == verdict.fault and i.play == action.number for i in state.incidents)
        if verdict.fault and not known:
            draft.incident(verdict.fault, at_ms, action.seat, action.number)
    _keep_reports(before, deal)
    state.actions[state.judged_from :] = [_with_reading(action, verdict) for action, verdict in verdicts]
    state.deal = deal
    if deal.over and state.phase != "paused":
        end_deal(draft, at_ms)
    elif deal.turn is not None and deal.turn != before.turn:
        begin_turn(draft, deal.turn, at_ms)
        if state.phase == "paused":
            draft.hold_clock()
        else:
            take_waiting(draft)


def _refuse_impossible(verdicts: list[tuple[Action, Verdict]]) -> None:
    """A correction that the number of cards or the order of turns contradicts is refused, with the play named."""
    for place, (action, verdict) in enumerate(verdicts):
        impossible = verdict.fault in ("too_many_cards", "pass_by_leader")
        early_end = verdict.deal_over and place < len(verdicts) - 1
        if impossible or early_end:
            why = "the deal would have ended before" if early_end else verdict.fault
            raise Refusal(
                f"With these cards number {action.number} by {action.seat} could not be: {why}.", code="ILLEGAL"
            )


def _with_reading(action: Action, verdict: Verdict) -> Action:
    judgement = verdict.judgement
    reading = judgement.reading.text() if judgement and judgement.reading else action.reading
    return replace(action, reading=reading)


def _keep_reports(old: Deal, new: Deal) -> None:
    """Reports were seen apart from the plays: they stand as they were made."""
    for seat in SEATS:
        if seat in old.reported:
            new.reported[seat] = old.reported[seat]
            new.owes_report.pop(seat, None)


def _close(draft: Draft, play: int, by: str) -> None:
    incidents = draft.state.incidents
    for i, incident in enumerate(incidents):
        if incident.kind in ASKING and incident.play == play and incident.status in ("open", "acknowledged"):
            incidents[i] = replace(incident, status="resolved", by=by, reason="corrected")
            draft.publish("incident_updated", number=incident.number, status="resolved", by=by)


def paused(draft: Draft, event: PauseRequested) -> None:
    """The referee pauses play."""
    draft.pause(event.at_ms, event.reason or f"pause by {event.by}")


def resumed(draft: Draft, event: ResumeRequested) -> None:
    """The referee lets play go on."""
    draft.require("paused")
    draft.resume(event.at_ms)
    go_on(draft)


def incident_updated(draft: Draft, event: IncidentUpdated) -> None:
    """open → acknowledged → resolved or overturned, with the actor and the reason."""
    incidents = draft.state.incidents
    place = next((i for i, incident in enumerate(incidents) if incident.number == event.incident), None)
    if place is None:
        raise Refusal(f"There is no incident {event.incident}.", code="INCIDENT")
    old = incidents[place]
    if event.status not in STATUSES or event.status not in ALLOWED_STEPS[old.status]:
        raise Refusal(f"Incident {event.incident} is {old.status}: it cannot become {event.status}.", code="INCIDENT")
    incidents[place] = replace(old, status=event.status, by=event.by, reason=event.reason)
    draft.publish("incident_updated", number=old.number, status=event.status, by=event.by)


def resync(draft: Draft, event: Resync) -> None:
    """Whose turn, counts and last play in one action: a table that lost the thread goes on in seconds."""
    state = draft.state
    if state.deal is None or state.phase not in ("playing", "trick_over", "paused"):
        raise Refusal(f"Not now: the table is in '{state.phase}'.", code="PHASE")
    counts = dict(zip(SEATS, event.counts, strict=True))
    if any(not 0 <= count <= 27 for count in event.counts) or counts[event.turn] == 0:
        raise Refusal(
            "The counts do not fit.",
            way_out="Each seat holds 0 to 27 cards, the seat in turn at least one.",
            code="COUNTS",
        )
    deal = state.deal
    new = Deal(leader=event.turn, level=state.deal_level, counts=counts, reported=dict(deal.reported))
    new.trick_number = deal.trick_number + 1
    out = [seat for seat in deal.out if counts[seat] == 0] + [s for s in SEATS if counts[s] == 0 and s not in deal.out]
    new.trick.out.extend(out)
    if new.over:
        raise Refusal("With these counts the deal would be over.", way_out="Correct the counts.", code="COUNTS")
    if event.last_seat is not None:
        new.trick.play(event.last_seat, last_card=False)
        while new.trick.turn not in (event.turn, None):
            new.trick.pass_(new.trick.to_answer[0])
        judgement = judge(event.last_cards, state.deal_level, draft.profile) if event.last_cards else None
        new.to_beat = judgement.reading if judgement else None
        new.to_beat_unknown = new.to_beat is None
    draft.move("resync")
    state.deal, state.early, state.early_reports, state.pause_reason = new, [], {}, ""
    state.judged_from, state.resynced = len(state.actions), copy.deepcopy(new)
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
