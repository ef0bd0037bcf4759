"""Everything a table knows. Only the core changes it, on a copy; readers see snapshots (``snapshot.py``)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields
from typing import Any

from table_controller.cards import PAIRS, SEATS, Pair, Seat
from table_controller.games.guandan.deal import Action, Deal
from table_controller.games.guandan.obligation import LeadBan, MustLead, ShownCard
from table_controller.games.guandan.penalties import Given
from table_controller.table.incidents import Incident
from table_controller.table.match_state import MatchState, PastDeal, Stop, Thinking


@dataclass
class ClockState:
    """The one clock: it runs for ``seat`` since ``anchor_ms`` with ``elapsed_ms`` already used."""

    kind: str = "none"
    """none, sorting, tribute, return or play."""
    seat: Seat | None = None
    anchor_ms: int = 0
    elapsed_ms: int = 0
    running: bool = False
    warning_ms: int = 0
    limit_ms: int = 0
    warned: bool = False
    late: bool = False
    """The limit of a tribute or return has passed, and was told."""
    violations: int = 0

    def elapsed(self, at_ms: int) -> int:
        """Time used at ``at_ms``, in ms."""
        return self.elapsed_ms + (max(0, at_ms - self.anchor_ms) if self.running else 0)


@dataclass
class Early:
    """An action seen before its turn: held until the seats before it have acted, or its time runs out."""

    seat: Seat
    at_ms: int
    cards: tuple[str, ...]
    doubtful: tuple[int, ...]
    evidence: str = ""
    """Name of the picture it was read from, if one was kept."""
    incident: int = 0
    """The incident that was raised for it, if one was."""


@dataclass
class Exchange:
    """Tribute and return of a deal; what is shown here is public, and not spent."""

    owing: list[Seat] = field(default_factory=list)
    shown: dict[Seat, str] = field(default_factory=dict)
    pays: dict[Seat, Seat] = field(default_factory=dict)
    returned: dict[Seat, str] = field(default_factory=dict)
    resisted: bool = False
    jokers: dict[Seat, tuple[int, int]] = field(default_factory=dict)
    """Big jokers that each payer has shown for sure, and that it may have shown."""


@dataclass
class DealerState:
    """What is known of the machine."""

    online: bool = False
    kind: str = ""
    firmware: str = ""
    job: int = 0
    index: int = 0
    counts: tuple[int, ...] = (0, 0, 0, 0, 0)
    pack: str = "A"
    plan: str = ""
    nonce: str = ""
    commitment: str = ""
    fault: str = ""
    void: bool = False
    """The failed deal cannot go on: its cards are called back."""
    message: str = ""


@dataclass
class TableState:
    """The whole state of one table."""

    table: str = ""
    venue: str = ""
    profile: str = "default"
    rules: str = ""
    """The text of a venue's own profile."""
    officiating: str = "advise"
    phase: str = "standby"
    under: str = ""
    pause_reason: str = ""
    deal_number: int = 0
    levels: dict[Pair, str] = field(default_factory=lambda: dict.fromkeys(PAIRS, "2"))
    deal_level: str = "2"
    owner: Pair | None = None
    first_leader: Seat | None = None
    leader: Seat | None = None
    winner: Pair | None = None
    last_order: list[Seat | None] = field(default_factory=list)
    results: list[dict[str, object]] = field(default_factory=list)
    deal: Deal | None = None
    actions: list[Action] = field(default_factory=list)
    early: list[Early] = field(default_factory=list)
    early_reports: dict[Seat, int] = field(default_factory=dict)
    exchange: Exchange = field(default_factory=Exchange)
    ready: list[Seat] = field(default_factory=list)
    sorting_ends_ms: int = 0
    """When the sorting allowance is over; what is left of it waits with a pause."""
    areas: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    """Face-up cards lying in each play area."""
    prompts: dict[Seat, list[str]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    """The stack on each prompt circle, bottom first."""
    lamps: dict[str, str] = field(default_factory=dict)
    clock: ClockState = field(default_factory=ClockState)
    incidents: list[Incident] = field(default_factory=list)
    next_action: int = 1
    judged_from: int = 0
    """How many actions lie before the last resync: they are no longer judged."""
    resynced: Deal | None = None
    """The deal as the last resync left it."""
    dealer: DealerState = field(default_factory=DealerState)
    camera_lost: str = ""
    match: MatchState = field(default_factory=MatchState)
    start_levels: dict[Pair, str] = field(default_factory=lambda: dict.fromkeys(PAIRS, "2"))
    """Where the pairs began this game: not at 2 after a late arrival, or as a referee set it."""
    start_owner: Pair | None = None
    late: list[tuple[int, Seat, float]] = field(default_factory=list)
    """Who was late for this game by a step of the text, one a pair: incident, seat and minutes."""
    a_failures: dict[Pair, int] = field(default_factory=lambda: dict.fromkeys(PAIRS, 0))
    no_tribute: bool = False
    """The last deal was lost by a foul: no tribute, and its opponents name the leader."""
    namer: Pair | None = None
    thinking: Thinking = field(default_factory=Thinking)
    given: list[Given] = field(default_factory=list)
    """The penalties that stand: every counter is counted from these."""
    reminded: list[str] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    bans: list[LeadBan] = field(default_factory=list)
    must_lead: MustLead | None = None
    names_type: Seat | None = None
    """Who is to name the type that a leader who erred must lead."""
    nameable: list[str] = field(default_factory=list)
    """The types that the cards he showed hold: one of these is named (seed 000 L255)."""
    shown_cards: list[ShownCard] = field(default_factory=list)
    exposed: list[tuple[Seat, str]] = field(default_factory=list)
    lifted: Seat | None = None
    """The seat whose last play was taken out of its area while it could still be beaten."""
    rejected: Early | None = None
    """The last cards that were no play, while they may still be completed."""
    report_lifted: dict[Seat, int] = field(default_factory=dict)
    """Number cards that were picked up while they should lie."""
    unapplied: list[Early] = field(default_factory=list)
    """Actions of this trick that counted as out of turn: a play found to be missing may put them in turn."""
    named_leader: Seat | None = None
    """Who leads by a late arrival or by the opponents of a foul: it overrides the draw."""
    undo: dict[int, dict[str, Any]] = field(default_factory=dict)
    """What a foul changed, by its incident, so that overturning it is as if it never had been."""
    past: list[PastDeal] = field(default_factory=list)

    def start_level(self) -> str:
        """The level of this game's first deal."""
        return self.start_levels[self.start_owner] if self.start_owner else "2"

    def digest(self) -> str:
        """A hash of the whole state: equal after a replay. Names of pictures are outside it."""
        data = _fields(self) | {"undo": sorted(self.undo), "past": [deal.digest for deal in self.past]}
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_fields)
        return hashlib.sha256(text.encode()).hexdigest()


def _fields(part: Any) -> dict[str, Any]:
    """The fields of one part of a state, nested ones as they are: a copy in depth costs three times the hash itself."""
    kept = {one.name: getattr(part, one.name) for one in fields(part)}
    if isinstance(part, (Action, Early, Incident)):
        del kept["evidence"]
    return kept
