"""One deal from the first lead to the last place: turn, counts, what must be beaten, reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from table_controller.cards import SEATS, UNKNOWN, Seat
from table_controller.games.guandan.hands import Reading
from table_controller.games.guandan.judge import Judgement, judge
from table_controller.games.guandan.profile import Profile
from table_controller.games.guandan.report import REPORT_LIMIT, report_due
from table_controller.games.guandan.trick import Trick, finishing_order

HAND_SIZE = 27


@dataclass(frozen=True)
class Action:
    """A play or a pass, as it stands in the record. ``cards`` is empty for a pass."""

    number: int
    seat: Seat
    at_ms: int
    cards: tuple[str, ...] = ()
    doubtful: tuple[int, ...] = ()
    trick: int = 0
    reading: str = ""
    original: tuple[str, ...] = ()
    """The cards as first read, where a human corrected them."""
    evidence: str = ""
    """Name of the picture it was read from; empty where none was kept, or a human told the play."""
    stopped: bool = False
    """No play and no pass: the seat had lost its right to play."""
    cause: int = 0
    """The incident by which it had, if one is known."""
    declared: str = ""
    """The reading that the player said for a wild, as its text; empty: its place decides."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Action:
        return self

    @property
    def is_doubtful(self) -> bool:
        """A human has not settled this reading yet."""
        return bool(self.unsure)

    @property
    def unsure(self) -> tuple[int, ...]:
        """The places of cards that nobody is sure of, ascending."""
        unread = (i for i, card in enumerate(self.cards) if card == UNKNOWN)
        return tuple(sorted({*self.doubtful, *unread}))


@dataclass(frozen=True)
class Verdict:
    """What a play or pass led to. ``fault`` names why it is not legal; then nothing was applied (unless forced)."""

    fault: str = ""
    out_of_turn: bool = False
    judgement: Judgement | None = None
    irregular: bool = False
    report: int | None = None
    out: bool = False
    trick_over: bool = False
    deal_over: bool = False


