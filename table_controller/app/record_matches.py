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
    """Shown every state of a session in turn, keeps the match that is wanted: the last, or the last of ``round_``."""

    round_: int | None = None
    last_ms: int = 0
    last_wall: str = ""
    """Stamp and wall label of the last event."""
    rounds: set[int] = field(default_factory=set)
    """Of the matches that are over."""
    _found: Match | None = None
    _now: Match | None = None

    def hearing(self, records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The records as they are, to be replayed: of an event its time is noted, and what a carried match brought."""
        for record in records:
            if record.get("kind") == "event":
                self.last_ms, self.last_wall = int(record["event"]["at_ms"]), str(record.get("wall", ""))
                self._see_carried(record)
            yield record

    def see(self, state: TableState) -> None:
        """The next state; one in which nothing has been played belongs to no match yet."""
        match = state.match
        if not (state.deal_number or state.results or match.played):
            return
        if self._now is None or (match.session_game not in self._now.games and match.game == 1):
            self._close()
            self._now = Match(state)
        self._now.state = state
        self._now.games[match.session_game] = state

    def _close(self) -> None:
        """The match that was is over: kept only where it may be the one that is wanted."""
        if self._now is not None:
            over = self._now.state.match.round
            self.rounds.add(over)
            if over == self.round_:
                self._found = self._now

    def _see_carried(self, record: dict[str, Any]) -> None:
        """What a table brought that handed its match over: the states that its events led to."""
        event = record["event"]
        if event["type"] == "MatchCarried" and not record.get("refused"):
            core = TableCore()
            for data in json.loads(event["document"])["events"]:
                core.commit(core.handle(from_data(data)))
                self.see(core.state)

    def of(self, state: TableState) -> Match:
        """The match that ``state`` is in, or the last one of the round; raises UsageError where there is none."""
        if self.round_ is None:
            return self._now if self._now is not None and self._now.state is state else Match(state, {0: state})
        self._close()
        if self._found is not None:
            return self._found
        known = ", ".join(str(number) for number in sorted(self.rounds)) or "none"
        raise UsageError(f"Nothing was played in round {self.round_}.", way_out=f"Rounds: {known}.")
