"""What a referee, an operator or the players themselves tell the table: rulings, corrections, the match and its record.

``by`` names who; ``role`` is ``referee`` or ``head_referee`` where a rule asks for one (seed 000 L213-L215).
"""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.cards import Pair, Seat
from table_controller.table.events import Event

# --- rulings --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ruled(Event):
    """A referee rules on an incident: a penalty (empty: none) and, by ``apply``, what the rules make of it."""

    incident: int
    penalty: str
    by: str
    role: str = "referee"
    reason: str = ""
    lapsed: str = ""
    """Why the right to a penalty lapsed, if it did: a key of ``penalties.LAPSED``."""
    apply: bool = True
    seat: Seat | None = None
    """The offender, where the incident names none."""


@dataclass(frozen=True)
class IrregularityNoted(Event):
    """A human saw what the table cannot see; ``kind`` is a kind of incident."""

    kind: str
    seat: Seat | None
    by: str
    detail: str = ""


@dataclass(frozen=True)
class PromptTold(Event):
    """A human says which prompt card lies there: PASS, 1-10, TD or STOP; empty: none of them."""

    incident: int
    kind: str
    by: str


@dataclass(frozen=True)
class HallReminded(Event):
    """The hall was reminded of these kinds: the first breach after it counts as the second (003 L153)."""

    kinds: tuple[str, ...]
    by: str


@dataclass(frozen=True)
class TypeNamed(Event):
    """The left-hand neighbour of a leader who erred names the type to lead (seed 000 L255)."""

    seat: Seat
    play_type: str


@dataclass(frozen=True)
class LeaderNamed(Event):
    """After a foul the opponents name the first leader (seed 000 L227); or a referee does."""

    leader: Seat
    by: str


@dataclass(frozen=True)
class CardsExposed(Event):
    """Cards shown without being played: public, and not spent. ``due``: shown as a tribute nobody owed (000 L261)."""

    seat: Seat
    cards: tuple[str, ...]
    by: str
    as_tribute: bool = False


# --- the record -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExchangeCorrected(Event):
    """The tribute of a payer, or the return of a receiver, was another card."""

    seat: Seat
    card: str
    by: str
    reason: str = ""
    wrong: bool = False
    """The player erred and put it right before play began (000 L289), the table did not misread."""
    second: str = ""
    """A second card that was laid with it: two big jokers resist, else the higher is the tribute (000 L153)."""
    answers: int = 0
    """The question (an incident) that this answers; refused once somebody else has. 0: not said."""


@dataclass(frozen=True)
class WildDeclared(Event):
    """What a play with a wild is, as its player says: ``reading`` such as ``straight:8`` (seed 000 L121; 003 L18)."""

    play: int
    reading: str
    by: str
    deal: int = 0
    agreed: tuple[Pair, ...] = ()
    role: str = "referee"
    saw: str = ""
    """The reading that its page showed; empty: not said."""


@dataclass(frozen=True)
class PlayInserted(Event):
    """A play (``cards`` empty: a pass) that the table missed, after number ``after`` (0: the first)."""

    after: int
    seat: Seat
    cards: tuple[str, ...]
    by: str
    reason: str = ""
    deal: int = 0
    agreed: tuple[Pair, ...] = ()
    role: str = "referee"
    saw: str = ""
    """The play it comes after as its page showed it (``seen.as_shown``); empty: not said."""
    before: int = -1
    """The number of the play that its page showed next (0: none); -1: not said."""


@dataclass(frozen=True)
class PlayRemoved(Event):
    """A play that never was."""

    play: int
    by: str
    reason: str = ""
    deal: int = 0
    agreed: tuple[Pair, ...] = ()
    role: str = "referee"
    saw: str = ""
    """The play as its page showed it (``seen.as_shown``); empty: not said."""


@dataclass(frozen=True)
class PlayMoved(Event):
    """A play by another seat than the one noted."""

    play: int
    seat: Seat
    by: str
    reason: str = ""
    deal: int = 0
    agreed: tuple[Pair, ...] = ()
    role: str = "referee"
    saw: str = ""
    """The play as its page showed it (``seen.as_shown``); empty: not said."""


