"""People and a dealer for one table in real time, without camera and machine: for halls of many simulated tables.

They play like the people of the whole simulation, only that what they lay is seen at once. With ``trouble`` they call
the referee, think too long, lay what does not beat, and cards are read in doubt or wrong.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from table_controller.cards import SEATS, Seat, full_pack
from table_controller.dealer.plan import draw, seal
from table_controller.errors import TableError
from table_controller.games.guandan.profile import load_profile
from table_controller.runtime.clock import Clock
from table_controller.sim.brain import Brain
from table_controller.table import events as ev
from table_controller.table.effects import Effect, PlanDeal, RunDeal
from table_controller.table.events import Event
from table_controller.table.state import TableState

Ask = Callable[[Event], Awaitable[TableError | None]]
Picture = Callable[[tuple[str, ...]], str]
"""Keeps a picture of these cards and returns its name."""
Circle = Callable[[Seat, str], str]
"""Keeps a picture of a seat's prompt circle, with a prompt card of this kind in it or ("") none, and names it."""
DEAL_MS = 3000
STEP_MS = 250
OUT_OF_SIGHT = "CDHS"


@dataclass(frozen=True)
class Habits:
    """How fast people are, in ms, and how often there is trouble, of a hundred turns."""

    turn_ms: tuple[int, int] = (2500, 7000)
    sort_ms: tuple[int, int] = (2000, 5000)
    rest_ms: int = 8000
    trouble: int = 0


