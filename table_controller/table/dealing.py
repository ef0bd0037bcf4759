"""From Start to the released hands: opening a session, the dealer's words, faults and their clearing."""

from __future__ import annotations

from table_controller.cards import SEATS, Seat
from table_controller.table.contest import cut_off, new_game
from table_controller.table.effects import PlanDeal, RunDeal, Seal, SetTimer, StopDealer, WatchMode
from table_controller.table.events import (
    DealDone,
    DealerCleared,
    DealerOffline,
    DealerOnline,
    DealFailed,
    DealPlanned,
    DealProgress,
    DealRequested,
    DealtByHand,
    StopRequested,
    TableOpened,
)
from table_controller.table.refusal import Refusal
from table_controller.table.state import DealerState, Exchange
from table_controller.table.turn import Draft

QUOTAS = (27, 27, 27, 27, 0)


def opened(draft: Draft, event: TableOpened) -> None:
    """The first record of a journal names the table and its rules."""
    state = draft.state
    if state.table:
        raise Refusal("This session is already open.", code="OPEN")
    state.table, state.venue, state.profile, state.rules = event.table, event.venue, event.profile, event.rules
    state.officiating = event.officiating or draft.profile.officiating
    draft.lamp(None, "on")
    draft.emit(WatchMode("idle"))
    draft.publish("opened", profile=event.profile)


def deal_requested(draft: Draft, event: DealRequested) -> None:
    """Start: refused with the place named while something still lies on the table (dealer fault 25).

    After a fault, Start is the person's word that it was cleared; after a game, it begins the next.
    """
    state = draft.state
    if state.phase == "fault":
        cleared(draft, DealerCleared(event.at_ms))
        return
    draft.require("standby", "deal_over", "game_over")
    if not state.dealer.online:
        raise Refusal(
            "The dealer does not answer.", way_out="Check its cable and power, or deal by hand.", code="DEALER"
        )
    for seat in SEATS:
        if state.areas[seat]:
            raise Refusal(f"Cards still lie in the play area of seat {seat}.", way_out="Clear it.", code="AREA")
        if state.prompts[seat]:
            raise Refusal(f"Prompt cards still lie at seat {seat}.", way_out="Collect them.", code="PROMPT")
    if state.phase == "game_over":
        new_game(draft, event.at_ms)
    if state.deal_number == 0:
        state.first_leader = state.named_leader or _drawn(draft, event)
    draft.move("deal_requested")
    dealer = state.dealer
    job, pack = dealer.job + 1, "AB"[dealer.job % 2]
    state.dealer = DealerState(online=True, kind=dealer.kind, firmware=dealer.firmware, job=job, pack=pack)
    draft.only_lamp(None)
    draft.emit(WatchMode("deal"))
    draft.emit(PlanDeal(job, pack, QUOTAS))
    draft.publish("deal_requested", by=event.by, job=job, pack=pack)


def _drawn(draft: Draft, event: DealRequested) -> Seat | None:
    """The table draws the first leader where the machine replaces drawing; else whoever holds the turned card leads."""
    return (event.leader or "E") if draft.profile.before.machine_replaces_drawing else None


def _current(draft: Draft, job: int) -> None:
    draft.require("dealing")
    if job != draft.state.dealer.job:
        raise Refusal(f"Job {job} is not the one under way.", code="JOB")


def planned(draft: Draft, event: DealPlanned) -> None:
    """The plan is drawn: its hash is published before the first card moves."""
    _current(draft, event.job)
    dealer = draft.state.dealer
    if dealer.plan:
        raise Refusal(f"Job {event.job} has a plan already.", code="JOB")
    dealer.plan, dealer.nonce, dealer.commitment = event.plan, event.nonce, event.commitment
    draft.emit(Seal("commit", (("commitment", event.commitment), ("job", event.job), ("pack", event.pack))))
    draft.emit(RunDeal(event.job, event.pack, event.plan))


def progress(draft: Draft, event: DealProgress) -> None:
    """Cards counted on their way."""
    _current(draft, event.job)
    draft.state.dealer.index, draft.state.dealer.counts = event.index, event.counts


