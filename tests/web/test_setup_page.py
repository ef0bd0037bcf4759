"""The camera's set-up page in Chromium: picture, hints, four corners by mouse and keys, and none of it in a deal."""

from __future__ import annotations

import asyncio
import random
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from table_controller.geometry import load_geometry
from table_controller.sim import faults
from table_controller.sim.scene import Scene
from table_controller.vision.corners import checked_corners
from table_controller.vision.eye import Eye
from table_controller.vision.setup import setup_picture, setup_report
from table_controller.web.server import Page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
WINDOW_PX = (1280, 1200)
SHOTS = Path(__file__).parents[2] / "build" / "screenshots"
GEOMETRY = load_geometry()


class NoReader:
    """Nothing is read between deals."""

    def read_crop(self, image: object, px_per_mm: float) -> list[Any]:
        return []


class Camera:
    """A rendered table with a lamp's reflection, as the set-up sees it."""

    def __init__(self) -> None:
        scene, eye = Scene(random.Random(5)), Eye(GEOMETRY, NoReader())
        eye.watch("idle")
        lamp = faults.at_frame(scene.to_frame, "N", 60, 230)
        for i in range(24):
            frame = faults.glare(scene.render(), lamp, 110)
            eye.see(frame, i * 100)
        small = setup_picture(frame, eye.pose, GEOMETRY)
        packed = np.asarray(cv2.imencode(".jpg", small)[1]).tobytes()
        self.shown: tuple[bytes, dict[str, Any]] | None = (packed, setup_report(eye, frame, small, GEOMETRY))
        self.corners: list[Any] = []

    async def look(self) -> tuple[bytes, dict[str, Any]] | None:
        return self.shown

    def align(self, corners: Any) -> None:
        self.corners.append(None if corners is None else checked_corners(corners, GEOMETRY.frame_px))


class Served:
    def __init__(self) -> None:
        self.camera = Camera()
        self.state: dict[str, Any] = {"phase": "standby", "under": "", "camera_lost": ""}
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.page = Page(lambda: self.state, self._refuse, lambda: 0, lambda: "E", setup=self.camera)
        asyncio.run_coroutine_threadsafe(self.page.start("127.0.0.1", 0), self.loop).result(10)
        self.url = f"http://127.0.0.1:{self.page.port}"

    async def _refuse(self, event: object) -> None:
        return None

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.page.stop(), self.loop).result(10)
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


def wait(driver: webdriver.Chrome, selector: str, words: str) -> None:
    WebDriverWait(driver, 20).until(lambda _: words in driver.find_element(By.CSS_SELECTOR, selector).text)


def shot(driver: webdriver.Chrome, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    driver.save_screenshot(str(SHOTS / f"{name}.png"))


@pytest.mark.parametrize(
    ("language", "hint", "found"), [("zh", "北家区域有反光", "8 个定位标记"), ("en", "N's area: glare", "8 markers")]
)
def test_picture_hints_and_figures(
    served: Served, chromium: webdriver.Chrome, language: str, hint: str, found: str
) -> None:
    chromium.get(f"{served.url}/setup?lang={language}")
    chromium.get_log("browser")  # the page of an ended server asked in vain
    wait(chromium, "#hints", hint)
    wait(chromium, "#figures", found)
    wait(chromium, "#figures", "10 ")
    image = chromium.find_element(By.ID, "live")
    WebDriverWait(chromium, 20).until(lambda _: image.get_property("naturalWidth") == 1080)
    shot(chromium, f"setup-{language}")
    assert [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_four_corners_are_clicked_nudged_and_saved_and_the_markers_come_back(
    served: Served, chromium: webdriver.Chrome
) -> None:
    chromium.get(f"{served.url}/setup?lang=en")
    wait(chromium, "#figures", "markers")
    chromium.find_element(By.ID, "click").click()
    wait(chromium, "#step", "left of N")
    picture = chromium.find_element(By.ID, "picture")
    width, height = picture.size["width"], picture.size["height"]
    for x, y in ((0.05, 0.05), (0.95, 0.05), (0.95, 0.95), (0.05, 0.95)):
        at = (round((x - 0.5) * width), round((y - 0.5) * height))
        ActionChains(chromium).move_to_element_with_offset(picture, *at).click().perform()
    wait(chromium, "#step", "arrow keys")
    ActionChains(chromium).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
    shot(chromium, "setup-corners")
    chromium.find_element(By.ID, "save").click()
    wait(chromium, "#answer", "Done")
    (corners,) = served.camera.corners
    side = GEOMETRY.frame_px[0]
    assert corners[0] == pytest.approx((0.05 * side, 0.05 * side), abs=6)
    assert corners[3] == pytest.approx((0.05 * side + 10, 0.95 * side), abs=6)
    chromium.find_element(By.ID, "markers").click()
    WebDriverWait(chromium, 20).until(lambda _: served.camera.corners[-1] is None)


@pytest.mark.parametrize(
    ("language", "state", "words"),
    [
        ("en", {"phase": "playing"}, "while a deal is on"),
        ("zh", {"phase": "paused", "under": "playing"}, "打牌时不显示"),
        ("en", {"camera_lost": "The camera gives no picture."}, "The camera gives no picture."),
        ("zh", {}, "没有摄像头"),
    ],
)
def test_without_a_picture_the_page_says_why_praises_nothing_and_offers_nothing(
    served: Served, chromium: webdriver.Chrome, language: str, state: dict[str, str], words: str
) -> None:
    chromium.get(f"{served.url}/setup?lang={language}")
    wait(chromium, "#figures", "8 ")
    assert chromium.find_element(By.ID, "click").is_enabled()
    served.state = {"phase": "standby", "under": "", "camera_lost": "", **state}
    served.camera.shown = None
    wait(chromium, "#step", words)
    assert not chromium.find_element(By.ID, "live").is_displayed()
    assert not chromium.find_element(By.ID, "amiss").is_displayed()
    assert chromium.find_element(By.ID, "hints").get_property("childElementCount") == 0
    assert not chromium.find_element(By.ID, "click").is_enabled()
    assert not chromium.find_element(By.ID, "markers").is_enabled()
    shot(chromium, f"setup-none-{language}")
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(f"{served.url}/api/setup.jpg", timeout=10)
    assert error.value.code == 404
    error.value.close()


def test_the_buttons_are_in_sight_without_scrolling(served: Served, chromium: webdriver.Chrome) -> None:
    chromium.get(f"{served.url}/setup?lang=en")
    wait(chromium, "#figures", "8 ")
    high = chromium.execute_script("return window.innerHeight") - 900
    try:
        chromium.set_window_size(1280, chromium.get_window_size()["height"] - high)
        assert chromium.execute_script("return window.innerHeight") == 900
        for name in ("click", "markers"):
            button = chromium.find_element(By.ID, name)
            assert button.location["y"] + button.size["height"] <= 900
        shot(chromium, "setup-900")
    finally:
        chromium.set_window_size(1280, 1200)


def test_corners_that_cannot_be_are_refused_in_words(served: Served) -> None:
    made = urllib.request.Request(
        f"{served.url}/api/setup", data=b'{"corners": [[1, 2]]}', headers={"X-Table-Controller": "1"}
    )
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(made, timeout=10)
    with error.value:
        assert error.value.code == 400
        assert "four corners" in error.value.read().decode()
