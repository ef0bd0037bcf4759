"""A referee's word on incidents: rulings, what they bring with them, and taking them back.

The table proposes; who may give what is in ``games.guandan.penalties``. Counters are counted from the penalties that
stand, so an overturned one never was.
"""

from __future__ import annotations

import copy

from table_controller.cards import Seat, other_pair, pair_of, partner
from table_controller.games.guandan import irregular
from table_controller.games.guandan import penalties as rules
from table_controller.games.guandan.irregular import Treatment
from table_controller.games.guandan.obligation import LeadBan, MustLead, ShownCard
from table_controller.games.guandan.tribute import payers
from table_controller.table.anew import judge_anew
from table_controller.table.contest import lose_game
from table_controller.table.corrections import valid_again
from table_controller.table.deal_end import (
    FINISHED,
    annul_game,
    lose_deal,
    refold,
    restore,
    saved,
    void_finished,
)
from table_controller.table.duties import WRONG_PLAYS, owe_card, types_in, unname
from table_controller.table.events import IncidentUpdated
from table_controller.table.exchange import end_if_ready
from table_controller.table.incidents import ALLOWED_STEPS, KINDS, NOTED, STATUSES, Incident
from table_controller.table.lateness import not_late
from table_controller.table.play import IN_PLAY, after, skip_if_barred
from table_controller.table.referee_events import (
    CardsExposed,
    HallReminded,
    IrregularityNoted,
    LeaderNamed,
    Ruled,
    TypeNamed,
)
from table_controller.table.refusal import Refusal
from table_controller.table.stops import stop, stop_again
from table_controller.table.told import tell_deal
from table_controller.table.turn import Draft
from table_controller.table.undone import fouls_told, propose_again, rights_gone, withdraw_what_followed

VOID_HAND = rules.VOID_HAND


def find(draft: Draft, number: int) -> Incident:
    """An incident by its number; refused where there is none."""
    found = next((i for i in draft.state.incidents if i.number == number), None)
    if found is None:
        raise Refusal(f"There is no incident {number}.", code="INCIDENT")
    return found


def ruled(draft: Draft, event: Ruled) -> None:
    """A penalty, or none, for an incident; with ``apply`` also what the rules make of the irregularity itself."""
    incident = find(draft, event.incident)
    if not incident.is_open:
        raise Refusal(f"Incident {event.incident} is {incident.status} already.", code="INCIDENT")
    if event.lapsed:
        _lapse(draft, incident, event)
        return
    seat = event.seat or incident.seat
    if event.penalty and (event.penalty not in (*rules.KINDS, VOID_HAND) or seat is None):
        raise Refusal(
            f"'{event.penalty}' is no penalty for this incident.",
            way_out=f"Penalties: {', '.join((*rules.KINDS, VOID_HAND))}; name the seat.",
            code="PENALTY",
        )
    if event.role not in rules.ROLES or not rules.may_give(event.role, event.penalty):
        raise Refusal(f"A {event.role} may not give '{event.penalty}'.", way_out="Call the head referee.", code="ROLE")
    draft.update(incident.number, event.at_ms, event.by, event.reason, status="resolved", penalty=event.penalty)
    if seat is None:
        return
    if event.penalty and event.penalty != VOID_HAND:
        _give(draft, incident, seat, event.penalty)
    if event.apply:
        _treat(draft, incident, seat, event)
    _carry_out(draft, incident, seat, event)
    _due(draft, seat, event.at_ms)
    propose_again(draft)


def _lapse(draft: Draft, incident: Incident, event: Ruled) -> None:
    if not rules.may_lapse(event.lapsed):
        raise Refusal(
            f"'{event.lapsed}' is no reason for a right to lapse.",
            way_out=f"Reasons: {', '.join(rules.LAPSED)}.",
            code="LAPSED",
        )
    reason = event.reason or rules.LAPSED[event.lapsed]
    draft.update(incident.number, event.at_ms, event.by, reason, status="resolved", lapsed=event.lapsed)


def _give(draft: Draft, incident: Incident, seat: Seat, penalty: str) -> None:
    match = draft.state.match
    ago = match.session_game - incident.session_game  # games since: what counts in a game counts in that of the breach
    game = match.game if penalty in rules.NEEDS_HEAD else max(0, match.game - ago)
    draft.state.given.append(rules.Given(penalty, seat, incident.kind, game, match.round, incident.number))
    draft.publish("penalty", incident=incident.number, seat=seat, pair=pair_of(seat), penalty=penalty)


