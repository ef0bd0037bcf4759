"""What hung on a penalty that is gone: counters, rights, proposals and what they had made due (000 L215, L227-L235)."""

from __future__ import annotations

from dataclasses import replace

from table_controller.cards import PAIRS, Pair, pair_of
from table_controller.games.guandan import penalties as rules
from table_controller.table.incidents import TABLE, Incident
from table_controller.table.turn import Draft


def rights_gone(draft: Draft, number: int) -> None:
    """The penalty of an incident no longer counts, and the rights that it took are given back."""
    state = draft.state
    state.given = [item for item in state.given if item.incident != number]
    state.stops = [item for item in state.stops if item.incident != number]
    state.bans = [item for item in state.bans if item.incident != number]
    if state.must_lead is not None and state.must_lead.incident == number:
        state.must_lead = None


def withdraw_ruled(draft: Draft, incident: Incident, at_ms: int, reason: str) -> None:
    """A correction shows that an incident never was: it goes, and with it what a referee gave for it.

    What the head referee gave, or a hand that was declared void, stays his to overturn: its history says why.
    """
    if incident.penalty in (*rules.NEEDS_HEAD, rules.VOID_HAND):
        told = f"{reason}: to be overturned, or not"
        if incident.reason != told:
            draft.update(incident.number, at_ms, TABLE, told)
        return
    draft.withdraw(incident.number, at_ms, reason)
    rights_gone(draft, incident.number)
    withdraw_what_followed(draft, at_ms)


def propose_again(draft: Draft) -> None:
    """Penalties were given or taken back: what is still open in this game is proposed by how the counters stand now."""
    state, match = draft.state, draft.state.match
    for place, incident in enumerate(state.incidents):
        seat = incident.seat
        if not incident.is_open or not incident.proposal or seat is None or incident.session_game != match.session_game:
            continue
        if incident.kind in rules.COUNTED:
            reminded = incident.kind in state.reminded
            found = rules.proposed(
                incident.kind, seat, state.given, draft.profile, game=match.game, round_=match.round, reminded=reminded
            )
        elif incident.proposal.startswith("violation"):
            before = rules.tally(state.given, pair_of(seat), match.game, match.round).violations_in_round
            found = rules.escalated(incident.proposal, incident.rule, before, draft.profile, incident.count)
        else:
            continue
        if found is not None:
            state.incidents[place] = replace(
                incident, proposal=found.penalty, needs=found.needs, count=found.count, rule=found.rule
            )


def fouls_told(draft: Draft, pair: Pair) -> list[Incident]:
    """The fouls of a pair in this round that were told to be due and still are, oldest first.

    Rounds of other matches have the same numbers: what counts was told in this match, or after a violation that counts.
    """
    state, match = draft.state, draft.state.match
    mine = [g for g in state.given if g.round == match.round and g.penalty.startswith("violation")]
    since = min((g.incident for g in mine if pair_of(g.seat) == pair), default=None)
    ends = f"of {pair} in round {match.round}"
    return [
        i
        for i in state.incidents
        if i.kind == "foul_due"
        and i.status != "overturned"
        and i.detail.endswith(ends)
        and (i.session_game > match.session_game - match.game or (since is not None and i.number > since))
    ]


def withdraw_what_followed(draft: Draft, at_ms: int) -> None:
    """A foul or a lost game that was due only by the penalty that is gone is no longer due."""
    state, match, profile = draft.state, draft.state.match, draft.profile
    for pair in PAIRS:
        tally = rules.tally(state.given, pair, match.game, match.round)
        told = fouls_told(draft, pair)
        too_many = len(told) - rules.fouls_for(tally.violations_in_round, profile)
        gone = [i for i in reversed(told) if i.is_open][: max(0, too_many)]
        lost, out = rules.game_lost_due(tally.fouls_in_game, profile), rules.out_due(tally.games_lost, profile)
        holds = {"game_loss_due": lost, "exclusion_due": out}
        mine = [i for i in state.incidents if i.seat is not None and pair_of(i.seat) == pair and i.is_open]
        for incident in [*gone, *(i for i in mine if not holds.get(i.kind, True))]:
            draft.withdraw(incident.number, at_ms, "a penalty it rested on was overturned")
    propose_again(draft)
