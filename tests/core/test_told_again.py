"""A human's word, said twice, taken back or at odds with the record: what is raised, withdrawn, and raised anew."""

from __future__ import annotations

import pytest

from table_controller.cards import SEATS
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv


@pytest.fixture
def played(driven: EventTable) -> EventTable:
    """E 3, N 4, W 5, S passes: plays 1 to 4."""
    driven.open()
    driven.deal()
    for seat in SEATS:
        driven.send(ev.ReadyPressed, seat=seat)
    for seat, card in (("E", "3S"), ("N", "4S"), ("W", "5S")):
        driven.send(ev.CardsSeen, seat=seat, cards=(card,))
        driven.send(ev.AreaCleared, seat=seat)
    driven.send(ev.PassPressed, seat="S")
    return driven


def told(table: EventTable, *, still: bool = True) -> list[tuple[str, str | None]]:
    """Kinds and seats of incidents, those that stand or all."""
    return [(i.kind, i.seat) for i in table.core.state.incidents if i.is_open or not still]


def correct(table: EventTable, play: int, *cards: str) -> None:
    outcome = table.send(ev.PlayCorrected, play=play, cards=cards, by="ref")
    assert outcome.refusal is None, outcome.refusal


def test_a_correction_that_is_undone_and_made_again_accuses_again(played: EventTable) -> None:
    for _ in range(2):
        correct(played, 2, "6S")
        assert told(played) == [("does_not_beat", "W")]
        correct(played, 2, "4S")
        assert told(played) == []
    assert len(told(played, still=False)) == 2


def test_what_a_referee_overturned_is_not_raised_by_a_later_correction(played: EventTable) -> None:
    correct(played, 2, "6S")
    played.send(ev.IncidentUpdated, incident=1, status="overturned", by="ref")
    correct(played, 1, "3D")
    assert told(played) == []


def test_a_third_copy_told_by_a_human_is_raised_and_goes_with_the_error(played: EventTable) -> None:
    correct(played, 1, "5S")
    correct(played, 2, "5S")
    assert ("conservation", "W") in told(played), "W laid the third five of spades"
    correct(played, 2, "4S")
    correct(played, 1, "3S")
    assert told(played) == []


def test_a_proof_that_a_referee_overturned_is_not_raised_by_the_next_play(driven: EventTable) -> None:
    driven.open()
    driven.play_deal()
    driven.deal()
    for seat in SEATS:
        driven.send(ev.ReadyPressed, seat=seat)
    cards = iter(("7S", "6S", "4D", "3D"))
    for seat in list(driven.core.state.exchange.owing):
        driven.send(ev.CardsSeen, seat=seat, cards=(next(cards),))
    for seat in list(driven.core.state.exchange.pays.values()):
        driven.send(ev.CardsSeen, seat=seat, cards=(next(cards),))
    payer = driven.core.state.leader
    assert payer in driven.core.state.exchange.pays
    driven.send(ev.CardsSeen, seat=payer, cards=("KS",))
    found = driven.core.state.incidents[-1]
    assert found.kind == "wrong_tribute"
    driven.send(ev.IncidentUpdated, incident=found.number, status="overturned", by="ref")
    for _ in range(3):
        driven.send(ev.PassPressed, seat=driven.core.state.deal.turn)  # type: ignore[union-attr]
    driven.send(ev.AreaCleared, seat=payer)
    driven.send(ev.CardsSeen, seat=payer, cards=("QS",))
    assert [i.number for i in driven.core.state.incidents if i.kind == "wrong_tribute"] == [found.number]


def test_a_play_is_disputed_once_and_a_seat_disputes_something_else_once(played: EventTable) -> None:
    assert played.send(rv.DisputeRaised, seat="N", play=1).refusal is None
    for seat in ("N", "S"):
        refusal = played.send(rv.DisputeRaised, seat=seat, play=1).refusal
        assert refusal is not None
        assert refusal.code == "DISPUTE"
    assert played.send(rv.DisputeRaised, seat="N", play=0).refusal is None
    assert played.send(rv.DisputeRaised, seat="N", play=0).refusal is not None
    assert played.send(rv.DisputeRaised, seat="E", play=0).refusal is None


