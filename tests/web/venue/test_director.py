"""The director's page in Chromium: deals begun, rounds ended, match, schedule, relay, export; by keys, and offline."""

from __future__ import annotations

import json
from typing import Any

import pytest

from table_controller.table import events as ev
from table_controller.venue import records
from table_controller.venue.wire import Heard

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.timeout(180)]
WINDOW_PX = (1280, 800)
ENTER = "\ue007"


def press(eyes: Any, selector: str) -> None:
    """By the keyboard alone: the focus goes there, Enter presses."""
    eyes.script("document.querySelector(arguments[0]).focus()", selector)
    assert eyes.script("return document.activeElement.matches(arguments[0])", selector)
    eyes.press(ENTER)


def fill(eyes: Any, selector: str, value: str) -> None:
    field = eyes.one(selector)
    field.clear()
    field.send_keys(value)


def test_deals_begin_and_a_round_ends_at_every_table_by_keys(own_venue: Any, visitor: Any, eyes: Any) -> None:
    venue = own_venue
    venue.tell("t1", ev.DealerOnline, boot=1, firmware="1", protocol=1, kind="emulator")
    visitor.log_in(venue, "zhao", "/director?lang=en")
    eyes.wait(lambda: len(eyes.all("#tables tbody tr")) == 2)
    press(eyes, "#start")
    eyes.wait(lambda: eyes.text("#start") == "Press again to confirm")
    assert venue.state("t1").phase == "standby", "the first press begins nothing"
    press(eyes, "#start")
    eyes.wait(lambda: venue.state("t1").phase == "dealing")
    eyes.wait(lambda: eyes.text("#answer").startswith("1 done") and "1 not done" in eyes.text("#answer"))
    assert "Table t2" in eyes.text("#answer"), "a table without a dealer says so"
    eyes.shot("director-started-en")
    venue.play("t2", 3)
    eyes.wait(lambda: "Playing" in eyes.text("#tables tbody"))
    press(eyes, "#tables tbody tr:nth-child(2) input")
    eyes.script("document.querySelector('#tables tbody tr:nth-child(2) input').click()")
    eyes.wait(lambda: eyes.text("#scope") == "For the 1 table chosen")
    for _ in range(2):
        press(eyes, "#end")
    eyes.wait(lambda: venue.state("t2").match.called)
    assert not venue.state("t1").match.called, "only the table that was chosen"
    assert eyes.barriers() == []
    press(eyes, "#leave")
    eyes.wait(lambda: "/login" in eyes.driver.current_url)


