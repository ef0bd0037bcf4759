"""Every output of the table's core, as frozen data. They are released only after the journal is durable."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.cards import Seat


@dataclass(frozen=True)
class Effect:
    """The root of all effects."""


@dataclass(frozen=True)
class SetTimer(Effect):
    """Post TimerFired(name) at ``at_ms``; setting a name again replaces it."""

    name: str
    at_ms: int


@dataclass(frozen=True)
class CancelTimer(Effect):
    """Forget a timer."""

    name: str


@dataclass(frozen=True)
class PlanDeal(Effect):
    """Ask the dealer driver for a plan: ``quotas`` cards to the exits E N W S and bottom."""

    job: int
    pack: str
    quotas: tuple[int, ...]


@dataclass(frozen=True)
class RunDeal(Effect):
    """Deal by this plan. A plan is a string of exit letters E N W S B in feed order."""

    job: int
    pack: str
    plan: str


@dataclass(frozen=True)
class StopDealer(Effect):
    """Stop the machine now."""


@dataclass(frozen=True)
class Lamp(Effect):
    """A seat's turn lamp, or the table lamp (seat None): ``off``, ``on``, ``blink`` (warning), ``fast`` (violation)."""

    seat: Seat | None
    mode: str


@dataclass(frozen=True)
class Buzzer(Effect):
    """A buzzer pattern: ``warn``, ``violation``, ``td``, ``fault``."""

    pattern: str


@dataclass(frozen=True)
class Publish(Effect):
    """A public event for the feed: ``kind`` and JSON-ready ``data`` (no card that was not shown)."""

    kind: str
    data: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True)
class Seal(Effect):
    """``commit`` before the deal, ``reveal`` after it."""

    stage: str
    data: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True)
class WatchMode(Effect):
    """What the camera may do: ``deal`` (no picture leaves), ``play``, ``idle`` (between deals)."""

    mode: str


@dataclass(frozen=True)
class AskHuman(Effect):
    """A reading stays doubtful: a human is asked; ``play`` names it, ``question`` in plain words.

    ``evidence`` names the picture it was read from, empty where none was kept.
    """

    play: int
    seat: Seat
    question: str
    evidence: str = ""
