"""Before the first card: who shuffles, cuts and draws, late arrival, and what a dealing machine replaces.

Sources: seed 000 L77-L91, L265-L271, L313; 003 L19-L25, L50, L102-L104.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from table_controller.cards import JOKERS, RANKS, SEATS, Pair, Seat, next_seat, pair_of, partner, previous_seat
from table_controller.games.guandan.match import complete_order
from table_controller.games.guandan.profile import Profile

FULL_PACK = 108
HAND = 27


@dataclass(frozen=True)
class Neighbours:
    """Who sits where, seen from a seat (seed 000 L13-L17)."""

    before: Seat
    after: Seat
    partner: Seat


def neighbours(seat: Seat) -> Neighbours:
    """上家 on the left, 下家 on the right, 对家 opposite."""
    return Neighbours(previous_seat(seat), next_seat(seat), partner(seat))


def turn_order(first: Seat, cards: int = 4) -> tuple[Seat, ...]:
    """Who draws or plays in turn from ``first``, counter-clockwise, one each (seed 000 L87, L95; 003 L24, L26)."""
    start = SEATS.index(first)
    return tuple(SEATS[(start + i) % 4] for i in range(cards))


def shuffles(deal: int, profile: Profile) -> tuple[int, int]:
    """How often the pack is shuffled before deal ``deal`` (1 is the first): least and most (000 L77; 003 L20, L22)."""
    return profile.before.shuffles_first if deal == 1 else profile.before.shuffles_later


def cut_again(turned: str, profile: Profile) -> bool:
    """Whether the turned card is one that is cut and turned again (003 L21)."""
    return turned in profile.before.cut_again


def first_draw(cutter: Seat, turned: str, profile: Profile) -> Seat | None:
    """Who draws first: counted from the cutter by the turned card's points; None: cut again (000 L79; 003 L21)."""
    if turned in JOKERS or cut_again(turned, profile):
        return None
    points = 1 if turned[0] == "A" else RANKS.index(turned[0]) + 2
    return turn_order(cutter, points)[-1]


@dataclass(frozen=True)
class Draw:
    """Who does what before a later deal; ``shufflers`` names more than one where the text leaves it open."""

    shufflers: tuple[Seat, ...]
    cutter: Seat
    first: Seat


def later_draw(order: Sequence[Seat | None], profile: Profile) -> Draw:
    """Shuffler, cutter and first drawer after a deal with these places (seed 000 L81; 003 L22).

    After a double-down 上游's 下家 draws first; which loser is 下游 is then open, and either may shuffle (000).
    """
    places = complete_order(order)
    first, last = places[0], places[3]
    assert first is not None, "a finished deal has a first place"
    if profile.before.later_shuffler == "before_first":
        shufflers: tuple[Seat, ...] = (previous_seat(first),)
    elif last is not None:
        shufflers = (last,)
    else:
        shufflers = tuple(seat for seat in SEATS if pair_of(seat) != pair_of(first))
    return Draw(shufflers, first, next_seat(first) if last is None else last)


@dataclass(frozen=True)
class Roles:
    """Who does what with the pack before a deal; several seats where any of them may, none where a referee says."""

    shufflers: tuple[Seat, ...]
    shuffles: tuple[int, int]
    cutters: tuple[Seat, ...]
    turns: bool
    """The cutter turns a card: its points count to who draws first, and who draws it leads (000 L79; 003 L21)."""
    first: Seat | None
    leads: Seat | None = None


def first_roles(profile: Profile) -> Roles:
    """Before a game's first deal: ``any`` shuffles and an ``opponent`` cuts, or the seats named (000 L79; 003 L21)."""
    shuffler, cutter = profile.before.first_shuffler, profile.before.first_cutter
    shufflers = tuple(seat for seat in SEATS if shuffler in ("any", seat))
    pairs = {pair_of(seat) for seat in shufflers}
    others = tuple(seat for seat in SEATS if pairs != {pair_of(seat)})
    cutters = others if cutter == "opponent" else tuple(seat for seat in SEATS if seat == cutter)
    return Roles(shufflers, shuffles(1, profile), cutters, turns=True, first=None)


def later_roles(order: Sequence[Seat | None], deal: int, profile: Profile) -> Roles:
    """Before deal ``deal``; after a deal lost by a foul nobody is 上游, and the texts name no shuffler."""
    if not order:
        return Roles((), shuffles(deal, profile), (), turns=False, first=None)
    draw = later_draw(order, profile)
    return Roles(draw.shufflers, shuffles(deal, profile), (draw.cutter,), turns=False, first=draw.first)


def late_roles(offender: Seat, profile: Profile) -> Roles:
    """Before the first deal when ``offender`` was late and shuffles (003 L103-L104)."""
    draw = late_draw(offender)
    return Roles((offender,), shuffles(1, profile), (draw.cutter,), turns=False, first=draw.first, leads=draw.leads)


@dataclass(frozen=True)
class Late:
    """What a late pair's opponents get. ``rise`` None: the text names nothing, the referee decides."""

    late: bool
    rise: int | None = 0

    @property
    def level(self) -> str | None:
        """The level the other pair begins at."""
        return None if self.rise is None else RANKS[self.rise]


def late_arrival(minutes: float, profile: Profile) -> Late:
    """A pair that is not seated ``minutes`` after the start (003 L102-L104; by the regulations in 000 L313)."""
    if minutes <= 0:
        return Late(False)
    steps = zip(profile.before.late_minutes, profile.before.late_rises, strict=True)
    return Late(True, next((rise for limit, rise in steps if minutes <= limit), None))


@dataclass(frozen=True)
class LateDraw:
    """After a late arrival: any offender shuffles, his 下家 cuts, his 对家 draws first, his 上家 leads (003 L103)."""

    shufflers: tuple[Seat, ...]
    cutter: Seat
    first: Seat
    leads: Seat


def late_draw(offender: Seat) -> LateDraw:
    """Who does what when ``offender`` of the late pair shuffles (003 L103-L104)."""
    mates = (offender, partner(offender))
    return LateDraw(mates, next_seat(offender), partner(offender), previous_seat(offender))


def mixed_seats_allowed(men: Collection[Seat], women: Collection[Seat]) -> bool:
    """Mixed pairs: the man sits W or N, the woman E or S (003 L50)."""
    return set(men) == {"W", "N"} and set(women) == {"E", "S"}


def team_seats_allowed(men: Collection[Seat], women: Collection[Seat]) -> bool:
    """A mixed team: the men's pair sits E and W, the women's N and S (003 L51)."""
    return set(men) == {"E", "W"} and set(women) == {"N", "S"}


def home_seats(*, open_room: bool) -> Pair:
    """Where the home team sits: EW in the open room, NS in the closed one (003 L91)."""
    return "EW" if open_room else "NS"
