"""Table-hours in virtual time: people at their pace, clocks that run out, mishaps and a referee, through the real core.

Much faster than the whole simulation: nothing is drawn, and these people play groups of one rank. What is checked after
every event and every deal is in ``check``; ``digest`` is the same for the same seed and the same program.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from table_controller.cards import FACES, RANKS, full_pack
from table_controller.games.guandan.hands import Reading
from table_controller.games.guandan.order import beats, is_bomb, rank_strength
from table_controller.journal.record import canonical
from table_controller.sim.brain import Brain, Choice
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.codec import hashed_data
from table_controller.table.core import Outcome
from table_controller.table.effects import AskHuman, CancelTimer, Effect, Publish, Seal, SetTimer
from table_controller.table.snapshot import snapshot

HOUR_MS = 3_600_000
TURN_MS = (2500, 8000)
REST_MS = 60_000
"""Between two deals: cards are collected, people stand up."""
SHOWN = ("play", "tribute", "return", "correction")
"""Events that may name cards: those laid face up."""
KNOWN = {"time_violation", "td_call", "camera_lost"}
MISHAPS = ("slow", "td", "camera", "dealer", "doubtful", "pause")


class GroupBrain(Brain):
    """Plays cards of one rank only: quick to think, and legal."""

    def _groups(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for card in self.hand:
            found.setdefault(card if card[1] == "J" else card[0], []).append(card)
        return found

    @staticmethod
    def _reading(key: str, size: int) -> Reading:
        return Reading({1: "single", 2: "pair", 3: "triple"}.get(size, "bomb"), size, key)

    def lead(self, level: str) -> Choice:
        """The lowest rank held, all of it."""
        groups = self._groups()
        key = min(groups, key=lambda k: (len(groups[k]) > 3, rank_strength(k, level)))
        cards = groups[key][:10]
        return Choice(tuple(cards), self._reading(key, len(cards)))

    def follow(self, to_beat: Reading, by: Any, level: str, left: Any) -> Choice | None:
        """The lowest group that beats, a bomb now and then."""
        options = []
        for key, cards in self._groups().items():
            sizes = {to_beat.size, len(cards)} if len(cards) > 3 else {to_beat.size}
            options += [
                (cards[:size], self._reading(key, size))
                for size in sizes
                if size <= len(cards) and beats(to_beat, self._reading(key, size), level)
            ]
        plain = [option for option in options if not is_bomb(option[1])]
        bombs = [option for option in options if is_bomb(option[1])]
        chosen = plain or (bombs if self.rng.random() < 0.3 else [])
        if not chosen:
            return None
        cards, reading = min(chosen, key=lambda option: rank_strength(option[1].key, level))
        return Choice(tuple(cards), reading)


@dataclass
class HoursTable(EventTable):
    """An evening after another. ``play`` until so many virtual hours have gone by."""

    mishaps: int = 6
    """Mishaps of a hundred turns."""
    deals: int = 0
    counted: Counter[str] = field(default_factory=Counter)
    keep: bool = False
    """Whether ``events`` keeps what was sent."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.timers: dict[str, int] = {}
        self._asked: list[int] = []
        self._in_doubt = False
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """Over every event with its stamp."""
        return self._digest.hexdigest()

    # --- time ---------------------------------------------------------------------------------------------------------

    def wait(self, ms: int) -> None:
        """Let time go by; timers fire at their stamps."""
        until = self.now + ms
        while due := [(at, name) for name, at in self.timers.items() if at <= until]:
            at, name = min(due)
            del self.timers[name]
            self.now = max(self.now, at)
            self.take(ev.TimerFired(self.now, name))
        self.now = until

    def send(self, make: Callable[..., ev.Event], **fields: object) -> Outcome:
        """An event a moment later; a play may be read in doubt."""
        self.wait(self.rng.randint(50, 300))
        if self._in_doubt and make is ev.CardsSeen:
            self._in_doubt, fields = False, {**fields, "doubtful": (0,)}
        return self.take(make(**{"at_ms": self.now, **fields}))

    def take(self, event: ev.Event) -> Outcome:
        """Through the core; its effects are obeyed and looked at."""
        outcome = self.core.handle(event)
        self.core.commit(outcome)
        self._digest.update(canonical(hashed_data(event)))
        self.counted[type(event).__name__] += 1
        if self.keep:
            self.events.append(event)
        for effect in outcome.effects:
            self._obey(effect)
        self._check_event()
        return outcome

    def _obey(self, effect: Effect) -> None:
        if isinstance(effect, SetTimer):
            self.timers[effect.name] = effect.at_ms
        elif isinstance(effect, CancelTimer):
            self.timers.pop(effect.name, None)
        elif isinstance(effect, AskHuman):
            self._asked.append(effect.play)
        elif isinstance(effect, Seal) and effect.stage == "commit":
            assert "plan" not in dict(effect.data), "a plan was published before its deal"
        elif isinstance(effect, Publish):
            named = _faces([value for _, value in effect.data])
            assert not named or effect.kind in SHOWN, f"cards in {effect}"

    # --- people -------------------------------------------------------------------------------------------------------

    def deal(self) -> None:
        """As always, with quick brains in most deals."""
        super().deal()
        if self.deals % 40:
            self.brains = {seat: GroupBrain(b.seat, b.rng, b.profile, b.hand) for seat, b in self.brains.items()}

    def act(self) -> Outcome:
        """A turn at human pace, with a mishap now and then, and the referee after it."""
        self.wait(self.rng.randint(*TURN_MS))
        if self.rng.randrange(100) < self.mishaps:
            self._mishap(self.rng.choice(MISHAPS))
        outcome = super().act()
        self._referee()
        return outcome

    def _mishap(self, name: str) -> None:
        self.counted[name] += 1
        deal = self.core.state.deal
        if deal is None or deal.turn is None:
            return
        if name == "slow":
            self.wait(31_000)
        elif name == "td":
            self.send(ev.TdPressed, seat=deal.turn)
        elif name == "camera":
            self.send(ev.CameraLost, reason="unplugged")
            self.wait(3000)
            self.send(ev.CameraBack)
        elif name == "dealer":
            self.send(ev.DealerOffline, message="unplugged")
            self.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
        elif name == "doubtful":
            self._in_doubt = True
        elif name == "pause":
            self.send(ev.PauseRequested, by="referee", reason="tea")
            self.wait(20_000)
        self._referee()

    def _referee(self) -> None:
        """Answers what is asked, settles what is open, lets play go on."""
        state = self.core.state
        for play in self._asked:
            cards = next((a.cards for a in state.actions if a.number == play), None)
            if cards:
                self.send(ev.PlayCorrected, play=play, cards=cards, by="referee", reason="looked")
        self._asked.clear()
        for incident in list(self.core.state.incidents):
            if incident.status == "open":
                assert incident.kind in KNOWN, f"an incident nobody caused: {incident}"
                self.counted[incident.kind] += 1
                self.send(ev.IncidentUpdated, incident=incident.number, status="resolved", by="referee", reason="seen")
        if self.core.state.phase == "paused":
            self.send(ev.ResumeRequested, by="referee")

    def play(self, hours: float, profile: str) -> None:
        """Games one after the other until ``hours`` of virtual time have gone."""
        end = self.now + round(hours * HOUR_MS)
        self.open(profile)
        while self.now < end:
            if self.core.state.phase == "game_over":
                self._anew(profile)
            self.play_deal()
            self.deals += 1
            check(self)
            self.wait(REST_MS)
            self._referee()

    def _anew(self, profile: str) -> None:
        """The next match: a fresh state, as a new journal begins."""
        self.core = type(self.core)()
        self.timers.clear()
        self.open(profile)

    # --- what holds ---------------------------------------------------------------------------------------------------

    def _check_event(self) -> None:
        state = self.core.state
        resting = ("paused", "fault", "standby", "deal_over", "game_over")
        assert not (state.clock.running and state.phase in resting), (state.phase, state.clock)


def _faces(value: object) -> set[str]:
    if isinstance(value, str):
        return {value} & set(FACES)
    return set().union(*map(_faces, value)) if isinstance(value, tuple | list) else set()


def check(table: HoursTable) -> None:
    """After a deal: every card is where it was laid or still held, counts agree, nothing secret is shown."""
    state = table.core.state
    spent = Counter(card for action in state.actions for card in action.cards)
    held = Counter(card for brain in table.brains.values() for card in brain.hand)
    assert spent + held == Counter(full_pack()), "cards were lost or made"
    assert state.deal is not None
    assert {seat: len(brain.hand) for seat, brain in table.brains.items()} == state.deal.counts
    assert set(state.levels.values()) <= set(RANKS)
    assert state.dealer.plan not in json.dumps(snapshot(state, table.now))
    assert all(incident.status != "open" for incident in state.incidents)


def table_hours(seed: int, hours: float, profile: str, *, keep: bool = False) -> HoursTable:
    """A table that has played so long; the same seed gives the same digest."""
    table = HoursTable(seed, keep=keep)
    table.rng = random.Random(seed)
    table.play(hours, profile)
    return table
