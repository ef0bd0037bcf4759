"""Errors of simulated people that take more than one act: a ruling comes first, a card is swapped, a wrong is righted.

What the referee says in between is asked for through ``Erring.tell`` and posted by the simulated referee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.cards import SEATS, Seat, pair_of, previous_seat
from table_controller.games.guandan.deal import Deal
from table_controller.games.guandan.hands import Reading, wild_of
from table_controller.games.guandan.order import beats, card_strength
from table_controller.sim.brain import Choice
from table_controller.sim.script import Script, until
from table_controller.table.referee_events import MatchSet, Ruled, TypeNamed

if TYPE_CHECKING:
    from table_controller.sim.mistakes import Erring

REFEREE = "simulated referee"
SOON_MS = 9000
SLOW_MS = 32_000
SMALL = "23456789T"


def _single(card: str) -> Choice:
    return Choice((card,), Reading("single", 1, card if card[1] == "J" else card[0]))


class Involved:
    """What is remembered between the acts of one error."""

    def __init__(self, errors: Erring) -> None:
        self._errors, self._people = errors, errors.people
        self._must_single: Seat | None = None
        self._shown: tuple[Seat, str] | None = None
        self._third: tuple[Seat, str] | None = None
        self._slow: Seat | None = None

    def _number(self, kind: str, seat: Seat) -> int:
        """The newest open incident of this kind, 0 while there is none."""
        found = [i for i in self._people.table().incidents if i.kind == kind and i.seat == seat and i.is_open]
        return found[-1].number if found else 0

    def _rule(self, kind: str, seat: Seat, penalty: str = "", *, apply: bool = True) -> Script:
        """The referee rules on the incident that has just been raised."""
        clock = self._people.clock
        yield until(clock, lambda: self._number(kind, seat) > 0, SOON_MS)
        number = self._number(kind, seat)
        self._errors.tell(lambda at: Ruled(at, number, penalty, REFEREE, apply=apply))
        yield until(clock, lambda: self._number(kind, seat) != number, SOON_MS)

    # --- before the first deal ----------------------------------------------------------------------------------------

    def before_session(self, deals: int) -> Script:
        """A round of an hour whose deals are over in minutes."""
        if self._errors.due("too_fast"):
            self._errors.tell(lambda at: MatchSet(at, REFEREE, "计时计副", deals, 60))
            yield until(self._people.clock, lambda: self._people.table().match.minutes > 0, SOON_MS)

    # --- the exchange -------------------------------------------------------------------------------------------------

    def before_tribute(self, owing: tuple[Seat, ...], level: str) -> Script:
        """A seat that owes nothing shows its largest card; the referee rules that it goes first."""
        if not self._errors.wants("shown_card_kept"):
            return
        self._errors.due("shown_card_kept")
        seat = next(seat for seat in SEATS if seat not in owing)
        hand = [card for card in self._people.hand_of(seat) if card != wild_of(level)]
        card = max(hand, key=lambda held: card_strength(held, level))
        self._shown = (seat, card)
        yield from self._errors.lay_for_a_while(seat, [card], 2500)
        yield from self._rule("tribute_not_due", seat)

    def lower_tribute(self, seat: Seat, card: str, level: str) -> str:
        """The next highest, which will be put right at once."""
        lower = self._errors.below(seat, card, level)
        if lower and self._errors.due("tribute_put_right"):
            return max(lower, key=lambda held: card_strength(held, level))
        return card

    def put_right(self, seat: Seat, card: str) -> Script:
        """Lay the card that should have lain, until the table has seen it."""
        people = self._people

        def noted() -> bool:
            exchange = people.table().exchange
            return card in (exchange.shown.get(seat), exchange.returned.get(seat))

        yield from people.reach(seat, "play")
        play = people.scene.lay(seat, [card])
        yield from people.leave(seat)
        yield until(people.clock, noted, SOON_MS)
        yield 600
        yield from people.reach(seat, "play")
        people.scene.take_back(play)
        yield from people.leave(seat)

    # --- before a turn ------------------------------------------------------------------------------------------------

    def before_turn(self, deal: Deal, seat: Seat) -> Script:
        """At most one of these in a turn."""
        if self._errors.wants("slow_twice") and (self._slow is None or pair_of(self._slow) == pair_of(seat)):
            if self._slow is not None:
                self._errors.due("slow_twice")
            self._slow = seat
            yield SLOW_MS
            yield from self._rule("time_violation", seat, "violation", apply=False)
        elif self._errors.wants("too_many_cards") and len(self._people.hand_of(seat)) <= 3:
            yield from self._too_many(seat)
        elif deal.to_beat is None and self._errors.wants("other_type"):
            yield from self._other_type(deal, seat)

    def _too_many(self, seat: Seat) -> Script:
        """All cards in hand and one that was played already."""
        spent = [card for by, cards in self._people.truth.laid if by == seat for card in cards]
        if spent:
            self._errors.due("too_many_cards")
            yield from self._errors.lay_for_a_while(seat, [*self._people.hand_of(seat), spent[0]], 2500)

    def _other_type(self, deal: Deal, seat: Seat) -> Script:
        """A wrong lead, the neighbour names singles, and a pair is led all the same."""
        hand = [card for card in self._people.hand_of(seat) if card != wild_of(deal.level) and card[1] != "J"]
        pair = next(([a, b] for i, a in enumerate(hand) for b in hand[i + 1 :] if a[0] == b[0]), None)
        other = next((card for card in hand if card[0] != hand[0][0]), None)
        if pair is None or other is None:
            return
        self._errors.due("other_type")
        clock, table, chooser = self._people.clock, self._people.table, previous_seat(seat)
        yield from self._errors.lay_for_a_while(seat, [hand[0], other], 2500)
        yield from self._rule("not_a_play", seat)
        self._errors.tell(lambda at: TypeNamed(at, chooser, "single"))
        yield until(clock, lambda: table().must_lead is not None, SOON_MS)
        yield from self._errors.lay_for_a_while(seat, pair, 2500)
        self._must_single = seat

    # --- the choice of a play -----------------------------------------------------------------------------------------

    def choice(self, deal: Deal, seat: Seat, choice: Choice | None) -> Choice | None:
        """Another play than the one that would be made."""
        if self._must_single == seat and deal.to_beat is None:
            self._must_single = None
            return _single(min(self._people.hand_of(seat), key=lambda card: card_strength(card, deal.level)))
        if self._shown is not None and self._shown[0] == seat:
            return self._keep_shown(deal, seat, choice)
        if self._third is not None and self._third[0] == seat:
            return self._play_third(deal, choice)
        if deal.to_beat is None and len(self._people.hand_of(seat)) > 3:
            if self._errors.wants("impossible_card"):
                return self._impossible(deal, seat) or choice
            if self._errors.wants("third_copy"):
                return self._third_copy(deal, seat) or choice
        return choice

    def _keep_shown(self, deal: Deal, seat: Seat, choice: Choice | None) -> Choice | None:
        """The card shown stays in hand, and another single goes first."""
        assert self._shown is not None
        others = [card for card in self._people.hand_of(seat) if card != self._shown[1]]
        if deal.to_beat is None and others:
            self._shown = None
            return _single(min(others, key=lambda card: card_strength(card, deal.level)))
        if choice is None or self._shown[1] in choice.cards:
            return None
        if len(choice.cards) == 1:
            self._shown = None
        return choice

    def _swap(self, seat: Seat, card: str, keep: str = "") -> None:
        """A card comes from the discards into the hand, and another is hidden for it."""
        hand = self._people.hand_of(seat)
        hand.remove(next(held for held in hand if held not in (card, keep)))
        hand.append(card)

    def _third_copy(self, deal: Deal, seat: Seat) -> Choice | None:
        spent = [card for _, cards in self._people.truth.laid for card in cards]
        exchange = self._people.table().exchange
        moved = (*exchange.shown.values(), *exchange.returned.values())
        again = [card for card in spent if spent.count(card) == 2 and card[0] in SMALL and card not in moved]
        again = [card for card in again if card[0] != deal.level]
        if not again or not self._errors.due("third_copy"):
            return None
        self._swap(seat, again[0])
        return _single(again[0])

    def _impossible(self, deal: Deal, seat: Seat) -> Choice | None:
        """A pair of a card of which one copy was handed over and is still held by another."""
        exchange, level = self._people.table().exchange, deal.level
        holders = [(receiver, exchange.shown[payer]) for payer, receiver in exchange.pays.items()]
        holders += [(payer, exchange.returned[receiver]) for payer, receiver in exchange.pays.items()]
        paid = exchange.shown.get(seat)
        for holder, card in holders:
            held = self._people.hand_of(seat).count(card) == 1 and card in self._people.hand_of(holder)
            above = paid is not None and card_strength(card, level) > card_strength(paid, level)
            if held and holder != seat and not above and card != wild_of(level) and self._errors.due("impossible_card"):
                self._swap(seat, card, card)
                self._third = (holder, card)
                return Choice((card, card), Reading("pair", 2, card if card[1] == "J" else card[0]))
        return None

    def _play_third(self, deal: Deal, choice: Choice | None) -> Choice | None:
        """Whoever really holds the card plays it when it can go: the third copy."""
        assert self._third is not None
        seat, card = self._third
        alone = _single(card)
        if card not in self._people.hand_of(seat):
            self._third = None
            return choice
        if deal.to_beat is None or beats(deal.to_beat, alone.reading, deal.level):
            self._third = None
            return alone
        return choice
