"""Tribute (贡牌), return (还牌) and resisted tribute (抗贡): seed 000 L141-L157, L287-L291; 003 L32-L33."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.cards import JOKERS, RANKS, UNKNOWN, Seat, next_seat, pair_of, partner
from table_controller.games.guandan.hands import wild_of
from table_controller.games.guandan.match import complete_order
from table_controller.games.guandan.order import card_strength

BIG = "BJ"
"""The big joker: two of them between the payers resist a tribute (000 L153-L155)."""


@dataclass(frozen=True)
class TributePlan:
    """Who owes a card to whom, and who leads afterwards (None: known once the cards lie)."""

    pays: dict[Seat, Seat]
    leads: Seat | None


def payers(order: Sequence[Seat | None]) -> tuple[Seat, ...]:
    """The seats that owe tribute: 下游, or both losers after a double-down (seed 000 L143, L149)."""
    places = complete_order(order)
    first, last = places[0], places[3]
    assert first is not None, "a finished deal has a first place"
    if pair_of(first) == pair_of(places[1] or first) and places[1] is not None:
        return (next_seat(first), next_seat(partner(first)))
    assert last is not None, "without a double-down all four places are known"
    return (last,)


def tribute_strength(card: str, level: str) -> int:
    """How high a card is as a tribute; the wild is none, and so below every other (seed 000 L143; 003 L32)."""
    return -1 if card == wild_of(level) else card_strength(card, level)


def legal_tribute(hand: Sequence[str], level: str) -> tuple[str, ...]:
    """The cards of a hand that may be paid: the highest, the wild excepted (seed 000 L143; 003 L32)."""
    eligible = [card for card in hand if card != wild_of(level)]
    top = max((card_strength(card, level) for card in eligible), default=-1)
    return tuple(dict.fromkeys(card for card in eligible if card_strength(card, level) == top))


def tribute_plan(order: Sequence[Seat | None], cards: dict[Seat, str], level: str) -> TributePlan:
    """Who pays whom once the tribute cards are known.

    Single: 下游 to 上游, and leads. Double: the higher card to 上游, its payer leads; equal cards go clockwise, so that
    each pays its 上家 and the next seat after 上游 leads (seed 000 L143, L151; 003 L32-L33).
    """
    owing = payers(order)
    first, second = complete_order(order)[:2]
    assert first is not None
    if len(owing) == 1:
        return TributePlan({owing[0]: first}, owing[0])
    assert second is not None
    strengths = {seat: card_strength(cards[seat], level) for seat in owing}
    a, b = owing  # a is the seat after 上游
    high, low = (a, b) if strengths[a] >= strengths[b] else (b, a)
    return TributePlan({high: first, low: second}, high)


def resisted(order: Sequence[Seat | None], big_jokers: dict[Seat, int]) -> bool:
    """Whether the payers hold both big jokers between them (seed 000 L153-L157)."""
    return sum(big_jokers.get(seat, 0) for seat in payers(order)) >= 2


def big_jokers(cards: Sequence[str], doubtful: Sequence[int] = ()) -> tuple[int, int]:
    """How many of these are big jokers for sure, and how many may be one: a doubtful joker, or a card not read."""
    sure = sum(card == BIG and place not in doubtful for place, card in enumerate(cards))
    unsure = sum(card == UNKNOWN or (card in JOKERS and place in doubtful) for place, card in enumerate(cards))
    return sure, sure + unsure


def small_enough(card: str, level: str, *, level_card_above: bool = True) -> bool:
    """Whether a card is at most ten; the level card stands above it (000 L105), unless a profile says otherwise."""
    if not level_card_above and card[0] in RANKS[: RANKS.index("T") + 1]:
        return True
    return card_strength(card, level) <= RANKS.index("T")


def legal_returns(
    hand: Sequence[str], level: str, *, limited: bool, smallest_when_none: bool, level_card_above: bool = True
) -> tuple[str, ...]:
    """The cards that may be returned.

    ``limited``: only up to ten, the level card above it unless a profile says otherwise (seed 000 L145; 003 L32).
    ``smallest_when_none``: without such a card the smallest one (003 L32); 000 names no way out.
    """
    if not limited:
        return tuple(dict.fromkeys(hand))
    fits = [card for card in hand if small_enough(card, level, level_card_above=level_card_above)]
    small = tuple(dict.fromkeys(fits))
    if small or not smallest_when_none:
        return small
    least = min((card_strength(card, level) for card in hand), default=0)
    return tuple(dict.fromkeys(card for card in hand if card_strength(card, level) == least))


def first_leader_after(order: Sequence[Seat | None], *, was_resisted: bool) -> Seat | None:
    """Who leads next: 下游, 上游 after a resisted tribute, None when the tribute decides (000 L31-L33, L153)."""
    places = complete_order(order)
    if was_resisted:
        return places[0]
    owing = payers(order)
    return owing[0] if len(owing) == 1 else None
