"""Overlay, wall and director's page in Chromium against the real service, relay, broker and tables."""

from __future__ import annotations

import base64
import io
import urllib.request
from typing import Any

import pytest
from PIL import Image

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.timeout(180)]
WINDOW_PX = (1920, 1080)


def alpha(eyes: Any, name: str) -> tuple[int, int]:
    """Opacity at the upper left corner, and the highest of the lower third; the picture is kept."""
    clear = {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}
    eyes.driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", clear)
    data = base64.b64decode(eyes.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])
    eyes.driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", {})
    eyes.shot(name)
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.size == (1920, 1080)
        opacity = picture.convert("RGBA").getchannel("A")
        return opacity.getpixel((3, 3)), opacity.crop((60, 800, 1860, 1060)).getextrema()[1]  # type: ignore[return-value]


@pytest.mark.parametrize(("language", "passed"), [("zh", "过牌"), ("en", "Pass")])
def test_the_overlay_is_clear_but_for_its_strip(own_venue: Any, eyes: Any, language: str, passed: str) -> None:
    venue, overlay = own_venue, f"/overlay/t1?lang={language}&stale=6&key="
    eyes.driver.delete_all_cookies()
    eyes.open(f"{venue.url}{overlay}no-such-key", 1920, 1080)
    assert alpha(eyes, f"overlay-nothing-{language}") == (0, 0)
    seated = {"names": ["甲", "乙", "丙", "丁"], "EW": "东风", "NS": "南山"}
    venue.wait(venue.service.put_document("roster", {"round": 1, "tables": {"t1": seated}}))
    script = venue.play("t1", 2)
    while script.core.state.actions[-1].cards:
        script = venue.replay_one(script, "t1")
    eyes.open(f"{venue.url}{overlay}{venue.keys['overlay']}", 1920, 1080)
    eyes.wait(lambda: passed in eyes.text("#seats"))
    eyes.wait(lambda: alpha(eyes, f"overlay-{language}")[1] > 200)
    assert alpha(eyes, f"overlay-{language}")[0] == 0
    for words in ("东风", "甲"):
        eyes.wait(lambda words=words: words in eyes.text("body"))
    last = [a for a in venue.state("t1").actions if a.cards][-1]
    assert len(eyes.all(f"[data-seat={last.seat}] .card")) == len(last.cards)
    assert eyes.text("#clock").isdigit()
    venue.stop_broker()
    eyes.wait(lambda: eyes.text("body") == "" and alpha(eyes, f"overlay-no-broker-{language}") == (0, 0), 40)
    venue.start_broker()
    eyes.wait(lambda: alpha(eyes, f"overlay-again-{language}")[1] > 200, 40)
    venue.stop_service()
    eyes.wait(lambda: alpha(eyes, f"overlay-away-{language}") == (0, 0), 40)
    assert eyes.text("body") == ""


def test_an_overlay_s_key_opens_nothing_else(venue: Any, eyes: Any) -> None:
    headers = {"Authorization": f"Bearer {venue.keys['overlay']}"}
    for path in ("/api/tables", "/api/stream", "/api/tables/t1/stream", "/api/incidents"):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(urllib.request.Request(venue.url + path, headers=headers), timeout=10)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_wall_shows_the_hall_by_a_key(venue: Any, eyes: Any, language: str) -> None:
    if venue.state("t1").phase == "standby":
        venue.play("t1", 3)
    eyes.driver.delete_all_cookies()
    eyes.open(f"{venue.url}/scoreboard?lang={language}&key={venue.keys['scoreboard']}", 1920, 1080)
    eyes.wait(lambda: len(eyes.all(".onwall")) == 4)
    eyes.wait(lambda: [one.text for one in eyes.all(".onwall .count.now")])
    size = eyes.one(".onwall .time").value_of_css_property("font-size")
    assert float(size[:-2]) > 60, "the clock must be legible from afar"
    eyes.shot(f"wall-{language}")
    assert eyes.barriers() == []
    assert eyes.overflow() <= 0
    assert eyes.errors(venue.url) == []


