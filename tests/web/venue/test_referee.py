"""The referee's pages in Chromium against the real service, broker and tables: by keys, by finger, both languages."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.table import events as ev
from table_controller.table import referee_events

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.timeout(180)]
WINDOW_PX = (1280, 800)
ENTER, ESCAPE = "\ue007", "\ue00c"


def sound(eyes: Any, venue: Any) -> None:
    """No barrier, nothing beside the window, no complaint of the browser."""
    assert eyes.barriers() == []
    assert eyes.overflow() <= 0
    assert eyes.errors(venue.url) == []


def test_who_does_not_know_the_password_stays_outside(eyes: Any, venue: Any) -> None:
    eyes.driver.delete_all_cookies()
    eyes.open(f"{venue.url}/referee?lang=en")
    eyes.wait(lambda: eyes.text("button.main") == "Log in")
    eyes.one("input[name=name]").send_keys("li")
    eyes.one("input[name=password]").send_keys("guessed at", ENTER)
    eyes.wait(lambda: eyes.text("#answer") == "Name or password is wrong")
    assert eyes.one("#answer").get_attribute("class") == "problem"
    assert eyes.script("return document.documentElement.scrollHeight <= innerHeight"), "nothing to scroll for"
    eyes.shot("venue-login-en")
    assert eyes.barriers() == []


@pytest.mark.parametrize(("language", "phase", "sum_"), [("zh", "打牌", "4桌"), ("en", "Playing", "4 tables")])
def test_the_grid_shows_every_table(venue: Any, visitor: Any, eyes: Any, language: str, phase: str, sum_: str) -> None:
    if venue.state("t1").phase == "standby":
        venue.play("t1", 3)
    visitor.log_in(venue, "li", f"/referee?lang={language}")
    eyes.wait(lambda: len(eyes.all(".tile")) == 4)
    eyes.wait(lambda: eyes.text("a[href^='/table/t1'].tile .phase") == phase)
    eyes.wait(lambda: eyes.text("#sums").startswith(sum_))
    turn = venue.state("t1").deal.turn
    names = dict(zip("ENWS", {"zh": "东北西南", "en": "ENWS"}[language], strict=True))
    assert eyes.text("a[href^='/table/t1'].tile .turnof") == f"→{names[turn]}"
    assert eyes.text("a[href^='/table/t1'].tile .shot").isdigit()
    eyes.shot(f"referee-{language}")
    sound(eyes, venue)
    eyes.open(f"{venue.url}/referee?lang={language}", 360, 780)
    eyes.wait(lambda: len(eyes.all(".tile")) == 4)
    eyes.shot(f"referee-phone-{language}")
    assert eyes.overflow() <= 0


def test_a_call_is_taken_answered_and_ended_by_keys_alone(venue: Any, visitor: Any, eyes: Any) -> None:
    visitor.log_in(venue, "li", "/referee")
    venue.tell("t3", ev.TdPressed, seat="N")
    eyes.wait(lambda: "呼叫裁判" in eyes.text("#queue li"))
    eyes.wait(lambda: eyes.one("a[href^='/table/t3'].tile").get_attribute("data-attention") == "3")
    assert "无人处理" in eyes.text("#queue li")
    assert eyes.text("#queue .age").endswith("秒")
    eyes.press("j", "a")
    eyes.wait(lambda: "li已知悉" in eyes.text("#queue li"))
    eyes.press("g")
    eyes.wait(lambda: "li已到场" in eyes.text("#queue li"))
    eyes.shot("referee-call")
    assert [i.status for i in venue.state("t3").incidents] == ["arrived"]
    eyes.press(ENTER)
    eyes.wait(lambda: eyes.text("#table") == "t3桌")
    eyes.wait(lambda: "知悉 li" in eyes.text("#incidents .steps") and "到场 li" in eyes.text("#incidents .steps"))
    eyes.shot("table-call")
    sound(eyes, venue)
    eyes.script("document.querySelector('.resolve').focus()")
    eyes.press(ENTER)
    eyes.wait(lambda: [i.status for i in venue.state("t3").incidents] == ["resolved"])
    eyes.wait(lambda: "没有待处理的事" in eyes.text("#incidents"))
    eyes.press(ESCAPE)
    eyes.wait(lambda: "/referee" in eyes.driver.current_url)


def test_equal_ones_are_one_line_with_a_count_and_a_link_each(own_venue: Any, visitor: Any, eyes: Any) -> None:
    venue = own_venue
    for seat in ("N", "N", "N", "E"):
        venue.tell("t1", referee_events.IrregularityNoted, kind="impolite", seat=seat, by="li")
    visitor.log_in(venue, "li", "/referee?lang=en")
    eyes.wait(lambda: eyes.text("#sums").startswith("2 tables"))
    eyes.wait(lambda: len(eyes.all("#queue li")) == 2)
    eyes.wait(lambda: "×3" in eyes.text("#queue li .kind"))
    eyes.shot("referee-alike")
    links = [one.get_attribute("href") for one in eyes.all("#queue li:first-child .ones a")]
    assert len(set(links)) == 3
    eyes.press("j", "a")
    eyes.wait(lambda: [i.status for i in venue.state("t1").incidents].count("acknowledged") == 3)
    eyes.wait(
        lambda: len(eyes.all("#queue li")) == 2 and "×3" in eyes.text("#queue li[data-status=acknowledged] .kind")
    )
    assert eyes.script("return document.activeElement.closest('li').dataset.status") == "acknowledged", "focus stays"
    sound(eyes, venue)
    eyes.open(links[1])
    wanted = "#incidents li[id='" + links[1].split("#")[1] + "']"
    eyes.wait(lambda: eyes.all(wanted))


def fresh_play(venue: Any, name: str) -> None:
    if venue.state(name).phase == "standby":
        venue.play(name, 0)


def doubted(venue: Any, eyes: Any, cards: str) -> Any:
    """The seat in turn leads cards that are not sure; the play, once the page shows it with its picture."""
    venue.doubt("t2", cards, (1,))
    play = venue.state("t2").actions[-1]
    loaded = "return (document.querySelector('.doubt img') ?? {}).naturalWidth > 0"
    eyes.wait(lambda: eyes.script(loaded))
    return play


LATE = """const Real = Date, off = 3 * 3600e3; window.Date = class extends Real {
    constructor(...a) { if (a.length) super(...a); else super(Real.now() + off); }
    static now() { return Real.now() + off; } };"""


def test_a_doubt_is_opened_where_it_is_answered_also_by_a_browser_whose_clock_is_wrong(
    venue: Any, visitor: Any, eyes: Any
) -> None:
    fresh_play(venue, "t2")
    late = eyes.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LATE})
    try:
        visitor.log_in(venue, "li", "/referee")
        venue.doubt("t2", "5S 6S", (1,))
        link = "#queue a[href^='/table/t2']"
        eyes.wait(lambda: eyes.all(link) and eyes.text("a[href^='/table/t2'].tile .trouble").endswith("秒"))
        assert "小时" not in eyes.text("a[href^='/table/t2'].tile .trouble") + eyes.text("#queue")
        eyes.open(eyes.one(link).get_attribute("href"), 360, 740)
        eyes.wait(lambda: eyes.script("return document.activeElement.className") == "doubt")
        seen = (
            "const box = document.activeElement.getBoundingClientRect(); return box.top < innerHeight && box.bottom > 0"
        )
        assert eyes.script(seen)
        eyes.press("d", "5", "d")
        eyes.wait(lambda: not eyes.all(".doubt"))
        assert venue.state("t2").actions[-1].cards == ("5S", "5D")
    finally:
        eyes.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", late)


def test_a_misread_is_corrected_in_two_clicks_beside_its_picture(venue: Any, visitor: Any, eyes: Any) -> None:
    fresh_play(venue, "t2")
    visitor.log_in(venue, "li", "/table/t2")
    play = doubted(venue, eyes, "5S 6S")
    picture, cards = eyes.one(".doubt img").rect, eyes.one(".doubt .cards").rect
    assert cards["x"] >= picture["x"] + picture["width"]
    assert cards["y"] < picture["y"] + picture["height"]
    eyes.shot("table-doubt")
    sound(eyes, venue)
    eyes.one(".doubt .cardpress[data-place='1']").click()
    eyes.shot("table-picker")
    assert eyes.barriers() == []
    eyes.one(".picker [data-code='5D']").click()
    eyes.wait(lambda: not eyes.all(".doubt"))
    found = next(a for a in venue.state("t2").actions if a.number == play.number)
    assert found.cards == ("5S", "5D")
    assert not found.is_doubtful


def test_a_misread_is_corrected_in_four_keys(venue: Any, visitor: Any, eyes: Any) -> None:
    fresh_play(venue, "t2")
    visitor.log_in(venue, "wang", "/table/t2?lang=en")
    eyes.wait(lambda: eyes.text("#phase"))
    play = doubted(venue, eyes, "8S 9S")
    eyes.press("c", "8", "h")
    eyes.wait(lambda: not eyes.all(".doubt"))
    found = next(a for a in venue.state("t2").actions if a.number == play.number)
    assert found.cards == ("8S", "8H")
    # One that nobody doubted, in the list of plays; and one that was read rightly is confirmed by two keys.
    eyes.press("c", "8", "d")
    eyes.wait(lambda: next(a for a in venue.state("t2").actions if a.number == play.number).cards == ("8D", "8H"))
    play = doubted(venue, eyes, "TS TC")
    eyes.press("c", ENTER)
    eyes.wait(lambda: not eyes.all(".doubt"))
    assert not next(a for a in venue.state("t2").actions if a.number == play.number).is_doubtful
    eyes.script("document.querySelector('#past').open = true")
    eyes.wait(lambda: "correction" in eyes.text("#timeline"))
    eyes.shot("table-timeline-en")
    eyes.open(f"{venue.url}/table/t2", 360, 780)
    eyes.wait(lambda: eyes.all("#plays .cardpress"))
    eyes.one("#plays .cardpress").click()
    eyes.shot("table-phone")
    assert eyes.overflow() <= 0


def test_a_breach_is_noted_ruled_and_appealed(venue: Any, visitor: Any, eyes: Any) -> None:
    visitor.log_in(venue, "wang", "/table/t4")
    eyes.wait(lambda: eyes.all("#note option[value=light]"))
    eyes.one("#note option[value=light]").click()
    eyes.one("#note input").send_keys("phone rang", ENTER)
    eyes.wait(lambda: "轻微违规" in eyes.text("#incidents"))
    eyes.one("#incidents .appeal input").send_keys("not his phone", ENTER)
    eyes.wait(lambda: "申诉中：not his phone" in eyes.text("#incidents"))
    assert "建议" not in eyes.text("#incidents .propose")
    eyes.shot("table-ruling")
    assert eyes.barriers() == []
    eyes.press("r", ENTER)
    eyes.wait(
        lambda: (
            [(i.kind, i.status, i.penalty) for i in venue.state("t4").incidents] == [("light", "resolved", "warning")]
        )
    )


def test_who_only_looks_is_not_offered_what_he_may_not_do(venue: Any, visitor: Any, eyes: Any) -> None:
    venue.service.people.set_person("sun", "viewer", "correct horse")
    visitor.log_in(venue, "sun", "/table/t2")
    eyes.wait(lambda: eyes.text("#keys") == "只能看：没有裁判权限")
    assert not eyes.all("#acts button")
    assert not eyes.all("#plays .cardpress")
    assert not eyes.one("#noting").is_displayed()


def test_a_broker_and_a_service_that_were_away_are_found_again(own_venue: Any, visitor: Any, eyes: Any) -> None:
    venue = own_venue
    visitor.log_in(venue, "li", "/referee")
    eyes.wait(lambda: len(eyes.all(".tile")) == 2)
    venue.stop_broker()
    eyes.wait(lambda: eyes.text("#stale").startswith("消息服务中断"), 30)
    eyes.shot("referee-no-broker")
    assert eyes.barriers() == []
    venue.start_broker()
    eyes.wait(lambda: not eyes.one("#stale").is_displayed(), 30)
    venue.tell("t2", ev.TdPressed, seat="S")
    eyes.wait(lambda: "t2桌" in eyes.text("#queue"), 30)
    venue.stop_service()
    eyes.wait(lambda: eyes.text("#stale").startswith("与赛场服务的连接中断"), 30)
    assert len(eyes.all(".tile")) == 2
    eyes.shot("referee-no-service")
    venue.start_service()
    eyes.wait(lambda: not eyes.one("#stale").is_displayed(), 30)
    # Until the table has spoken again its clock is not known, and no command can be given in it.
    eyes.press("j")

    def taken() -> bool:
        eyes.press("a")
        return "li已知悉" in eyes.text("#queue li")

    eyes.wait(taken, 30)


def test_a_tile_says_that_the_camera_or_the_dealer_is_away(own_venue: Any, visitor: Any, eyes: Any) -> None:
    own_venue.play("t1", 2)
    visitor.log_in(own_venue, "li", "/referee?lang=en")
    eyes.wait(lambda: len(eyes.all(".tile")) == 2)
    trouble = "a[href^='/table/t1'].tile .trouble"
    own_venue.tell("t1", ev.DealerOffline, message="unplugged")
    eyes.wait(lambda: eyes.text(trouble) == "Dealer not connected")
    own_venue.tell("t1", ev.CameraLost, reason="unplugged")
    own_venue.tell("t1", ev.TdPressed, seat="N")
    eyes.wait(lambda: "referee is called" in eyes.text(trouble) and "No camera · Dealer" in eyes.text(trouble))
    assert "Dealer" not in eyes.text("a[href^='/table/t2'].tile .trouble"), "no machine was ever heard of there"
    eyes.shot("referee-tile-trouble")
    sound(eyes, own_venue)


def test_an_incidents_evidence_is_opened_with_hash_clock_and_readings(venue: Any, visitor: Any, eyes: Any) -> None:
    fresh_play(venue, "t2")
    visitor.log_in(venue, "li", "/table/t2?lang=en")
    eyes.wait(lambda: eyes.text("#phase"))
    doubted(venue, eyes, "5S 6S")
    eyes.wait(lambda: eyes.all("#incidents details summary"))
    eyes.one("#incidents details summary").click()
    eyes.wait(lambda: eyes.all("#incidents details table.case"))
    eyes.wait(lambda: eyes.script("return (document.querySelector('.case-pictures img') ?? {}).naturalWidth > 0"))
    words = eyes.text("#incidents details")
    assert "At the time" in words
    assert "%" in words, "how sure the reading was"
    assert "locked for appeals" in words
    assert "sha256" in words
    eyes.shot("table-evidence-en")
    sound(eyes, venue)


def test_a_double_click_gives_more_time_once(venue: Any, visitor: Any, eyes: Any) -> None:
    fresh_play(venue, "t2")
    visitor.log_in(venue, "li", "/table/t2")
    eyes.wait(lambda: eyes.one("#extend").is_displayed())
    sent = eyes.script(
        """const before = window.fetch; let sent = 0;
        window.fetch = (path, ...rest) => { sent += String(path).endsWith("/command"); return before(path, ...rest); };
        const press = (detail) => document.querySelector("#extend").dispatchEvent(new MouseEvent("click", { detail }));
        press(1); press(2);
        return sent;"""
    )
    assert sent == 1
    eyes.wait(lambda: eyes.text("#answer") == "完成")


def test_what_can_no_longer_be_confirmed_is_not_counted_as_waiting(venue: Any, visitor: Any, eyes: Any) -> None:
    visitor.log_in(venue, "li", "/table/t1")
    counted = """const done = arguments[0];
        const one = (number, open) => ({ number, open, seat: "W", cards: ["5S"], unsure: [0], incident: number });
        const state = { questions: [one(1, false), one(2, true), one(3, false)], incidents: [], level: "2" };
        const place = document.createElement("div");
        import("/static/doubts.js").then(({ drawDoubts }) => done(drawDoubts(state, () => {}, () => [], place)));"""
    assert eyes.driver.execute_async_script(counted) == {"open": 1, "past": 2}
