"""Rights that are lost for a while: whose turn is skipped, and until when (seed 000 L223, L257, L275, L281-L283)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from table_controller.cards import SEATS, Seat, pair_of, partner
from table_controller.games.guandan.deal import Action, Deal, Verdict
from table_controller.table.duties import unname
from table_controller.table.match_state import Stop
from table_controller.table.turn import Draft


def _holds(stop: Stop, seat: Seat, deal: Deal) -> bool:
    mine = stop.seat == seat or (stop.partner_too and partner(stop.seat) == seat)
    return mine and stop.trick == deal.trick_number


def barred(draft: Draft, seat: Seat) -> Stop | None:
    """What keeps ``seat`` from playing now; None where everybody who could play is barred, so that play goes on."""
    state, deal = draft.state, draft.state.deal
    if deal is None:
        return None
    active = [s for s in SEATS if s not in deal.out]
    if all(any(_holds(stop, s, deal) for stop in state.stops) for s in active):
        return None
    return next((stop for stop in state.stops if _holds(stop, seat, deal)), None)


def stop(draft: Draft, seat: Seat, incident: int, *, once: bool = False, partner_too: bool = False) -> None:
    """``seat`` loses its right: in the trick under way if it could still act in it, else in the next."""
    deal = draft.state.deal
    if deal is None:
        return
    may_act = seat in deal.trick.to_answer or ((once or deal.leading) and seat not in deal.out)
    trick = deal.trick_number if may_act or partner_too else deal.trick_number + 1
    while not once and any(held.seat == seat and held.trick == trick and not held.once for held in draft.state.stops):
        trick += 1  # a second one takes another trick's right
    draft.state.stops.append(Stop(seat, trick, once, incident, partner_too))
    draft.publish("right_stopped", seat=seat, trick=trick, once=once, partner_too=partner_too)


def skip(draft: Draft, found: Stop, at_ms: int) -> Verdict:
    """The seat in turn is barred: it neither plays nor passes, and the record says so."""
    state, deal = draft.state, draft.state.deal
    assert deal is not None
    assert deal.turn is not None, "only a turn can be skipped"
    seat, led, trick = deal.turn, deal.leading, deal.trick_number
    if found.once:
        state.stops.remove(found)
    if led:
        unname(draft)
        state.must_lead = None
    verdict = deal.stop_turn(seat)
    state.actions.append(Action(state.next_action, seat, at_ms, trick=trick, stopped=True, cause=found.incident))
    state.next_action += 1
    draft.publish("turn_stopped", seat=seat, lead=led)
    return verdict


def stop_again(draft: Draft, undone: Sequence[Action]) -> None:
    """Turns that were passed over are played again: what stopped one of them and was used up by it stands once more."""
    stops = draft.state.stops
    for action in undone:
        if action.stopped and action.cause and all(held.incident != action.cause for held in stops):
            stops.append(Stop(action.seat, action.trick, once=True, incident=action.cause))


def given_the_turn(draft: Draft, seat: Seat) -> None:
    """A human who puts the table back on the thread says whose turn it is: what keeps that seat from playing in this
    trick does so in the next. Whether the trick that he means is the one that was counted nobody can tell."""
    state, deal = draft.state, draft.state.deal
    if deal is not None:
        state.stops = [replace(s, trick=s.trick + 1) if _holds(s, seat, deal) else s for s in state.stops]


def followed(draft: Draft, seat: Seat) -> None:
    """An opponent has followed: a ban for a pass out of turn ends by itself (seed 000 L283)."""
    stops = draft.state.stops
    draft.state.stops = [s for s in stops if not (s.partner_too and pair_of(s.seat) != pair_of(seat))]


def forget(draft: Draft) -> None:
    """What was barred in tricks that are over, or in a deal that is, no longer matters."""
    deal = draft.state.deal
    now = deal.trick_number if deal is not None and not deal.over else None
    draft.state.stops = [s for s in draft.state.stops if now is not None and s.trick >= now]
    draft.state.bans = [b for b in draft.state.bans if now is not None and b.trick >= now]