def test_the_wall_says_when_it_is_stale_and_finds_the_hall_again(own_venue: Any, eyes: Any) -> None:
    eyes.driver.delete_all_cookies()
    eyes.open(f"{own_venue.url}/scoreboard?key={own_venue.keys['scoreboard']}&tables=t2", 1920, 1080)
    eyes.wait(lambda: [one.text for one in eyes.all(".onwall h2")] == ["t2桌"])
    own_venue.stop_service()
    eyes.wait(lambda: eyes.one("#stale").is_displayed(), 30)
    assert len(eyes.all(".onwall")) == 1
    eyes.shot("wall-stale")
    own_venue.start_service()
    eyes.wait(lambda: not eyes.one("#stale").is_displayed(), 30)


def test_the_director_speaks_to_the_whole_hall(venue: Any, visitor: Any, eyes: Any) -> None:
    if venue.state("t1").phase == "standby":
        venue.play("t1", 3)
    visitor.log_in(venue, "zhao", "/director")
    eyes.wait(lambda: len(eyes.all("#tables tbody tr")) == 4)
    eyes.one("#pause").click()
    eyes.wait(lambda: eyes.text("#answer").startswith("1桌完成"))
    assert "3桌未成" in eyes.text("#answer"), "a table that waits for its deal has nothing to pause, and says so"
    assert venue.state("t1").phase == "paused"
    eyes.one("#resume").click()
    eyes.wait(lambda: venue.state("t1").phase == "playing")
    eyes.one("#last-deal").click()
    eyes.wait(lambda: eyes.text("#hall") == "最后一副")
    # To end a round wants a second press; the first changes nothing.
    eyes.one("#end").click()
    eyes.wait(lambda: eyes.text("#end") == "再按一次确认")
    assert venue.state("t1").phase == "playing"
    eyes.one("#remind option[value=light]").click()
    eyes.one("#remind button").click()
    eyes.wait(lambda: all("light" in venue.state(name).reminded for name in ("t1", "t2", "t3", "t4")))
    field = eyes.one("#roster tr[data-table=t2] input[name=EW]")
    field.clear()
    field.send_keys("东风队")
    eyes.one("#roster .main").click()
    eyes.wait(lambda: venue.service.documents.roster().get("tables", {}).get("t2", {}).get("EW") == "东风队")
    eyes.shot("director")
    assert eyes.barriers() == []
    assert eyes.overflow() <= 0
    eyes.open(f"{venue.url}/director?lang=en", 360, 780)
    eyes.wait(lambda: eyes.text("#hall") == "Last deal")
    eyes.shot("director-phone-en")
    assert eyes.overflow() <= 0
    assert eyes.errors(venue.url) == []


def test_a_clock_on_air_stands_while_the_table_is_held(own_venue: Any, eyes: Any) -> None:
    venue = own_venue
    eyes.driver.delete_all_cookies()
    venue.play("t1", 1)
    eyes.open(f"{venue.url}/overlay/t1?stale=keep&key={venue.keys['overlay']}", 1920, 1080)
    eyes.wait(lambda: eyes.text("#clock").isdigit())
    venue.wait(venue.service.tell_relay(["t1"], {"do": "hold"}))
    eyes.wait(lambda: eyes.one("#stage").get_attribute("data-relay") == "hold")
    shown = eyes.text("#clock")
    eyes.script(
        "window.asked = 0; const real = performance.now.bind(performance);"
        "performance.now = () => { window.asked += 1; return real() + 7000; };"
    )
    eyes.wait(lambda: eyes.script("return window.asked") > 2)
    assert eyes.text("#clock") == shown, "seven seconds later"
    eyes.open(f"{venue.url}/overlay/t1?stale=keep&key={venue.keys['overlay']}", 1920, 1080)
    eyes.wait(lambda: eyes.one("#stage").get_attribute("data-relay") == "hold")  # who comes later is told too
    held = eyes.text("#clock")
    venue.wait(venue.service.tell_relay(["t1"], {"do": "go"}))
    eyes.wait(lambda: eyes.one("#stage").get_attribute("data-relay") == "go")
    eyes.wait(lambda: eyes.text("#clock") != held)
