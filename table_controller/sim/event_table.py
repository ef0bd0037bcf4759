"""A simulated table driven by events alone: no camera, no machine, no clock. For tests of the core and long soaks."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from table_controller.cards import SEATS, Seat, full_pack
from table_controller.games.guandan.profile import rules_of
from table_controller.sim.brain import Brain, Choice
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.core import Outcome, TableCore
from table_controller.table.effects import Effect, PlanDeal


@dataclass
class EventTable:
    """Feeds a core, keeps what it answered, and plays deals with simulated hands."""

    seed: int = 1
    core: TableCore = field(default_factory=TableCore)
    now: int = 1000
    events: list[ev.Event] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.brains: dict[Seat, Brain] = {}

    def send(self, make: Callable[..., ev.Event], **fields: object) -> Outcome:
        """Post one event half a second after the last; keep it and its effects."""
        self.now += 500
        event = make(**{"at_ms": self.now, **fields})
        self.events.append(event)
        outcome = self.core.handle(event)
        self.core.commit(outcome)
        self.effects.extend(outcome.effects)
        return outcome

    def open(self, profile: str = "default") -> None:
        """Open the table and bring the dealer online."""
        self.send(ev.TableOpened, table="t1", venue="v", profile=profile)
        self.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")

    def deal(self) -> None:
        """Deal: request, plan, done; hands from the seeded pack."""
        for seat in SEATS:
            if self.core.state.prompts[seat]:
                self.send(ev.PromptCircleCleared, seat=seat)
        outcome = self.send(ev.DealRequested, by="test", leader="E")
        assert outcome.refusal is None, outcome.refusal
        job = next(e for e in outcome.effects if isinstance(e, PlanDeal)).job
        self.send(ev.DealPlanned, job=job, pack="A", plan="ENWS" * 27, nonce="00", commitment="c")
        self.send(ev.DealDone, job=job, counts=(27, 27, 27, 27, 0))
        pack = full_pack()
        self.rng.shuffle(pack)
        profile = rules_of(self.core.state.profile, self.core.state.rules)
        self.brains = {
            seat: Brain(seat, self.rng, profile, sorted(pack[27 * i : 27 * i + 27])) for i, seat in enumerate(SEATS)
        }

    def sort_and_exchange(self) -> None:
        """Sorting, tribute and return, as the phase asks."""
        for seat in SEATS:
            self.send(ev.ReadyPressed, seat=seat)
        if self.core.state.phase == "sorting":  # after a foul its opponents name the leader
            self.send(rv.LeaderNamed, leader="E", by="test")
        state = self.core.state
        level = state.deal_level
        if state.phase == "tribute":
            resisting = [s for s in state.exchange.owing if self.brains[s].holds_both_big_jokers()]
            for seat in list(state.exchange.owing):
                if self.core.state.phase != "tribute":
                    break
                if resisting:
                    self.send(ev.CardsSeen, seat=resisting[0], cards=("BJ", "BJ"))
                    break
                self.send(ev.CardsSeen, seat=seat, cards=(self.brains[seat].tribute(level),))
        if self.core.state.phase == "returning":
            exchange = self.core.state.exchange
            for payer, receiver in exchange.pays.items():
                card = exchange.shown[payer]
                self.brains[payer].hand.remove(card)
                self.brains[receiver].hand.append(card)
            for payer, receiver in list(exchange.pays.items()):
                card = self.brains[receiver].return_card(level, limited=True)
                self.send(ev.CardsSeen, seat=receiver, cards=(card,))
                self.brains[receiver].hand.remove(card)
                self.brains[payer].hand.append(card)
        for seat in SEATS:
            self.send(ev.AreaCleared, seat=seat)
        assert self.core.state.phase == "playing", self.core.state.phase

    def act(self) -> Outcome:
        """The seat in turn plays or passes, and reports when due."""
        deal = self.core.state.deal
        assert deal is not None
        seat = deal.turn
        assert seat is not None
        brain = self.brains[seat]
        if deal.to_beat is None:
            choice: Choice | None = brain.lead(deal.level)
        else:
            assert deal.trick.last_seat is not None
            choice = brain.follow(deal.to_beat, deal.trick.last_seat, deal.level, deal.counts)
        if choice is None:
            return self.send(ev.PassPressed, seat=seat)
        for card in choice.cards:
            brain.hand.remove(card)
        outcome = self.send(ev.CardsSeen, seat=seat, cards=choice.cards)
        deal = self.core.state.deal
        assert deal is not None
        if seat in deal.owes_report:
            number = deal.owes_report[seat]
            self.send(ev.PromptLaid, seat=seat, kind=str(number))
        self.send(ev.AreaCleared, seat=seat)
        return outcome

    def play_deal(self) -> None:
        """A whole deal."""
        self.deal()
        self.sort_and_exchange()
        for _ in range(600):
            if self.core.state.phase in ("deal_over", "game_over"):
                return
            outcome = self.act()
            assert outcome.refusal is None, outcome.refusal
        raise AssertionError("a deal never ended")
