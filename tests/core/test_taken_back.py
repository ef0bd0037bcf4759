"""What was told of a game or a deal and is no longer so is told again: a venue's archive follows the referee."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.carry import document, left_at
from table_controller.table.codec import to_data
from table_controller.table.core import Outcome
from table_controller.table.effects import Publish, SetTimer

HEAD: dict[str, Any] = {"by": "head", "role": "head_referee"}
MINUTE_MS = 60_000


def told(outcome: Outcome, *kinds: str) -> list[tuple[str, dict[str, Any]]]:
    """The published events of these kinds, in order."""
    said = [effect for effect in outcome.effects if isinstance(effect, Publish)]
    return [(effect.kind, dict(effect.data)) for effect in said if effect.kind in kinds]


GAMES = ("game_taken_back", "game_over")


def overturned(table: Any, number: int) -> Outcome:
    outcome = table.send(ev.IncidentUpdated, incident=number, status="overturned", by="head")
    assert outcome.refusal is None
    return outcome


def test_a_game_lost_by_an_overturned_penalty_is_taken_back(table: Any) -> None:
    table.begin(system="计局")
    table.ready()
    number = table.give("game_lost", "E")
    outcome = overturned(table, number)
    assert outcome.state.phase == "paused"
    assert told(outcome, *GAMES) == [("game_taken_back", {"game": 1})]


def test_one_that_is_annulled_while_another_is_on_is_taken_back(table: Any) -> None:
    table.begin(system="计局", games=3)
    table.ready()
    number = table.give("game_lost", "E")
    table.ready()
    assert told(overturned(table, number), *GAMES) == [("game_taken_back", {"game": 1})]


def test_a_foul_that_turned_a_game_and_is_overturned_tells_deal_and_game_as_they_were(table: Any) -> None:
    table.begin(system="计副", deals=1)
    table.deal_of("ENWS")
    first = dict(table.core.state.match.played[-1])
    number = table.give("foul", "E", "hidden_card")
    assert table.core.state.match.played[-1]["winner"] == "NS"
    outcome = overturned(table, number)
    (deal,) = told(outcome, "deal_over")
    assert (deal[1]["winner"], deal[1]["foul"], deal[1]["levels"]) == ("EW", None, (("EW", "4"), ("NS", "2")))
    assert told(outcome, *GAMES) == [("game_taken_back", {"game": 1}), ("game_over", first)]


def test_a_corrected_result_takes_the_game_back_and_tells_it_anew(table: Any) -> None:
    table.begin(system="计副", deals=1)
    table.deal_of("ENWS")
    outcome = table.send(rv.ResultCorrected, deal=1, order=("N", "E", "S", "W"), agreed=("EW", "NS"), **HEAD)
    assert outcome.refusal is None
    assert [kind for kind, _ in told(outcome, *GAMES)] == list(GAMES)
    assert told(outcome, "game_over")[0][1]["winner"] == "NS"


def test_a_deal_whose_foul_is_overturned_later_is_told_as_counting_no_more(table: Any) -> None:
    table.begin()
    table.deal_of("ENWS")
    number = table.give("foul", "N")
    table.ready()
    (deal,) = told(overturned(table, number), "deal_over")
    assert (deal[1]["annulled"], deal[1]["levels"]) == (True, (("EW", "2"), ("NS", "2")))


@pytest.mark.parametrize(("away_min", "left_min"), [(0, 35), (10, 25), (34, 1), (35, 1), (600, 1)])
def test_the_time_of_a_move_is_gone_from_the_round(table: Any, spare: Any, away_min: int, left_min: int) -> None:
    """It ends at its appointed time (003 L106); a minute stays, so that a referee can still extend it."""
    table.begin(system="计时", minutes=60)
    table.now += 25 * MINUTE_MS - (table.now - table.core.state.match.begun_ms) - 500
    table.send(ev.DealtByHand, by="x", leader="E")
    left_ms = table.core.state.match.ends_ms - table.now
    assert left_ms == 35 * MINUTE_MS
    spare.send(ev.TableOpened, table="spare", venue="v", profile="default")
    text = document("t1", [to_data(event) for event in table.events], "2026-11-30T10:00:00+00:00")
    assert left_at(text) == "2026-11-30T10:00:00+00:00"
    outcome = spare.send(rv.MatchCarried, document=text, by="x", away_ms=away_min * MINUTE_MS)
    assert outcome.refusal is None
    assert SetTimer("round", spare.now + left_min * MINUTE_MS) in outcome.effects
    assert outcome.state.match.ends_ms - outcome.state.match.begun_ms == 60 * MINUTE_MS
    assert spare.send(rv.RoundExtended, minutes=5, by="x", reason="moved").refusal is None


def test_a_round_in_its_last_seconds_gains_nothing_by_a_move(table: Any, spare: Any) -> None:
    table.begin(system="计时", minutes=60)
    table.ready()
    table.now = table.core.state.match.ends_ms - 10_500
    table.send(rv.IrregularityNoted, kind="light", seat="N", by="x")
    spare.send(ev.TableOpened, table="spare", venue="v", profile="default")
    text = document("t1", [to_data(event) for event in table.events])
    outcome = spare.send(rv.MatchCarried, document=text, by="x", away_ms=MINUTE_MS)
    assert SetTimer("round", spare.now + 10_000) in outcome.effects


def test_the_thirty_minutes_for_a_correction_go_on_while_a_match_moves(table: Any, spare: Any) -> None:
    table.begin(system="计副", deals=1)
    table.deal_of("ENWS")
    spare.send(ev.TableOpened, table="spare", venue="v", profile="default")
    text = document("t1", [to_data(event) for event in table.events])
    spare.send(rv.MatchCarried, document=text, by="x", away_ms=31 * MINUTE_MS)
    refusal = spare.send(rv.ResultCorrected, deal=1, order=("N", "E", "S", "W"), agreed=("EW", "NS"), **HEAD).refusal
    assert refusal is not None
    assert refusal.code == "RESULT"


def test_a_match_that_has_not_begun_begins_at_its_time_at_the_spare_table(table: Any, spare: Any) -> None:
    table.begin(system="计时", minutes=60, starts_in_minutes=30)
    begins_in_ms = table.core.state.match.begun_ms - table.now
    spare.send(ev.TableOpened, table="spare", venue="v", profile="default")
    text = document("t1", [to_data(event) for event in table.events])
    outcome = spare.send(rv.MatchCarried, document=text, by="x", away_ms=10 * MINUTE_MS)
    assert SetTimer("begin", spare.now + begins_in_ms - 10 * MINUTE_MS) in outcome.effects


def test_a_document_without_a_time_is_of_now() -> None:
    assert [left_at(text) for text in ("", "[]", '{"carry": 1}', "3")] == ["", "", "", ""]
