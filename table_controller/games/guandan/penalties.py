"""Penalties: what an irregularity earns, how they add up, and what each does to the score.

Sources: seed 000 L165-L173, L219-L245, L305-L311; 003 L150-L176. The table proposes; a referee gives them, and a foul
or a lost game needs the head referee (000 L215). Counters are never kept: they are counted from the penalties that
stand, so that overturning one is the same as its never having been given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from table_controller.cards import Pair, Seat, pair_of
from table_controller.games.guandan.profile import Profile

HEAD_REFEREE = "head_referee"
ROLES = ("referee", HEAD_REFEREE)
NEEDS_HEAD = ("foul", "game_lost", "out", "class_1")
KINDS = (
    "warning",
    "violation",
    "violation+stop",
    "foul",
    "game_lost",
    "out",
    "class_1",
    "class_2",
    "class_3",
    "class_4",
)
LAPSED = {
    "next_trick": "000 L241",
    "next_deal": "000 L241",
    "nobody_claimed": "000 L241",
    "spectator": "000 L243",
    "acted_before_call": "000 L245",
    "unfair_gain": "000 L247",
}
"""Why the right to a penalty may lapse."""
COUNTED = {
    "missed_report": "missed_report_steps",
    "irregular_layout": "manner_steps",
    "split_play": "manner_steps",
    "wrong_area": "manner_steps",
    "illegal_signal": "signal_steps",
    "asked_count": "asking_steps",
    "pass_said": "pass_manner_steps",
    "pass_mixed": "pass_manner_steps",
}
"""Irregularities that escalate by their count, with the setting that names the steps; those of one setting together."""
CLASS_OF = {
    "data_entry_late": ("class_4", "003 L156"),
    "data_entry_wrong": ("class_4", "003 L164"),
    "hesitation_trick": ("class_4", "003 L162"),
    "staring": ("class_4", "003 L163"),
    "left_seat": ("class_4", "003 L165"),
    "equipment_removed": ("class_4", "003 L166"),
    "slip_late": ("class_2", "003 L167"),
    "impolite": ("class_4", "003 L169"),
    "phone_on": ("class_2", "003 L171"),
    "smoking": ("class_2", "003 L172"),
    "alcohol": ("class_2", "003 L173"),
    "spectator_of_pair": ("class_4", "003 L174"),
    "closed_room_entered": ("class_3", "003 L175"),
    "ceremony_missed": ("class_3", "003 L177"),
    "illegal_information": ("class_2", "003 L161"),
}
"""Breaches of 003 art. 53-54 with their class; only class 1 has its value in the text that is left."""
TOO_LATE = "later than the regulations allow"
"""A pair that is later than ``forfeit_after_minutes`` (000 L313: by the contest's regulations)."""
DUE = {
    "foul_due": ("foul", "000 L227"),
    "game_loss_due": ("game_lost", "000 L231"),
    "exclusion_due": ("out", "000 L233"),
    TOO_LATE: ("game_lost", "000 L313"),
}
"""What penalties that stand make due; the head referee gives it."""
LATER = "late by a further step"
"""A tribute or return late by 15 s more, and each time again (000 L319: 再拖延超过15秒则记违例, 以下类推)."""
NO_PENALTY = "no penalty in the text"
"""An irregularity that is only put right, such as the lead of a type barred by a play out of turn (000 L255, L277)."""
FOUL_AT_ONCE = ("hidden_card", "extra_card", "missing_card", "stolen_card", "stalling")


VOID_HAND = "void_hand"
"""A hand goes face down and its player is 下游 (000 L291): no penalty that counts."""


@dataclass(frozen=True)
class Given:
    """A penalty that stands. ``what`` is the irregularity it was given for."""

    penalty: str
    seat: Seat
    what: str
    game: int
    round: int
    incident: int = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Given:
        return self


@dataclass(frozen=True)
class Proposal:
    """What the table proposes: the penalty, the rule, and how the counter stood. ``needs`` names who must confirm."""

    penalty: str
    rule: str
    count: int = 1
    foul_follows: bool = False
    """This violation is one too many in the round: with it comes a foul (seed 000 L227)."""

    @property
    def needs(self) -> str:
        """``head_referee`` for a foul or a lost game, else ``referee`` (seed 000 L213-L215)."""
        return HEAD_REFEREE if self.penalty in NEEDS_HEAD or self.foul_follows else "referee"


@dataclass(frozen=True)
class Tally:
    """The counters of one pair by their scopes."""

    warnings_in_game: int
    violations_in_round: int
    fouls_in_round: int
    fouls_in_game: int
    games_lost: int


def counted(given: Iterable[Given], what: str, *, pair: Pair, game: int, seat: Seat | None = None) -> int:
    """How often a pair (``seat``: a player) was penalised for ``what`` in this game."""
    return sum(
        item.what == what and item.game == game and (item.seat == seat if seat else pair_of(item.seat) == pair)
        for item in given
    )


def tally(given: Iterable[Given], pair: Pair, game: int, round_: int) -> Tally:
    """A pair's counters: warnings and fouls of the game, violations of the round, games lost in the match."""
    own = [item for item in given if pair_of(item.seat) == pair]
    in_game = [item for item in own if item.game == game]
    in_round = [item for item in own if item.round == round_]
    return Tally(
        warnings_in_game=sum(item.penalty == "warning" for item in in_game),
        violations_in_round=sum(item.penalty.startswith("violation") for item in in_round),
        fouls_in_round=sum(item.penalty == "foul" for item in in_round),
        fouls_in_game=sum(item.penalty == "foul" for item in in_game),
        games_lost=sum(item.penalty == "game_lost" for item in own),
    )


def step(steps: Sequence[str], count: int) -> str:
    """The penalty of the ``count``-th time; after the last step it stays."""
    return steps[min(count, len(steps)) - 1]


def fouls_for(violations: int, profile: Profile) -> int:
    """Fouls that ``violations`` of a pair in a round make (seed 000 L227).

    The text gives the second a foul; whether each further one is another, or every second one, is a setting.
    """
    needed = profile.penalties.violations_for_foul
    if profile.penalties.each_further_violation_fouls:
        return max(0, violations - needed + 1)
    return violations // needed


def escalated(penalty: str, rule: str, violations_before: int, profile: Profile, count: int = 1) -> Proposal:
    """A proposal, with the foul that this violation brings about."""
    is_violation = penalty.startswith("violation")
    more = fouls_for(violations_before + 1, profile) - fouls_for(violations_before, profile)
    return Proposal(penalty, rule, count, foul_follows=is_violation and more > 0)


def proposed(
    what: str, seat: Seat, given: Sequence[Given], profile: Profile, *, game: int, round_: int, reminded: bool = False
) -> Proposal | None:
    """What the rules propose for an irregularity; None where the texts name no penalty, or leave it to the referee.

    ``reminded``: the hall was reminded of this, which counts as everybody's first (003 L153).
    """
    pair = pair_of(seat)
    if what in FOUL_AT_ONCE:
        return Proposal("foul", "000 L229")
    if what in DUE:
        return Proposal(*DUE[what])
    if what in CLASS_OF and profile.penalties.classes:
        return Proposal(*CLASS_OF[what])
    violations = tally(given, pair, game, round_).violations_in_round
    if what in COUNTED:
        source = profile.report if what == "missed_report" else profile.penalties
        steps = getattr(source, COUNTED[what])
        if not steps or not pass_is_wrong(what, profile):
            return None
        names = [other for other, setting in COUNTED.items() if setting == COUNTED[what]]
        own = seat if what == "asked_count" else None
        count = 1 + sum(counted(given, name, pair=pair, game=game, seat=own) for name in names)
        if reminded and profile.penalties.reminder_counts_as_first:
            count = max(count, 2)
        return escalated(step(steps, count), COUNTED_RULES[what], violations, profile, count)
    if what in PLAIN:
        penalty, rule = PLAIN[what]
        return escalated(penalty, rule, violations, profile)
    return None


def pass_is_wrong(what: str, profile: Profile) -> bool:
    """A pass by word or knock breaks a rule only where the card is required (003 L27; 000 L97); all else does."""
    return what != "pass_said" or profile.pass_by == "card"


COUNTED_RULES = {
    "missed_report": "000 L169-L171",
    "irregular_layout": "000 L165",
    "split_play": "000 L157, L165",
    "wrong_area": "000 L163-L165",
    "illegal_signal": "000 L305-L309",
    "asked_count": "000 L173",
    "pass_said": "000 L219",
    "pass_mixed": "000 L219",
}
PLAIN = {
    "time_violation": ("violation+stop", "000 L317"),
    "tribute_late": ("warning", "000 L319"),
    "return_late": ("warning", "000 L319"),
    LATER: ("violation", "000 L319"),
    "banned_type": ("warning", "000 L259"),
    "wrong_tribute_early": ("warning", "000 L289"),
    "wrong_return_early": ("warning", "000 L289"),
    "light": ("warning", "000 L219"),
    "serious": ("violation+stop", "000 L223"),
    "drawn_seen": ("warning", "000 L269"),
}


def game_lost_due(fouls_in_game: int, profile: Profile) -> bool:
    """Three fouls in a game lose it (seed 000 L231)."""
    return fouls_in_game >= profile.penalties.fouls_for_lost_game


def out_due(games_lost: int, profile: Profile) -> bool:
    """The second game lost by penalty ends the pair's part in the contest (seed 000 L233)."""
    return games_lost >= profile.penalties.lost_games_for_out


def may_lapse(reason: str) -> bool:
    """Whether the right to a penalty may be lost for this reason (seed 000 L241-L247)."""
    return reason in LAPSED


def may_give(by_role: str, penalty: str) -> bool:
    """Only referees give penalties, and a foul or worse only the head referee (seed 000 L215, L235)."""
    return by_role == HEAD_REFEREE or (by_role == "referee" and penalty not in NEEDS_HEAD)
