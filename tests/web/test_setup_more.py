"""The set-up page tests the dealer and enrols decks: by keyboard, in both languages, between deals alone."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from table_controller.app.enrolment import DealerTest
from table_controller.dealer.emulator import Emulator
from table_controller.dealer.stepped import SteppedLink
from table_controller.errors import UsageError
from table_controller.sim.event_table import EventTable

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
WINDOW_PX = (1280, 900)
ENTER, SPACE = "\ue007", " "


class Dealer:
    """A simulated dealer under a link; time passes when the page looks."""

    def __init__(self) -> None:
        self.machine = Emulator(cards=12)
        self.link = SteppedLink(self.machine, lambda event: None)
        self.now_ms, self.lock = 0, threading.Lock()
        self.run(5000)
        self.tester = DealerTest(self._looked, lambda: self.link.self_test(self.now_ms))

    def _looked(self) -> Any:
        self.run(400)
        return self.link.link

    def run(self, ms: int) -> None:
        with self.lock:
            self.now_ms += ms
            self.link.step(self.now_ms)


class Enrolling:
    """An enrolment as the page sees it, worked by hand."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.now: dict[str, Any] = {
            "state": "none",
            "name": "",
            "words": "",
            "decks": ["old"],
            "reads_with": "",
            "used": False,
        }

    def begin(self, name: str, *, prompts: bool, replace: bool) -> None:
        self.asked.append((name, prompts, replace))
        if "/" in name:
            raise UsageError("no name")
        self.show(1)

    def show(self, step: int, *amiss: tuple[str, str], read: int = 0) -> None:
        asks = {"zh": f"【{step}/2】请在每家出牌区摆一排", "en": f"[{step}/2] In each play area lay one row"}
        said = [{"zh": zh, "en": en} for zh, en in amiss]
        self.now |= {
            "state": "showing",
            "name": self.asked[-1][0],
            "step": step,
            "steps": 2,
            "asks": asks,
            "amiss": said,
            "read": read,
        }

    def cancel(self) -> None:
        self.now |= {"state": "none"}

    def use(self, name: str) -> None:
        self.now |= {"reads_with": name, "used": True}

    def told(self) -> dict[str, Any]:
        return dict(self.now)


@pytest.fixture
def served(serve: Any) -> Iterator[Any]:
    table = EventTable(5)
    table.open()
    made = serve(table)
    dealer = Dealer()
    made.dealer, made.enrolling = dealer, Enrolling()
    made.page.routes.tester, made.page.routes.enrolling = dealer.tester, made.enrolling
    yield made
    dealer.link.close()


@pytest.mark.parametrize(
    ("language", "well", "beam"), [("zh", "自检正常", "通道光束"), ("en", "nothing wrong", "the path beam")]
)
def test_the_dealer_is_tested_by_key_and_what_it_finds_is_said(
    served: Any, eyes: Any, language: str, well: str, beam: str
) -> None:
    eyes.open(f"{served.url}/setup?lang={language}", 1280, 900)
    eyes.wait(lambda: eyes.text("#selftest"))
    eyes.script("document.querySelector('#selftest').focus()")
    eyes.press(ENTER)
    eyes.wait(lambda: well in eyes.text("#selftest-result"))
    assert " · " not in eyes.text("#selftest-result"), "in the page's language alone"
    served.dealer.machine.fault("sensor_stuck", sensor="BEAM", active=1)
    eyes.press(ENTER)
    eyes.wait(lambda: beam in eyes.text("#selftest-result"))
    assert eyes.barriers() == []


