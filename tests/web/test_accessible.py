"""The table's own pages by axe-core, in both languages: contrast, labels, structure; and none is wider than a phone."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
WINDOW_PX = (1280, 800)


@pytest.fixture
def table() -> EventTable:
    """In play, with a call, a doubtful play and a breach."""
    made = EventTable(5)
    made.open()
    made.deal()
    made.sort_and_exchange()
    made.act()
    deal = made.core.state.deal
    assert deal is not None
    assert deal.turn is not None
    made.send(ev.TdPressed, seat=deal.turn)
    made.send(ev.CardsSeen, seat=deal.turn, cards=("5S", "6S"), doubtful=(1,))
    return made


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_table_s_pages_have_no_barrier(serve: Any, eyes: Any, table: EventTable, language: str) -> None:
    served = serve(table)
    found = {}
    for page, there in (("/", "#phase"), ("/control", "#phase"), ("/setup", "#step"), ("/seat?seat=E", "#plays")):
        name = page.strip("/").partition("?")[0] or "scoreboard"
        eyes.open(f"{served.url}{page}{'&' if '?' in page else '?'}lang={language}")
        eyes.wait(lambda there=there: eyes.text(there))
        eyes.shot(f"axe-{name}-{language}")
        found[name] = eyes.barriers()
        eyes.open(f"{served.url}{page}{'&' if '?' in page else '?'}lang={language}", 360, 780)
        eyes.wait(lambda there=there: eyes.text(there))
        eyes.shot(f"phone-{name}-{language}")
        if name != "scoreboard":  # that one is for a large screen
            assert eyes.overflow() <= 0, name
    assert found == {"scoreboard": [], "control": [], "setup": [], "seat": []}
