"""What follows an irregularity at the table: who loses which right, what is taken back, what the partner may not lead.

Sources: seed 000 L157-L175, L249-L291; 003 L29-L34. Each treatment is data, so that the core applies it and a page
can say it in words.
"""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.cards import Seat, next_seat, partner, previous_seat


@dataclass(frozen=True)
class Treatment:
    """What the rules make of an irregularity. Fields that do not apply are empty."""

    rule: str
    take_back: bool = False
    stopped: Seat | None = None
    """Loses the right to play in this trick."""
    next: Seat | None = None
    """Who plays instead."""
    chooser: Seat | None = None
    """Names the type that the offender must lead."""
    no_follow: tuple[Seat, ...] = ()
    """May not follow in this trick, until an opponent of theirs has followed."""
    partner_may_not_lead: str = ""
    """A type the partner may not lead, if the next trick's lead falls to him."""


def wrong_play(seat: Seat, *, leading: bool, shown_type: str = "") -> Treatment:
    """Cards that are no play or do not beat (错牌): seed 000 L255-L259.

    A leader takes the cards back and his left-hand neighbour (上家) names the type to lead from them; a follower takes
    them back and loses the turn. The partner may not lead the main type that was shown, if he leads next.
    """
    if leading:
        return Treatment("000 L255", True, chooser=previous_seat(seat), partner_may_not_lead=shown_type)
    return Treatment("000 L257", True, stopped=seat, next=next_seat(seat), partner_may_not_lead=shown_type)


def out_of_turn_play(offender: Seat, shown_type: str = "") -> Treatment:
    """Played before the seats before him: taken back, this trick's right stops, his 下家 goes on (000 L275-L277)."""
    return Treatment("000 L275", True, stopped=offender, next=next_seat(offender), partner_may_not_lead=shown_type)


def out_of_turn_pass(offender: Seat) -> Treatment:
    """Passed before the seats before him: neither he nor his partner follows (seed 000 L281)."""
    return Treatment("000 L281", no_follow=(offender, partner(offender)))


def may_lift_report(*, deal_over: bool, card_stays: bool) -> bool:
    """The number card stays on its circle to the end of the deal (003 L34)."""
    return deal_over or not card_stays


def report_is_right(shown: int, left: int) -> bool:
    """The number shown is the number held (003 L34)."""
    return shown == left


def question_after_report_counts(*, reported: bool) -> bool:
    """Asking how many are left is an irregularity only after the report (seed 000 L173)."""
    return reported


@dataclass(frozen=True)
class Reveal:
    """How the returns of a double tribute are shown."""

    face_down: bool
    by: str
    counter_clockwise: bool


def returns_shown(*, equal: bool, revealed_by: str) -> Reveal:
    """Face down, then turned up together: by the payers (003 L33), after equal tributes by the receivers (000 L151)."""
    return Reveal(True, revealed_by if equal else "payers", counter_clockwise=equal and revealed_by == "receivers")