@pytest.mark.parametrize(
    ("language", "step", "amiss", "kept"),
    [
        ("zh", "第 1 步，共 2 步", "9D 的角标", "重新启动后也"),
        ("en", "step 1 of 2", "index seen for 9D", "after a restart too"),
    ],
)
def test_a_deck_is_enrolled_step_by_step(
    served: Any, eyes: Any, language: str, step: str, amiss: str, kept: str
) -> None:
    enrolling = served.enrolling
    eyes.open(f"{served.url}/setup?lang={language}", 1280, 900)
    eyes.wait(lambda: eyes.text("#enrol-begin"))
    eyes.script("document.querySelector('#deck-name').focus()")
    eyes.press("new")
    eyes.press("\ue004")
    eyes.press(SPACE)
    eyes.script("document.querySelector('#deck-name').focus()")
    eyes.press(ENTER)
    eyes.wait(lambda: step in eyes.text("#guide-h"))
    assert enrolling.asked == [("new", True, False)]
    assert "【" not in eyes.text("#guide-asks") and "[" not in eyes.text("#guide-asks")
    enrolling.show(1, ("东家：没有看到 9D 的角标", "E: no corner index seen for 9D"), read=51)
    eyes.wait(lambda: amiss in eyes.text("#guide-amiss"))
    eyes.wait(lambda: "51" in eyes.text("#guide-read"))
    eyes.shot(f"setup-enrol-{language}")
    assert eyes.barriers() == []
    enrolling.show(2)
    eyes.wait(lambda: "2" in eyes.text("#guide-h") and not eyes.text("#guide-amiss"))
    enrolling.now |= {"state": "learning", "words": "learning: 40%"}
    eyes.wait(lambda: "40%" in eyes.text("#enrol-result") and not eyes.one("#guide").is_displayed())
    enrolling.now |= {"state": "done", "words": "new: 236 corners", "decks": ["new", "old"]}
    eyes.wait(lambda: "236" in eyes.text("#enrol-summary"))
    eyes.wait(lambda: len(eyes.all("#decks button")) == 2)
    eyes.script("document.querySelector('#decks button').focus()")
    eyes.press(ENTER)
    eyes.wait(lambda: kept in eyes.text("#deck-config"))
    enrolling.now |= {"named": "club", "reads_with": "old"}
    eyes.wait(lambda: 'camera.deck = "club"' in eyes.text("#deck-config"))
    eyes.shot(f"setup-enrolled-{language}")
    assert eyes.barriers() == []


def test_a_known_name_is_replaced_only_when_told_and_a_bad_one_refused_in_words(served: Any, eyes: Any) -> None:
    eyes.open(f"{served.url}/setup?lang=en", 360, 800)
    eyes.wait(lambda: eyes.text("#enrol-begin"))
    eyes.script("document.querySelector('#deck-name').focus()")
    eyes.press("old")
    eyes.press(ENTER)
    eyes.wait(lambda: "is enrolled already" in eyes.text("#enrol-result"))
    assert served.enrolling.asked == []
    assert eyes.script("return document.documentElement.scrollWidth <= innerWidth"), "nothing lies beside a phone"
    eyes.one("#deck-replace").click()
    eyes.one("#enrol-begin").click()
    eyes.wait(lambda: served.enrolling.asked == [("old", False, True)])
    eyes.wait(lambda: eyes.one("#guide-cancel").is_displayed())
    eyes.shot("setup-enrol-360")
    eyes.one("#guide-cancel").click()
    eyes.wait(lambda: not eyes.one("#guide").is_displayed() and eyes.one("#deck-name").is_enabled())
    eyes.script("document.querySelector('#deck-name').value = 'a/b'; document.querySelector('#deck-name').focus()")
    eyes.press(ENTER)
    eyes.wait(lambda: "up to 40 letters" in eyes.text("#enrol-result"))


def asked(url: str, path: str, body: Any, header: str = "1") -> tuple[int, dict[str, Any]]:
    made = urllib.request.Request(f"{url}{path}", json.dumps(body).encode(), {"X-Table-Controller": header})
    try:
        with urllib.request.urlopen(made, timeout=10) as answer:
            return int(answer.status), json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_nothing_of_it_goes_on_in_a_deal_or_from_another_site(served: Any) -> None:
    begin = {"do": "begin", "name": "x"}
    assert asked(served.url, "/api/selftest", {}, "")[0] == asked(served.url, "/api/enrol", begin, "")[0] == 403
    for wrong in ([], {"do": "dance"}, {"do": "begin", "name": 5}, {"do": "begin", "name": "x", "prompts": 1}, "x"):
        assert asked(served.url, "/api/enrol", wrong)[0] == 400, wrong
    served.dealer.machine.unplug()
    served.dealer.run(100)
    code, told = asked(served.url, "/api/selftest", {})
    assert code == 409 and "not connected" in told["problem"]
    served.table.deal()
    assert asked(served.url, "/api/selftest", {})[1]["code"] == "PHASE"
    for what in (begin, {"do": "use", "name": ""}):
        assert asked(served.url, "/api/enrol", what)[1]["code"] == "PHASE"
    assert asked(served.url, "/api/enrol", {"do": "cancel"})[0] == 200
    assert served.enrolling.asked == []
    served.page.routes.tester = served.page.routes.enrolling = None
    assert asked(served.url, "/api/selftest", {})[0] == asked(served.url, "/api/enrol", begin)[0] == 404
