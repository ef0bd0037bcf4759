"""The people at a simulated table: four seeded players who act on the scene, the machine and the buttons.

They know what people know: their own hands, what was laid (``truth``), and the table's public phase. Whatever the
product learns of their play it learns through the camera.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator

from table_controller.cards import SEATS, Pair, Seat, full_pack, partner
from table_controller.dealer.machine import Machine
from table_controller.games.guandan.deal import Deal
from table_controller.games.guandan.match import settle
from table_controller.games.guandan.order import card_strength
from table_controller.games.guandan.profile import Profile
from table_controller.games.guandan.tribute import payers, tribute_plan
from table_controller.runtime.clock import Clock
from table_controller.sim.brain import Brain, Choice
from table_controller.sim.mistakes import Erring
from table_controller.sim.pace import HURRIED, Pace
from table_controller.sim.scene import LaidPlay, Scene
from table_controller.sim.script import POLL_MS, Script, Stage, Wait, until
from table_controller.sim.truth import Truth
from table_controller.table.state import TableState

SHOWN_LIMIT_MS = 20_000
"""How long players wait for the table to take notice before they go on regardless."""
PASS_CARDS = 10
RESTING = ("standby", "deal_over", "game_over")


REACH_MS, LEAVE_MS = 300, 260


class People:
    """Plays ``deals`` deals and then says so by ``finished``."""

    def __init__(
        self,
        clock: Clock,
        scene: Scene,
        machine: Machine,
        press: Callable[[str], None],
        state: Callable[[], TableState],
        profile: Profile,
        *,
        seed: int,
        pace: Pace = HURRIED,
        deals: int = 1,
        mistakes: frozenset[str] = frozenset(),
        dealer_faults: tuple[str, ...] = (),
    ) -> None:
        """``press`` pushes a button by its signal name; ``deals`` 0: for ever; ``mistakes``: see ``sim.mistakes``."""
        self.truth = Truth()
        self.finished = False
        self.stage = Stage(clock)
        self.clock, self.scene, self._machine = clock, scene, machine
        self._press, self.table, self._profile = press, state, profile
        self._rng = random.Random(seed)
        self._pace, self._wanted = pace, deals
        self.errors = Erring(self, mistakes)
        self._dealer_faults = list(dealer_faults)
        self._pack: list[str] = full_pack()
        self._brains: dict[Seat, Brain] = {}
        self.deal: Deal | None = None
        """The deal under way as it really stands."""
        self._order: list[Seat | None] = []
        self._levels: dict[Pair, str] = {"EW": "2", "NS": "2"}
        self._level = "2"
        self._owner: Pair | None = None
        self._uncleared: set[Seat] = set()
        self._busy: set[Seat] = set()
        self._righted: set[str] = set()

    def begin(self) -> None:
        """Sit down and play."""
        self.stage.run(self._session())

    # --- a session ----------------------------------------------------------------------------------------------------

    def _session(self) -> Script:
        yield from self.errors.involved.before_session(self._wanted)
        while self._wanted == 0 or self.truth.deals < self._wanted:
            yield self._rng.randint(400, 900)
            yield from self._be_dealt()
            yield from self._sort()
            leader = yield from self._exchange()
            yield from self._play(leader)
            if self.table().phase == "game_over":
                self._order, self._levels, self._level, self._owner = [], {"EW": "2", "NS": "2"}, "2", None
            yield from self._tidy_up()
        self.finished = True

    def _be_dealt(self) -> Script:
        """Load the pack, press Start; a machine that stopped is put right and started again."""
        before = self.table().deal_number
        while self.table().deal_number == before:
            self._rng.shuffle(self._pack)
            self._machine.load(len(self._pack))
            yield self._may_be_dealt
            self._press("START")
            yield until(self.clock, lambda: self.table().phase not in RESTING, 5000)
            if self._dealer_faults:
                yield 6000
                self._machine.fault(self._dealer_faults.pop(0))
            yield self._deal_has_ended
            while self.table().phase == "fault":
                yield 3000
                self._machine.fault("clear")
                self._press("CLEAR")
                yield until(self.clock, lambda: self.table().phase != "fault", 5000)
                yield self._deal_has_ended
            yield POLL_MS
        trays = self._machine.delivered()
        for seat in SEATS:
            hand = [self._pack[index] for index in trays[seat]]
            self._brains[seat] = Brain(seat, random.Random(self._rng.getrandbits(32)), self._profile, hand)

    def _may_be_dealt(self) -> bool:
        """A table that has not seen a deal's end is put right by the referee first."""
        return self.table().dealer.online and self.table().phase not in ("playing", "trick_over")

    def _deal_has_ended(self) -> bool:
        return self.table().phase not in ("dealing",)

    def _sort(self) -> Script:
        for seat in self._rng.sample(SEATS, 4):
            yield self._rng.randint(*self._pace.sort_ms) // 4
            self._hold(seat)
            self._press(f"READY_{seat}")
        yield until(self.clock, lambda: self.table().phase != "sorting", SHOWN_LIMIT_MS)

    def _hold(self, seat: Seat) -> None:
        self.scene.hold(seat, self._brains[seat].hand[:12])

    # --- tribute ------------------------------------------------------------------------------------------------------

    def _exchange(self) -> Generator[Wait, None, Seat]:
        """Tribute and return in sight; returns who leads."""
        if not self._order:
            leader = self.table().leader
            assert leader is not None, "the table has drawn and announced the first leader"
            return leader
        owing = payers(self._order)
        first = self._order[0]
        assert first is not None
        jokers = {seat: self._brains[seat].hand.count("BJ") for seat in owing}
        if sum(jokers.values()) >= 2:
            yield from self._show({seat: ["BJ"] * n for seat, n in jokers.items() if n}, "playing")
            return first
        cards = {seat: self.errors.tribute(self._brains[seat], self._level) for seat in owing}
        yield from self.errors.involved.before_tribute(owing, self._level)
        wait_ms = self.errors.tribute_wait_ms()
        yield from self._show({seat: [card] for seat, card in cards.items()}, "returning", wait_ms)
        yield from self._put_right(cards, "tribute_put_right", lambda seat: self._brains[seat].tribute(self._level))
        plan = tribute_plan(self._order, cards, self._level)
        for payer, receiver in plan.pays.items():
            self._give(payer, receiver, cards[payer])
        returns = {}
        for payer, receiver in plan.pays.items():
            limited = partner(payer) == receiver or self._profile.return_to_opponent_limited
            returns[receiver] = self.errors.returned(self._brains[receiver], self._level, limited=limited)
        wait_ms = self.errors.return_wait_ms()
        yield from self._show({seat: [card] for seat, card in returns.items()}, "playing", wait_ms)
        yield from self._put_right(
            returns, "return_put_right", lambda seat: self._brains[seat].return_card(self._level, limited=True)
        )
        for payer, receiver in plan.pays.items():
            self._give(receiver, payer, returns[receiver])
        assert plan.leads is not None
        return plan.leads

    def _put_right(self, laid: dict[Seat, str], error: str, proper: Callable[[Seat], str]) -> Script:
        """Who laid another card than he should, and means to put it right, does."""
        if error not in self.errors.made or error in self._righted:
            return
        self._righted.add(error)
        for seat, card in list(laid.items()):
            wanted = proper(seat)
            if card_strength(wanted, self._level) != card_strength(card, self._level):
                laid[seat] = wanted
                yield from self.errors.involved.put_right(seat, wanted)

    def _give(self, giver: Seat, taker: Seat, card: str) -> None:
        self._brains[giver].hand.remove(card)
        self._brains[taker].hand.append(card)

    def _show(self, shown: dict[Seat, list[str]], awaited: str, wait_ms: int = 0) -> Script:
        """Lay cards to be seen, the last after ``wait_ms``, wait for the table, and pick them up again."""
        laid: dict[Seat, LaidPlay] = {}
        for seat, cards in shown.items():
            if len(laid) == len(shown) - 1:
                yield wait_ms
            yield from self.reach(seat, "play")
            laid[seat] = self.scene.lay(seat, cards)
            yield from self.leave(seat)
        yield until(self.clock, lambda: self.table().phase == awaited, SHOWN_LIMIT_MS)
        yield 600
        for seat, play in laid.items():
            yield from self.reach(seat, "play")
            self.scene.take_back(play)
            yield from self.leave(seat)

    # --- hands --------------------------------------------------------------------------------------------------------

    def hand_of(self, seat: Seat) -> list[str]:
        """The cards that a seat holds."""
        return self._brains[seat].hand

    def reach(self, seat: Seat, over: str) -> Script:
        """A hand comes over an area; a seat has one hand."""
        yield lambda: seat not in self._busy
        self._busy.add(seat)
        self.scene.hand(seat, over)
        yield REACH_MS

    def leave(self, seat: Seat) -> Script:
        """It goes away."""
        yield LEAVE_MS
        self.scene.hand(seat, None)
        self._busy.discard(seat)

    # --- play ---------------------------------------------------------------------------------------------------------

    def _play(self, leader: Seat) -> Script:
        deal = self.deal = Deal(leader=leader, level=self._level)
        while not deal.over:
            seat = deal.turn
            assert seat is not None
            if seat in self._uncleared:
                yield from self._clear(seat)
            yield from self._think()
            yield from self.errors.before_turn(deal, seat)
            yield lambda: self.table().phase not in ("paused", "fault")
            choice = self._choose(deal, seat)
            if choice is None:
                yield from self._pass(seat)
                verdict = deal.pass_(seat)
            else:
                laid = yield from self._lay(seat, choice)
                self.truth.laid.append((seat, laid))
                self.truth.plays += 1
                verdict = deal.play(seat, choice.cards, self._profile, doubtful=False)
                assert not verdict.fault, f"a simulated player erred: {verdict.fault} {choice}"
                if verdict.report is not None:
                    deal.report(seat, verdict.report)
                    yield from self._report(seat, verdict.report)
                yield from self.errors.after_play(deal, seat)
            if verdict.trick_over and not verdict.deal_over:
                self._trick_is_over(deal)
        yield from self._deal_is_over(deal)

    def _think(self) -> Script:
        """A turn's time, less what the hand needs to move."""
        total = self._rng.randint(*self._pace.turn_ms)
        if self.errors.wants("slow"):
            total += self.errors.slow_ms(self._rng.random())
        yield max(200, total - REACH_MS - LEAVE_MS)

    def _choose(self, deal: Deal, seat: Seat) -> Choice | None:
        brain, by = self._brains[seat], deal.trick.last_seat
        if deal.to_beat is None or by is None:
            return self.errors.involved.choice(deal, seat, brain.lead(deal.level))
        return self.errors.involved.choice(deal, seat, brain.follow(deal.to_beat, by, deal.level, deal.counts))

    def _pass(self, seat: Seat) -> Script:
        self.truth.passes += 1
        yield from self.reach(seat, "prompt")
        if len(self.scene.prompts(seat)) >= PASS_CARDS - 1:
            self._collect_passes(seat)
            yield from self.leave(seat)
            yield 300
            yield from self.reach(seat, "prompt")
        self.scene.lay_prompt(seat, "PASS")
        yield from self.leave(seat)

    def _lay(self, seat: Seat, choice: Choice) -> Generator[Wait, None, tuple[str, ...]]:
        """Lay a play; returns the cards left to right as they lie."""
        brain = self._brains[seat]
        for card in choice.cards:
            brain.hand.remove(card)
        cards = self.errors.as_laid(choice)
        first = self.errors.parts(choice)
        yield from self.reach(seat, "play")
        play = self.scene.lay(seat, cards[:first], tidy=self._rng.uniform(0.5, 1.0))
        self._hold(seat)
        yield from self.leave(seat)
        if first < len(cards):
            yield 2500
            yield from self.reach(seat, "play")
            self.scene.lay(seat, cards[first:])
            yield from self.leave(seat)
            return cards
        if self._rng.random() < 0.15:
            self.stage.run(self._straighten(seat, play))
        if self._rng.random() < 0.06:
            self.stage.run(self._rest_an_arm(self._rng.choice(SEATS)))
        return cards

    def _straighten(self, seat: Seat, play: LaidPlay) -> Script:
        """Push the cards into an even row a moment after they were laid."""
        yield self._rng.randint(500, 900)
        if play in self.scene.plays(seat):
            yield from self.reach(seat, "play")
            if play in self.scene.plays(seat):
                self.scene.straighten(play)
            yield from self.leave(seat)

    def _rest_an_arm(self, seat: Seat) -> Script:
        yield self._rng.randint(100, 800)
        if seat not in self._busy:
            self.scene.sleeve_over(seat, True)
            yield self._rng.randint(600, 1800)
            self.scene.sleeve_over(seat, False)

    def _report(self, seat: Seat, number: int) -> Script:
        shown = self.errors.report_number(number)
        if shown is None:
            return
        self.truth.reports += 1
        yield 150
        yield from self.reach(seat, "prompt")
        self._collect_passes(seat)
        self.scene.lay_prompt(seat, str(shown))
        yield from self.leave(seat)

    def _collect_passes(self, seat: Seat) -> None:
        """Pick up one's PASS cards, down to a report card."""
        box = self.scene.geometry
        while self.scene.prompts(seat):
            known = box.prompt_of_marker(self.scene.prompts(seat)[-1])
            if known is None or known[1] != "PASS":
                return
            self.scene.lift_prompt(seat)

    def _trick_is_over(self, deal: Deal) -> None:
        self._uncleared = {seat for seat in SEATS if self.scene.plays(seat)}
        leader = deal.next_trick(self._profile)
        for seat in SEATS:  # not in the set's own order, which differs from run to run
            if seat in self._uncleared and seat != leader:
                self.stage.run(self._clear_late(seat))

    def _clear_late(self, seat: Seat) -> Script:
        yield self._rng.randint(*self._pace.clear_ms)
        if seat in self._uncleared:
            yield from self._clear(seat)

    def _clear(self, seat: Seat) -> Script:
        self._uncleared.discard(seat)
        yield from self.reach(seat, "play")
        self.scene.clear(seat)
        yield from self.leave(seat)
        yield 250

    # --- the end of a deal --------------------------------------------------------------------------------------------

    def _deal_is_over(self, deal: Deal) -> Script:
        yield until(self.clock, lambda: self.table().phase in ("deal_over", "game_over"), SHOWN_LIMIT_MS)
        self._order = list(deal.order)
        result = settle(self._order, self._levels, self._level, self._owner)
        self._levels, self._level, self._owner = result.levels, result.next_level, result.winner
        self.deal = None
        yield 400
        self.truth.settle(self.table())

    def _tidy_up(self) -> Script:
        """Cards and prompt cards are collected before the next deal."""
        for seat in SEATS:
            self._uncleared.discard(seat)
            yield from self.reach(seat, "play")
            self.scene.clear(seat)
            self.scene.hold(seat, [])
            yield from self.leave(seat)
            if self.scene.prompts(seat):
                yield from self.reach(seat, "prompt")
                self.scene.clear_prompts(seat)
                yield from self.leave(seat)
        yield until(self.clock, self._table_is_clear, SHOWN_LIMIT_MS)

    def _table_is_clear(self) -> bool:
        state = self.table()
        return not any(state.areas.values()) and not any(state.prompts.values())
