"""A doubtful play keeps the name of its picture, and is asked about until somebody settles it."""

from __future__ import annotations

import pytest

from table_controller.journal.record import decode, encode
from table_controller.journal.replay import event_record, replay
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.core import TableCore
from table_controller.table.effects import AskHuman, Publish
from table_controller.table.snapshot import snapshot


@pytest.fixture
def playing(driven: EventTable) -> EventTable:
    """The table in play, E to lead."""
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    return driven


def questions(table: EventTable) -> list[dict[str, object]]:
    return list(snapshot(table.core.state, table.now)["questions"])


def test_the_question_names_seat_cards_doubt_and_picture(playing: EventTable) -> None:
    cards = ("5S", "7H", "??")
    outcome = playing.send(ev.CardsSeen, seat="E", cards=cards, doubtful=(1,), evidence="0000000900-E.jpg")
    (asked,) = [effect for effect in outcome.effects if isinstance(effect, AskHuman)]
    assert (asked.play, asked.seat, asked.evidence) == (1, "E", "0000000900-E.jpg")
    (play,) = [dict(e.data) for e in outcome.effects if isinstance(e, Publish) and e.kind == "play"]
    assert play["evidence"] == "0000000900-E.jpg"
    (question,) = questions(playing)
    told = {
        key: question[key] for key in ("number", "seat", "cards", "unsure", "evidence", "incident", "asked", "open")
    }
    assert told == {
        "number": 1, "seat": "E", "cards": list(cards), "unsure": [1, 2], "evidence": "0000000900-E.jpg",
        "incident": 1, "asked": "referee", "open": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "settle",
    [
        (ev.PlayCorrected, {"play": 1, "cards": ("7S", "7H"), "by": "referee"}),
        (ev.IncidentUpdated, {"incident": 1, "status": "resolved", "by": "referee"}),
    ],
)
def test_a_settled_question_is_no_longer_asked_and_its_picture_stays(playing: EventTable, settle: tuple) -> None:  # type: ignore[type-arg]
    playing.send(ev.CardsSeen, seat="E", cards=("7S", "7H"), doubtful=(0,), evidence="a-E.jpg")
    assert len(questions(playing)) == 1
    assert playing.send(settle[0], **settle[1]).refusal is None
    assert questions(playing) == []
    assert playing.core.state.actions[0].evidence == "a-E.jpg"


def test_a_reading_that_a_human_confirms_is_not_called_corrected(playing: EventTable) -> None:
    playing.send(ev.CardsSeen, seat="E", cards=("7S", "7H"), doubtful=(0,))
    playing.send(ev.PlayCorrected, play=1, cards=("7S", "7H"), by="referee")
    last = snapshot(playing.core.state, playing.now)["recent"][0]
    assert (last["doubtful"], last["corrected"]) == (False, False)


def test_a_play_that_waited_for_its_turn_keeps_its_picture(playing: EventTable) -> None:
    playing.send(ev.CardsSeen, seat="N", cards=("8S",), doubtful=(0,), evidence="b-N.jpg")
    playing.send(ev.CardsSeen, seat="E", cards=("7S",), evidence="a-E.jpg")
    assert [(a.seat, a.evidence) for a in playing.core.state.actions] == [("E", "a-E.jpg"), ("N", "b-N.jpg")]


def test_once_the_deal_is_over_the_record_stands(playing: EventTable) -> None:
    playing.send(ev.CardsSeen, seat="E", cards=("7S",), doubtful=(0,))
    playing.core.state.phase = "deal_over"
    assert [question["open"] for question in questions(playing)] == [False]


@pytest.mark.parametrize("evidence", ["", "0000000900-E.jpg"])
def test_the_states_hash_does_not_depend_on_pictures_and_a_replay_finds_them(
    playing: EventTable, evidence: str
) -> None:
    playing.send(ev.CardsSeen, seat="E", cards=("7S",), evidence=evidence)
    playing.send(ev.CardsSeen, seat="W", cards=("9S",), doubtful=(0,), evidence=evidence)
    plain = TableCore()
    records = []
    for number, event in enumerate(playing.events):
        without = (
            ev.CardsSeen(event.at_ms, event.seat, event.cards, event.doubtful)
            if isinstance(event, ev.CardsSeen)
            else event
        )
        outcome = plain.handle(without)
        plain.commit(outcome)
        line = encode({"n": number, **event_record(event, outcome, "")})
        records.append(decode(line) or {})
    assert plain.state.digest() == playing.core.state.digest()
    again = replay(records)
    assert again.mismatch is None
    assert [a.evidence for a in again.core.state.actions] == [evidence]
    assert [e.evidence for e in again.core.state.early] == [evidence]
