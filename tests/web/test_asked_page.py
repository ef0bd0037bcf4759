"""What somebody is to name, the end of a round and what a seat does not agree with, on the table's own pages."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.commands import command_names

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
WINDOW_PX = (1280, 900)


def table(*, deals: int = 0) -> EventTable:
    made = EventTable(5)
    made.open()
    for _ in range(deals):
        made.play_deal()
    return made


def wrong_lead() -> EventTable:
    """E has led a triple with a card dragged along, and the referee has ruled: S names the type."""
    made = table()
    made.deal()
    made.sort_and_exchange()
    made.send(ev.CardsSeen, seat="E", cards=("3S", "3D", "3C", "8H"))
    made.send(ev.AreaCleared, seat="E")
    made.send(rv.Ruled, incident=made.core.state.incidents[-1].number, penalty="", by="ref")
    assert made.core.state.names_type == "S"
    return made


def press(eyes: Any, words: str, within: str = "body") -> None:
    eyes.wait(lambda: [b for b in eyes.all(f"{within} button:enabled") if b.is_displayed() and b.text == words])[
        0
    ].click()


@pytest.mark.parametrize(
    ("language", "title", "first"),
    [("zh", "请南家指定东家须领出的牌型", "单张"), ("en", "South is to name the type that East must lead", "single")],
)
def test_a_type_is_named_on_the_control_page_by_keys(
    serve: Any, eyes: Any, language: str, title: str, first: str
) -> None:
    made = wrong_lead()
    served = serve(made)
    eyes.open(f"{served.url}/control?lang={language}")
    eyes.wait(lambda: eyes.text("#naming-name_type h3") == title)
    assert eyes.text("#naming-name_type button") == first
    assert len(eyes.all("#naming-name_type button")) == len(made.core.state.nameable) == 3
    assert eyes.driver.title.startswith("(1) ")
    eyes.shot(f"control-name-type-{language}")
    assert eyes.barriers() == []
    eyes.script("document.querySelector('#language').focus()")
    eyes.press("\ue004", "\ue004")
    assert eyes.script("return document.activeElement.textContent") == ("对子" if language == "zh" else "pair")
    eyes.press("\ue007")
    eyes.wait(lambda: not eyes.all("#naming-name_type"))
    must = made.core.state.must_lead
    assert must is not None
    assert (must.seat, must.type) == ("E", "pair")
    assert eyes.script("return document.activeElement.id") == "news", "the keys go on from where the question was"
    assert not eyes.one("#questions").is_displayed()
    assert eyes.errors(served.url) == []


def test_the_leader_after_a_foul_is_named(serve: Any, eyes: Any) -> None:
    made = table(deals=1)
    made.send(rv.IrregularityNoted, kind="hidden_card", seat="E", by="ref")
    number = made.core.state.incidents[-1].number
    made.send(rv.Ruled, incident=number, penalty="foul", by="head", role="head_referee")
    served = serve(made)
    eyes.open(f"{served.url}/control", 360, 780)
    eyes.wait(lambda: eyes.text("#naming-name_leader h3") == "请南北指定下一副由谁领出（犯规后不贡牌）")
    assert eyes.overflow() <= 0
    eyes.shot("control-name-leader-phone")
    press(eyes, "西", "#naming-name_leader")
    eyes.wait(lambda: not eyes.all("#naming-name_leader"))
    assert made.core.state.named_leader == "W"
    made.core.state.named_leader = None
    for seat in "ENWS":
        served.send(ev.PromptCircleCleared, seat=seat)
    eyes.wait(lambda: eyes.all("#naming-name_leader"))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_round_is_ended_on_the_control_page_with_a_reason(serve: Any, eyes: Any, language: str) -> None:
    made = table(deals=1)
    served = serve(made)
    eyes.open(f"{served.url}/control?lang={language}")
    stands = {"zh": "第1轮", "en": "Round 1"}[language]
    eyes.wait(lambda: eyes.text("#round") == stands)
    eyes.script("document.querySelector('#end button').focus()")
    eyes.press("\ue007")
    assert eyes.script("return document.querySelector('#end').checkValidity()") is False
    assert made.core.state.phase == "deal_over", "without a reason nothing is ended"
    field = eyes.one("#end input")
    field.send_keys("fire alarm", "\ue007")
    eyes.wait(lambda: made.core.state.match.over)
    assert made.core.state.phase == "game_over"
    over = {"zh": "第1轮：已结束", "en": "Round 1: over"}[language]
    eyes.script("document.activeElement.blur()")
    served.send(ev.AreaCleared, seat="E")
    eyes.wait(lambda: eyes.text("#round") == over)
    assert not eyes.one("#end button").is_enabled()
    eyes.shot(f"control-round-{language}")
    assert eyes.barriers() == []


@pytest.mark.parametrize(
    ("language", "no", "against"),
    [
        ("zh", "不同意，请裁判", "不同意：东，由裁判处理"),
        ("en", "I do not agree: referee", "Not agreed: East. The referee settles it"),
    ],
)
def test_a_seat_does_not_agree(serve: Any, eyes: Any, language: str, no: str, against: str) -> None:
    made = table(deals=1)
    made.send(rv.ResultEntered, seat="S")
    served = serve(made)
    eyes.open(f"{served.url}/seat?seat=E&lang={language}", 390, 840)
    press(eyes, no)
    eyes.wait(lambda: against in eyes.text(".due"))
    eyes.shot(f"seat-not-agreed-{language}")
    assert [b.is_enabled() for b in eyes.all(".due button") if b.text == no] == [False], "said once"
    made.deal()
    made.sort_and_exchange()
    made.act()
    play = next(a for a in made.core.state.actions if a.cards)
    served.send(rv.DisputeRaised, seat="N", play=play.number)
    press(eyes, no)
    eyes.wait(lambda: against in eyes.text(".due"))
    assert eyes.overflow() <= 0
    eyes.shot(f"seat-dispute-not-agreed-{language}")
    dispute = made.core.state.incidents[-1]
    assert [step[3] for step in dispute.history if step[2] == "E"] == ["does not agree"]
    press(eyes, {"zh": "同意现在的记录", "en": "I agree with it as it stands"}[language])
    eyes.wait(lambda: against not in eyes.text(".due"))
    assert eyes.errors(served.url) == []


def choose(eyes: Any, select: str, value: str) -> None:
    """Choose an option as a hand does: by the select's own change."""
    eyes.script(
        "const s = document.querySelector(arguments[0]); s.focus(); s.value = arguments[1];"
        "s.dispatchEvent(new Event('change', {bubbles: true}))",
        select,
        value,
    )


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_record_is_amended_on_the_control_page(serve: Any, eyes: Any, language: str) -> None:
    made = table()
    made.deal()
    made.sort_and_exchange()
    for seat, card in (("E", "3S"), ("N", "4S"), ("W", "5S")):
        made.send(ev.CardsSeen, seat=seat, cards=(card,))
        made.send(ev.AreaCleared, seat=seat)
    served = serve(made)
    eyes.open(f"{served.url}/control?lang={language}")
    eyes.wait(lambda: len(eyes.all("#plays li")) == 3)
    choose(eyes, "#plays li:first-child select", "move S")
    eyes.wait(lambda: made.core.state.actions[-1].seat == "S")
    eyes.wait(lambda: eyes.text("#plays li:first-child span").startswith({"zh": "3. 南", "en": "3. South"}[language]))
    choose(eyes, "#plays li:nth-child(2) select", "insert W")
    eyes.wait(lambda: [a.seat for a in made.core.state.actions] == ["E", "N", "W", "S"])
    eyes.wait(lambda: len(eyes.all("#plays li")) == 4)
    assert not any(i.is_open for i in made.core.state.incidents), "with the missed pass everybody was in turn"
    choose(eyes, "#plays li:nth-child(2) select", "remove")
    eyes.wait(lambda: [a.seat for a in made.core.state.actions] == ["E", "N", "S"])
    eyes.one("#enter input[name=cards]").send_keys("5C")
    eyes.one("#enter input[name=after]").send_keys("2")
    eyes.script("document.querySelector('#enter select').value = 'W'")
    eyes.one("#enter input[name=cards]").send_keys("\ue007")
    eyes.wait(lambda: [a.seat for a in made.core.state.actions] == ["E", "N", "W", "S"])
    eyes.shot(f"control-amend-{language}")
    assert eyes.barriers() == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_command_without_a_button_is_chosen_and_sent(serve: Any, eyes: Any, language: str) -> None:
    made = table(deals=1)
    served = serve(made)
    eyes.open(f"{served.url}/control?lang={language}", 390, 900)
    names = eyes.script("return [...document.querySelector('#more select').options].map((o) => o.value)")
    assert set(names) <= set(command_names())
    words = eyes.script("return [...document.querySelector('#more select').options].map((o) => o.text)")
    assert not any("_" in word for word in words), "each is said in words"
    for name in names:
        choose(eyes, "#more select", name)
        labels = eyes.script("return [...document.querySelectorAll('#fields label')].map((l) => l.textContent.trim())")
        assert labels
        assert not any("_" in label for label in labels)
    assert eyes.overflow() <= 0
    choose(eyes, "#more select", "correct_result")
    not_agreed = "The result can no longer be changed: both pairs must agree."
    was = made.core.state.results[-1]["order"]
    deal, order = eyes.all("#fields input")[:2]
    deal.send_keys("1")
    order.send_keys("N E S W", "\ue007")
    eyes.wait(lambda: eyes.text("#answer") == {"zh": "结果已经不能更改", "en": not_agreed}[language])
    assert made.core.state.results[-1]["order"] == was
    eyes.script("document.querySelector('#fields input[type=checkbox]').click()")
    eyes.one("#more button").click()
    eyes.wait(lambda: made.core.state.results[-1]["order"] == ("N", "E", "S", "W"))
    eyes.script("document.querySelector('#more').scrollIntoView()")
    choose(eyes, "#more select", "set_levels")
    eyes.shot(f"control-more-{language}")
    assert eyes.barriers() == []
    assert not [e for e in eyes.errors(served.url) if "409" not in e], "but for the refusal"