def _treat(draft: Draft, incident: Incident, seat: Seat, event: Ruled) -> None:
    """Taking back, stopped rights, barred types: what the rules say of this irregularity at the table."""
    state, deal = draft.state, draft.state.deal
    if incident.kind == "tribute_not_due" and draft.of_this_deal(incident):
        for card in incident.detail.split():
            owe_card(draft, ShownCard(seat, card))
        return
    if deal is None or not draft.of_this_deal(incident):
        return
    found = _treatment(incident, seat, leading=deal.leading and deal.turn == seat)
    if found is None:
        return
    if incident.trick == deal.trick_number:
        if incident.kind in WRONG_PLAYS:
            state.rejected = None
        if found.chooser is not None:
            state.names_type, state.nameable = found.chooser, types_in(incident.detail.split(), state.deal_level)
            draft.publish("type_to_name", seat=found.chooser, leader=seat)
        elif found.stopped is not None or found.no_follow:
            stop(draft, seat, incident.number, once=not found.no_follow, partner_too=bool(found.no_follow))
    if found.partner_may_not_lead:
        ban = LeadBan(partner(seat), found.partner_may_not_lead, incident.trick + 1, incident.number)
        state.bans.append(ban)
        draft.publish("type_barred", seat=ban.seat, type=ban.type, trick=ban.trick)


def _treatment(incident: Incident, seat: Seat, *, leading: bool) -> Treatment | None:
    """What the rules make of this kind; None where they leave it at a penalty."""
    if incident.kind in WRONG_PLAYS:
        shown = "" if incident.kind == "too_many_cards" else incident.type
        return irregular.wrong_play(seat, leading=leading, shown_type=shown)
    if incident.kind == "out_of_turn":
        return irregular.out_of_turn_play(seat, incident.type)
    return irregular.out_of_turn_pass(seat) if incident.kind == "pass_out_of_turn" else None


def _carry_out(draft: Draft, incident: Incident, seat: Seat, event: Ruled) -> None:
    state = draft.state
    if event.penalty == "violation+stop":
        stop(draft, seat, incident.number, once=incident.kind == "time_violation")
    elif event.penalty == VOID_HAND:
        _void_hand(draft, seat, incident.number, event.at_ms)
        return
    elif event.penalty == "foul":
        state.undo[incident.number] = saved(state, event.at_ms)
        lose_deal(draft, pair_of(seat), event.at_ms, incident.number)
        return
    elif event.penalty in ("game_lost", "out"):
        state.undo[incident.number] = saved(state, event.at_ms)
        lose_game(draft, pair_of(seat), event.at_ms, by=event.penalty)
        return
    skip_if_barred(draft, event.at_ms)


def _void_hand(draft: Draft, seat: Seat, number: int, at_ms: int) -> None:
    """The hand goes face down and its player is 下游 (seed 000 L291), also once the deal is over, until the next."""
    state, deal = draft.state, draft.state.deal
    if deal is None or state.phase not in (*IN_PLAY, "paused", *FINISHED) or (state.phase == "paused" and deal.over):
        raise Refusal("A hand can be void until the next deal begins.", way_out="Correct the result.", code="PHASE")
    if not draft.of_this_deal(find(draft, number)):
        raise Refusal(
            "The deal of this incident is over, and the next has begun.",
            way_out="Let the right lapse ('next_deal'), or correct that deal's result.",
            code="PENALTY",
        )
    if deal.void not in (None, seat):
        raise Refusal(
            f"The hand of seat {deal.void} is void already.", way_out="Correct the result after it.", code="PENALTY"
        )
    if state.phase in FINISHED:
        state.undo[number] = saved(state, at_ms)
        void_finished(draft, seat, at_ms)
        draft.publish("hand_void", seat=seat)
        return
    verdict = deal.declare_void(seat, max((action.number for action in state.actions), default=0))
    draft.publish("hand_void", seat=seat)
    if state.phase != "paused":
        after(draft, verdict, at_ms)


def _due(draft: Draft, seat: Seat, at_ms: int) -> None:
    """What the counters make due is raised for the head referee: a foul, a lost game, exclusion (000 L227-L233)."""
    state, match, profile = draft.state, draft.state.match, draft.profile
    pair = pair_of(seat)
    tally = rules.tally(state.given, pair, match.game, match.round)
    owed = rules.fouls_for(tally.violations_in_round, profile)
    had = len(fouls_told(draft, pair))
    if owed > had:
        detail = f"{tally.violations_in_round} violations of {pair} in round {match.round}"
        draft.incident("foul_due", at_ms, seat, detail=detail)
    if rules.game_lost_due(tally.fouls_in_game, profile):
        detail = f"{tally.fouls_in_game} fouls of {pair} in game {match.game}"
        since = max((i.number for i in state.incidents if i.session_game < match.session_game), default=0)
        _once(draft, "game_loss_due", seat, at_ms, detail, since)
    if rules.out_due(tally.games_lost, profile):
        lost = [g.incident for g in state.given if g.penalty == "game_lost" and pair_of(g.seat) == pair]
        _once(draft, "exclusion_due", seat, at_ms, f"{tally.games_lost} games of {pair} lost by penalty", max(lost))


