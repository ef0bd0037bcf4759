"""What simulated people can do wrong, once each, at the table and in sight of the camera.

Each leads to exactly the incidents that are named for it (``LEADS_TO``), and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from table_controller.cards import Seat, next_seat
from table_controller.games.guandan.deal import Deal
from table_controller.games.guandan.hands import readings, wild_of
from table_controller.games.guandan.order import beats, card_strength
from table_controller.games.guandan.tribute import legal_returns
from table_controller.sim.brain import Brain, Choice
from table_controller.sim.ruled_mistakes import Involved
from table_controller.sim.script import Script, until
from table_controller.table.events import Event

if TYPE_CHECKING:
    from table_controller.sim.players import People

MISTAKES = {
    "slow": "a player thinks for half a minute",
    "silent": "a player does not report ten cards or fewer",
    "wrong_report": "a player shows another number than he holds",
    "report_removed": "a player takes his report card away",
    "disorder": "a player lays a run from large to small",
    "illegal": "a player lays cards that do not beat, and takes them back",
    "not_a_play": "a player lays two unlike cards, and takes them back",
    "split": "a player lays a pair or a triple one card after the other",
    "taken_back": "a player takes up the play he has made and lays another card",
    "out_of_turn": "a player lays a card before his turn, and takes it back",
    "pass_out_of_turn": "a player passes before his turn",
    "pass_by_leader": "the leader of a trick passes",
    "late_tribute": "a player pays tribute late (from the second deal on)",
    "late_return": "a player returns late (from the second deal on)",
    "wrong_tribute": "a player pays a card that is not his highest (from the second deal on)",
    "wrong_return": "a player returns a card above ten although he has a lower one (from the second deal on)",
    "dragged": "a player drags a second card along with the one he leads, and takes both back",
    "other_type": "after a wrong lead the type to lead is named, and the leader leads another",
    "too_many_cards": "a player lays all he holds and a card that was played already, and takes them back",
    "third_copy": "a player hides a card of his and plays a discard in its place",
    "impossible_card": "a player plays a pair of which the other copy was handed over (from the second deal on)",
    "shown_card_kept": "a seat that owes nothing shows its largest and then plays another (from the second deal on)",
    "tribute_put_right": "a payer pays too low a card, and puts it right (from the second deal on)",
    "return_put_right": "a receiver returns too high a card, and puts it right (from the second deal on)",
    "slow_twice": "a pair thinks for half a minute twice, and the referee notes a violation each time",
    "too_fast": "a round of an hour is over in minutes",
    "td": "a player lays the TD card",
    "stop": "a player lays the STOP card, and lifts it",
}
"""Errors that a scenario can make somebody commit, once each."""
LEADS_TO: dict[str, tuple[str, ...]] = {
    "slow": ("time_violation",),
    "silent": ("missed_report",),
    "wrong_report": ("wrong_report",),
    "report_removed": ("report_removed",),
    "disorder": ("irregular_layout",),
    "illegal": ("does_not_beat",),
    "not_a_play": ("not_a_play",),
    "split": ("split_play",),
    "taken_back": ("taken_back",),
    "out_of_turn": ("out_of_turn",),
    "pass_out_of_turn": ("pass_out_of_turn",),
    "pass_by_leader": ("pass_by_leader",),
    "late_tribute": ("tribute_late",),
    "late_return": ("return_late",),
    "wrong_tribute": ("wrong_tribute",),
    "wrong_return": ("return_too_high", "wrong_return"),
    "dragged": ("not_a_play",),
    "other_type": ("not_a_play", "banned_type"),
    "too_many_cards": ("too_many_cards",),
    "third_copy": ("conservation",),
    "impossible_card": ("impossible_card", "conservation"),
    "shown_card_kept": ("tribute_not_due", "shown_card_kept"),
    "tribute_put_right": ("wrong_tribute_early",),
    "return_put_right": ("return_too_high", "wrong_return_early"),
    "slow_twice": ("time_violation", "time_violation", "foul_due"),
    "too_fast": ("too_fast",),
    "td": ("td_call",),
    "stop": ("stop",),
}
"""The incidents that each error raises, no more and no fewer."""
TWO_ACTS = (
    "dragged", "other_type", "too_many_cards", "third_copy", "impossible_card", "shown_card_kept", "tribute_put_right",
    "return_put_right", "slow_twice", "too_fast",
)  # fmt: skip
"""Errors that take more than one act, or a ruling in between: a run of their own keeps them apart from the others."""
SEEN_MS = 2500
OVER_HOLD_MS = 5600
"""Longer than the table waits for the seats before one that acts early."""


class Erring:
    """The errors still to be made; ``People`` asks at each step."""

    def __init__(self, people: People, wanted: frozenset[str]) -> None:
        self.people = self._people = people
        self._left = set(wanted)
        self.made: list[str] = []
        """Errors that were really made, in order."""
        self.involved = Involved(self)
        """Those that take more than one act."""
        self._to_say: list[Callable[[int], Event]] = []

    def tell(self, make: Callable[[int], Event]) -> None:
        """The referee will say this, stamped when he does."""
        self._to_say.append(make)

    def said(self, at_ms: int) -> list[Event]:
        """What the referee says now."""
        events, self._to_say = [make(at_ms) for make in self._to_say], []
        return events

    def due(self, name: str) -> bool:
        """Whether this error is still to be made; then it counts as made now."""
        if name not in self._left:
            return False
        self._left.discard(name)
        self.made.append(name)
        return True

    def wants(self, name: str) -> bool:
        """Whether this error is still to be made."""
        return name in self._left

    # --- before a turn ------------------------------------------------------------------------------------------------

    def before_turn(self, deal: Deal, seat: Seat) -> Script:
        """What goes wrong before ``seat`` acts in its turn; at most one thing a turn."""
        for kind in ("TD", "STOP"):
            if self.due(kind.lower()):
                yield from self._call(seat, kind)
                return
        people = self._people
        if seat in deal.reported and self._report_on_top(seat) and self.due("report_removed"):
            yield from people.reach(seat, "prompt")
            people.scene.lift_prompt(seat)
            yield from people.leave(seat)
            yield 900
            return
        if deal.to_beat is None:
            if self.wants("pass_by_leader"):
                yield from self._pass_and_lift(seat, "pass_by_leader", SEEN_MS)
                return
            for name in ("not_a_play", "dragged"):
                if self.wants(name):
                    yield from self._lay_unlike(deal, seat, name)
                    return
            yield from self.involved.before_turn(deal, seat)
            return
        early = self._next_active(deal, next_seat(seat))
        if self.wants("illegal"):
            yield from self._lay_low(deal, seat)
        elif early != seat and self.wants("out_of_turn") and len(people.hand_of(early)) > 1:
            self.due("out_of_turn")
            yield from self.lay_for_a_while(early, [min(people.hand_of(early))], OVER_HOLD_MS)
        elif early != seat and self.wants("pass_out_of_turn"):
            yield from self._pass_and_lift(early, "pass_out_of_turn", OVER_HOLD_MS)
        else:
            yield from self.involved.before_turn(deal, seat)

    def _next_active(self, deal: Deal, seat: Seat) -> Seat:
        while seat in deal.out:
            seat = next_seat(seat)
        return seat

    def _report_on_top(self, seat: Seat) -> bool:
        lying = self._people.scene.prompts(seat)
        known = self._people.scene.geometry.prompt_of_marker(lying[-1]) if lying else None
        return known is not None and known[1].isdigit()

    def _call(self, seat: Seat, kind: str) -> Script:
        """Call the referee, or ask for a pause, by card."""
        people = self._people
        yield from people.reach(seat, "prompt")
        people.scene.lay_prompt(seat, kind)
        yield from people.leave(seat)
        yield until(people.clock, lambda: people.table().phase == "paused", 3000)
        yield 1500
        yield from people.reach(seat, "prompt")
        people.scene.lift_prompt(seat)
        yield from people.leave(seat)

    def _pass_and_lift(self, seat: Seat, name: str, lying_ms: int) -> Script:
        people = self._people
        self.due(name)
        yield from people.reach(seat, "prompt")
        people.scene.lay_prompt(seat, "PASS")
        yield from people.leave(seat)
        yield lying_ms
        yield from people.reach(seat, "prompt")
        people.scene.lift_prompt(seat)
        yield from people.leave(seat)
        yield 900

    def lay_for_a_while(self, seat: Seat, cards: list[str], lying_ms: int) -> Script:
        """Cards laid and taken back."""
        people = self._people
        yield from people.reach(seat, "play")
        play = people.scene.lay(seat, cards)
        yield from people.leave(seat)
        yield lying_ms
        yield from people.reach(seat, "play")
        people.scene.take_back(play)
        yield from people.leave(seat)
        yield 900

    def _lay_unlike(self, deal: Deal, seat: Seat, name: str) -> Script:
        hand = [card for card in self._people.hand_of(seat) if card != wild_of(deal.level) and card[1] != "J"]
        other = next((card for card in hand if card[0] != hand[0][0]), None)
        if other is not None:
            self.due(name)
            yield from self.lay_for_a_while(seat, [hand[0], other], SEEN_MS)

    def _lay_low(self, deal: Deal, seat: Seat) -> Script:
        """A card that beats nothing."""
        assert deal.to_beat is not None
        people = self._people
        card = min(people.hand_of(seat), key=lambda held: card_strength(held, deal.level))
        known = readings((card,), deal.level)
        if not any(beats(deal.to_beat, reading, deal.level) for reading in known):
            self.due("illegal")
            yield from self.lay_for_a_while(seat, [card], SEEN_MS)

    # --- the play itself ----------------------------------------------------------------------------------------------

    def as_laid(self, choice: Choice) -> tuple[str, ...]:
        """The cards of a choice left to right, perhaps in disorder."""
        if choice.reading.type in ("straight", "tube", "plate") and self.due("disorder"):
            return tuple(reversed(choice.cards))
        return choice.cards

    def parts(self, choice: Choice) -> int:
        """How many cards are laid first, the rest later; all of them where nothing goes wrong."""
        if choice.reading.type in ("pair", "triple") and self.due("split"):
            return 1
        return len(choice.cards)

    def after_play(self, deal: Deal, seat: Seat) -> Script:
        """A play taken up again, another card in its place, until the table has taken notice."""
        people = self._people
        alone = len(people.scene.plays(seat)) == 1
        if deal.over or deal.trick.over or not alone or len(people.hand_of(seat)) < 2 or not self.due("taken_back"):
            return
        yield 1500
        yield from people.reach(seat, "play")
        people.scene.take_back(people.scene.plays(seat)[-1])
        yield from people.leave(seat)
        yield 1200
        yield from self.lay_for_a_while(seat, [people.hand_of(seat)[0]], OVER_HOLD_MS)

    def report_number(self, number: int) -> int | None:
        """The number that is shown for a report, None: none."""
        if self.due("silent"):
            return None
        if self.due("wrong_report"):
            return number - 1 if number > 1 else number + 1
        return number

    def slow_ms(self, chance: float) -> int:
        """Extra time to think, once."""
        return 32_000 if chance < 0.1 and self.due("slow") else 0

    # --- tribute ------------------------------------------------------------------------------------------------------

    def tribute_wait_ms(self) -> int:
        """How long a payer waits."""
        return 17_000 if self.due("late_tribute") else 0

    def return_wait_ms(self) -> int:
        """How long a receiver waits."""
        return 32_000 if self.due("late_return") else 0

    def tribute(self, brain: Brain, level: str) -> str:
        """The card paid; perhaps the next highest, which a later play gives away."""
        card = brain.tribute(level)
        lower = self.below(brain.seat, card, level)
        if lower and self.due("wrong_tribute"):
            return max(lower, key=lambda c: card_strength(c, level))
        return self.involved.lower_tribute(brain.seat, card, level)

    def below(self, seat: Seat, card: str, level: str) -> list[str]:
        """The cards of a hand that are lower than ``card``, the wild excepted."""
        hand = [c for c in self.people.hand_of(seat) if c != wild_of(level)]
        return [c for c in hand if card_strength(c, level) < card_strength(card, level)]

    def returned(self, brain: Brain, level: str, *, limited: bool) -> str:
        """The card returned; perhaps one above ten although there is a lower one."""
        card = brain.return_card(level, limited=limited)
        small = legal_returns(brain.hand, level, limited=True, smallest_when_none=False)
        high = [c for c in brain.hand if c not in small and c[1] != "J" and c[0] != level]
        if limited and small and high and (self.due("wrong_return") or self.due("return_put_right")):
            return min(high, key=lambda c: card_strength(c, level))
        return card
