"""R2: whatever happens, in whatever order, the core keeps its promises."""

from __future__ import annotations

import copy
import json
import os
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from table_controller.cards import FACES, RANKS, SEATS, UNKNOWN
from table_controller.games.guandan.deal import HAND_SIZE
from table_controller.games.guandan.hands import readings
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.effects import Publish, Seal, SetTimer
from table_controller.table.seen import as_shown
from table_controller.table.snapshot import snapshot
from table_controller.table.state import TableState

seats = st.sampled_from(SEATS)
cards = st.lists(st.sampled_from([*FACES, UNKNOWN]), min_size=1, max_size=6).map(tuple)
kinds = st.sampled_from(["PASS", "1", "5", "10", "TD", "STOP", UNKNOWN])
PHASES_WITH_A_TURN = ("playing", "trick_over")


def essence(state: TableState) -> Any:
    """Score, levels, counters, rights and record; whose clock it is, and its limits."""
    state = copy.deepcopy(state)
    clock = state.clock
    return (
        state.actions, state.levels, state.deal_level, state.owner, state.winner, state.results, state.given,
        state.stops, state.bans, state.must_lead, state.deal_number, state.deal, state.last_order, state.no_tribute,
        state.match, state.a_failures, state.exchange, len(state.past), state.names_type, state.shown_cards,
        state.named_leader, state.namer, clock.kind, clock.seat, clock.warning_ms, clock.limit_ms, clock.violations,
    )  # fmt: skip


