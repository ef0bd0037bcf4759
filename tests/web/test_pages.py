"""The table's pages in Chromium against the real server: both languages, reconnecting, commands, no missing file."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.refusal import Refusal
from table_controller.table.snapshot import snapshot
from table_controller.web.server import Page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
WINDOW_PX = (1280, 800)
SHOTS = Path(__file__).parents[2] / "build" / "screenshots"


class Served:
    """A page on a loop of its own in a thread."""

    def __init__(self) -> None:
        self.table = EventTable(5)
        self.table.open()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.page = self.new_page()
        self.start(0)

    def new_page(self) -> Page:
        return Page(
            lambda: snapshot(self.table.core.state, self.table.now), self.take, lambda: self.table.now, lambda: "E"
        )

    def start(self, port: int) -> None:
        asyncio.run_coroutine_threadsafe(self.page.start("127.0.0.1", port), self.loop).result(10)
        self.url = f"http://127.0.0.1:{self.page.port}"

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.page.stop(), self.loop).result(10)

    async def take(self, event: ev.Event) -> Refusal | None:
        outcome = self.table.core.handle(event)
        self.table.core.commit(outcome)
        self.changed()
        return outcome.refusal

    def changed(self) -> None:
        self.loop.call_soon_threadsafe(self.page.changed)

    def close(self) -> None:
        self.stop()
        # What was cancelled is given its turn to end.
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.02), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.close()


def wait(driver: webdriver.Chrome, ready: Callable[[], Any], seconds: float = 20) -> None:
    WebDriverWait(driver, seconds).until(lambda _: ready())


def text(driver: webdriver.Chrome, selector: str) -> str:
    return driver.find_element(By.CSS_SELECTOR, selector).text


def shot(driver: webdriver.Chrome, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    driver.save_screenshot(str(SHOTS / f"{name}.png"))


def request(url: str, body: object = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    made = urllib.request.Request(url, data=data, headers={"X-Table-Controller": "1", **(headers or {})})
    try:
        with urllib.request.urlopen(made, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read() or b"null")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_scoreboard_shows_a_deal(served: Served, chromium: webdriver.Chrome, language: str) -> None:
    table = served.table
    table.deal()
    table.sort_and_exchange()
    for _ in range(6):
        table.act()
    chromium.get(f"{served.url}/?lang={language}")
    wait(chromium, lambda: text(chromium, "#phase") == ("打牌" if language == "zh" else "Playing"))
    state = table.core.state
    assert state.deal is not None
    turn = chromium.find_element(By.CSS_SELECTOR, ".seat.turn")
    assert turn.get_attribute("id") == f"seat-{state.deal.turn}"
    assert "lamp-on" in str(turn.get_attribute("class"))
    last = [action for action in state.actions if action.cards][-1]
    shown = chromium.find_elements(By.CSS_SELECTOR, f"#seat-{last.seat} .card")
    assert len(shown) == len(last.cards)
    assert text(chromium, "#level-EW") == "2"
    assert text(chromium, "#seconds").isdigit()
    size = chromium.find_element(By.ID, "seconds").value_of_css_property("font-size")
    assert float(size[:-2]) > 60, "the clock must be legible from afar"
    shot(chromium, f"scoreboard-{language}")
    errors = [line for line in chromium.get_log("browser") if line["level"] == "SEVERE"]
    assert not [line for line in errors if served.url in line["message"]], errors


def test_a_change_arrives_and_a_lost_server_is_shown_and_found_again(
    served: Served, chromium: webdriver.Chrome
) -> None:
    chromium.get(f"{served.url}/")
    wait(chromium, lambda: text(chromium, "#phase") == "等待开始")
    served.table.deal()
    served.changed()
    wait(chromium, lambda: text(chromium, "#phase") == "理牌")
    port = served.page.port
    served.stop()
    wait(chromium, lambda: chromium.find_element(By.ID, "stale").is_displayed(), 30)
    shot(chromium, "scoreboard-stale")
    served.page = served.new_page()
    served.start(port)
    wait(chromium, lambda: not chromium.find_element(By.ID, "stale").is_displayed(), 30)


def test_the_control_page_runs_a_table_without_a_panel(served: Served, chromium: webdriver.Chrome) -> None:
    chromium.get(f"{served.url}/control")
    wait(chromium, lambda: text(chromium, "#phase") == "等待开始")
    chromium.find_element(By.XPATH, "//button[text()='开始发牌']").click()
    wait(chromium, lambda: text(chromium, "#phase") == "正在发牌")
    chromium.find_element(By.XPATH, "//button[text()='开始发牌']").click()
    wait(chromium, lambda: "problem" in str(chromium.find_element(By.ID, "answer").get_attribute("class")))
    shot(chromium, "control")


def test_bad_commands_are_refused_in_words(served: Served) -> None:
    url = f"{served.url}/api/command"
    assert request(url, {"do": "start"}, {"X-Table-Controller": "0"})[0] == 403
    for name in ("evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", "[::1].evil", ""):
        assert request(url, {"do": "start"}, {"Host": name})[0] in (400, 403), (
            f"{name} may be another's name made to lead here"
        )
    for name in ("localhost", "LOCALHOST:8080", "[::1]:8080", "127.0.0.1", socket.gethostname()):
        assert request(url, {"do": "resume"}, {"Host": name})[0] == 409, name
    bad: list[object] = [
        b"{",
        b"[" * 10_000,
        b'"x"',
        {"do": "fly"},
        {"do": "pass", "seat": "Q"},
        {"do": "correct", "play": "1"},
        {"do": "play", "seat": "E", "cards": "5X"},
        {"do": "play", "seat": "E", "cards": []},
        {"do": "resync", "turn": "E", "counts": {"E": 1}},
    ]
    for body in bad:
        status, answer = request(url, body)
        assert status == 400, body
        assert answer["problem"], body
    assert request(url, {"do": "resume"})[0] == 409
    assert request(url, b"x" * 100_000)[0] == 413
    status, state = request(f"{served.url}/api/state")
    assert status == 200
    assert state["phase"] == "standby"
    for path in ("/api/evidence/..%2f..%2fpyproject.toml", "/api/evidence/none.jpg"):
        assert request(f"{served.url}{path}")[0] == 404


def test_a_state_never_holds_a_plan_or_a_card_not_shown(served: Served) -> None:
    served.table.deal()
    served.table.sort_and_exchange()
    served.table.act()
    seen = json.dumps(request(f"{served.url}/api/state")[1])
    assert "ENWSENWS" not in seen
    shown = {card for action in served.table.core.state.actions for card in action.cards}
    held = {card for brain in served.table.brains.values() for card in brain.hand} - shown
    assert not [card for card in held if f'"{card}"' in seen]