def test_match_schedule_relay_and_export(own_venue: Any, visitor: Any, eyes: Any) -> None:
    venue = own_venue
    visitor.log_in(venue, "zhao", "/director")
    eyes.wait(lambda: len(eyes.all("#tables tbody tr")) == 2)
    eyes.wait(lambda: "规则：default" in eyes.text("#profile"))
    eyes.one("#match option[value=计副]").click()
    fill(eyes, "#match input[name=deals]", "6")
    fill(eyes, "#match input[name=round]", "2")
    eyes.one("#match .main").click()
    eyes.wait(lambda: all(venue.state(name).match.deals == 6 for name in ("t1", "t2")))
    assert {(venue.state(n).match.system, venue.state(n).match.round) for n in ("t1", "t2")} == {("计副", 2)}
    fill(eyes, "#schedule tbody tr input[name=starts]", "14:00")
    eyes.one("#more-rounds").click()
    fill(eyes, "#schedule tbody tr:nth-child(2) input[name=note]", "决赛")
    eyes.one("#schedule .main").click()
    wanted = [{"round": 1, "starts": "14:00", "note": ""}, {"round": 2, "starts": "", "note": "决赛"}]
    eyes.wait(lambda: (venue.service.documents.get("schedule") or {}).get("rounds") == wanted)
    hold, cut = [b for b in eyes.all("#relay button") if b.text in ("停住", "切断")]
    air = "#tables tbody tr td:last-child"
    hold.click()
    eyes.wait(lambda: {row["mode"] for row in venue.service.relays.values()} == {"hold"})
    eyes.wait(lambda: [cell.text[:2] for cell in eyes.all(air)] == ["停住"] * 2)
    fill(eyes, "#relay input", "3")
    eyes.one("#relay input + button").click()
    eyes.wait(lambda: {row["delay_ms"] for row in venue.service.relays.values()} == {3000})
    cut.click()
    assert {row["mode"] for row in venue.service.relays.values()} == {"hold"}, "a cut wants a second press"
    cut.click()
    eyes.wait(lambda: {row["mode"] for row in venue.service.relays.values()} == {"cut"})
    eyes.wait(lambda: venue.service.aired.states == {})
    eyes.shot("director-cut")
    rows = [{**row, "mode": "go", "delay_ms": 3000, "aired_ms": 61_000} for row in venue.service.relay_rows()]
    venue.service.relay_rows = lambda: rows
    eyes.wait(lambda: [cell.text[:7] for cell in eyes.all(air)] == ["没有播出 1分"] * 2)
    del venue.service.relay_rows
    face = """const done = arguments[0]; import("/static/dom.js").then(({ clockFace }) => {
        const clock = { kind: "play", running: true, elapsed_ms: 2000, warning_ms: 20000, limit_ms: 30000 };
        done([9000, 16000].map((since) => clockFace(clock, since).text)); })"""
    assert eyes.driver.execute_async_script(face) == ["9", "–"], "who was not heard for long may have played on"
    script = venue.play("t1", 3)
    while venue.state("t1").phase not in ("deal_over", "game_over"):
        script = venue.replay_one(script, "t1")
    eyes.wait(lambda: records.results(venue.service.engine, None, venue.service.documents.book()), 60)
    eyes.one("#look").click()
    eyes.wait(lambda: len(eyes.all("#results tbody tr")) == 1, 30)
    assert eyes.one("#csv").get_attribute("download") == "results.csv"
    fetched = (
        "const done = arguments[1]; fetch(document.querySelector(arguments[0]).href).then(a => a.text()).then(done)"
    )
    csv, whole = (eyes.driver.execute_async_script(fetched, where) for where in ("#csv", "#json"))
    assert csv.lstrip("\ufeff").splitlines()[1].startswith("t1,2,1,1,2,")
    assert [row["table"] for row in json.loads(whole)["results"]] == ["t1"]
    eyes.shot("director-results")
    fill(eyes, "#roster tr[data-table=t1] input[name=EW]", "东风队")
    said = {**venue.service.hall.views["t1"].documents["state"], "table": "t9"}
    late = Heard("guandan/v1/hall/live/t9/state", "live", "t9", "state", json.dumps(said).encode(), False, 0, said)
    venue.loop.call_soon_threadsafe(venue.service.hall.take, [late])
    eyes.wait(lambda: eyes.all("#roster tr[data-table=t9] input[name=EW]"))
    assert eyes.one("#roster tr[data-table=t1] input[name=EW]").get_attribute("value") == "东风队", (
        "what was written stays"
    )
    assert eyes.errors(venue.url) == []


def test_a_director_and_a_table_page_say_that_they_are_stale(own_venue: Any, visitor: Any, eyes: Any) -> None:
    visitor.log_in(own_venue, "zhao", "/director")
    eyes.wait(lambda: len(eyes.all("#tables tbody tr")) == 2)
    own_venue.stop_broker()
    eyes.wait(lambda: eyes.text("#stale").startswith("消息服务中断"), 30)
    eyes.one("#pause").click()
    eyes.wait(lambda: eyes.one("#answer").get_attribute("class") == "problem")
    eyes.shot("director-no-broker")
    own_venue.start_broker()
    eyes.wait(lambda: not eyes.one("#stale").is_displayed(), 30)
    eyes.open(f"{own_venue.url}/table/t1?lang=en")
    eyes.wait(lambda: eyes.text("#phase"))
    own_venue.stop_service()
    eyes.wait(lambda: eyes.text("#stale").startswith("The venue's service does not answer"), 30)
    eyes.shot("table-stale-en")
    own_venue.start_service()
    eyes.wait(lambda: not eyes.one("#stale").is_displayed(), 30)
    press(eyes, "#leave")
    eyes.wait(lambda: "/login" in eyes.driver.current_url)
    eyes.driver.back()
    eyes.wait(lambda: "/login" in eyes.driver.current_url)
