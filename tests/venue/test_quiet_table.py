"""The players of a simulated hall: their hands agree with the table's counts, whatever a referee did."""

from __future__ import annotations

import asyncio
from collections import Counter

from table_controller.cards import Seat
from table_controller.errors import TableError
from table_controller.games.guandan.profile import load_profile
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.brain import Brain
from table_controller.sim.event_table import EventTable
from table_controller.sim.quiet_table import QuietTable
from table_controller.table import events as ev


def quiet(table: EventTable, hands: dict[Seat, list[str]]) -> QuietTable:
    """Players with these hands at a table that takes what they show."""

    async def ask(event: ev.Event) -> TableError | None:
        assert isinstance(event, ev.CardsSeen)
        table.core.state.exchange.returned[event.seat] = event.cards[0]
        return None

    made = QuietTable(VirtualClock(1000), ask, lambda: table.core.state, 1)
    made.brains = {seat: Brain(seat, made.rng, load_profile("default"), hand) for seat, hand in hands.items()}
    return made


def test_a_tribute_goes_over_once_though_its_payer_holds_the_card_twice() -> None:
    table = EventTable(1)
    table.open()
    exchange = table.core.state.exchange
    exchange.shown, exchange.pays = {"W": "SJ", "E": "5S"}, {"W": "N", "E": "S"}
    hands: dict[Seat, list[str]] = {"E": ["5S", "5S", "6S"], "W": ["SJ", "6D"], "N": ["2C"], "S": ["2H", "3H"]}
    players = quiet(table, hands)
    for _ in exchange.pays:
        asyncio.run(players._return(table.core.state, 1000))
    assert {seat: len(brain.hand) for seat, brain in players.brains.items()} == {"E": 3, "W": 2, "N": 1, "S": 2}
    assert Counter(players.brains["E"].hand)["5S"] == 1


def test_a_hand_is_as_large_as_the_table_says() -> None:
    players = quiet(EventTable(1), {"E": ["5S"], "N": ["6S", "7S"], "W": [], "S": []})
    players._count_again(players.brains["E"], 6)
    players._count_again(players.brains["N"], 1)
    assert (len(players.brains["E"].hand), players.brains["N"].hand) == (6, ["6S"])