class CoreMachine(RuleBasedStateMachine):
    """A table that legal players, mistaken ones, buttons, timers, a referee and a bad machine all act on at once."""

    @initialize(seed=st.integers(0, 1000), played=st.integers(0, 90))
    def sit_down(self, seed: int, played: int) -> None:
        self.table = EventTable(seed)
        self.table.open()
        self.levels = dict(self.table.core.state.levels)
        self.undone: Any = None
        self.orders: list[Any] = []
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

    @rule()
    def deal_as_far_as_the_exchange(self) -> None:
        """What is shown in it is left to the other rules."""
        if self.table.core.state.phase in ("standby", "deal_over"):
            for seat in SEATS:
                self.send(ev.AreaCleared, seat=seat)
                self.send(ev.PromptCircleCleared, seat=seat)
            self.table.deal()
            self.resynced = True
            for seat in SEATS:
                self.send(ev.ReadyPressed, seat=seat)

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

    @rule(seat=seats, how=st.sampled_from(["word", "knock"]))
    def pass_by_word(self, seat: Any, how: str) -> None:
        self.send(ev.PassPressed, seat=seat, how=how)

    @rule(seat=seats, laid=st.lists(st.sampled_from(["BJ", "SJ", UNKNOWN]), min_size=1, max_size=2), sure=st.booleans())
    def jokers_are_shown(self, seat: Any, laid: list[str], sure: bool) -> None:
        """In an exchange they may resist; read doubtfully they never do by themselves."""
        state = self.table.core.state
        before, owed = state.exchange.resisted, state.phase == "tribute"
        self.send(ev.CardsSeen, seat=seat, cards=tuple(laid), doubtful=() if sure else tuple(range(len(laid))))
        state = self.table.core.state
        assert sure or not owed or state.exchange.resisted == before
        self.resynced = self.resynced or owed

    @rule(play=st.integers(1, 20), said=cards)
    def correct_what_was_seen_before(self, play: int, said: Any) -> None:
        """The same correction twice, of what a page showed: the second finds it changed."""
        shown = next((as_shown(a) for a in self.table.core.state.actions if a.number == play), "")
        known = tuple(card for card in said if card != UNKNOWN) or ("3S",)
        told: dict[str, Any] = {"play": play, "cards": known, "by": "referee", "saw": shown}
        first = self.table.send(ev.PlayCorrected, **told)
        self.resynced = self.resynced or first.refusal is None
        now = next((as_shown(a) for a in self.table.core.state.actions if a.number == play), "")
        if first.refusal is None and shown and now != shown:
            again = self.table.send(ev.PlayCorrected, **told).refusal
            assert again is not None
            assert again.code in ("CHANGED", "DEAL")

    @rule(make=st.sampled_from([ev.PauseRequested, ev.ResumeRequested, ev.StopRequested]))
    def referee(self, make: Any) -> None:
        self.send(make, by="referee")

    @rule(play=st.integers(1, 20), said=cards, deal=st.integers(0, 2))
    def correct(self, play: int, said: Any, deal: int) -> None:
        known = tuple(card for card in said if card != UNKNOWN)
        self.send(ev.PlayCorrected, play=play, cards=known or ("3S",), by="referee", deal=deal)

    @rule(back=st.integers(1, 3), which=st.integers(0, 3))
    def a_wild_is_said(self, back: int, which: int) -> None:
        actions = self.table.core.state.actions
        if len(actions) >= back and UNKNOWN not in actions[-back].cards:
            found = readings(actions[-back].cards, self.table.core.state.deal_level)
            reading = found[which % len(found)].text() if found else "single:3"
            self.send(rv.WildDeclared, play=actions[-back].number, reading=reading, by="player")

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

    @rule(
        kind=st.sampled_from(["hidden_card", "serious", "illegal_signal", "light", "asked_count"]),
        seat=seats,
        penalty=st.sampled_from(["", "warning", "violation", "violation+stop", "foul", "game_lost", "class_2"]),
    )
    def penalty_and_back(self, kind: str, seat: Any, penalty: str) -> None:
        """A penalty that is overturned at once is as if it never had been given."""
        before = essence(self.table.core.state)
        self.send(rv.IrregularityNoted, kind=kind, seat=seat, by="ref")
        number = len(self.table.core.state.incidents)
        told = {"incident": number, "penalty": penalty, "by": "head", "role": "head_referee"}
        if self.table.send(rv.Ruled, **told).refusal is not None:
            return
        skipped = self.table.core.state.actions != before[0]
        self.send(ev.IncidentUpdated, incident=number, status="overturned", by="head")
        if not skipped:
            assert essence(self.table.core.state) == before
        else:  # the turn is given back with a clock of its own, and a type that was to be led is not asked for again
            state = self.table.core.state
            assert (state.actions, state.levels, state.given) == (before[0], before[1], before[6])
            assert state.deal is not None
            assert (state.deal.turn, state.deal.counts) == (before[11].turn, before[11].counts)

    @rule(seat=seats, penalty=st.sampled_from(["warning", "violation+stop", "foul"]))
    def penalty_stands(self, seat: Any, penalty: str) -> None:
        self.send(rv.IrregularityNoted, kind="serious", seat=seat, by="ref")
        number = len(self.table.core.state.incidents)
        self.send(rv.Ruled, incident=number, penalty=penalty, by="head", role="head_referee")

    @rule(number=st.integers(1, 8), penalty=st.sampled_from(["", "warning", "void_hand", "nonsense"]), seat=seats)
    def rule_on_any(self, number: int, penalty: str, seat: Any) -> None:
        self.send(rv.Ruled, incident=number, penalty=penalty, by="head", role="head_referee", seat=seat)

    @rule(play=st.integers(0, 20), seat=seats, said=cards, what=st.sampled_from(["insert", "remove", "move", "back"]))
    def edit_the_record(self, play: int, seat: Any, said: Any, what: str) -> None:
        known = tuple(card for card in said if card != UNKNOWN)
        events = {
            "insert": (rv.PlayInserted, {"after": play, "seat": seat, "cards": known}),
            "remove": (rv.PlayRemoved, {"play": play}),
            "move": (rv.PlayMoved, {"play": play, "seat": seat}),
            "back": (rv.RolledBack, {"play": play}),
        }
        make, told = events[what]
        outcome = self.table.send(make, by="ref", **told)
        self.resynced = self.resynced or outcome.refusal is None

    @rule(
        make=st.sampled_from([rv.TypeNamed, rv.LeaderNamed, rv.DisputeRaised, rv.ResultEntered, rv.ResultChecked]),
        seat=seats,
    )
    def players_say(self, make: Any, seat: Any) -> None:
        more = {rv.TypeNamed: {"play_type": "pair"}, rv.LeaderNamed: {"by": "x"}, rv.DisputeRaised: {"play": 0}}.get(
            make, {}
        )
        name = "leader" if make is rv.LeaderNamed else "seat"
        self.send(make, **{name: seat}, **more)

    @rule(number=st.integers(1, 6), seat=seats, agrees=st.booleans())
    def pairs_settle_a_dispute(self, number: int, seat: Any, agrees: bool) -> None:
        self.send(rv.DisputeAgreed, seat=seat, incident=number, agrees=agrees)

    @rule(make=st.sampled_from([rv.RoundEnded, rv.RoundExtended, rv.ClockSet, rv.ClockExtended]))
    def referee_moves_time(self, make: Any) -> None:
        more = {
            rv.RoundExtended: {"minutes": 3},
            rv.ClockSet: {"elapsed_ms": 1000},
            rv.ClockExtended: {"extra_ms": 900},
        }
        self.send(make, by="head", **more.get(make, {}))

    @rule(system=st.sampled_from(["计局", "计副", "计时"]), games=st.sampled_from([1, 3]))
    def a_new_match(self, system: str, games: int) -> None:
        played = self.table.core.state.match
        self.send(rv.MatchSet, by="head", system=system, games=games, deals=2)
        if self.table.core.state.match != played:
            self.levels = dict(self.table.core.state.levels)
            self.orders = []

    @rule(seat=seats, card=st.sampled_from(FACES), wrong=st.booleans())
    def exchange_is_told_anew(self, seat: Any, card: str, wrong: bool) -> None:
        self.send(rv.ExchangeCorrected, seat=seat, card=card, by="ref", wrong=wrong)
        self.resynced = self.resynced or self.table.core.state.phase in ("tribute", "returning", "playing")

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
            state = self.table.core.state
            fouls = sum(item.penalty == "foul" for item in state.given)
            overturned = sum(incident.status == "overturned" for incident in state.incidents)
            corrected = [line["order"] for line in state.results[: len(self.orders)]] != self.orders
            self.orders = [line["order"] for line in state.results]
            undone = fouls, overturned, state.match.game, len(state.match.played)
            for pair, level in state.levels.items():
                fell = RANKS.index(level) < RANKS.index(self.levels[pair])
                why = "only a foul, its overturning, a corrected deal or a new game lowers a level"
                assert not fell or corrected or undone != self.undone, why
                self.levels[pair] = level
            self.undone = undone

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
    max_examples=int(os.environ.get("PROPERTY_EXAMPLES", "200")),
    stateful_step_count=int(os.environ.get("PROPERTY_STEPS", "50")),
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking whole deals takes longer than it helps
)
TestCoreProperties = CoreMachine.TestCase
