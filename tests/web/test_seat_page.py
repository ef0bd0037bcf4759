"""The touch page of a seat in Chromium: what a seat may say and when, in both languages, and nothing that is secret."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
WINDOW_PX = (1280, 800)


def table(acts: int = 0) -> EventTable:
    made = EventTable(5)
    made.open()
    made.deal()
    if acts:
        made.sort_and_exchange()
        for _ in range(acts - 1):
            made.act()
    return made


def press(eyes: Any, words: str) -> None:
    eyes.wait(lambda: [b for b in eyes.all("button:enabled") if b.is_displayed() and b.text == words])[0].click()


@pytest.mark.parametrize(("language", "ready", "done"), [("zh", "理好牌", "已理好"), ("en", "Ready", "Ready: said")])
def test_a_seat_says_that_it_is_ready(serve: Any, eyes: Any, language: str, ready: str, done: str) -> None:
    served = serve(table())
    eyes.open(f"{served.url}/seat?seat=E&lang={language}")
    press(eyes, ready)
    eyes.wait(lambda: eyes.text("#act-ready") == done)
    assert served.table.core.state.ready == {"E"} or "E" in served.table.core.state.ready
    eyes.shot(f"seat-sorting-{language}")
    assert eyes.barriers() == []
    assert eyes.errors(served.url) == []


def test_pass_and_referee_by_keys_and_what_is_refused(serve: Any, eyes: Any) -> None:
    served = serve(table(2))
    deal = served.table.core.state.deal
    assert deal is not None
    turn, waiting = str(deal.turn), "ENWS"[("ENWS".index(str(deal.turn)) + 1) % 4]
    eyes.open(f"{served.url}/seat?seat={waiting}")
    eyes.wait(lambda: eyes.text("#plays b"))
    assert not eyes.one("#act-pass").is_enabled()
    small = "return [...document.querySelectorAll('button')].filter(b => b.offsetHeight && b.offsetHeight < 48).length"
    assert eyes.script(small) == 0, "a finger needs room"
    # A seat out of turn that asks all the same is told so in words, and the table goes on as before.
    eyes.script(
        "document.querySelector('#act-pass').disabled = false; document.querySelector('#act-ready').hidden = false"
    )
    eyes.script("document.querySelector('#act-ready').disabled = false; document.querySelector('#act-ready').click()")
    eyes.wait(lambda: eyes.text("#answer").startswith("不能这样做："))
    eyes.shot("seat-refused")
    eyes.open(f"{served.url}/seat?seat={turn}")
    eyes.wait(lambda: eyes.one("#act-pass").is_enabled())
    eyes.shot("seat-turn")
    eyes.script("document.querySelector('#act-pass').focus()")
    eyes.press("\ue007")
    eyes.wait(lambda: served.table.core.state.deal.turn != turn)  # type: ignore[union-attr]
    eyes.wait(lambda: eyes.text("#answer") == "已过牌")
    eyes.press("\ue004", " ")
    eyes.wait(lambda: eyes.text("#act-td") == "已呼叫裁判")
    assert [i.kind for i in served.table.core.state.incidents if i.is_open] == ["td_call"]


def test_a_report_a_dispute_and_its_end(serve: Any, eyes: Any) -> None:
    made = table(2)
    served = serve(made)
    play = next(a for a in made.core.state.actions if a.cards)
    mine, other = play.seat, "ENWS"[("ENWS".index(play.seat) + 1) % 4]
    eyes.open(f"{served.url}/seat?seat={mine}", 360, 780)
    press(eyes, "有异议")
    eyes.wait(lambda: eyes.all(".due"))
    press(eyes, "同意现在的记录")
    eyes.wait(lambda: "已同意" in eyes.text(".due"))
    eyes.shot("seat-dispute-phone")
    assert eyes.overflow() <= 0
    eyes.open(f"{served.url}/seat?seat={other}&lang=en")
    press(eyes, "I agree with it as it stands")
    eyes.wait(lambda: not eyes.all(".due"))
    assert [i.status for i in made.core.state.incidents if i.kind == "dispute"] == ["resolved"]
    seat = None
    for _ in range(400):
        deal = made.core.state.deal
        assert deal is not None
        short = [s for s in "ENWS" if 0 < deal.counts[s] <= 10 and not deal.reported.get(s) and s in deal.owes_report]
        if short or deal.over:
            seat = short[0] if short else None
            break
        turn = deal.turn
        assert turn is not None
        brain = made.brains[turn]
        choice = brain.lead(deal.level) if deal.to_beat is None else None
        if choice is None and deal.to_beat is not None:
            assert deal.trick.last_seat is not None
            choice = brain.follow(deal.to_beat, deal.trick.last_seat, deal.level, deal.counts)
        if choice is None:
            made.send(ev.PassPressed, seat=turn)
            continue
        for card in choice.cards:
            brain.hand.remove(card)
        served.send(ev.CardsSeen, seat=turn, cards=choice.cards)
        if turn not in made.core.state.deal.owes_report:  # type: ignore[union-attr]
            served.send(ev.AreaCleared, seat=turn)
    assert seat is not None
    eyes.open(f"{served.url}/seat?seat={seat}")
    eyes.wait(lambda: eyes.one("#reports").is_displayed())
    eyes.shot("seat-report")
    assert eyes.barriers() == []
    press(eyes, str(made.core.state.deal.owes_report[seat]))  # type: ignore[union-attr, index]
    eyes.wait(lambda: not eyes.one("#reports").is_displayed())


def test_a_result_is_entered_and_checked(serve: Any, eyes: Any) -> None:
    made = EventTable(5)
    made.open()
    made.play_deal()
    served = serve(made)
    eyes.open(f"{served.url}/seat?seat=S")
    press(eyes, "录入这个结果")
    eyes.wait(lambda: "南家已录入" in eyes.text(".due"))
    eyes.open(f"{served.url}/seat?seat=W")
    eyes.wait(lambda: eyes.all(".due"))
    eyes.shot("seat-result")
    press(eyes, "核对无误")
    eyes.wait(lambda: made.core.state.results[-1].get("checked_by") == "W")


def test_the_page_knows_nothing_that_was_not_shown(serve: Any, eyes: Any) -> None:
    made = table(3)
    served = serve(made)
    eyes.open(f"{served.url}/seat?seat=N")
    eyes.wait(lambda: eyes.text("#plays b"))
    loaded = eyes.script("return performance.getEntriesByType('resource').map(e => new URL(e.name).pathname)")
    assert {path for path in loaded if path.startswith("/api")} <= {"/api/events"}
    shown = len([card for action in made.core.state.actions[-5:] for card in action.cards])
    assert len(eyes.all(".card")) == shown
    eyes.open(f"{served.url}/seat")
    eyes.wait(lambda: len([a for a in eyes.all("#chairs a") if a.is_displayed()]) == 4)
    eyes.shot("seat-choose")
