"""Reporting ten cards or fewer (报牌): once a hand, at once after the play (seed 000 L165-L175; 003 L34)."""

from __future__ import annotations

REPORT_LIMIT = 10


def report_due(cards_before: int, cards_played: int, *, already_reported: bool) -> int | None:
    """The number to report after a play, or None. A hand that is played out needs no report."""
    left = cards_before - cards_played
    if already_reported or not 0 < left <= REPORT_LIMIT:
        return None
    return left