@dataclass
class QuietTable:
    """Call ``step`` every ``STEP_MS``, and give it the effects by ``perform``."""

    clock: Clock
    ask: Ask
    state: Callable[[], TableState]
    seed: int
    habits: Habits = field(default_factory=Habits)
    picture: Picture = lambda cards: ""
    circle: Circle = lambda seat, kind: ""
    brains: dict[Seat, Brain] = field(default_factory=dict)
    _due_ms: int = 0
    _seen: tuple[object, ...] = ()
    _plans: list[Event] = field(default_factory=list)
    _done: list[tuple[int, Event]] = field(default_factory=list)
    _paid: set[Seat] = field(default_factory=set)
    """Whose tribute has gone over: it may hold the same card a second time."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def perform(self, effect: Effect) -> None:
        """The dealer: a sealed plan at once, and the hands some seconds later."""
        now = self.clock.now_ms()
        if isinstance(effect, PlanDeal):
            made = seal(draw(effect.quotas, self.rng.randbytes), self.rng.randbytes)
            plan = ev.DealPlanned(now, effect.job, effect.pack, made.plan, made.nonce, made.commitment)
            self._plans.append(plan)
        elif isinstance(effect, RunDeal):
            counts = tuple(effect.plan.count(letter) for letter in "ENWSB")
            self._done.append((now + DEAL_MS, ev.DealDone(now + DEAL_MS, effect.job, counts)))
            self._hands()

    def _hands(self) -> None:
        pack = full_pack()
        self.rng.shuffle(pack)
        self._paid.clear()
        profile = load_profile("default")
        self.brains = {
            seat: Brain(seat, self.rng, profile, sorted(pack[27 * i : 27 * i + 27])) for i, seat in enumerate(SEATS)
        }

    async def step(self) -> None:
        """Do what is due now."""
        now = self.clock.now_ms()
        if not self.state().dealer.online:
            await self.ask(ev.DealerOnline(now, boot=1, firmware="none", protocol=1, kind="emulator"))
        while self._plans:
            await self.ask(self._plans.pop(0))
        for due, event in list(self._done):
            if due <= now:
                self._done.remove((due, event))
                await self.ask(event)
        state = self.state()
        deal = state.deal
        seen = (state.phase, state.deal_number, deal.turn if deal else None, len(state.ready), len(state.actions))
        if seen != self._seen:
            self._seen = seen
            self._due_ms = now + self._pause(state)
        if now >= self._due_ms:
            self._due_ms = now + 1000
            await self._act(state)

    def _pause(self, state: TableState) -> int:
        if state.phase == "sorting":
            return self.rng.randint(*self.habits.sort_ms) // 4
        if state.phase in ("deal_over", "game_over"):
            return self.habits.rest_ms
        if state.phase == "playing" and self._trouble(8):
            return 33_000
        return self.rng.randint(*self.habits.turn_ms)

    def _trouble(self, part: int = 100) -> bool:
        """Whether there is trouble now; ``part`` of a hundred of it is of this kind."""
        return self.rng.random() * 10_000 < self.habits.trouble * part

    async def _act(self, state: TableState) -> None:
        now = self.clock.now_ms()
        if state.phase in ("standby", "deal_over", "game_over"):
            for seat in (seat for seat in SEATS if state.prompts[seat]):
                await self.ask(ev.PromptCircleCleared(now, seat))
            await self.ask(ev.DealRequested(now, "simulated people", self.rng.choice(SEATS)))
        elif state.phase == "sorting":
            seat = next(seat for seat in SEATS if seat not in state.ready)
            await self.ask(ev.ReadyPressed(now, seat))
        elif state.phase == "tribute":
            await self._tribute(state, now)
        elif state.phase == "returning":
            await self._return(state, now)
        elif state.phase in ("playing", "trick_over"):
            await self._play(state, now)

    async def _tribute(self, state: TableState, now: int) -> None:
        owing = [seat for seat in state.exchange.owing if seat not in state.exchange.shown]
        if not owing or not self.brains:
            return
        resisting = [seat for seat in owing if self.brains[seat].holds_both_big_jokers()]
        if resisting:
            await self.ask(ev.CardsSeen(now, resisting[0], ("BJ", "BJ")))
        else:
            card = self.brains[owing[0]].tribute(state.deal_level)
            await self.ask(ev.CardsSeen(now, owing[0], (card,)))

    async def _return(self, state: TableState, now: int) -> None:
        exchange, level = state.exchange, state.deal_level
        for payer, receiver in exchange.pays.items():
            card = exchange.shown.get(payer)
            if payer not in self._paid and card in self.brains[payer].hand:
                self.brains[payer].hand.remove(str(card))
                self.brains[receiver].hand.append(str(card))
            self._paid.add(payer)
        for payer, receiver in exchange.pays.items():
            if receiver not in exchange.returned:
                card = self.brains[receiver].return_card(level, limited=True)
                if await self.ask(ev.CardsSeen(now, receiver, (card,))) is None:
                    self.brains[receiver].hand.remove(card)
                    self.brains[payer].hand.append(card)
                return

    async def _play(self, state: TableState, now: int) -> None:
        deal = state.deal
        if deal is None or deal.turn is None or not self.brains:
            return
        seat = deal.turn
        brain = self.brains[seat]
        self._count_again(brain, deal.counts[seat])
        if self._trouble(20):
            await self.ask(ev.TdPressed(now, seat))
            return
        if deal.to_beat is None or deal.trick.last_seat is None:
            choice = brain.lead(deal.level)
        else:
            found = brain.follow(deal.to_beat, deal.trick.last_seat, deal.level, deal.counts)
            if found is None:
                await self.ask(ev.PassPressed(now, seat))
                return
            choice = found
        cards: tuple[str, ...] = choice.cards
        doubtful: tuple[int, ...] = ()
        if self._trouble(50):
            cards, doubtful = self._misread(cards)
        elif self._trouble(15):
            await self.ask(ev.CardsSeen(now, seat, (min(brain.hand),)))
        lies = next((kind for kind in reversed(state.prompts[seat])), "")
        sure, shown = 0.6 if doubtful else 0.99, self.picture(choice.cards)
        event = ev.CardsSeen(now, seat, cards, doubtful, sure, shown, self.circle(seat, lies))
        if await self.ask(event) is None and self._stands(seat, len(cards)):
            for card in choice.cards:
                brain.hand.remove(card)
            await self._report(seat, now)
            await self.ask(ev.AreaCleared(now + 1, seat))

    def _count_again(self, brain: Brain, left: int) -> None:
        """As many cards as the table says, where a referee rolled play back, moved a play or put one in."""
        del brain.hand[left:]
        if len(brain.hand) < left:
            held = [card for one in self.brains.values() for card in one.hand]
            free = [card for card in full_pack() if card not in held]
            brain.hand += self.rng.sample(free, left - len(brain.hand))

    def _stands(self, seat: Seat, count: int) -> bool:
        actions = self.state().actions
        return bool(actions) and actions[-1].seat == seat and len(actions[-1].cards) == count

    async def _report(self, seat: Seat, now: int) -> None:
        deal = self.state().deal
        if deal is not None and seat in deal.owes_report:
            number = str(deal.owes_report[seat])
            await self.ask(ev.PromptLaid(now + 1, seat, number, evidence=self.circle(seat, number)))

    def _misread(self, cards: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """One card in doubt, half of the time read as another suit."""
        place = self.rng.randrange(len(cards))
        card = cards[place]
        if card in ("BJ", "SJ") or self.rng.random() < 0.5:
            return cards, (place,)
        other = self.rng.choice([suit for suit in OUT_OF_SIGHT if suit != card[1]])
        return (*cards[:place], card[0] + other, *cards[place + 1 :]), (place,)
