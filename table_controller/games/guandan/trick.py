"""One trick (一圈): whose turn it is, when it ends, who leads next, and 接风.

Sources: seed 000 L27, L95-L101, L139; 003 L28, L31.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.cards import SEATS, Seat, next_seat, pair_of, partner


def finishing_order(finished: list[Seat], void: Seat | None = None) -> tuple[bool, list[Seat | None]]:
    """(deal over?, places): a double-down ends the deal at two, else three out end it (seed 000 L23, L101; 003 L28).

    ``void``: a seat whose hand was declared void is 下游, whenever it went out (seed 000 L291).
    """
    if void is not None:
        return _order_with_void([seat for seat in finished if seat != void], void)
    if len(finished) >= 2 and pair_of(finished[0]) == pair_of(finished[1]):
        return True, [finished[0], finished[1], None, None]
    if len(finished) >= 3:
        last = next(seat for seat in SEATS if seat not in finished[:3])  # a corrected record may go on past the end
        return True, [*finished[:3], last]
    return False, list(finished)


def _order_with_void(finished: list[Seat], void: Seat) -> tuple[bool, list[Seat | None]]:
    if len(finished) >= 2 and pair_of(finished[0]) == pair_of(finished[1]):
        return True, [finished[0], finished[1], None, None]
    if len(finished) >= 2:
        third = next(seat for seat in SEATS if seat not in (*finished[:2], void))
        return True, [*finished[:2], third, void]
    return False, list(finished)


@dataclass
class Trick:
    """The flow of one trick. ``out`` is shared with the deal: the seats that have played all cards, in order."""

    leader: Seat
    out: list[Seat] = field(default_factory=list)
    last_seat: Seat | None = None
    to_answer: list[Seat] = field(default_factory=list)
    """The seats that may still answer the last play, in turn."""

    @property
    def turn(self) -> Seat | None:
        """Whose turn it is; None once the trick is over."""
        if self.last_seat is None:
            return self.leader
        return self.to_answer[0] if self.to_answer else None

    @property
    def over(self) -> bool:
        """Everybody who may answer the last play has passed."""
        return self.last_seat is not None and not self.to_answer

    def play(self, seat: Seat, *, last_card: bool) -> None:
        """``seat`` played; ``last_card`` when no card is left in the hand."""
        if last_card and seat not in self.out:
            self.out.append(seat)
        self.last_seat = seat
        self.to_answer = []
        following = next_seat(seat)
        while following != seat:
            if following not in self.out:
                self.to_answer.append(following)
            following = next_seat(following)

    def pass_(self, seat: Seat) -> None:
        """``seat`` passed; it may still play later in the same trick (seed 000 L27)."""
        if seat in self.to_answer:
            self.to_answer.remove(seat)

    def stop_leader(self) -> Seat:
        """The leader lost the lead of this trick: the next seat leads (seed 000 L317: 由其下家出牌). Returns it."""
        following = next_seat(self.leader)
        while following in self.out:
            following = next_seat(following)
        self.leader = following
        return following

    def drop(self, seat: Seat) -> None:
        """``seat`` plays no more in this trick: its turn or its lead goes to the next."""
        if self.last_seat is None and self.leader == seat:
            self.stop_leader()
        elif seat in self.to_answer:
            self.to_answer.remove(seat)

    def next_leader(self, *, partner_takes_lead_after: int = 2, void: Seat | None = None) -> Seat | None:
        """Who leads the next trick; None while this one goes on or the deal is over.

        ``partner_takes_lead_after``: 接风 for the first 1 (上游, seed 000 L139) or 2 (上游 or 二游, seed 003 L31) out.
        """
        if not self.over or self.last_seat is None or finishing_order(self.out, void)[0]:
            return None
        if self.last_seat not in self.out:
            return self.last_seat
        places = [seat for seat in self.out if seat != void]
        if (
            self.last_seat != void
            and places.index(self.last_seat) < partner_takes_lead_after
            and partner(self.last_seat) not in self.out
        ):
            return partner(self.last_seat)
        following = next_seat(self.last_seat)
        while following in self.out:
            following = next_seat(following)
        return following
