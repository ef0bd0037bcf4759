"""Every input of the table's core, as frozen data.

``at_ms`` is the monotonic stamp of the edge that caused it: the last byte of a frame, a GPIO edge, the grab of a camera
frame. It is not the time the event was handled. Events hold only ``int str bool float None`` and tuples of these, so
that the journal can write and read them without loss.
"""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.cards import Pair, Seat


@dataclass(frozen=True)
class Event:
    """The root of all events."""

    at_ms: int


# --- lifecycle and people -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableOpened(Event):
    """A session of the table begins: the first record of a journal."""

    table: str
    venue: str
    profile: str
    seed: int | None = None
    """Only a simulated table has one: the first leader is drawn from it."""
    officiating: str = ""
    """``advise`` or ``enforce``; empty: as the profile says."""
    rules: str = ""
    """The text of a venue's own profile, so that a replay needs no file."""


@dataclass(frozen=True)
class DealRequested(Event):
    """Somebody pressed Start (panel, page, referee)."""

    by: str
    leader: Seat | None = None
    """The drawn first leader of a game's first deal; drawn at the edge, because the core has no randomness."""


@dataclass(frozen=True)
class StopRequested(Event):
    """The Stop button or a STOP from a page: the machine stops and the clock pauses."""

    by: str


@dataclass(frozen=True)
class ReadyPressed(Event):
    """A seat's Ready button: sorting is done."""

    seat: Seat


@dataclass(frozen=True)
class PassPressed(Event):
    """A seat's PASS button, or a pass that a human tells of."""

    seat: Seat
    how: str = ""
    """``word`` or ``knock``, as a human heard it; empty: by card or button."""


@dataclass(frozen=True)
class TdPressed(Event):
    """A seat's TD button: the referee is called."""

    seat: Seat


@dataclass(frozen=True)
class TimerFired(Event):
    """A timer set by a SetTimer effect ran out; ``at_ms`` is the time it was set for."""

    name: str


# --- what the camera saw --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CardsSeen(Event):
    """New face-up cards came to rest in a seat's play area.

    ``at_ms`` is the grab time of the first frame that shows the full set. ``cards`` are left to right as the player
    sees them, ``??`` where unreadable. ``doubtful`` lists the positions whose reading is not sure.
    """

    seat: Seat
    cards: tuple[str, ...]
    doubtful: tuple[int, ...] = ()
    confidence: float = 1.0
    evidence: str = ""
    """Name of the crop it was read from, if one was kept."""
    circle: str = ""
    """Name of the picture of the seat's prompt circle at that time, if one was kept."""


@dataclass(frozen=True)
class CardsGone(Event):
    """Cards of a seat's newest play left the area while others stay (taken back, or being cleared)."""

    seat: Seat
    cards: tuple[str, ...]


@dataclass(frozen=True)
class AreaCleared(Event):
    """A seat's play area is empty again."""

    seat: Seat


@dataclass(frozen=True)
class PromptLaid(Event):
    """A prompt card newly came to rest on a seat's prompt circle: PASS, 1-10, TD or STOP (or ``??``)."""

    seat: Seat
    kind: str
    marker: int = -1
    """The marker id of this physical card; -1 for a card without markers."""
    evidence: str = ""
    """Name of the picture of the circle, if one was kept."""


@dataclass(frozen=True)
class PromptLifted(Event):
    """A prompt card was picked up; ``kind`` is the card that left."""

    seat: Seat
    kind: str
    marker: int = -1
    evidence: str = ""


@dataclass(frozen=True)
class PromptTouched(Event):
    """A hand tapped the uppermost prompt card of a seat, or moved it where it lies."""

    seat: Seat
    kind: str
    marker: int = -1
    evidence: str = ""


@dataclass(frozen=True)
class PromptCircleCleared(Event):
    """A seat's prompt circle is empty."""

    seat: Seat
    evidence: str = ""


@dataclass(frozen=True)
class CameraLost(Event):
    """No usable picture: ``reason`` in plain words."""

    reason: str


@dataclass(frozen=True)
class CameraBack(Event):
    """Pictures arrive again."""


# --- the dealer -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DealerOnline(Event):
    """The handshake with the dealer succeeded."""

    boot: int
    firmware: str
    protocol: int
    kind: str
    """``avr`` (the real firmware), ``emulator``, or the port's name."""


@dataclass(frozen=True)
class DealerOffline(Event):
    """The link is down; ``message`` in plain words."""

    message: str


@dataclass(frozen=True)
class DealPlanned(Event):
    """The driver drew a plan: exits in feed order, never cards. ``commitment`` is the hash of nonce and plan."""

    job: int
    pack: str
    plan: str
    nonce: str
    commitment: str


@dataclass(frozen=True)
class DealProgress(Event):
    """``index`` cards have left the feeder; ``counts`` per exit E N W S (and bottom)."""

    job: int
    index: int
    counts: tuple[int, ...]


@dataclass(frozen=True)
class DealDone(Event):
    """All cards counted at every exit and the hands released."""

    job: int
    counts: tuple[int, ...]


@dataclass(frozen=True)
class DealFailed(Event):
    """The deal stopped. ``void``: cards are called back and dealt anew; else it can go on once cleared."""

    job: int
    code: str
    place: str
    message: str
    void: bool
    counts: tuple[int, ...] = ()


@dataclass(frozen=True)
class DealtByHand(Event):
    """The cards were dealt without the machine; without a drawn leader the first seat to lay cards leads."""

    by: str
    leader: Seat | None = None


@dataclass(frozen=True)
class DealerCleared(Event):
    """A latched fault was cleared by a person."""


# --- a human's word -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlayCorrected(Event):
    """A human says what a play really was; it replaces the reading everywhere, the original stays in the record."""

    play: int
    cards: tuple[str, ...]
    by: str
    reason: str = ""
    deal: int = 0
    """An earlier deal's number; 0: the one under way, or the last."""
    agreed: tuple[Pair, ...] = ()
    """The pairs that agree: once the round is over, what changes a result needs both (003 L126)."""
    role: str = "referee"
    saw: str = ""
    """The play as its page showed it (``seen.as_shown``); empty: not said."""


@dataclass(frozen=True)
class PlayEntered(Event):
    """A play entered by hand (no camera, or cards that cannot be read)."""

    seat: Seat
    cards: tuple[str, ...]
    by: str
    replaces: int = 0
    """The incident of the misread play that this one replaces: it is withdrawn."""


@dataclass(frozen=True)
class PauseRequested(Event):
    """The referee stops the clock."""

    by: str
    reason: str = ""


@dataclass(frozen=True)
class ResumeRequested(Event):
    """The referee lets play and clock go on."""

    by: str


@dataclass(frozen=True)
class IncidentUpdated(Event):
    """A human acknowledges, arrives at, resolves or overturns an incident."""

    incident: int
    status: str
    by: str
    reason: str = ""


@dataclass(frozen=True)
class Resync(Event):
    """A human puts the table back on the thread in one action: whose turn, counts, last play's owner."""

    by: str
    turn: Seat
    counts: tuple[int, int, int, int]
    last_seat: Seat | None = None
    last_cards: tuple[str, ...] = ()
