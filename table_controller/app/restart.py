"""Going on after a restart, or with a match that began at another table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from table_controller.app.table import Table
from table_controller.app.terminal import say
from table_controller.dealer.driver import SerialLink
from table_controller.errors import TableError
from table_controller.table.carry import left_at
from table_controller.table.dealing import QUOTAS
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import Event, PauseRequested
from table_controller.table.machine import UNDER_PAUSE
from table_controller.table.referee_events import MatchCarried, RoundLeft


def elapsed_ms(before: str, now: str) -> int:
    """Milliseconds between two wall labels; 0 where one is no time or the clock went back."""
    try:
        gone = datetime.fromisoformat(now) - datetime.fromisoformat(before)
    except (ValueError, TypeError):
        return 0
    return max(0, int(gone.total_seconds() * 1000))


def after_restart(table: Table, dealer: SerialLink | None, post: Callable[[Event], None], *, paused: bool) -> None:
    """What was open comes back open: a clock paused, a deal that was under way asked for again by the same plan.

    The dealer knows a deal by its job, pack and plan: it goes on, answers that it is done, or calls it void.
    """
    state, clock = table.runtime.state, table.clock
    if state.phase == "dealing" and dealer is not None:
        if state.dealer.plan:
            dealer.resume(RunDeal(state.dealer.job, state.dealer.pack, state.dealer.plan))
        else:
            dealer.perform(PlanDeal(state.dealer.job, state.dealer.pack, QUOTAS))
    match, begins_in_ms = state.match, state.match.begun_ms - table.last_ms
    if (match.ends_ms or begins_in_ms > 0) and not match.over and not match.time_up:
        gone = elapsed_ms(table.last_wall, clock.wall())
        left_ms = max(0, match.ends_ms - table.last_ms - gone)
        post(RoundLeft(clock.now_ms(), left_ms, max(0, begins_in_ms - gone)))
    if state.phase in UNDER_PAUSE and paused:
        post(PauseRequested(clock.now_ms(), "controller", "restarted: the referee resumes"))


async def carry_on(table: Table, ask: Callable[[Event], Awaitable[TableError | None]], document: str) -> None:
    """A match from another table; raises the refusal where this table has played already."""
    away_ms = elapsed_ms(left_at(document), table.clock.wall())
    refusal = await ask(MatchCarried(table.clock.now_ms(), document, "controller", away_ms))
    if refusal is not None:
        raise refusal
    state = table.runtime.state
    say(f"the match goes on: deal {state.deal_number}, levels {state.levels}, {state.phase}")
