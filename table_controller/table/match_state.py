"""What a table keeps of its match: the system played, games and their points, thinking time, lost rights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from table_controller.cards import PAIRS, SEATS, Pair, Seat
from table_controller.games.guandan.deal import Action, Deal, Void
from table_controller.games.guandan.proof import Exchanged

MINUTE_MS = 60_000


@dataclass
class MatchState:
    """The match as it stands at this table."""

    system: str = "计局"
    deals: int = 0
    minutes: int = 0
    games: int = 1
    format: str = "swiss"
    round: int = 1
    names: tuple[str, ...] = ()
    game: int = 1
    begun_ms: int = 0
    """When the round began; 0: not set."""
    ends_ms: int = 0
    """When its time is up; 0: no limit."""
    time_up: bool = False
    called: bool = False
    """A person ended the round: the game is over as it stands, whatever its system."""
    ended_ms: int = 0
    played: list[dict[str, object]] = field(default_factory=list)
    """The games that are over, with their points."""
    set_aside: list[dict[str, object]] = field(default_factory=list)
    """Games that were played to their end, and then lost by a penalty: as they were played."""
    winner: Pair | None = None
    over: bool = False
    session_game: int = 0
    """Counts the games of all matches of a session."""


@dataclass
class Thinking:
    """Time used by each seat to play, and between deals, in ms. ``since_ms``: the running turn, or the gap."""

    used: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    between_ms: int = 0
    since_ms: int | None = None

    def of_pairs(self) -> dict[Pair, int]:
        """Both partners' time together."""
        return {pair: sum(self.used[seat] for seat in SEATS if seat in pair) for pair in PAIRS}

    def share(self, pair: Pair) -> float:
        """A pair's part of the time that was thought at this table: proposed for a delay (003 L107)."""
        total = sum(self.used.values())
        return self.of_pairs()[pair] / total if total else 0.5


@dataclass(frozen=True)
class Stop:
    """A seat may not play: in one trick, or at its next turn only (``once``)."""

    seat: Seat
    trick: int
    once: bool
    incident: int
    partner_too: bool = False
    """A pass out of turn bars both partners, until an opponent has followed (seed 000 L281-L283)."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Stop:
        return self


@dataclass(frozen=True)
class PastDeal:
    """A finished deal, kept so that a human can still correct it at any later time."""

    number: int
    level: str
    owner: Pair | None
    leader: Seat
    actions: tuple[Action, ...]
    start: Deal | None
    """The deal as a resync left it, if the record does not reach back to the first lead."""
    judged_from: int
    digest: str
    """Stands for the rest in the table's own digest."""
    void: Void | None = None
    """A hand that was declared void, and after which action."""
    exchange: Exchanged | None = None
    """Its tribute and return: what later shows that one was wrong is held against it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> PastDeal:
        return self
