"""A round's time: its limit, a pace that is too fast, what happens at the end (seed 000 L191-L195; 003 L99-L106)."""

from __future__ import annotations

from fractions import Fraction

from table_controller.games.guandan.profile import Profile

DEAL_STATES = ("not_started", "drawing_started", "in_play")


def round_limit_minutes(deals: int, profile: Profile, *, screens: bool, copied_decks: int = 0) -> int:
    """Minutes for ``deals`` deals: 8 each with screens, 7 without, one for each copied deck (003 L99-L100).

    A profile without a time a deal plays a game by the hour (000 L193).
    """
    rules = profile.round
    each = rules.minutes_a_deal_screens if screens else rules.minutes_a_deal
    return deals * each + copied_decks * rules.minutes_a_copied_deck if each else rules.game_minutes


def too_fast(limit_minutes: float, used_minutes: float, profile: Profile) -> bool:
    """Whether less than two thirds of the time was used (003 L101)."""
    return Fraction(used_minutes) < Fraction(*profile.round.least_share_used) * Fraction(limit_minutes)


def play_out(deal_state: str, profile: Profile) -> bool:
    """Whether a deal is finished after the end of the time (003 L106; 000 L193 leaves a begun one open: a setting)."""
    return deal_state != "not_started" and profile.round.finish_begun_deal
