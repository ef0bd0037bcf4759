"""A doubtful play on the pages in Chromium: asked with its picture, answered by keys, gone when settled."""

from __future__ import annotations

import asyncio
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.refusal import Refusal
from table_controller.table.snapshot import snapshot
from table_controller.web import server
from table_controller.web.server import Page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
WINDOW_PX = (1280, 900)
SHOTS = Path(__file__).parents[2] / "build" / "screenshots"


class Served:
    """A table in play whose pages are served, with a folder of pictures."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.table = folder, EventTable(5)
        self.table.open()
        self.table.deal()
        self.table.sort_and_exchange()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.page = Page(
            lambda: snapshot(self.table.core.state, self.table.now),
            self.take,
            lambda: self.table.now,
            lambda: "E",
            folder,
        )
        asyncio.run_coroutine_threadsafe(self.page.start("127.0.0.1", 0), self.loop).result(10)
        self.url = f"http://127.0.0.1:{self.page.port}"

    async def take(self, event: ev.Event) -> Refusal | None:
        outcome = self.table.core.handle(event)
        self.table.core.commit(outcome)
        self.page.changed()
        return outcome.refusal

    def seen(self, seat: str, cards: str, doubtful: tuple[int, ...], evidence: str = "") -> None:
        """A reading of the camera."""
        self.table.send(ev.CardsSeen, seat=seat, cards=tuple(cards.split()), doubtful=doubtful, evidence=evidence)
        self.loop.call_soon_threadsafe(self.page.changed)

    def picture(self, name: str) -> str:
        """A picture of three white cards on a mat."""
        image = np.full((300, 600, 3), (60, 80, 40), dtype=np.uint8)
        for i in range(3):
            cv2.rectangle(image, (80 + 130 * i, 60), (190 + 130 * i, 230), (250, 250, 250), -1)
        cv2.imwrite(str(self.folder / name), image)
        return name

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.page.stop(), self.loop).result(10)
        # What was cancelled is given its turn to end.
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.02), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    yield made
    made.close()


def forms(driver: webdriver.Chrome, many: int) -> list[WebElement]:
    """The open questions, once there are this many."""
    WebDriverWait(driver, 20).until(lambda _: len(driver.find_elements(By.CSS_SELECTOR, "form.question")) == many)
    return driver.find_elements(By.CSS_SELECTOR, "form.question")


def selected(driver: webdriver.Chrome) -> str:
    script = "const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd);"
    return str(driver.execute_script(script))


def press(driver: webdriver.Chrome, *keys: str) -> None:
    ActionChains(driver).send_keys(*keys).perform()


def shot(driver: webdriver.Chrome, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    driver.save_screenshot(str(SHOTS / f"{name}.png"))


@pytest.mark.parametrize(
    ("language", "title", "doubt"),
    [("zh", "东家第1手", "存疑： 第2张 ♥7"), ("en", "East, number 1", "Not sure: card 2, ♥7")],
)
def test_a_question_stands_beside_its_picture_and_keys_answer_it(
    served: Served, chromium: webdriver.Chrome, language: str, title: str, doubt: str
) -> None:
    served.seen("E", "5S 7H 5D", (1,), served.picture("0000000900-E.jpg"))
    chromium.get(f"{served.url}/control?lang={language}")
    (form,) = forms(chromium, 1)
    assert form.find_element(By.TAG_NAME, "h3").text == title
    assert doubt in form.text
    assert "unsure" in str(form.find_elements(By.CSS_SELECTOR, ".card")[1].get_attribute("class"))
    image = form.find_element(By.TAG_NAME, "img")
    WebDriverWait(chromium, 20).until(lambda _: image.get_property("naturalWidth") == 600)
    assert image.get_attribute("alt")
    field = form.find_element(By.TAG_NAME, "input")
    assert field.accessible_name in ("实际出牌", "Really played")
    assert chromium.title.startswith("(1) ")
    shot(chromium, f"question-{language}")
    chromium.find_element(By.ID, "language").send_keys(Keys.TAB)
    assert chromium.switch_to.active_element == field, "the question comes first"
    assert selected(chromium) == "7H"
    press(chromium, "5c", Keys.ENTER)
    forms(chromium, 0)
    action = served.table.core.state.actions[0]
    assert (action.cards, action.doubtful, action.original) == (("5S", "5C", "5D"), (), ("5S", "7H", "5D"))
    assert not chromium.find_element(By.ID, "questions").is_displayed()
    assert not chromium.title.startswith("(")


def test_without_a_picture_it_is_said_so_and_the_next_question_follows(
    served: Served, chromium: webdriver.Chrome
) -> None:
    served.seen("E", "?? ??", (0, 1), "0000000100-E.jpg")
    chromium.get(f"{served.url}/control?lang=en")
    (first,) = forms(chromium, 1)
    WebDriverWait(chromium, 20).until(lambda _: "No picture" in first.text)
    field = first.find_element(By.TAG_NAME, "input")
    field.send_keys(Keys.HOME)
    chromium.execute_script("arguments[0].blur(); arguments[0].focus()", field)
    press(chromium, "5S")
    assert selected(chromium) == "??", "a whole card leads on to the next one in doubt"
    press(chromium, Keys.ENTER)
    WebDriverWait(chromium, 20).until(lambda _: "not a card" in first.text)
    assert field.get_attribute("aria-invalid") == "true"
    served.seen("N", "6S 6D", (0,))
    second = forms(chromium, 2)[1]
    assert "No picture" in second.text
    assert field.get_property("value") == "5S ??", "what is being written is left alone"
    chromium.execute_script("arguments[0].setSelectionRange(3, 5)", field)
    press(chromium, "5D", Keys.ENTER)
    (left,) = forms(chromium, 1)
    assert left == second
    assert chromium.switch_to.active_element == second.find_element(By.TAG_NAME, "input")
    second.find_element(By.CSS_SELECTOR, "button[type=button]").click()
    forms(chromium, 0)
    assert [i.status for i in served.table.core.state.incidents] == ["resolved", "resolved"]
    assert [a.is_doubtful for a in served.table.core.state.actions] == [False, True]


def test_a_narrow_page_holds_ten_cards_in_doubt(served: Served, chromium: webdriver.Chrome) -> None:
    cards = "3S 3D 4S 4D 5S 5D ?? 6D 7S BJ"
    served.seen("E", cards, (6, 9), served.picture("0000000900-E.jpg"))
    size = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        chromium.get(f"{served.url}/control?lang=en")
        (form,) = forms(chromium, 1)
        image = form.find_element(By.TAG_NAME, "img")
        WebDriverWait(chromium, 20).until(lambda _: image.get_property("naturalWidth") == 600)
        shot(chromium, "question-narrow")
        assert chromium.execute_script("return document.documentElement.scrollWidth") <= 360
        button = form.find_element(By.TAG_NAME, "button")
        assert button.size["height"] >= 44
    finally:
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_scoreboard_says_that_a_seats_play_is_in_doubt(served: Served, chromium: webdriver.Chrome) -> None:
    served.seen("E", "5S 7H 5D", (1,))
    chromium.get(f"{served.url}/?lang=en")
    WebDriverWait(chromium, 20).until(lambda _: "the referee is asked" in chromium.find_element(By.ID, "seat-E").text)
    assert len(chromium.find_elements(By.CSS_SELECTOR, "#seat-E .card.unsure")) == 1
    shot(chromium, "scoreboard-doubt")


def test_an_unread_prompt_card_is_asked_beside_its_picture(served: Served, chromium: webdriver.Chrome) -> None:
    name = served.picture("0000000700-N.jpg")
    served.table.send(ev.PromptLaid, seat="N", kind="??", evidence=name)
    served.table.send(ev.PromptLaid, seat="W", kind="??", evidence="0000000800-W.jpg")
    chromium.get(f"{served.url}/control?lang=en")
    seen = "return [...document.querySelectorAll('#incidents img')].map((i) => i.getBoundingClientRect().width)"
    WebDriverWait(chromium, 20).until(lambda _: sum(chromium.execute_script(seen)) > 100)
    gone, shown = chromium.execute_script(seen)
    assert gone == 0, "a picture that is not there leaves no frame"
    assert shown < 600, "small beside its words"
    chromium.execute_script("document.querySelectorAll('#incidents img')[1].dataset.once = 1")
    served.seen("E", "5S", ())
    WebDriverWait(chromium, 20).until(lambda _: "single" in chromium.find_element(By.ID, "plays").text)
    assert len(chromium.find_elements(By.CSS_SELECTOR, "#incidents img[data-once]")) == 1, "fetched once"
    shot(chromium, "control-asked")


def test_only_pictures_of_plays_are_served_and_to_this_machine_alone(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.picture("0000000100-W.jpg")
    served.seen("E", "5S", (0,), served.picture("0000000900-E.jpg"))

    def status(name: str) -> int:
        try:
            with urllib.request.urlopen(f"{served.url}/api/evidence/{name}", timeout=10) as answer:
                assert answer.headers["Cache-Control"] == "no-store"
                return int(answer.status)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    assert status("0000000900-E.jpg") == 200
    assert status("0000000100-W.jpg") == 404, "no play of this deal was read from it"
    assert status("..%2f..%2fpyproject.toml") == 404
    monkeypatch.setattr(server, "_from_here", lambda request: False)
    assert status("0000000900-E.jpg") == 403
