"""What really happened at the simulated table, and what the product made of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.cards import Seat
from table_controller.games.guandan.deal import Action
from table_controller.table.state import TableState


@dataclass
class Truth:
    """The plays of the deal under way as they were laid, and the totals of the run."""

    laid: list[tuple[Seat, tuple[str, ...]]] = field(default_factory=list)
    plays: int = 0
    passes: int = 0
    reports: int = 0
    misreads: list[str] = field(default_factory=list)
    doubtful: int = 0
    deals: int = 0

    def nth(self, seat: Seat, number: int) -> tuple[str, ...] | None:
        """What a seat laid at its ``number``-th play of this deal, counted from 0."""
        own = [cards for by, cards in self.laid if by == seat]
        return own[number] if number < len(own) else None

    def truth_of(self, state: TableState, play: int) -> tuple[str, ...] | None:
        """What was really laid at the committed play with this number."""
        action = next((a for a in state.actions if a.number == play), None)
        if action is None:
            return None
        before = [a for a in state.actions if a.cards and a.seat == action.seat and a.number < play]
        return self.nth(action.seat, len(before))

    def settle(self, state: TableState) -> None:
        """At the end of a deal: compare every committed play, as first read, with what was laid."""
        committed = [action for action in state.actions if action.cards]
        self.deals += 1
        for place, (seat, cards) in enumerate(self.laid):
            action = committed[place] if place < len(committed) else None
            self._compare(state.deal_number, seat, cards, action)
        for extra in committed[len(self.laid) :]:
            self.misreads.append(f"deal {state.deal_number}: {extra.seat} {' '.join(extra.cards)} was never laid")
        self.laid.clear()

    def _compare(self, deal: int, seat: Seat, cards: tuple[str, ...], action: Action | None) -> None:
        if action is None:
            self.misreads.append(f"deal {deal}: {seat} laid {' '.join(cards)}, nothing was committed")
        elif action.original:
            self.doubtful += 1
        elif (action.seat, action.cards) != (seat, cards):
            got = f"{action.seat} {' '.join(action.cards)}"
            self.misreads.append(f"deal {deal}: {seat} laid {' '.join(cards)}, committed {got}")
