"""R2: whatever happens, in whatever order, the core keeps its promises."""

from __future__ import annotations

import json
import os
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from table_controller.cards import FACES, RANKS, SEATS, UNKNOWN
from table_controller.games.guandan.deal import HAND_SIZE
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.effects import Publish, Seal, SetTimer
from table_controller.table.snapshot import snapshot

seats = st.sampled_from(SEATS)
cards = st.lists(st.sampled_from([*FACES, UNKNOWN]), min_size=1, max_size=6).map(tuple)
kinds = st.sampled_from(["PASS", "1", "5", "10", "TD", "STOP", UNKNOWN])
PHASES_WITH_A_TURN = ("playing", "trick_over")


class CoreMachine(RuleBasedStateMachine):
    """A table that legal players, mistaken ones, buttons, timers, a referee and a bad machine all act on at once."""

    @initialize(seed=st.integers(0, 1000), played=st.integers(0, 90))
    def sit_down(self, seed: int, played: int) -> None:
        self.table = EventTable(seed)
        self.table.open()
        self.levels = dict(self.table.core.state.levels)
        self.resynced = False
        if played % 3:
            self.deal_and_sort()
            self.play_on(played)

    def send(self, make: Any, **fields: Any) -> None:
        before = self.table.core.state.digest()
        outcome = self.table.send(make, **fields)
        if outcome.refusal is not None:
            assert outcome.effects == ()
            assert self.table.core.state.digest() == before

    @rule()
    def deal_and_sort(self) -> None:
        state = self.table.core.state
        if state.phase in ("standby", "deal_over"):
            for seat in SEATS:
                self.send(ev.AreaCleared, seat=seat)
                self.send(ev.PromptCircleCleared, seat=seat)
            self.table.deal()
            self.resynced = False
            self.table.sort_and_exchange()

    @rule(times=st.integers(1, 12))
    def play_on(self, times: int) -> None:
        for _ in range(times):
            deal = self.table.core.state.deal
            usable = deal is not None and self.table.core.state.phase in PHASES_WITH_A_TURN and not self.resynced
            if not usable or deal is None or deal.to_beat_unknown or deal.turn is None:
                return
            if len(self.table.brains[deal.turn].hand) != deal.counts[deal.turn]:
                return
            self.table.act()

    @rule(seat=seats, laid=cards)
    def anything_is_laid(self, seat: Any, laid: Any) -> None:
        self.send(ev.CardsSeen, seat=seat, cards=laid, doubtful=(0,) if len(laid) > 3 else ())

    @rule(seat=seats, kind=kinds)
    def any_prompt(self, seat: Any, kind: str) -> None:
        self.send(ev.PromptLaid, seat=seat, kind=kind)

    @rule(seat=seats, kind=kinds)
    def lift(self, seat: Any, kind: str) -> None:
        self.send(ev.PromptLifted, seat=seat, kind=kind)

    @rule(seat=seats, make=st.sampled_from([ev.PassPressed, ev.TdPressed, ev.ReadyPressed, ev.AreaCleared]))
    def press(self, seat: Any, make: Any) -> None:
        self.send(make, seat=seat)

    @rule(make=st.sampled_from([ev.PauseRequested, ev.ResumeRequested, ev.StopRequested]))
    def referee(self, make: Any) -> None:
        self.send(make, by="referee")

    @rule(play=st.integers(1, 20), said=cards)
    def correct(self, play: int, said: Any) -> None:
        known = tuple(card for card in said if card != UNKNOWN)
        self.send(ev.PlayCorrected, play=play, cards=known or ("3S",), by="referee")

    @rule(number=st.integers(1, 6), status=st.sampled_from(["acknowledged", "resolved", "overturned", "nonsense"]))
    def incident(self, number: int, status: str) -> None:
        self.send(ev.IncidentUpdated, incident=number, status=status, by="referee")

    @rule(turn=seats, left=st.tuples(*[st.integers(0, 27)] * 4))
    def resync(self, turn: Any, left: Any) -> None:
        outcome = self.table.send(ev.Resync, by="referee", turn=turn, counts=left)
        self.resynced = self.resynced or outcome.refusal is None

    @rule()
    def timers_fire(self) -> None:
        for effect in [e for e in self.table.effects if isinstance(e, SetTimer)][-3:]:
            self.table.now = max(self.table.now, effect.at_ms)
            outcome = self.table.core.handle(ev.TimerFired(effect.at_ms, effect.name))
            self.table.core.commit(outcome)
            self.table.effects.extend(outcome.effects)

    @rule(job=st.integers(0, 4), void=st.booleans())
    def machine_fails(self, job: int, void: bool) -> None:
        self.send(ev.DealFailed, job=job, code="JAM", place="feeder", message="stuck", void=void)
        self.send(ev.DealerCleared)

    @invariant()
    def cards_are_conserved(self) -> None:
        state = getattr(self, "table", None) and self.table.core.state
        if state and state.deal is not None and not self.resynced and state.phase in PHASES_WITH_A_TURN:
            for seat in SEATS:
                spent = sum(len(action.cards) for action in state.actions if action.seat == seat)
                assert state.deal.counts[seat] + spent == HAND_SIZE

    @invariant()
    def one_clock_or_none(self) -> None:
        state = getattr(self, "table", None) and self.table.core.state
        if state:
            assert not (state.clock.running and state.phase in ("paused", "fault", "standby", "deal_over", "game_over"))
            if state.clock.kind == "play" and state.phase in PHASES_WITH_A_TURN:
                assert state.deal is not None
                assert state.clock.seat == state.deal.turn

    @invariant()
    def levels_never_fall(self) -> None:
        if getattr(self, "table", None):
            for pair, level in self.table.core.state.levels.items():
                assert RANKS.index(level) >= RANKS.index(self.levels[pair])
                self.levels[pair] = level

    @invariant()
    def no_secret_is_public(self) -> None:
        if not getattr(self, "table", None):
            return
        text = json.dumps(snapshot(self.table.core.state, self.table.now))
        text += json.dumps([e.data for e in self.table.effects if isinstance(e, Publish)])
        text += json.dumps([e.data for e in self.table.effects if isinstance(e, Seal) and e.stage == "commit"])
        assert "ENWSENWS" not in text
        del self.table.effects[:-40]


CoreMachine.TestCase.settings = settings(
    max_examples=int(os.environ.get("PROPERTY_EXAMPLES", "60")),
    stateful_step_count=50,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking whole deals takes longer than it helps
)
TestCoreProperties = CoreMachine.TestCase
