"""The matches of a journal: a table's state keeps the deals of one game, a record wants those of a whole match."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from table_controller.errors import UsageError
from table_controller.table.codec import from_data
from table_controller.table.core import TableCore
from table_controller.table.match_state import PastDeal
from table_controller.table.state import TableState
from table_controller.table.told import levels_after


@dataclass
class Match:
    """One match: its last state, and the last one of each of its games by the game's number in the session."""

    state: TableState
    games: dict[int, TableState] = field(default_factory=dict)

    @property
    def lines(self) -> list[dict[str, object]]:
        """A line a deal, of every game, with the levels that it leads to as it stands now."""
        return [line for state in self.games.values() for line in _with_levels(state)]

    @property
    def past(self) -> Iterator[tuple[int, PastDeal]]:
        """The deals that are over, each with its game."""
        return ((state.match.game, deal) for state in self.games.values() for deal in state.past)


def _with_levels(state: TableState) -> Iterator[dict[str, object]]:
    """Results put right change the levels of deals since; before levels that a referee set they are as they were."""
    for place, line in enumerate(state.results):
        levels = tuple(sorted(levels_after(state, state.results[: place + 1]).items()))
        yield line if line.get("levels_set") else {**line, "levels": levels}


@dataclass
class Matches:
    """Shown every state of a session in turn, keeps what belongs to each match."""

    found: list[Match] = field(default_factory=list)

    def see(self, state: TableState) -> None:
        """The next state; one in which nothing has been played belongs to no match yet."""
        match = state.match
        if not (state.deal_number or state.results or match.played):
            return
        if not self.found or (match.session_game not in self.found[-1].games and match.game == 1):
            self.found.append(Match(state))
        last = self.found[-1]
        last.state = state
        last.games[match.session_game] = state

    def see_carried(self, records: Iterable[dict[str, Any]]) -> None:
        """What a table brought that handed its match over: the states that its events led to."""
        for record in records:
            event = record["event"]
            if event["type"] == "MatchCarried" and not record.get("refused"):
                core = TableCore()
                for data in json.loads(event["document"])["events"]:
                    core.commit(core.handle(from_data(data)))
                    self.see(core.state)

    def of(self, state: TableState, round_: int | None) -> Match:
        """The match that ``state`` is in, or the last one of a round; raises UsageError where there is none."""
        if round_ is None:
            last = self.found[-1] if self.found else None
            return last if last is not None and last.state is state else Match(state, {0: state})
        for match in reversed(self.found):
            if match.state.match.round == round_:
                return match
        rounds = sorted({match.state.match.round for match in self.found})
        known = ", ".join(str(number) for number in rounds) or "none"
        raise UsageError(f"Nothing was played in round {round_}.", way_out=f"Rounds: {known}.")
