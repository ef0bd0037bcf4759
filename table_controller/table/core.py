"""TableCore: one event in, one Outcome out.

Apply on a copy, journal, commit, act: in that order; the last three are the runtime's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from table_controller.table import (
    carry,
    contest,
    corrections,
    dealing,
    exchange,
    human,
    lateness,
    officiating,
    play,
    prompts,
    results,
    timers,
)
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.copying import copied
from table_controller.table.effects import Effect
from table_controller.table.refusal import Refusal
from table_controller.table.state import TableState
from table_controller.table.turn import Draft

HANDLERS: dict[type[ev.Event], Callable[[Draft, Any], None]] = {
    ev.TableOpened: dealing.opened,
    ev.DealRequested: dealing.deal_requested,
    ev.StopRequested: dealing.stop_requested,
    ev.DealerOnline: dealing.online,
    ev.DealerOffline: dealing.offline,
    ev.DealPlanned: dealing.planned,
    ev.DealProgress: dealing.progress,
    ev.DealDone: dealing.done,
    ev.DealFailed: dealing.failed,
    ev.DealtByHand: dealing.dealt_by_hand,
    ev.DealerCleared: dealing.cleared,
    ev.ReadyPressed: exchange.ready,
    ev.PassPressed: play.pass_pressed,
    ev.TdPressed: prompts.td_pressed,
    ev.TimerFired: timers.fired,
    ev.CardsSeen: play.cards_seen,
    ev.CardsGone: play.cards_gone,
    ev.AreaCleared: play.area_cleared,
    ev.PromptLaid: prompts.laid,
    ev.PromptLifted: prompts.lifted,
    ev.PromptTouched: prompts.touched,
    ev.PromptCircleCleared: prompts.circle_cleared,
    ev.CameraLost: human.camera_lost,
    ev.CameraBack: human.camera_back,
    ev.PlayCorrected: corrections.corrected,
    ev.PlayEntered: play.play_entered,
    ev.PauseRequested: human.paused,
    ev.ResumeRequested: human.resumed,
    ev.IncidentUpdated: officiating.incident_updated,
    ev.Resync: human.resync,
    rv.Ruled: officiating.ruled,
    rv.IrregularityNoted: officiating.noted,
    rv.PromptTold: prompts.told,
    rv.HallReminded: officiating.reminded,
    rv.TypeNamed: officiating.type_named,
    rv.LeaderNamed: officiating.leader_named,
    rv.CardsExposed: officiating.exposed,
    rv.ExchangeCorrected: corrections.exchange_corrected,
    rv.WildDeclared: corrections.declared,
    rv.PlayInserted: corrections.inserted,
    rv.PlayRemoved: corrections.removed,
    rv.PlayMoved: corrections.moved,
    rv.RolledBack: corrections.rolled_back,
    rv.ClockExtended: human.clock_extended,
    rv.ClockSet: human.clock_set,
    rv.MatchSet: contest.match_set,
    rv.RoundLeft: contest.round_left,
    rv.RoundExtended: contest.round_extended,
    rv.RoundEnded: contest.round_ended,
    rv.GameConceded: contest.conceded,
    rv.LateArrived: lateness.late,
    rv.LevelsSet: lateness.levels_set,
    rv.MatchCarried: carry.carried,
    rv.ResultEntered: results.entered,
    rv.ResultChecked: results.checked,
    rv.ResultCorrected: results.result_corrected,
    rv.DisputeRaised: results.disputed,
    rv.DisputeAgreed: results.dispute_agreed,
}


@dataclass(frozen=True)
class Outcome:
    """What an event leads to. With a refusal the state is the old one and there are no effects."""

    state: TableState
    effects: tuple[Effect, ...] = ()
    refusal: Refusal | None = None


class TableCore:
    """Holds the committed state. ``handle`` never changes it; ``commit`` does, once the event is durable."""

    def __init__(self, state: TableState | None = None) -> None:
        self.state = state or TableState()

    def handle(self, event: ev.Event) -> Outcome:
        """Apply one event to a copy. Raises only for a defect of the program; the old state then stands."""
        draft = Draft(copied(self.state))
        if not draft.state.table and not isinstance(event, ev.TableOpened):
            return Outcome(self.state, refusal=Refusal("The table is not open.", code="CLOSED"))
        try:
            HANDLERS[type(event)](draft, event)
        except Refusal as refusal:
            return Outcome(self.state, refusal=refusal)
        return Outcome(draft.state, tuple(draft.effects))

    def commit(self, outcome: Outcome) -> None:
        """Make an outcome's state the table's state."""
        self.state = outcome.state
