"""Levels from deal to deal: rises, 过A, the next level and the next leader (seed 000 L43-L49, L189; 003 L11-L13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from table_controller.cards import RANKS, Pair, Seat, other_pair, pair_of, partner

RISE_BY_PARTNER_PLACE = {1: 3, 2: 2, 3: 1}
"""The winners rise by 3, 2 or 1 when the partner is 二游, 三游 or 下游 (seed 000 L45; 003 L12)."""


@dataclass(frozen=True)
class DealResult:
    """What a finished deal changes."""

    winner: Pair
    rise: int
    double_down: bool
    levels: dict[Pair, str]
    next_level: str
    passes_a: bool


def complete_order(order: Sequence[Seat | None]) -> list[Seat | None]:
    """Four places; a double-down leaves the losers' places open."""
    known = [seat for seat in order if seat is not None]
    return [*known, *[None] * (4 - len(known))]


def settle(
    order: Sequence[Seat | None],
    levels: dict[Pair, str],
    deal_level: str,
    owner: Pair | None = None,
    *,
    pass_a_on_own_level_only: bool = True,
) -> DealResult:
    """The result of a deal with finishing places ``order`` (at least two known), played at ``deal_level``.

    ``owner`` is the pair whose level was played; None takes the pair standing at that level. 过A needs a deal played at
    one's own A, 上游, and a partner who is not 下游 (seed 000 L189).
    """
    places = complete_order(order)
    first = places[0]
    assert first is not None, "a finished deal has a first place"
    winner = pair_of(first)
    mate = partner(first)
    place = places.index(mate) if mate in places else 3
    rise = RISE_BY_PARTNER_PLACE[place]
    level_owner = owner or (winner if levels[winner] == deal_level else other_pair(winner))
    at_own_a = deal_level == "A" and levels[winner] == "A" and (level_owner == winner or not pass_a_on_own_level_only)
    risen = RANKS[min(RANKS.index(levels[winner]) + rise, len(RANKS) - 1)]
    new_levels = {**levels, winner: risen}
    return DealResult(
        winner=winner,
        rise=rise,
        double_down=place == 1,
        levels=new_levels,
        next_level=risen,
        passes_a=at_own_a and place != 3,
    )


def foul_result(
    offenders: Pair,
    levels: dict[Pair, str],
    deal_level: str,
    owner: Pair | None = None,
    *,
    foul_passes_a: bool = False,
    pass_a_on_own_level_only: bool = True,
) -> DealResult:
    """A deal lost by a foul is a double-down of the other pair (seed 000 L227); A itself is to be played (L189)."""
    winner = other_pair(offenders)
    order: list[Seat | None] = ["E", "W", None, None] if winner == "EW" else ["N", "S", None, None]
    result = settle(order, levels, deal_level, owner, pass_a_on_own_level_only=pass_a_on_own_level_only)
    return replace(result, passes_a=result.passes_a and foul_passes_a)
