"""R18: the real table process, a real broker and the real firmware; something fails again and again.

``REAL_SECONDS`` (60) and ``REAL_FAULT_EVERY_S`` (8) in CI; at length an hour with a fault every 30 s. ``REAL_SEED``
repeats a run: it is printed with every failure.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import statistics
import threading
import time
from collections.abc import Awaitable, Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from table_controller.dealer.simulated import open_simulated
from table_controller.feed.outbox import Outbox
from table_controller.journal.reader import read_journal
from table_controller.journal.replay import replay
from table_controller.sim.real_world import World
from table_controller.table.machine import UNDER_PAUSE
from tests.loaded import load

SECONDS = float(os.environ.get("REAL_SECONDS", "60"))
EVERY_S = float(os.environ.get("REAL_FAULT_EVERY_S", "8"))
SEED = int(os.environ.get("REAL_SEED", "18"))
WARM_S = 15.0
GROWTH_MB = 10.0
SLOPE_MB_H = 1.0
READY_S = 3.0
MARGIN = 5
GAME_DEALS = 3
"""The plays of a game can be corrected, so they are kept until it ends; an hour of one game would show only those."""

pytestmark = [pytest.mark.avr, pytest.mark.broker]


real = load("bench/real_run.py")


class Feed:
    """Who reads the feed: every event's number by boot."""

    def __init__(self, port: int) -> None:
        self.numbers: dict[str, list[int]] = {}
        self._lock = threading.Lock()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, "reader", protocol=mqtt.MQTTv5)
        self._client.on_connect = lambda c, *rest: c.subscribe("guandan/v1/hall/+/t1/event", qos=1)
        self._client.on_message = self._take
        expiry = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        expiry.SessionExpiryInterval = 600
        self._client.reconnect_delay_set(1, 1)
        self._client.connect("127.0.0.1", port, clean_start=False, properties=expiry)
        self._client.loop_start()

    def _take(self, client: Any, userdata: Any, message: mqtt.MQTTMessage) -> None:
        said = json.loads(message.payload)
        with self._lock:
            self.numbers.setdefault(said["boot"], []).append(said["seq"])

    def missing(self, outbox: Path) -> list[tuple[str, int]]:
        """Events that neither came nor are served again: a killed broker forgets what it had not passed on."""
        box = Outbox(outbox)
        lost = []
        with self._lock:
            for boot, seen in self.numbers.items():
                for number in sorted(set(range(1, max(seen) + 1)) - set(seen)):
                    kept = [json.loads(payload)["seq"] for payload in box.events(boot, number - 1, 1)]
                    if kept != [number]:
                        lost.append((boot, number))
        box.close()
        return lost

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


class Trouble:
    """The faults, each by name; each ends by itself."""

    def __init__(self, world: World, table: Any, broker: Any, rng: random.Random) -> None:
        self.world, self.table, self.broker, self.rng = world, table, broker, rng
        self.done: list[str] = []

    def kinds(self) -> dict[str, Callable[[], Awaitable[None]]]:
        return {
            "broker killed": self.broker_killed,
            "worker killed": self.worker_killed,
            "link cut": self.link_cut,
            "stopped": self.stopped,
            "camera frozen": lambda: self.camera("frozen"),
            "camera gone": lambda: self.camera("gone"),
            "journal full": self.journal_full,
        }

    async def broker_killed(self) -> None:
        self.broker.kill()
        await self.world.pause(2000)
        await asyncio.to_thread(self.broker.start)

    async def worker_killed(self) -> None:
        worker = self.table.worker()
        if worker is not None:
            worker.kill()

    async def link_cut(self) -> None:
        self.world.cable.pull()
        await self.world.pause(1500)
        self.world.cable.plug()

    async def stopped(self) -> None:
        os.kill(self.table.pid, signal.SIGSTOP)
        await self.world.pause(1500)
        os.kill(self.table.pid, signal.SIGCONT)

    async def camera(self, how: str) -> None:
        self.world.camera.fault = how
        await self.world.pause(3000)
        self.world.camera.fault = ""

    async def journal_full(self) -> None:
        self.table.limit_files(self.table.journal.stat().st_size)
        await self.world.pause(2500)
        self.table.limit_files(None)

    async def make(self, until_s: float, every_s: float) -> None:
        """One after the other in a drawn order, every ``every_s``, each kind as often as the others."""
        bag: list[str] = []
        kinds = self.kinds()
        while time.monotonic() < until_s:
            began = time.monotonic()
            bag = bag or self.rng.sample(sorted(kinds), len(kinds))
            name = bag.pop()
            await kinds[name]()
            self.done.append(name)
            await self.world.pause(max(100, round((every_s - (time.monotonic() - began)) * 1000)))


