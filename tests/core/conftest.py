"""Tables for the core's tests."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.cards import SEATS
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv

LAST = ("8S", "9S", "TS", "JS")
HEAD: dict[str, Any] = {"by": "head", "role": "head_referee"}


@pytest.fixture
def driven() -> EventTable:
    return EventTable()


class ToldTable(EventTable):
    """A table whose deals end as a test says."""

    def begin(self, rules: str = "", **match: Any) -> None:
        self.send(ev.TableOpened, table="t1", venue="v", profile="ours" if rules else "default", rules=rules)
        if match:
            assert self.send(rv.MatchSet, by="x", **match).refusal is None

    def ready(self, leader: str = "E") -> None:
        """A deal by hand, sorted; a tribute that is due is shown and returned."""
        assert self.send(ev.DealtByHand, by="x", leader=leader).refusal is None
        for seat in SEATS:
            self.send(ev.ReadyPressed, seat=seat)
        if self.core.state.phase == "sorting":
            self.send(rv.LeaderNamed, leader=leader, by="x")
        exchange = self.core.state.exchange
        for seat, card in zip(list(exchange.owing), ("KS", "QS"), strict=False):
            self.send(ev.CardsSeen, seat=seat, cards=(card,))
        for seat, card in zip(list(exchange.pays.values()), ("3D", "4D"), strict=False):
            self.send(ev.CardsSeen, seat=seat, cards=(card,))
        exchange = self.core.state.exchange
        for receiver in list(exchange.pays.values()):
            self.send(ev.CardsSeen, seat=receiver, cards=("3D",))
        assert self.core.state.phase == "playing"

    def finish(self, order: str) -> None:
        """The deal under way ends with these places, each seat holding one card."""
        self.send(ev.Resync, by="x", turn=order[0], counts=(1, 1, 1, 1))
        cards = dict(zip(order, LAST, strict=False))
        for _ in range(20):
            deal = self.core.state.deal
            if self.core.state.phase not in ("playing", "trick_over"):
                return
            assert deal is not None
            due = next(seat for seat in order if seat not in deal.out)
            if deal.turn == due:
                self.send(ev.CardsSeen, seat=deal.turn, cards=(cards[due],))
            else:
                self.send(ev.PassPressed, seat=deal.turn)

    def deal_of(self, order: str) -> None:
        self.ready()
        self.finish(order)

    def give(self, penalty: str, seat: str, kind: str = "serious") -> int:
        self.send(rv.IrregularityNoted, kind=kind, seat=seat, by="x")
        number = self.core.state.incidents[-1].number
        outcome = self.send(rv.Ruled, incident=number, penalty=penalty, **HEAD)
        assert outcome.refusal is None, outcome.refusal
        return number

    def overturn(self, number: int) -> None:
        outcome = self.send(ev.IncidentUpdated, incident=number, status="overturned", by="head")
        assert outcome.refusal is None, outcome.refusal


@pytest.fixture
def table() -> ToldTable:
    """A table whose deals end as the test says."""
    return ToldTable(5)


@pytest.fixture
def spare() -> ToldTable:
    """Another one, to which a match is carried."""
    return ToldTable(6)