def _once(draft: Draft, kind: str, seat: Seat, at_ms: int, detail: str, since: int) -> None:
    """Raise what is due, unless that was done after incident ``since``."""
    told = [i for i in draft.state.incidents if i.kind == kind and i.detail == detail and i.status != "overturned"]
    if all(i.number <= since for i in told):
        draft.incident(kind, at_ms, seat, detail=detail)


def incident_updated(draft: Draft, event: IncidentUpdated) -> None:
    """open → acknowledged → arrived → resolved or overturned, with the actor and the reason."""
    old = find(draft, event.incident)
    if event.status not in STATUSES or event.status not in ALLOWED_STEPS[old.status]:
        raise Refusal(f"Incident {event.incident} is {old.status}: it cannot become {event.status}.", code="INCIDENT")
    state = draft.state
    phase = state.under if state.phase == "paused" else state.phase
    closes = event.status in ("resolved", "overturned")
    if closes and old.kind == "doubtful_exchange" and phase == "tribute" and draft.of_this_deal(old):
        raise Refusal(
            "The tribute waits for this card.",
            way_out="Say which it was, also if it was read rightly.",
            code="INCIDENT",
        )
    draft.update(old.number, event.at_ms, event.by, event.reason, status=event.status)
    if event.status == "overturned":
        _overturn(draft, old, event.at_ms)


def _overturn(draft: Draft, incident: Incident, at_ms: int) -> None:
    """Score, levels, counters and rights are as if it never had been."""
    state, number = draft.state, incident.number
    keys = list(state.undo)
    later = next(iter(keys[keys.index(number) + 1 :]), None) if number in keys else None
    undo = state.undo.pop(number, None)
    if undo is not None and later is not None:
        state.undo[later] = undo  # what came after it still stands, and goes back to before both
    elif undo is not None and state.deal_number == undo["deal_number"] and state.phase in ("deal_over", "game_over"):
        restore(draft, undo, at_ms)
    elif incident.penalty == "foul":
        _foul_gone(draft, number)
    elif incident.penalty in ("game_lost", "out"):
        annul_game(draft, number)
    if incident.penalty == VOID_HAND and draft.of_this_deal(incident) and state.phase in (*IN_PLAY, "paused"):
        _take_hand_up(draft)
    elif incident.penalty == VOID_HAND and draft.of_deal(incident, incident.deal):
        valid_again(draft, incident.deal, at_ms)
    if incident.kind == "late_arrival":
        not_late(draft, number)
    rights_gone(draft, number)
    if incident.kind in WRONG_PLAYS:
        unname(draft)
    if incident.kind == "tribute_not_due":
        state.shown_cards = [s for s in state.shown_cards if s.seat != incident.seat or s.card not in incident.detail]
    draft.publish("overturned", number=number, levels=tuple(sorted(state.levels.items())))
    withdraw_what_followed(draft, at_ms)
    _give_turn_back(draft, number, at_ms)


def _give_turn_back(draft: Draft, number: int, at_ms: int) -> None:
    """A seat was passed over for what is overturned now, and nobody has acted since: it is its turn again. Others may
    have been passed over after it, whose rights are stopped still."""
    state, acted = draft.state, len(draft.state.actions)
    while acted > state.judged_from and state.actions[acted - 1].stopped:
        acted -= 1
    passed_over = state.actions[acted:]
    first = next((i for i, action in enumerate(passed_over) if action.cause == number), None)
    if first is None or state.phase not in (*IN_PLAY, "paused") or state.deal is None:
        return
    state.actions = state.actions[: acted + first]
    stop_again(draft, [action for action in passed_over[first:] if action.cause != number])
    judge_anew(draft, at_ms)
    skip_if_barred(draft, at_ms)