class Gauge:
    """Looks every second at what the table uses, while it runs as one process."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.seen: list[tuple[float, Any]] = []

    async def watch(self) -> None:
        while True:
            use = await asyncio.to_thread(self.table.use)
            self.seen.append((time.monotonic(), use))
            await asyncio.sleep(1.0)

    def main(self, part: slice, what: str) -> float:
        return float(statistics.median(getattr(use, what) for _, use in self.seen[part]))

    def growth_mb(self) -> float:
        """Of the process's own memory: a share of libraries grows when other programs that use them end."""
        return self.main(slice(-8, None), "own_mb") - self.main(slice(0, 8), "own_mb")

    def slope_mb_h(self) -> float:
        """How the process's own memory grows over the last two thirds of what was seen (caches have filled by then).

        The median of the slopes between all pairs of minutes, each by its median: it does not follow single peaks, of
        which every fault makes one.
        """
        late = self.seen[len(self.seen) // 3 :]
        minutes: dict[int, list[float]] = {}
        for when, use in late:
            minutes.setdefault(int((when - late[0][0]) // 60), []).append(use.own_mb)
        points = [(minute, statistics.median(values)) for minute, values in sorted(minutes.items())]
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2)]
        return 60 * statistics.median(slopes) if slopes else 0.0


async def play(folder: Path, seconds: float, every_s: float, seed: int, game_deals: int = 0) -> dict[str, Any]:
    """A table in trouble for ``seconds``, then killed and started again; what was found.

    ``game_deals``: a game ends after so many deals, else with the levels.
    """
    rng = random.Random(seed)
    broker = real.Mosquitto(folder / "broker")
    feed = Feed(broker.port)
    dealer = open_simulated()
    table = real.RealRun(folder, camera=f"frames:{folder / 'frames'}", dealer=str(folder / "dealer"),
                         broker_port=broker.port)  # fmt: skip
    world = World(dealer.machine, folder, table.journal, table.url, seed=rng.getrandbits(32))
    living = asyncio.create_task(world.live())
    gauge, found = Gauge(table), {"seed": seed, "dealer": dealer.kind}
    watching: asyncio.Task[None] | None = None
    try:
        found["ready_s"] = await asyncio.to_thread(table.start)
        if game_deals:
            world.play_games_of(game_deals)
        world.begin()
        await world.pause(round(WARM_S * 1000))
        watching = asyncio.create_task(gauge.watch())
        trouble = Trouble(world, table, broker, rng)
        await trouble.make(time.monotonic() + seconds, every_s)
        await world.pause(8000)
        watching.cancel()
        found |= {"faults": trouble.done, "gauge": gauge, "lines": table.said}
        found["running"] = table.process.poll() is None
        before = world.follower.state.phase
        table.kill()
        world.follower.follow()
        state = world.follower.state
        found["again_s"] = await asyncio.to_thread(table.start)
        await world.pause(1500)
        world.follower.follow()
        found["phases"] = (before, world.follower.state.phase)
        found["same_record"] = [a.cards for a in world.follower.state.actions] == [a.cards for a in state.actions]
        world.resume()
        await world.pause(4000)
        found["stop_s"] = await asyncio.to_thread(table.stop)
        await asyncio.sleep(1.0)
    finally:
        for task in (watching, living):
            if task is not None:
                task.cancel()
        ended = await asyncio.gather(*(t for t in (watching, living) if t is not None), return_exceptions=True)
        table.kill()
        broker.kill()
        feed.close()
        dealer.machine.close()
    found["errors"] = [repr(e) for e in ended if isinstance(e, Exception)]
    found |= {"world": world, "feed": feed, "journal": table.journal}
    return found


def check(found: dict[str, Any]) -> None:
    """The game is whole and nothing has grown."""
    where = f"seed {found['seed']}: REAL_SEED={found['seed']} repeats it; faults {found['faults']}"
    world, gauge = found["world"], found["gauge"]
    assert found["errors"] == [], where
    assert found["running"], f"{where}; it said {found['lines'][-5:]}"
    contents = read_journal(found["journal"])
    assert contents.damage == "" or contents.torn, where
    again = replay(contents.records)
    assert again.mismatch is None, where
    assert again.core.state.digest() == world.follower.state.digest(), where
    assert world.follower.mismatch is None, where
    assert world.people.truth.plays > 0, where
    assert found["feed"].numbers, where
    assert found["feed"].missing(found["journal"].with_name("outbox.sqlite")) == [], where
    assert found["same_record"], where
    before, after = found["phases"]
    assert after == ("paused" if before in UNDER_PAUSE else before), where
    assert found["ready_s"] < READY_S * MARGIN, where
    assert found["again_s"] < READY_S * MARGIN, where
    assert found["stop_s"] < 2 * MARGIN, where
    assert gauge.growth_mb() < GROWTH_MB, where
    for what in ("descriptors", "threads"):
        assert gauge.main(slice(-8, None), what) <= gauge.main(slice(0, 8), what) + 1, f"{what}; {where}"


def test_something_fails_every_few_seconds(tmp_path: Path) -> None:
    found = asyncio.run(play(tmp_path, SECONDS, EVERY_S, SEED))
    print(report(found))
    check(found)
    assert len(set(found["faults"])) >= min(7, int(SECONDS / EVERY_S) - 1)


def report(found: dict[str, Any]) -> str:
    gauge = found["gauge"]
    return (
        f"{len(found['faults'])} faults, {found['world'].people.truth.plays} plays, "
        f"{found['world'].people.truth.deals} deals; ready {found['ready_s']:.1f} s, again {found['again_s']:.1f} s, "
        f"stopped {found['stop_s']:.1f} s; growth {gauge.growth_mb():.2f} MB, slope {gauge.slope_mb_h():.2f} MB/h "
        f"(own memory {gauge.main(slice(0, 8), 'own_mb'):.1f} to {gauge.main(slice(-8, None), 'own_mb'):.1f} MB); "
        f"tree {gauge.main(slice(-8, None), 'pss_mb'):.0f} MB, descriptors {gauge.main(slice(0, 8), 'descriptors')} to "
        f"{gauge.main(slice(-8, None), 'descriptors')}, threads {gauge.main(slice(0, 8), 'threads')} to "
        f"{gauge.main(slice(-8, None), 'threads')}"
    )


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.runs(
    "app cards config dealer drawings errors feed files games geometry journal panel resources "
    "runtime sim table vision models/*.onnx models/classes.txt hardware/*.toml "
    "firmware/**/*.[chS] firmware/*.toml",
    starts="table_controller.app.run",
    besides="cli web",
)
def test_an_hour_with_a_fault_every_half_minute(tmp_path: Path, part_once: Any) -> None:
    seconds = float(os.environ.get("REAL_SOAK_SECONDS", "3600"))
    found = asyncio.run(play(tmp_path, seconds, 30.0, SEED + 1, GAME_DEALS))
    print(report(found))
    check(found)
    if seconds >= 3600:  # a slope of a shorter run says nothing: caches still fill
        assert found["gauge"].slope_mb_h() < SLOPE_MB_H, f"seed {SEED + 1}"
    part_once("R18", round(seconds / 60), seed=SEED + 1, said=report(found))
