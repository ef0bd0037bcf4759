"""The scoreboard as people around the table see it: who sits where, cards left, who won; nothing is cut off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_controller.sim.event_table import EventTable

WINDOW_PX = (1280, 720)
NAMES = ["东风甲", "Maximiliana Featherstonehaugh", "<b>x</b>", "南山乙"]
TEN = {"pass": False, "cards": [*("2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS")], "reading": "bomb:T",
       "doubtful": False, "unsure": [], "corrected": False}  # fmt: skip
RESULTS = [
    {"deal": 1, "order": [], "foul": "EW", "winner": "NS", "rise": 3, "passes_a": False, "double_down": False},
    {"deal": 2, "order": ["E", "W", "N", "S"], "winner": "EW", "rise": 3, "passes_a": False, "double_down": True},
]


@pytest.fixture
def shown(serve: Callable[[EventTable], Any]) -> Any:
    """A table in play whose state a test changes before it is shown."""
    table = EventTable(3)
    table.open()
    table.deal()
    table.sort_and_exchange()
    for _ in range(6):
        table.act()
    served = serve(table)
    served.state = {**served.page.snapshot(), "results": RESULTS}
    served.state["match"]["names"] = NAMES
    served.page.snapshot = lambda: served.state
    return served


def test_players_counts_and_ten_cards_are_legible_and_nothing_is_cut_off(shown: Any, eyes: Any) -> None:
    for seat in "EW":
        shown.state["seats"][seat].update(last=TEN, left=10, reported=10, place=None)
    for width, height in ((1280, 720), (360, 740)):
        eyes.open(f"{shown.url}/?lang=en", width, height)
        eyes.wait(lambda: len(eyes.all("#seat-W .card")) == 10)
        assert eyes.overflow() == 0
        seats = eyes.script(
            "return [...document.querySelectorAll('.seat')].map((one) => one.scrollWidth - one.clientWidth)"
        )
        assert max(seats) <= 0
        players = eyes.script("return [...'ENWS'].map((s) => document.querySelector(`#seat-${s} .player`).textContent)")
        assert players == NAMES
    eyes.open(f"{shown.url}/?lang=zh", 1280, 720)
    eyes.wait(lambda: eyes.text("#seat-W .left") == "剩10张")
    size = eyes.script("return parseFloat(getComputedStyle(document.querySelector('#seat-W .left')).fontSize)")
    assert size >= 0.035 * 720, "the cards left must be legible from three metres"
    eyes.shot("scoreboard-ten-cards")


def test_who_is_ready_and_whose_turn_was_stopped_is_said(shown: Any, eyes: Any) -> None:
    stopped = {**TEN, "cards": [], "reading": "", "stopped": True, "seat": "E"}
    shown.state["seats"]["E"].update(last=stopped, place=None)
    shown.state["recent"] = [stopped]
    eyes.open(f"{shown.url}/?lang=en")
    eyes.wait(lambda: eyes.text("#seat-E .passed") == "Turn stopped" == eyes.text("#recent .passed"))
    shown.state["phase"] = "sorting"
    for seat in "ENWS":
        shown.state["seats"][seat].update(ready=seat == "N", place=None)
    shown.page.changed()
    eyes.wait(lambda: [eyes.text(f"#seat-{seat} .ready") for seat in "ENWS"] == ["", "Ready", "", ""])


def test_a_foul_and_the_winner_of_a_game_are_said(shown: Any, eyes: Any) -> None:
    shown.state["phase"] = "game_over"
    shown.state["match"].update(played=[{"game": 1, "winner": "EW"}, {"game": 2, "winner": "NS"}])
    eyes.open(f"{shown.url}/?lang=en")
    eyes.wait(lambda: eyes.text("#phase") == "Game over · North-South wins")
    assert "East-West foul, the deal is lost" in eyes.text("#results")
    assert "match" not in eyes.text("#sub")
    shown.state["match"].update(over=True, games=3, winner="NS")
    shown.page.changed()
    eyes.wait(lambda: "match: North-South wins" in eyes.text("#sub"))
    shown.state["match"].update(called=True)
    shown.page.changed()
    eyes.wait(lambda: "the round's time is up" in eyes.text("#sub"))


def test_the_control_page_counts_what_can_still_be_confirmed(shown: Any, eyes: Any) -> None:
    one = {
        **TEN,
        "seat": "W",
        "number": 1,
        "cards": ["5S"],
        "unsure": [0],
        "evidence": "",
        "incident": 1,
        "kind": "doubtful_reading",
    }
    shown.state["questions"] = [{**one, "open": False}]
    eyes.open(f"{shown.url}/control?lang=en")
    eyes.wait(lambda: "Not confirmed before the deal ended: 1" in eyes.text("#asked"))
    shown.state["questions"] = [{**one, "open": False}, {**one, "number": 2, "incident": 2, "open": True}]
    shown.page.changed()
    eyes.wait(lambda: "Doubtful, to be confirmed: 1" in eyes.text("#asked"))
