"""The pages' tests: a browser a module (of the size that the module calls WINDOW_PX), and a served table."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.table.refusal import Refusal
from table_controller.table.snapshot import past_deal, snapshot
from table_controller.web.server import Page


@pytest.fixture(scope="module")
def chromium(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A headless Chromium that talks to nobody but the pages; its console can be read."""
    width, height = request.module.WINDOW_PX
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--window-size={width},{height}",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield driver
    driver.quit()


ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "build" / "screenshots"
AXE = ROOT / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"


class ServedTable:
    """Serves ``table``; commands of the page reach it."""

    def __init__(self, table: EventTable) -> None:
        self.table = table
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.page = Page(self._snapshot, self._take, lambda: self.table.now, lambda: "E")
        self.page.past = lambda number: past_deal(self.table.core.state, number)
        asyncio.run_coroutine_threadsafe(self.page.start("127.0.0.1", 0), self.loop).result(10)
        self.url = f"http://127.0.0.1:{self.page.port}"

    def _snapshot(self) -> dict[str, Any]:
        return snapshot(self.table.core.state, self.table.now)

    async def _take(self, event: ev.Event) -> Refusal | None:
        outcome = self.table.core.handle(event)
        self.table.core.commit(outcome)
        self.page.changed()
        return outcome.refusal

    def send(self, make: Callable[..., ev.Event], **fields: object) -> None:
        """An event that is not the page's."""
        self.table.send(make, **fields)
        self.loop.call_soon_threadsafe(self.page.changed)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.page.stop(), self.loop).result(10)
        # What was cancelled is given its turn to end.
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.02), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


class Eyes:
    """Looks at a page as a person does: waits for words, presses keys, keeps a picture."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, url: str, width: int = 1280, height: int = 800) -> None:
        """Open a page in a window whose inside is of this size; what the console said before is forgotten."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        self.driver.get_log("browser")
        self.driver.get(url)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def script(self, code: str, *arguments: object) -> Any:
        return self.driver.execute_script(code, *arguments)

    def wait(self, ready: Callable[[], Any], seconds: float = 20) -> Any:
        waiting = WebDriverWait(self.driver, seconds, 0.05, [StaleElementReferenceException])
        try:
            return waiting.until(lambda _: ready(), f"not seen in time at {self.driver.current_url}")
        except TimeoutException:
            self.shot("not-seen-in-time")
            print("console:", *self.driver.get_log("browser"), sep="\n")
            raise

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def shot(self, name: str) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SHOTS / f"{name}.png"))

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.script("return document.documentElement.scrollWidth - window.innerWidth"))

    def barriers(self) -> list[str]:
        """What axe-core finds wrong by WCAG 2.1 A and AA: rule and the first element."""
        self.script(AXE.read_text(encoding="utf-8"))
        code = """const done = arguments[0];
            axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then((found) => done(found.violations.map(
                (v) => `${v.id}: ${v.nodes[0].target} ${v.nodes[0].failureSummary}`)))"""
        return list(self.driver.execute_async_script(code))

    def errors(self, url: str) -> list[str]:
        """What the console calls severe about our own files."""
        return [m["message"] for m in self.driver.get_log("browser") if m["level"] == "SEVERE" and url in m["message"]]


@pytest.fixture
def eyes(chromium: webdriver.Chrome) -> Eyes:
    """Somebody who looks at pages."""
    return Eyes(chromium)


@pytest.fixture
def serve() -> Iterator[Callable[[EventTable], ServedTable]]:
    """Serves a table's own pages until the test is over."""
    made: list[ServedTable] = []

    def start(table: EventTable) -> ServedTable:
        made.append(ServedTable(table))
        return made[-1]

    yield start
    for served in made:
        served.close()
