"""A table whose deals end as a case says: for what only a whole table shows."""

from __future__ import annotations

from typing import Any

from table_controller.cards import SEATS
from table_controller.games.guandan.profile import Profile
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv

LAST_CARDS = ("3S", "4S", "5S", "6S")


class CaseTable(EventTable):
    """A table whose deals end as the case says."""

    def ready(self) -> None:
        """Deal, with everybody ready."""
        for seat in SEATS:
            self.send(ev.AreaCleared, seat=seat)
        self.deal()
        for seat in SEATS:
            self.send(ev.ReadyPressed, seat=seat)

    def finish(self, order: list[str]) -> None:
        """The deal under way ends with these places, each seat holding one card."""
        outcome = self.send(ev.Resync, by="case", turn=order[0], counts=(1, 1, 1, 1))
        assert outcome.refusal is None, outcome.refusal
        cards = dict(zip(order, LAST_CARDS, strict=False))
        for _ in range(20):
            deal = self.core.state.deal
            if self.core.state.phase not in ("playing", "trick_over") or deal is None:
                break
            due = next((seat for seat in order if seat not in deal.out), None)
            if deal.turn == due:
                self.send(ev.CardsSeen, seat=deal.turn, cards=(cards[due],))
            else:
                self.send(ev.PassPressed, seat=deal.turn)
        assert self.core.state.phase in ("deal_over", "game_over")

    def play_on(self, order: str) -> None:
        """The exchange, if one is due, with any legal cards, and the deal to these places."""
        state = self.core.state
        for seat, card in zip(list(state.exchange.owing), ("KS", "QS"), strict=False):
            self.send(ev.CardsSeen, seat=seat, cards=(card,))
        for receiver in list(self.core.state.exchange.pays.values()):
            self.send(ev.CardsSeen, seat=receiver, cards=("3D",))
        self.finish(list(order))

    def rule(self, penalty: str, seat: str, kind: str = "serious") -> int:
        """Note something against a seat and rule on it as the head referee; the incident's number."""
        self.send(rv.IrregularityNoted, kind=kind, seat=seat, by="case")
        number = self.core.state.incidents[-1].number
        outcome = self.send(rv.Ruled, incident=number, penalty=penalty, by="case", role="head_referee")
        assert outcome.refusal is None, outcome.refusal
        return number

    def overturn(self, number: int) -> None:
        """Overturn an incident."""
        outcome = self.send(ev.IncidentUpdated, incident=number, status="overturned", by="case")
        assert outcome.refusal is None, outcome.refusal

    def begin(self, leader: str = "E") -> None:
        """A first deal, led by ``leader``."""
        self.send(rv.LeaderNamed, leader=leader, by="case")
        self.ready()
        assert self.core.state.phase == "playing", self.core.state.phase

    def open_kinds(self) -> list[tuple[str, Any, str]]:
        """Kind, seat and proposal of what nobody has settled."""
        return [(i.kind, i.seat, i.proposal) for i in self.core.state.incidents if i.is_open]

    def early_timer(self) -> None:
        """What was held because it came before its turn has waited long enough."""
        self.now += 5000
        self.core.commit(self.core.handle(ev.TimerFired(self.now, "early")))

    def last_order(self) -> list[Any]:
        """The places of the last deal."""
        order = self.core.state.results[-1]["order"]
        assert isinstance(order, tuple)
        return list(order)


def table(profile: Profile) -> CaseTable:
    """An open table of this profile."""
    made = CaseTable(5)
    made.open(profile.name)
    return made


def in_tribute(profile: Profile, order: str = "ENWS") -> CaseTable:
    """A second deal after one with these places; by default S owes E its tribute."""
    made = table(profile)
    made.ready()
    made.finish(list(order))
    made.ready()
    assert made.core.state.phase == "tribute"
    return made
