"""One question, one answer: what a play is, and whether it beats another. Used by the core and by ``judge``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.games.guandan.hands import Reading, parse_reading, readings
from table_controller.games.guandan.order import beats, strength_key
from table_controller.games.guandan.placement import fits
from table_controller.games.guandan.profile import Profile


@dataclass(frozen=True)
class Judgement:
    """What a laid play is. ``reading`` is None for no legal play; ``ambiguous`` when its place does not settle it."""

    reading: Reading | None
    options: tuple[Reading, ...]
    placed: bool
    beats: bool
    ambiguous: bool


def compare(
    previous: Sequence[str],
    following: Sequence[str],
    level: str,
    profile: Profile,
    *,
    previous_as: str | None = None,
    following_as: str | None = None,
) -> bool:
    """Whether ``following`` beats ``previous``; an undeclared ambiguous play counts as its strongest reading."""
    before = _declared(previous, previous_as, level, profile)
    after = _declared(following, following_as, level, profile)
    if not before or not after:
        return False
    strongest = max(before, key=lambda reading: strength_key(reading, level))
    return any(beats(strongest, reading, level) for reading in after)


def _declared(cards: Sequence[str], declared: str | None, level: str, profile: Profile) -> tuple[Reading, ...]:
    options = readings(cards, level, profile.policy)
    if declared is None:
        return options
    chosen = parse_reading(declared, options)
    return (chosen,) if chosen else ()


def judge(
    cards: Sequence[str], level: str, profile: Profile, previous: Reading | None = None, declared: str = ""
) -> Judgement:
    """Read cards laid left to right, against the play to beat (None for a lead).

    The place of the wild decides between readings (003 L18). Where places leave more than one, a reading that beats the
    previous play is preferred, then the strongest; the judgement says so by ``ambiguous``. ``declared`` is the reading
    that the player said (seed 000 L121), as its text: it stands, wherever the wild lies.
    """
    options = readings(cards, level, profile.policy)
    if not options:
        return Judgement(None, (), placed=False, beats=False, ambiguous=False)
    triple_left = profile.fullhouse_triple_left
    placed = tuple(option for option in options if fits(cards, option, level, triple_left=triple_left))
    named = parse_reading(declared, options)
    candidates = (named,) if named else placed or options
    winning = [option for option in candidates if previous is None or beats(previous, option, level)]
    chosen = max(winning or candidates, key=lambda option: strength_key(option, level))
    return Judgement(
        chosen, options, placed=bool(placed), beats=bool(winning), ambiguous=len(winning or candidates) > 1
    )
