"""Cards that could not be read outside plays: a prompt card, a tribute; a human is asked with the picture."""

from __future__ import annotations

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.snapshot import snapshot


def test_an_unread_prompt_card_is_asked_about_and_counts_once_told(driven: EventTable) -> None:
    driven.open()
    driven.deal()
    driven.sort_and_exchange()
    driven.send(ev.CardsSeen, seat="E", cards=("5S",))
    driven.send(ev.PromptLaid, seat="N", kind="??", evidence="n.jpg")
    asked = snapshot(driven.core.state, driven.now)["asked"]
    assert [(q["kind"], q["seat"], q["evidence"]) for q in asked] == [("doubtful_prompt", "N", "n.jpg")]
    assert driven.send(rv.PromptTold, incident=1, kind="ELEVEN", by="ref").refusal is not None
    assert driven.send(rv.PromptTold, incident=1, kind="PASS", by="ref").refusal is None
    state = driven.core.state
    assert [(a.seat, a.cards) for a in state.actions] == [("E", ("5S",)), ("N", ())]
    assert (state.prompts["N"], state.incidents[0].status) == (["PASS"], "resolved")
    assert snapshot(state, driven.now)["asked"] == []


def test_two_tributes_wait_until_both_are_known() -> None:
    for seed in range(30):
        table = EventTable(seed)
        table.open()
        table.play_deal()
        table.deal()
        for seat in ("E", "N", "W", "S"):
            table.send(ev.ReadyPressed, seat=seat)
        owing = table.core.state.exchange.owing
        if len(owing) != 2:
            continue
        table.send(ev.CardsSeen, seat=owing[0], cards=("KS",))
        assert table.send(ev.CardsSeen, seat=owing[1], cards=("??",), doubtful=(0,), evidence="t.jpg").refusal is None
        state = table.core.state
        assert (state.phase, [i.kind for i in state.incidents]) == ("tribute", ["doubtful_exchange"])
        assert table.send(rv.ExchangeCorrected, seat=owing[1], card="AS", by="ref").refusal is None
        state = table.core.state
        assert (state.phase, state.leader, state.incidents[0].status) == ("returning", owing[1], "resolved")
        return
    raise AssertionError("no double-down in thirty seeds")


def test_cards_lying_between_deals_keep_start_from_beginning(driven: EventTable) -> None:
    driven.open()
    assert driven.send(ev.CardsSeen, seat="W", cards=("5S",)).refusal is None
    refused = driven.send(ev.DealRequested, by="x").refusal
    assert refused is not None
    assert "W" in refused.message
    driven.send(ev.AreaCleared, seat="W")
    assert driven.send(ev.DealRequested, by="x").refusal is None


def test_a_faults_words_stay_while_its_lamp_flashes(driven: EventTable) -> None:
    driven.open()
    driven.send(ev.DealRequested, by="x", leader="N")
    driven.send(ev.DealFailed, job=1, code="OFFLINE", place="", message="The cable is out.", void=False)
    driven.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
    assert driven.core.state.dealer.message == "The cable is out."