@dataclass
class Deal:
    """The state of play of one deal."""

    leader: Seat
    level: str
    counts: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, HAND_SIZE))
    reported: dict[Seat, int] = field(default_factory=dict)
    owes_report: dict[Seat, int] = field(default_factory=dict)
    trick: Trick = field(init=False)
    trick_number: int = 1
    to_beat: Reading | None = None
    to_beat_unknown: bool = False
    """The last play stands as n cards, faces unknown: what follows cannot be judged against it."""
    void: Seat | None = None
    """A seat whose hand was declared void: it plays no more and is 下游 (seed 000 L291)."""
    void_after: int = 0
    """The last action before it was declared void."""
    report_limit: int = REPORT_LIMIT

    def __post_init__(self) -> None:
        self.trick = Trick(leader=self.leader)

    @property
    def out(self) -> list[Seat]:
        """Seats that have played all cards, in order."""
        return self.trick.out

    @property
    def turn(self) -> Seat | None:
        """Whose turn it is; None when the trick or the deal is over."""
        return None if self.over else self.trick.turn

    @property
    def over(self) -> bool:
        """Whether the places are decided (seed 000 L23, L101)."""
        return finishing_order(self.out, self.void)[0]

    @property
    def order(self) -> list[Seat | None]:
        """The finishing places so far."""
        return finishing_order(self.out, self.void)[1]

    @property
    def leading(self) -> bool:
        """The trick's first card has not been played."""
        return self.trick.last_seat is None

    def play(
        self,
        seat: Seat,
        cards: tuple[str, ...],
        profile: Profile,
        *,
        doubtful: bool,
        force: bool = False,
        declared: str = "",
    ) -> Verdict:
        """A play by the seat in turn. An illegal one changes nothing and says why in ``fault``.

        ``force`` applies it all the same: it was accepted at the table before a correction showed what it was.
        """
        if len(cards) > self.counts[seat]:
            return Verdict(fault="too_many_cards")
        if doubtful:
            return self._apply(seat, cards, None)
        judgement = judge(cards, self.level, profile, self.to_beat, declared)
        fault = ""
        if judgement.reading is None:
            fault = "not_a_play"
        elif not judgement.beats and not self.to_beat_unknown:
            fault = "does_not_beat"
        if fault and not force:
            return Verdict(fault=fault, judgement=judgement)
        return replace(self._apply(seat, cards, judgement), fault=fault)

    def _apply(self, seat: Seat, cards: tuple[str, ...], judgement: Judgement | None) -> Verdict:
        due = report_due(self.counts[seat], len(cards), already_reported=seat in self.reported, limit=self.report_limit)
        if due is not None:
            self.owes_report[seat] = due
        self.counts[seat] -= len(cards)
        last = self.counts[seat] == 0
        if last:
            self.owes_report.pop(seat, None)
        self.trick.play(seat, last_card=last)
        self.to_beat = judgement.reading if judgement else None
        self.to_beat_unknown = self.to_beat is None
        return Verdict(
            judgement=judgement,
            irregular=judgement is not None and judgement.reading is not None and not judgement.placed,
            report=due,
            out=last,
            trick_over=self.trick.over,
            deal_over=self.over,
        )

    def pass_(self, seat: Seat) -> Verdict:
        """A pass by the seat in turn; the leader of a trick may not pass (seed 000 L95)."""
        if self.leading:
            return Verdict(fault="pass_by_leader")
        self.trick.pass_(seat)
        return Verdict(trick_over=self.trick.over, deal_over=self.over)

    def stop_turn(self, seat: Seat) -> Verdict:
        """The seat in turn lost its right to play in this trick: it passes, or the next seat leads instead."""
        if self.leading:
            self.trick.stop_leader()
            return Verdict()
        return self.pass_(seat)

    def declare_void(self, seat: Seat, after: int = 0) -> Verdict:
        """The hand of ``seat`` is void: it plays no more, the others go on (seed 000 L291)."""
        self.void, self.void_after = seat, after
        if seat not in self.out:
            self.out.append(seat)
        self.owes_report.pop(seat, None)
        self.trick.drop(seat)
        return Verdict(trick_over=self.trick.over, deal_over=self.over)

    def report(self, seat: Seat, number: int) -> bool:
        """A report card was shown: whether it names the cards left."""
        if self.owes_report.get(seat) != number:
            return False
        self.reported[seat] = self.owes_report.pop(seat)
        return True

    def next_trick(self, profile: Profile) -> Seat:
        """Begin the next trick and return its leader (接风 by the profile)."""
        leader = self.trick.next_leader(partner_takes_lead_after=profile.partner_takes_lead_after, void=self.void)
        assert leader is not None, "the next trick begins only after one that is over"
        self.trick = Trick(leader=leader, out=self.out)
        self.trick_number += 1
        self.to_beat, self.to_beat_unknown = None, False
        return leader


Void = tuple[Seat, int]
"""A void hand's seat, and the number of the last action before it was declared."""


def replay_actions(
    deal: Deal, actions: Iterable[Action], profile: Profile, void: Void | None = None
) -> list[tuple[Action, Verdict]]:
    """Play a record on from ``deal``: used after a human corrected a reading. Reports are kept by the caller.

    What was accepted at the table stays accepted; a fault that shows now, or a wrong turn, is named in its verdict.
    """
    verdicts, record = [], list(actions)
    if deal.void is not None:
        void = None
    voided_at = max((i + 1 for i, action in enumerate(record) if void and action.number <= void[1]), default=0)
    for place, action in enumerate(record):
        if void and place == voided_at:
            _declare(deal, void, profile)
        late = deal.turn != action.seat
        if action.cards:
            doubt, said = action.is_doubtful, action.declared
            verdict = deal.play(action.seat, action.cards, profile, doubtful=doubt, force=True, declared=said)
        elif action.stopped:
            verdict = deal.stop_turn(action.seat)
        else:
            verdict = deal.pass_(action.seat)
        verdicts.append((action, replace(verdict, out_of_turn=late)))
        if verdict.trick_over and not verdict.deal_over:
            deal.next_trick(profile)
    if void and deal.void is None:
        _declare(deal, void, profile)
    return verdicts


def _declare(deal: Deal, void: Void, profile: Profile) -> None:
    verdict = deal.declare_void(*void)
    if verdict.trick_over and not verdict.deal_over:
        deal.next_trick(profile)
