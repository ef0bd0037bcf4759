"""What really happened at the simulated table, and what the product made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import SequenceMatcher

from table_controller.cards import Seat
from table_controller.table.state import TableState

Laid = tuple[Seat, tuple[str, ...]]


@dataclass
class Truth:
    """The plays of the deal under way as they were laid, and the totals of the run."""

    laid: list[Laid] = field(default_factory=list)
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
        """At the end of a deal: compare every committed play with what was laid, in order.

        A play that the referee corrected counts as doubtful: he is only asked about doubtful readings.
        """
        committed: list[Laid] = [(a.seat, a.cards) for a in state.actions if a.cards]
        self.doubtful += sum(bool(a.original) for a in state.actions)
        self.deals += 1
        for tag, i0, i1, j0, j1 in SequenceMatcher(None, self.laid, committed, autojunk=False).get_opcodes():
            if tag != "equal":
                laid, got = _words(self.laid[i0:i1]), _words(committed[j0:j1])
                self.misreads += [f"deal {state.deal_number}: laid {laid}, committed {got}"] * max(i1 - i0, j1 - j0)
        self.laid.clear()


def _words(plays: list[Laid]) -> str:
    return "; ".join(f"{seat} {' '.join(cards)}" for seat, cards in plays) or "nothing"
