"""Bench ``glance``: the referee's grid of a large hall in Chromium, by the real service, while all tables talk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from feed_bench import free_port, mosquitto
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from table_controller.feed.topics import Topics
from table_controller.sim.published import Kept, PublishingTable

TABLES = int(os.environ.get("GLANCE_TABLES", "500"))
SECONDS = int(os.environ.get("GLANCE_SECONDS", "10"))
A_SECOND = int(os.environ.get("GLANCE_MESSAGES", "1000"))
LOADED_MS, REDRAWS = 1000, 30
SETTLED_S = 60.0
VENUE, PASSWORD = "hall", "correct horse"
# The first moment at which every tile is in the page, by the page's own clock; kept where the page cannot lose it.
WATCH = """new MutationObserver(() => {
    if (!window.loadedMs && document.querySelectorAll('.tile').length >= %d) window.loadedMs = performance.now();
}).observe(document, {childList: true, subtree: true});"""
# The plain way: what came is kept, and the whole grid is written anew in each frame in which something came.
PLAIN = """const rows = new Map(); let news = false; window.plain = {frames: 0};
document.body.innerHTML = '<div id="grid"></div>';
(async () => {
    const answer = await fetch('/api/stream');
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
        const {value, done} = await reader.read();
        if (done) return;
        text += value;
        for (let end = text.indexOf('\\n\\n'); end >= 0; end = text.indexOf('\\n\\n')) {
            const block = text.slice(0, end); text = text.slice(end + 2);
            if (block.startsWith('event: rows')) {
                for (const row of JSON.parse(block.split('data: ')[1]).rows) rows.set(row.table, row);
                news = true;
            }
        }
    }
})();
const draw = () => {
    requestAnimationFrame(draw); window.plain.frames += 1;
    if (!news) return;
    news = false;
    document.getElementById('grid').innerHTML = [...rows.values()].map((r) => `<a class="tile"><b>${r.table}</b>
        <i>${r.phase}</i><i>${r.clock.elapsed_ms}</i><i>${r.levels.EW}:${r.levels.NS}</i><i>${r.turn}</i>` +
        ['E', 'N', 'W', 'S'].map((s) => `<i>${s}${r.left[s]}</i>`).join('') + '</a>').join('');
};
draw();"""


class Talkers:
    """Every table's retained documents, and then their states, spread evenly over each second."""

    def __init__(self, port: int) -> None:
        self.sent = 0
        self._stopping = threading.Event()
        self._states, self._info = _said()
        self._client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self._client.max_queued_messages_set(0)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        self._thread = threading.Thread(target=self._talk, daemon=True)

    def _say(self, number: int, rest: str, payload: bytes) -> mqtt.MQTTMessageInfo:
        name = f"t{number + 1}"
        own = payload.replace(b'"@"', f'"{name}"'.encode())
        return self._client.publish(f"guandan/v1/{VENUE}/live/{name}/{rest}", own, qos=1, retain=True)

    def introduce(self) -> None:
        """What a broker keeps of each."""
        said = [self._say(n, rest, body) for n in range(TABLES) for rest, body in self._first()]
        said[-1].wait_for_publish(SETTLED_S)

    def _first(self) -> tuple[tuple[str, bytes], ...]:
        return (("availability", b'{"state":"ready","boot":"b"}'), ("info", self._info), ("state", self._states[0]))

    def start(self) -> None:
        self._thread.start()

    def _talk(self) -> None:
        began = time.monotonic()
        while not self._stopping.is_set():
            number = self.sent
            self._say(number % TABLES, "state", self._states[number // TABLES % len(self._states)])
            self.sent += 1
            late = began + self.sent / A_SECOND - time.monotonic()
            if late > 0:
                time.sleep(late)

    def stop(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self._client.disconnect()
        self._client.loop_stop()


def _said() -> tuple[list[bytes], bytes]:
    """The states of a simulated deal and an info, of a table called @."""
    kept = Kept()
    table = PublishingTable(4)
    publisher = table.attach(kept, Topics(VENUE, "@"), "b")
    publisher.info({"program": "bench", "schema": 1, "simulated": True, "http": "", "commands": False})
    table.open()
    table.play_deal()
    states = [payload for topic, payload in kept.messages if topic.endswith("/state") and b'"playing"' in payload]
    return states, next(payload for topic, payload in kept.messages if topic.endswith("/info"))


def _browser(folder: Path) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--window-size=1920,1080",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={folder / 'chromium'}",
    ):  # fmt: skip
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def _ask(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    made = urllib.request.Request(url, data=data, headers={"X-Table-Controller": "1"})
    with urllib.request.urlopen(made, timeout=20) as answer:
        return json.load(answer)


def _until(ready: Any, what: str) -> Any:
    end = time.monotonic() + SETTLED_S
    while time.monotonic() < end:
        try:
            if found := ready():
                return found
        except OSError:
            pass
        time.sleep(0.1)
    raise TimeoutError(what)


def _serve(folder: Path, port: int, web: int) -> subprocess.Popen[bytes]:
    config = folder / "venue.toml"
    config.write_text(
        f'[venue]\nname = "{VENUE}"\nstate = "{folder / "state"}"\n[broker]\nport = {port}\n[web]\nport = {web}\n'
        "[relay]\nenabled = false\n"
    )
    (folder / "word").write_text(PASSWORD)
    command = [sys.executable, "-m", "table_controller", "venue"]
    user = ["user", "add", "li", "--role", "referee", "--password-file", str(folder / "word")]
    (folder / "state").mkdir()
    subprocess.run([*command, *user, "--config", str(config)], check=True)
    serve = [*command, "serve", "--config", str(config), "--part", "service"]
    return subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _watched(browser: webdriver.Chrome, counter: str) -> tuple[float, int]:
    """Frames a second over some seconds, and the longest pause between two frames in ms."""
    longest = """window.longest = 0; let last = performance.now();
        (function look() { const now = performance.now(); window.longest = Math.max(window.longest, now - last);
            last = now; requestAnimationFrame(look); })();"""
    browser.execute_script(longest)
    read = f"return [window.{counter}.frames, performance.now(), window.longest]"
    frames, at, _ = browser.execute_script(read)
    time.sleep(SECONDS)
    more, later, pause = browser.execute_script(read)
    return (more - frames) / (later - at) * 1000, round(pause)


def _looked_at(browser: webdriver.Chrome, url: str, talkers: Talkers) -> dict[str, float]:
    browser.get(f"{url}/login")
    login = f"""const done = arguments[0]; fetch('/api/login', {{method: 'POST', headers: {{'X-Table-Controller': '1'}},
        body: JSON.stringify({{name: 'li', password: '{PASSWORD}'}})}}).then((a) => done(a.status));"""
    assert browser.execute_async_script(login) == 200
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH % TABLES})
    browser.get(f"{url}/referee")
    quiet = _until(lambda: browser.execute_script("return window.loadedMs"), "the grid")
    talkers.start()
    time.sleep(2)
    browser.get(f"{url}/referee")
    busy = _until(lambda: browser.execute_script("return window.loadedMs"), "the grid, busy")
    sent, rows = talkers.sent, browser.execute_script("return window.glance.rows")
    began = time.monotonic()
    ours, pause = _watched(browser, "glance")
    took = time.monotonic() - began
    told = {"loaded_ms": quiet, "loaded_busy_ms": busy, "redraws": ours, "longest_pause_ms": pause}
    told["messages_a_second"] = (talkers.sent - sent) / took
    told["rows_a_second"] = (browser.execute_script("return window.glance.rows") - rows) / took
    browser.get(f"{url}/healthz")
    browser.execute_script(PLAIN)
    time.sleep(2)
    told["plain"], told["plain_pause_ms"] = _watched(browser, "plain")
    return {name: round(value, 1) for name, value in told.items()}


def glance() -> dict[str, Any]:
    """Redraws a second of the referee's grid while tables talk, beside a page that writes its whole grid anew."""
    with tempfile.TemporaryDirectory() as name:
        folder, port, web = Path(name), free_port(), free_port()
        broker, talkers = mosquitto(folder, port), Talkers(port)
        talkers.introduce()
        service, browser = _serve(folder, port, web), _browser(folder)
        url = f"http://127.0.0.1:{web}"
        try:
            token = _until(lambda: _ask(f"{url}/api/login", {"name": "li", "password": PASSWORD})["token"], "log-in")
            there = urllib.request.Request(f"{url}/api/tables", headers={"Authorization": f"Bearer {token}"})
            _until(lambda: len(json.load(urllib.request.urlopen(there))["tables"]) >= TABLES, "the tables")
            told = _looked_at(browser, url, talkers)
        finally:
            talkers.stop()
            browser.quit()
            for process in (service, broker):
                process.terminate()
                process.wait(20)
    held = told["loaded_busy_ms"] < LOADED_MS and told["redraws"] >= REDRAWS
    return {
        "product": told["redraws"], "plain": told["plain"], "ratio": round(told["redraws"] / told["plain"], 2),
        "unit": "redraws/s",
        "what": f"the referee's grid of {TABLES} tables, {told['messages_a_second']:.0f} messages/s: loaded in "
        f"{told['loaded_ms']:.0f} ms, in {told['loaded_busy_ms']:.0f} ms while they talk; longest pause "
        f"{told['longest_pause_ms']:.0f} ms, {told['rows_a_second']:.0f} rows/s drawn; "
        f"{'holds' if held else 'DOES NOT HOLD'}: under {LOADED_MS} ms, at least {REDRAWS}/s",
        "against": f"the grid written anew whenever rows came (longest pause {told['plain_pause_ms']:.0f} ms)",
        "holds": held, **told,
    }  # fmt: skip