def done(draft: Draft, event: DealDone) -> None:
    """All cards counted and released: the plan is revealed, sorting begins."""
    _current(draft, event.job)
    dealer = draft.state.dealer
    if tuple(event.counts) != QUOTAS:
        raise Refusal(f"The exits hold {event.counts} cards, not {QUOTAS}.", code="COUNT")
    dealer.counts, dealer.index = event.counts, sum(event.counts)
    draft.move("dealt")
    reveal = (("job", event.job), ("nonce", dealer.nonce), ("pack", dealer.pack), ("plan", dealer.plan))
    draft.emit(Seal("reveal", reveal))
    _begin_sorting(draft, event.at_ms)
    cut_off(draft, event.at_ms)


def _begin_sorting(draft: Draft, at_ms: int) -> None:
    """The hands are out: a new deal's record, and the sorting allowance."""
    state = draft.state
    state.deal_number += 1
    state.deal, state.actions, state.early, state.early_reports = None, [], [], {}
    state.exchange, state.ready, state.leader = Exchange(), [], None
    state.judged_from, state.resynced = 0, None
    state.stops, state.bans, state.must_lead, state.names_type, state.nameable = [], [], None, None, []
    state.shown_cards, state.exposed, state.report_lifted, state.undo = [], [], {}, {}
    if state.deal_number == 1:
        state.leader = state.named_leader or state.first_leader
    elif state.no_tribute:
        state.leader = state.named_leader
    if state.thinking.since_ms is not None:
        state.thinking.between_ms += max(0, at_ms - state.thinking.since_ms)
        state.thinking.since_ms = None
    draft.emit(WatchMode("play"))
    state.sorting_ends_ms = at_ms + draft.profile.sorting_ms
    draft.emit(SetTimer("sorting", state.sorting_ends_ms))
    draft.publish("dealt", deal=state.deal_number, level=state.deal_level, leader=state.leader)


def dealt_by_hand(draft: Draft, event: DealtByHand) -> None:
    """No machine: people dealt, and the table goes on from the hands."""
    draft.require("standby", "deal_over", "game_over")
    if draft.state.phase == "game_over":
        new_game(draft, event.at_ms)
    if draft.state.deal_number == 0:
        draft.state.first_leader = draft.state.named_leader or event.leader
    draft.move("dealt_by_hand")
    draft.only_lamp(None)
    _begin_sorting(draft, event.at_ms)


def failed(draft: Draft, event: DealFailed) -> None:
    """The deal stopped: nothing is released; a person clears the machine and starts again."""
    _current(draft, event.job)
    dealer = draft.state.dealer
    dealer.fault, dealer.message, dealer.void = event.code, event.message, event.void
    under = "deal_over" if draft.state.last_order else "standby"
    draft.move("deal_failed")
    draft.state.under = under
    draft.lamp(None, "fast")
    draft.buzz("fault")
    draft.emit(WatchMode("idle"))
    detail = f"{event.code} {event.place}: {event.message}".strip()
    draft.incident("dealer_fault", event.at_ms, detail=detail)


def cleared(draft: Draft, event: DealerCleared) -> None:
    """A person cleared the fault: a deal that is not void goes on where it stopped, else Start is possible again."""
    draft.require("fault")
    dealer = draft.state.dealer
    goes_on = bool(dealer.fault and dealer.plan and not dealer.void)
    draft.move("deal_resumes" if goes_on else "cleared")
    draft.state.under = ""
    dealer.fault = dealer.message = ""
    draft.lamp(None, "on")
    if goes_on:
        draft.emit(WatchMode("deal"))
        draft.emit(RunDeal(dealer.job, dealer.pack, dealer.plan))
    else:
        cut_off(draft, event.at_ms)


def online(draft: Draft, event: DealerOnline) -> None:
    """The machine answers."""
    dealer = draft.state.dealer
    dealer.online, dealer.kind, dealer.firmware = True, event.kind, event.firmware
    if draft.state.phase != "fault":  # the words of a fault stay as long as its lamp flashes
        dealer.message = ""


def offline(draft: Draft, event: DealerOffline) -> None:
    """The link is down; a running deal goes on or is void when the machine is back (the driver decides)."""
    draft.state.dealer.online = False
    draft.state.dealer.message = event.message
    draft.publish("dealer_offline", message=event.message)


def stop_requested(draft: Draft, event: StopRequested) -> None:
    """The Stop button: the machine stops at once, or play pauses."""
    if draft.state.phase == "dealing":
        draft.emit(StopDealer())
        draft.publish("stop", by=event.by)
    else:
        draft.pause(event.at_ms, f"stop by {event.by}")
