"""What was really laid in a trial, what the eye said, and how the two compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from table_controller.cards import SEATS, Seat, over_conserved
from table_controller.table.events import CardsSeen

RIGHT, DOUBTFUL, WRONG, MISSED = "right", "doubtful", "wrong", "missed"
OUTCOMES = (RIGHT, DOUBTFUL, WRONG, MISSED)
_EARLY_MS = 60


@dataclass
class Laid:
    """A play as it was laid: its cards left to right and when the last of them came to rest."""

    seat: Seat
    cards: tuple[str, ...]
    at_ms: int
    difficulty: str
    seen: list[CardsSeen] = field(default_factory=list)
    surplus: set[int] = field(default_factory=set)
    """Which of ``seen`` hold a card that cannot be there any more (conservation)."""

    @property
    def outcome(self) -> str:
        """``right``: one event, every card right and in order, none doubtful. A doubtful event asks a human."""
        if not self.seen:
            return MISSED
        if any(event.doubtful for event in self.seen) or self.surplus:
            return DOUBTFUL
        return RIGHT if self.seen[0].cards == self.cards else WRONG

    @property
    def false_extra(self) -> int:
        """How many plays were reported for it beyond the one."""
        return max(0, len(self.seen) - 1)

    @property
    def hidden_wrong(self) -> bool:
        """A doubtful play in which a card that is not marked doubtful is wrong."""
        if self.outcome != DOUBTFUL or len(self.seen) != 1 or len(self.seen[0].cards) != len(self.cards):
            return False
        event = self.seen[0]
        pairs = enumerate(zip(event.cards, self.cards, strict=True))
        return any(got != really and i not in event.doubtful for i, (got, really) in pairs)


@dataclass
class Tally:
    """Counts of a trial, or of many."""

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    false_extra: int = 0
    hidden_wrong: int = 0

    def add(self, difficulty: str, outcome: str, false_extra: int = 0, hidden_wrong: bool = False) -> None:
        """Count one play."""
        self.outcomes.setdefault(difficulty, Counter())[outcome] += 1
        self.false_extra += false_extra
        self.hidden_wrong += hidden_wrong

    @property
    def total(self) -> Counter[str]:
        """All difficulties together."""
        return sum(self.outcomes.values(), Counter())


def match(laid: Sequence[Laid], events: Sequence[CardsSeen]) -> list[CardsSeen]:
    """Give each event to the play that it must be: the seat's last one by its stamp. Returns those of no play."""
    loose = []
    for seat in SEATS:
        plays = sorted((play for play in laid if play.seat == seat), key=lambda play: play.at_ms)
        for event in events:
            if event.seat != seat:
                continue
            before = [play for play in plays if play.at_ms - _EARLY_MS <= event.at_ms]
            if before:
                before[-1].seen.append(event)
            else:
                loose.append(event)
    return loose


def conserve(laid: Sequence[Laid], events: Sequence[CardsSeen]) -> None:
    """Mark events as the table's core does that show a card more often than two packs hold it."""
    spent: list[str] = []
    for event in events:
        surplus = set(over_conserved([*spent, *event.cards])) & set(event.cards)
        spent += event.cards
        for play in laid:
            play.surplus |= {i for i, seen in enumerate(play.seen) if seen is event and surplus}