def test_a_result_is_checked_after_it_was_entered_and_refused_once(driven: EventTable) -> None:
    driven.open()
    driven.play_deal()
    refusal = driven.send(rv.ResultChecked, seat="E").refusal
    assert refusal is not None
    assert refusal.way_out == "Seat S or N enters it."
    driven.send(rv.ResultEntered, seat="S")
    assert driven.send(rv.ResultChecked, seat="E", agrees=False).refusal is None
    assert driven.send(rv.ResultChecked, seat="E", agrees=False).refusal is not None
    assert told(driven) == [("result_disputed", "E")]
    driven.send(rv.ResultChecked, seat="E")
    assert told(driven) == []


def test_lateness_told_after_a_game_is_about_the_next_one(driven: EventTable) -> None:
    driven.open()
    driven.send(rv.MatchSet, by="d", system="计副", deals=1, games=3)
    driven.play_deal()
    was = dict(driven.core.state.match.played[0])
    assert driven.send(rv.LateArrived, seat="E", minutes=3.0, by="ref").refusal is None
    state = driven.core.state
    assert (state.phase, state.match.game, state.levels) == ("standby", 2, {"EW": "2", "NS": "3"})
    assert state.match.played == [was]
    driven.deal()
    assert (driven.core.state.deal_level, driven.core.state.leader) == ("3", "S")


def test_a_game_lost_by_penalty_follows_a_named_pair_to_the_next_round(driven: EventTable) -> None:
    driven.open()
    for number, names in enumerate((("a", "b", "c", "d"), ("a", "x", "c", "y"), ("a", "b", "c", "d")), start=1):
        driven.send(rv.MatchSet, by="d", round=number, names=names)
        driven.deal()
        driven.send(rv.IrregularityNoted, kind="serious", seat="W", by="ref")
        incident = driven.core.state.incidents[-1].number
        driven.send(rv.Ruled, incident=incident, penalty="game_lost", by="head", role="head_referee")
        due = [i for i in driven.core.state.incidents if i.kind == "exclusion_due"]
        assert bool(due) is (number > 1)


def test_what_was_not_played_to_its_end_cannot_be_lost_by_a_foul_afterwards(driven: EventTable) -> None:
    driven.open()
    driven.play_deal()
    driven.deal()
    driven.send(rv.GameConceded, pair="NS", how="forfeit", by="head", role="head_referee")
    driven.send(rv.IrregularityNoted, kind="hidden_card", seat="W", by="ref")
    number, results = driven.core.state.incidents[-1].number, list(driven.core.state.results)
    outcome = driven.send(rv.Ruled, incident=number, penalty="foul", by="head", role="head_referee")
    assert outcome.refusal is not None
    assert driven.core.state.results == results


def test_a_third_copy_that_a_human_confirms_is_not_asked_again(played: EventTable) -> None:
    for play in (1, 2, 3, 1):
        correct(played, play, "5S")
    asked = [i for i in played.core.state.incidents if i.kind == "conservation"]
    assert [(i.play, i.is_open) for i in asked] == [(3, False)]


@pytest.mark.parametrize(("minutes", "proposal"), [(15.0, ""), (15.5, "game_lost")])
def test_later_than_the_regulations_allow_the_loss_of_the_game_is_proposed(
    driven: EventTable, minutes: float, proposal: str
) -> None:
    rules = 'inherits = "default"\n[before]\nforfeit_after_minutes = 15\n'
    driven.send(ev.TableOpened, table="t", venue="v", profile="ours", rules=rules)
    driven.send(rv.LateArrived, seat="E", minutes=minutes, by="ref")
    (late,) = driven.core.state.incidents
    assert (late.proposal, late.needs) == (proposal, "head_referee" if proposal else "")
    if proposal:
        driven.send(rv.Ruled, incident=1, penalty=proposal, by="head", role="head_referee")
        game = driven.core.state.match.played[-1]
        assert (game["winner"], dict(game["points"])["NS"]) == ("NS", 2.0)  # type: ignore[call-overload]
