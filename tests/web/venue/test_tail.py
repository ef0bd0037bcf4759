"""A page that keeps a list of events misses none and shows none twice, whatever was killed meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest

from table_controller.table import events as ev

pytestmark = [pytest.mark.broker, pytest.mark.browser, pytest.mark.timeout(240)]
WINDOW_PX = (1280, 800)
LISTED = (
    "return [...document.querySelectorAll('#timeline li')].map((one) => [one.dataset.boot, Number(one.dataset.seq)])"
)


def kill_broker(folder: Path) -> None:
    """As a power cut would: nothing is saved."""
    for child in psutil.Process().children(recursive=True):
        if child.name() == "mosquitto" and str(folder) in " ".join(child.cmdline()):
            child.kill()
            child.wait(10)


def whole(venue: Any, eyes: Any) -> bool:
    """Whether the list is what the table said, newest first, each once."""
    count = venue.tables["t1"].table.publisher.events_sent
    return bool(eyes.script(LISTED) == [["boot0", seq] for seq in range(count, 0, -1)])


def test_the_timeline_is_whole_after_broker_and_service_were_killed(own_venue: Any, visitor: Any, eyes: Any) -> None:
    venue = own_venue
    script = venue.play("t1", 2)
    visitor.log_in(venue, "li", "/table/t1?lang=en")
    eyes.wait(lambda: eyes.text("#phase"))
    eyes.script("document.querySelector('#past').open = true")
    eyes.wait(lambda: whole(venue, eyes))
    for _ in range(2):
        kill_broker(venue.folder)
        venue.stop_broker()
        for _ in range(3):
            script = venue.replay_one(script, "t1")
        venue.start_broker()
        script = venue.replay_one(script, "t1")
        eyes.wait(lambda: whole(venue, eyes), 60)
    venue.stop_service()
    for _ in range(3):
        script = venue.replay_one(script, "t1")
    venue.start_service()
    venue.tell("t1", ev.PauseRequested, by="Li", reason="tea")
    eyes.wait(lambda: whole(venue, eyes), 60)
    eyes.shot("table-timeline-whole")


GAPS = """
const done = arguments[arguments.length - 1];
(async () => {
const { Tail } = await import('/static/tail.js');
const kept = [1, 2, 3, 4, 5, 6, 7, 8].map((seq) => ({ boot: 'b', seq })).filter(({ seq }) => seq !== 6);
window.fetch = async (path) => {
  const after = Number(new URL(path, location).searchParams.get('after'));
  return new Response(JSON.stringify({ events: kept.filter(({ seq }) => seq > after) }));
};
const heard = [];
const tail = new Tail('/x', ({ boot, seq }) => heard.push(`${boot}${seq}`));
tail.event({ boot: 'b', seq: 1 });
tail.begin('b', 2);
for (const seq of [1, 2, 3, 3, 5, 4, 8]) tail.event({ boot: 'b', seq });
const first = [...heard];
for (let i = 0; i < 30; i += 1) await tail.fetch();
const second = [...heard];
tail.event({ boot: 'c', seq: 1 });
tail.state({ boot: 'c', seq: 1 });
done([first, second, heard]);
})();
"""


def test_numbers_missing_doubled_out_of_order_or_nowhere_to_be_had(own_venue: Any, eyes: Any) -> None:
    eyes.open(f"{own_venue.url}/login", 1280, 800)
    eyes.driver.set_script_timeout(20)
    first, second, last = eyes.driver.execute_async_script(GAPS)
    assert first == ["b3", "b4", "b5"]
    assert second == ["b3", "b4", "b5", "b7", "b8"], "6 is nowhere to be had: it is not waited for for ever"
    assert last == [*second, "c1"]