@dataclass(frozen=True)
class RolledBack(Event):
    """Play goes back to just after number ``play`` (a report not made, seed 000 L169): later cards are taken up."""

    play: int
    by: str
    reason: str = ""
    saw: str = ""
    """The play as its page showed it (``seen.as_shown``); empty: not said."""
    before: int = -1
    """The number of the play that its page showed next (0: none); -1: not said."""


# --- clocks ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClockExtended(Event):
    """The referee gives the running clock more time."""

    extra_ms: int
    by: str
    reason: str = ""


@dataclass(frozen=True)
class ClockSet(Event):
    """The referee sets the time used."""

    elapsed_ms: int
    by: str
    reason: str = ""


# --- the match ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatchSet(Event):
    """What is played: system (计局 计副 计时 计时计副), deals, minutes, games, format; 0 means none of it."""

    by: str
    system: str = "计局"
    deals: int = 0
    minutes: int = 0
    games: int = 1
    format: str = "swiss"
    round: int = 1
    names: tuple[str, ...] = ()
    """Players at E N W S."""
    starts_in_minutes: int = 0
    """The round begins so much later; 0: now."""
    screens: bool = False
    """A screen stands over the table: more time a deal (003 L99)."""
    copied_decks: int = 0
    """Packs to be copied first: each adds its time (003 L100)."""


@dataclass(frozen=True)
class RoundLeft(Event):
    """After a restart of the controller: so much of the round is left, by the wall clock (the stamps begin anew)."""

    left_ms: int
    begins_in_ms: int = 0
    """A round that had not begun begins in so long; 0: it had begun."""


@dataclass(frozen=True)
class RoundExtended(Event):
    """The referee moves the end of the round."""

    minutes: int
    by: str
    reason: str = ""


@dataclass(frozen=True)
class RoundEnded(Event):
    """The round ends (本轮结束): a deal not begun is cancelled, a begun one goes by the profile (003 L106)."""

    by: str
    reason: str = ""


@dataclass(frozen=True)
class GameConceded(Event):
    """A pair gives a game up: ``how`` is forfeit or withdrawal (seed 000 L231; 003 L115)."""

    pair: Pair
    how: str
    by: str
    role: str = "referee"


@dataclass(frozen=True)
class LateArrived(Event):
    """A pair was late by ``minutes``; ``seat`` is the offender who shuffles (003 L102-L104)."""

    seat: Seat
    minutes: float
    by: str


@dataclass(frozen=True)
class LevelsSet(Event):
    """The referee sets the levels between deals; ``owner`` is the pair whose level is played."""

    ew: str
    ns: str
    owner: Pair
    by: str
    reason: str = ""


@dataclass(frozen=True)
class MatchCarried(Event):
    """A match goes on at this table: the document that ``table-controller record --as carry`` wrote at the other.

    ``away_ms``: what passed between the other table's last event and this one; it is gone from a round that is timed.
    """

    document: str
    by: str
    away_ms: int = 0


# --- results --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ResultEntered(Event):
    """A seat enters the result of the last deal (003 L125)."""

    seat: Seat


@dataclass(frozen=True)
class ResultChecked(Event):
    """A seat of the other pair checks it; ``agrees`` false calls the referee."""

    seat: Seat
    agrees: bool = True
    reason: str = ""


@dataclass(frozen=True)
class ResultCorrected(Event):
    """A deal's places were entered wrongly; both pairs agree and the head referee confirms (003 L126)."""

    deal: int
    order: tuple[Seat, ...]
    agreed: tuple[Pair, ...]
    by: str
    role: str
    reason: str = ""
    saw: tuple[Seat, ...] = ()
    """The places that its page showed; empty: not said."""


@dataclass(frozen=True)
class DisputeRaised(Event):
    """A seat disputes a play as the table read it (0: something else)."""

    seat: Seat
    play: int
    reason: str = ""


@dataclass(frozen=True)
class DisputeAgreed(Event):
    """A seat agrees with how a dispute stands, or not; once both pairs agree it is settled, else the referee does."""

    seat: Seat
    incident: int
    agrees: bool = True
