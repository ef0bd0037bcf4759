"""What the record proves afterwards: a wrong tribute, a wrong return, a card that could not be held.

The camera never sees a hand. But a card that a seat plays later was in its hand when the tribute was due, unless it
came by the exchange: so the first play that shows it is the proof, and is named. Sources: seed 000 L143-L145,
L285-L291; 003 L32-L33. A doubtful or unread card proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from table_controller.cards import UNKNOWN, Seat, partner
from table_controller.games.guandan.deal import Action
from table_controller.games.guandan.order import card_strength
from table_controller.games.guandan.profile import Profile
from table_controller.games.guandan.tribute import small_enough, tribute_strength


@dataclass(frozen=True)
class Proof:
    """``kind`` wrong_tribute, wrong_return or impossible_card; ``plays`` are the numbers that together prove it."""

    kind: str
    seat: Seat
    card: str
    plays: tuple[int, ...]


@dataclass(frozen=True)
class Exchanged:
    """The exchange of a deal: who paid whom, the card shown, the card returned (by receiver)."""

    pays: Mapping[Seat, Seat]
    shown: Mapping[Seat, str]
    returned: Mapping[Seat, str]

    def received_by(self, seat: Seat) -> tuple[str, ...]:
        """The cards that came to a seat by the exchange."""
        tribute = [self.shown[p] for p, receiver in self.pays.items() if receiver == seat and p in self.shown]
        back = [self.returned[self.pays[seat]]] if seat in self.pays and self.pays[seat] in self.returned else []
        return (*tribute, *back)


def _held(actions: Iterable[Action], seat: Seat, received: tuple[str, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Cards that a seat's sure plays show it held before the exchange, each with the plays that show it.

    Copies that came by the exchange are taken off first, so that what is left was dealt to it.
    """
    plays: dict[str, list[int]] = {}
    for action in actions:
        if action.seat == seat:
            for place, card in enumerate(action.cards):
                if card != UNKNOWN and place not in action.unsure:
                    plays.setdefault(card, []).append(action.number)
    came = Counter(received)
    for card, numbers in plays.items():
        if len(numbers) > came[card]:
            yield card, tuple(numbers[: came[card] + 1])


def _first(found: list[Proof]) -> list[Proof]:
    """The proof that was complete first."""
    return [min(found, key=lambda proof: max(proof.plays))] if found else []


def wrong_tributes(actions: list[Action], exchanged: Exchanged, level: str) -> list[Proof]:
    """Payers who held a higher card than the one they paid, the wild excepted (seed 000 L143, L285).

    Who paid the wild itself paid no tribute: any other card of his proves it.
    """
    proofs: list[Proof] = []
    for payer in exchanged.pays:
        paid = exchanged.shown.get(payer, UNKNOWN)
        if paid == UNKNOWN:
            continue
        held = _held(actions, payer, exchanged.received_by(payer))
        proofs += _first(
            [
                Proof("wrong_tribute", payer, card, numbers)
                for card, numbers in held
                if tribute_strength(card, level) > tribute_strength(paid, level)
            ]
        )
    return proofs


def wrong_returns(actions: list[Action], exchanged: Exchanged, level: str, profile: Profile) -> list[Proof]:
    """Receivers who returned a card above ten, yet held one of ten or lower, or a smaller one (003 L32; 000 L145)."""
    proofs: list[Proof] = []
    for payer, receiver in exchanged.pays.items():
        returned = exchanged.returned.get(receiver, UNKNOWN)
        limited = partner(payer) == receiver or profile.return_to_opponent_limited
        above = profile.level_card_above_ten
        if returned == UNKNOWN or not limited or small_enough(returned, level, level_card_above=above):
            continue
        # The tribute itself was in his hand when he chose what to return, so nothing is taken off as received.
        held = _held(actions, receiver, ())
        smallest = profile.return_smallest_when_none
        proofs += _first(
            [
                Proof("wrong_return", receiver, card, numbers)
                for card, numbers in held
                if small_enough(card, level, level_card_above=above)
                or (smallest and card_strength(card, level) < card_strength(returned, level))
            ]
        )
    return proofs


def impossible_cards(actions: list[Action], exchanged: Exchanged, decks: int = 2) -> list[Proof]:
    """Cards handed over in the exchange and not yet played, of which the others have played every copy."""
    holds: dict[str, Counter[Seat]] = {}
    for payer, receiver in exchanged.pays.items():
        if exchanged.shown.get(payer, UNKNOWN) != UNKNOWN and receiver in exchanged.returned:
            holds.setdefault(exchanged.shown[payer], Counter())[receiver] += 1
        if exchanged.returned.get(receiver, UNKNOWN) != UNKNOWN:
            holds.setdefault(exchanged.returned[receiver], Counter())[payer] += 1
    found = (_one_too_many(actions, card, owners, decks) for card, owners in holds.items())
    return [proof for proof in found if proof is not None]


def _one_too_many(actions: list[Action], card: str, owners: Counter[Seat], decks: int) -> Proof | None:
    """The first play that shows one copy too many: never that of a seat which plays the copy it was handed."""
    played: Counter[Seat] = Counter()
    numbers: list[int] = []
    for action in actions:
        copies = sum(c == card and i not in action.unsure for i, c in enumerate(action.cards))
        if not copies:
            continue
        played[action.seat] += copies
        numbers.append(action.number)
        still_held = sum(max(0, owners[seat] - played[seat]) for seat in owners)
        if played.total() + still_held > decks:
            return Proof("impossible_card", action.seat, card, tuple(numbers))
    return None


def proved(actions: list[Action], exchanged: Exchanged, level: str, profile: Profile) -> list[Proof]:
    """Everything the record of a deal proves so far."""
    if not exchanged.pays:
        return []
    return [
        *wrong_tributes(actions, exchanged, level),
        *wrong_returns(actions, exchanged, level, profile),
        *impossible_cards(actions, exchanged),
    ]
