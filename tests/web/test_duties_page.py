"""Who shuffles, cuts, draws, turns up and reports, on the table's own pages; deals that are over are put right."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
WINDOW_PX = (1280, 900)


def by_hand(profile: str) -> EventTable:
    made = EventTable(5)
    made.send(ev.TableOpened, table="t1", venue="v", profile=profile)
    return made


def playing(profile: str) -> EventTable:
    made = by_hand(profile)
    made.send(ev.DealtByHand, by="x", leader="E")
    for seat in "ENWS":
        made.send(ev.ReadyPressed, seat=seat)
    return made


@pytest.mark.parametrize(
    ("language", "shuffle", "mine"),
    [
        ("zh", "洗牌：东，5至7次，洗后不再切插", "切牌：南，从中段切，上下各多于5张，不数牌"),
        (
            "en",
            "Shuffle: East, 5 to 7 times, nothing after it",
            "Cut: South, from the middle, more than 5 cards at either end, uncounted",
        ),
    ],
)
def test_before_the_first_deal_by_hand(serve: Any, eyes: Any, language: str, shuffle: str, mine: str) -> None:
    served = serve(by_hand("national"))
    eyes.open(f"{served.url}/control?lang={language}")
    eyes.wait(lambda: shuffle in eyes.text("#duties"))
    assert mine in eyes.text("#duties")
    eyes.shot(f"control-duties-{language}")
    assert eyes.barriers() == []
    eyes.open(f"{served.url}/seat?seat=S&lang={language}", 390, 840)
    eyes.wait(lambda: mine in eyes.text("#duties"))
    assert shuffle not in eyes.text("#duties"), "East's duty is no matter of South's page"
    assert eyes.overflow() <= 0
    eyes.shot(f"seat-duties-{language}")
    assert eyes.barriers() == []
    assert eyes.errors(served.url) == []


def test_a_machine_replaces_them_and_more_time_to_sort_is_one_press(serve: Any, eyes: Any) -> None:
    made = EventTable(5)
    made.open()
    served = serve(made)
    eyes.open(f"{served.url}/control")
    eyes.wait(lambda: "自动发牌代替洗牌、切牌和抓牌，首圈领出由牌桌抽定" in eyes.text("#duties"))
    made.deal()
    served.send(ev.CameraBack)
    eyes.wait(lambda: eyes.all("#duties button"))
    ends = made.core.state.sorting_ends_ms
    eyes.all("#duties button")[0].click()
    eyes.wait(lambda: made.core.state.sorting_ends_ms == ends + 30_000)


def test_a_report_said_is_entered_with_one_press_and_a_wild_by_its_player(serve: Any, eyes: Any) -> None:
    made = playing("huaian")
    made.send(ev.Resync, by="x", turn="E", counts=(15, 12, 12, 12))
    made.send(ev.CardsSeen, seat="E", cards=("KS", "KD", "6S", "6D", "2H"))
    served = serve(made)
    eyes.open(f"{served.url}/control")
    eyes.wait(lambda: "东须说出剩10张" in eyes.text("#duties"))
    assert eyes.text("#naming-declare h3") == "东家的红心级牌当作什么？"
    eyes.shot("control-report-and-wild")
    eyes.all("#duties button")[0].click()
    eyes.wait(lambda: not eyes.all("#duties button"))
    assert made.core.state.deal.reported["E"] == 10  # type: ignore[union-attr]
    taken = made.core.state.actions[-1].reading
    eyes.open(f"{served.url}/seat?seat=E", 390, 840)
    eyes.wait(lambda: len(eyes.all(".due button")) == 2)
    eyes.shot("seat-wild")
    next(b for b in eyes.all(".due button") if "main" not in b.get_attribute("class")).click()
    eyes.wait(lambda: not eyes.all(".due"))
    assert {taken, made.core.state.actions[-1].reading} == {"fullhouse:K", "fullhouse:6"}
    assert eyes.errors(served.url) == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_deal_that_is_over_is_put_right(serve: Any, eyes: Any, language: str) -> None:
    made = EventTable(5)
    made.open()
    for _ in range(3):
        made.play_deal()
    served = serve(made)
    first = made.core.state.past[0]
    wrong = next(a for a in first.actions if len(a.cards) == 1)
    eyes.open(f"{served.url}/control?lang={language}")
    eyes.wait(lambda: len(eyes.all("#earlier option")) == 4)
    eyes.script(
        "const s = document.querySelector('#earlier select'); s.value = '1'; s.dispatchEvent(new Event('change'))"
    )
    eyes.wait(lambda: len(eyes.all("#past li")) == len(first.actions) + 1)
    place = first.actions.index(wrong) + 2
    field = eyes.one(f"#past li:nth-child({place}) input")
    field.clear()
    field.send_keys("9C" if wrong.cards != ("9C",) else "9D")
    eyes.one(f"#past li:nth-child({place}) button").click()
    eyes.wait(lambda: made.core.state.past[0].actions[place - 2].cards in (("9C",), ("9D",)))
    eyes.wait(lambda: "9" in eyes.text(f"#past li:nth-child({place}) span"))
    eyes.shot(f"control-earlier-{language}")
    assert eyes.barriers() == []
    assert eyes.errors(served.url) == []