def _foul_gone(draft: Draft, number: int) -> None:
    """A foul is overturned when the next deal is on: its deal's levels go, unless it was lost by another as well."""
    state = draft.state
    line = next((one for one in state.results if one.get("foul_incident") == number), None)
    if line is None:
        return
    same = {i.number for i in state.incidents if draft.of_deal(i, int(str(line["deal"])))}
    left = [g for g in state.given if g.penalty == "foul" and g.incident in same and g.incident != number]
    if left:
        pair = pair_of(left[-1].seat)
        line.update(foul=pair, winner=other_pair(pair), foul_incident=left[-1].incident)
    else:
        line["annulled"] = True
    refold(draft)
    tell_deal(draft, line, again=True)


def _take_hand_up(draft: Draft) -> None:
    """A hand that was void plays again from the next play on; the record before it is no longer judged."""
    state, deal = draft.state, draft.state.deal
    if deal is None or deal.void is None:
        return
    if deal.counts[deal.void]:
        deal.out.remove(deal.void)
    deal.void, deal.void_after = None, 0
    state.judged_from, state.resynced = len(state.actions), copy.deepcopy(deal)


def noted(draft: Draft, event: IrregularityNoted) -> None:
    """A human saw what the camera cannot."""
    if event.kind not in NOTED:
        raise Refusal(f"'{event.kind}' is not for a human to note.", way_out=f"Kinds: {', '.join(NOTED)}.", code="KIND")
    if not rules.pass_is_wrong(event.kind, draft.profile):
        raise Refusal(
            "Here a pass may be said or knocked.", way_out="Note 'pass_mixed' where the way was changed.", code="KIND"
        )
    deal = draft.state.deal
    asked = bool(deal is not None and deal.reported)
    covered = event.kind != "asked_count" or irregular.question_after_report_counts(reported=asked)
    draft.incident(event.kind, event.at_ms, event.seat, detail=event.detail, what="" if covered else rules.NO_PENALTY)


def reminded(draft: Draft, event: HallReminded) -> None:
    """The hall was reminded: the first breach after it counts as the second (003 L153)."""
    unknown = [kind for kind in event.kinds if kind not in KINDS]
    if unknown:
        raise Refusal(f"There is no kind of incident '{unknown[0]}'.", code="KIND")
    draft.state.reminded = sorted({*draft.state.reminded, *event.kinds})
    draft.publish("hall_reminded", kinds=event.kinds, by=event.by)


def type_named(draft: Draft, event: TypeNamed) -> None:
    """The left-hand neighbour names the type that the leader must lead (seed 000 L255)."""
    state, deal = draft.state, draft.state.deal
    if deal is None or state.names_type != event.seat or deal.turn is None or not deal.leading:
        raise Refusal(f"Seat {event.seat} has no type to name.", code="TYPE")
    if event.play_type not in state.nameable:
        raise Refusal(
            f"The cards shown hold no {event.play_type}.", way_out=f"Types: {', '.join(state.nameable)}.", code="TYPE"
        )
    causes = [i.number for i in state.incidents if i.seat == deal.turn and i.trick == deal.trick_number]
    state.must_lead = MustLead(deal.turn, event.play_type, deal.trick_number, causes[-1] if causes else 0)
    unname(draft)
    draft.publish("type_named", seat=event.seat, leader=deal.turn, type=event.play_type)


def leader_named(draft: Draft, event: LeaderNamed) -> None:
    """Who leads the next deal's first trick, after a foul or a late arrival; until the first lead."""
    state = draft.state
    draft.require("standby", "deal_over", "game_over", "dealing", "sorting", "fault")
    state.named_leader = event.leader
    draft.publish("leader_named", leader=event.leader, by=event.by)
    if state.phase == "sorting":
        end_if_ready(draft, event.at_ms)


def _owing(draft: Draft) -> list[Seat]:
    """Who owes the tribute that is due now, or about to be."""
    state = draft.state
    if state.phase == "sorting" and state.deal_number > 1 and not state.no_tribute and state.last_order:
        return list(payers(state.last_order))
    return list(state.exchange.owing) if state.phase == "tribute" else []


def exposed(draft: Draft, event: CardsExposed) -> None:
    """Cards shown without being played are public, and not spent (seed 000 L249, L261)."""
    state = draft.state
    if event.as_tribute and event.seat in _owing(draft):
        raise Refusal(f"Seat {event.seat} owes tribute.", way_out="Enter the card as its tribute.", code="TRIBUTE")
    state.exposed += [(event.seat, card) for card in event.cards]
    draft.publish("exposed", seat=event.seat, cards=event.cards, by=event.by)
    if event.as_tribute:
        draft.incident("tribute_not_due", event.at_ms, event.seat, detail=" ".join(event.cards))
        for card in event.cards:
            owe_card(draft, ShownCard(event.seat, card))
    else:
        draft.incident("exposed_card", event.at_ms, event.seat, detail=" ".join(event.cards))
