"""Reporting ten cards or fewer (报牌): once a hand, at once after the play (seed 000 L167-L175; 003 L34)."""

from __future__ import annotations

REPORT_LIMIT = 10


def report_due(
    cards_before: int, cards_played: int, *, already_reported: bool, limit: int = REPORT_LIMIT
) -> int | None:
    """The number to report after a play, or None. A hand that is played out needs no report.

    ``limit``: the regulations may set another (seed 000 L175).
    """
    left = cards_before - cards_played
    if already_reported or not 0 < left <= limit:
        return None
    return left
