"""Proof afterwards: a wrong tribute, a wrong return or an impossible card, at the first play that shows it."""

from __future__ import annotations

from table_controller.games.guandan.proof import Exchanged, Proof, proved
from table_controller.table.turn import Draft
from table_controller.table.undone import withdraw_ruled


def _proofs(draft: Draft) -> list[Proof]:
    state = draft.state
    exchange = Exchanged(state.exchange.pays, state.exchange.shown, state.exchange.returned)
    return proved(state.actions, exchange, state.deal_level, draft.profile)


def prove(draft: Draft, at_ms: int, deal: int = 0, proofs: list[Proof] | None = None) -> None:
    """Raise what the record proves and was not raised yet; the plays that prove it are named.

    What a referee overturned stays so: later plays do not raise it again. ``deal`` and ``proofs`` are those of a deal
    that is over.
    """
    state, deal = draft.state, deal or draft.state.deal_number
    for proof in _proofs(draft) if proofs is None else proofs:
        known = any(
            i.kind == proof.kind and i.seat == proof.seat and draft.of_deal(i, deal) and not i.is_withdrawn
            for i in state.incidents
        )
        if not known:
            plays = ", ".join(str(number) for number in proof.plays)
            detail = f"{proof.card} in play {plays}"
            draft.incident(proof.kind, at_ms, proof.seat, max(proof.plays), detail=detail, deal=deal)


def withdraw_unproved(draft: Draft, at_ms: int, deal: int = 0, proofs: list[Proof] | None = None) -> None:
    """After a correction: a proof that rested on what was misread falls with it."""
    state, deal = draft.state, deal or draft.state.deal_number
    holds = {(proof.kind, proof.seat) for proof in (_proofs(draft) if proofs is None else proofs)}
    kinds = ("wrong_tribute", "wrong_return", "impossible_card")
    for incident in list(state.incidents):
        mine = incident.kind in kinds and draft.of_deal(incident, deal) and incident.status != "overturned"
        if mine and incident.play is not None and (incident.kind, incident.seat) not in holds:
            withdraw_ruled(draft, incident, at_ms, "no longer proved after a correction")
