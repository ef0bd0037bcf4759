"""Acts and rulings that come in an order nobody expects."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.cards import SEATS
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.carry import document
from table_controller.table.codec import to_data
from table_controller.table.effects import SetTimer

HEAD: dict[str, Any] = {"by": "head", "role": "head_referee"}
BOTH = ("EW", "NS")


@pytest.mark.parametrize("put_right", [True, False])
def test_the_wild_is_no_tribute(table: Any, put_right: bool) -> None:
    table.begin()
    table.deal_of("ENWS")
    table.send(ev.DealtByHand, by="x")
    for seat in SEATS:
        table.send(ev.ReadyPressed, seat=seat)
    table.send(ev.CardsSeen, seat="S", cards=("4H",))  # the level is 4
    wrong = table.core.state.incidents[-1]
    assert (wrong.kind, wrong.seat) == ("wrong_tribute", "S")
    if put_right:
        assert table.send(ev.CardsSeen, seat="S", cards=("KS",)).refusal is None
        assert [i.kind for i in table.core.state.incidents if i.is_open] == ["wrong_tribute_early"]
        assert table.core.state.exchange.shown == {"S": "KS"}
    table.send(ev.CardsSeen, seat="E", cards=("3D",))
    table.send(ev.CardsSeen, seat="S", cards=("9S",))
    known = [i.kind for i in table.core.state.incidents if i.is_open]
    assert known == (["wrong_tribute_early"] if put_right else ["wrong_tribute"]), "told once"


def test_a_payer_shows_no_tribute_that_is_not_due(table: Any) -> None:
    table.begin()
    table.deal_of("ENWS")
    table.send(ev.DealtByHand, by="x")
    for seat, refused in (("S", True), ("N", False)):
        outcome = table.send(rv.CardsExposed, seat=seat, cards=("AS",), by="x", as_tribute=True)
        assert (outcome.refusal is not None) is refused


def test_the_referee_who_is_called_while_stop_lies_lets_play_go_on(table: Any) -> None:
    table.begin()
    table.ready()
    table.send(ev.PromptLaid, seat="N", kind="STOP")
    table.send(ev.PromptLaid, seat="W", kind="TD")
    table.send(ev.PromptLifted, seat="N", kind="STOP")
    assert table.core.state.phase == "paused"
    table.send(ev.ResumeRequested, by="ref")
    assert table.core.state.phase == "playing"


@pytest.mark.parametrize("how", ["out", "withdrawal"])
def test_a_pair_that_is_out_or_gone_plays_no_further_game(table: Any, how: str) -> None:
    table.begin(system="计局", games=3)
    table.ready()
    if how == "out":
        number = table.give("out", "E")
    else:
        table.send(rv.GameConceded, pair="EW", how=how, **HEAD)
    match = table.core.state.match
    assert (match.over, match.winner, len(match.played)) == (True, "NS", 1)
    if how == "out":
        table.overturn(number)
        assert (table.core.state.phase, table.core.state.match.over) == ("paused", False)


def test_a_late_tribute_is_not_told_again_at_the_spare_table(table: Any, spare: Any) -> None:
    table.begin()
    table.deal_of("ENWS")
    table.send(ev.DealtByHand, by="x")
    for seat in SEATS:
        table.send(ev.ReadyPressed, seat=seat)
    late = next(e.at_ms for e in reversed(table.effects) if isinstance(e, SetTimer) and e.name == "late")
    table.now = late - 500
    table.send(ev.TimerFired, name="late")
    assert [i.kind for i in table.core.state.incidents] == ["tribute_late"]
    table.send(ev.PauseRequested, by="x")
    spare.send(ev.TableOpened, table="spare", venue="v", profile="default")
    spare.send(rv.MatchCarried, document=document("t1", [to_data(event) for event in table.events]), by="x")
    spare.send(ev.ResumeRequested, by="x")
    spare.send(ev.CardsSeen, seat="S", cards=("KS",))
    assert [i.kind for i in spare.core.state.incidents] == ["tribute_late"]
