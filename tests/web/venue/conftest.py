"""A served hall for the tests of the venue's pages: real broker, service, relay and tables; and who logs in there."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from table_controller.app.brokers import free_port
from table_controller.app.table import Table, add_feed, add_page, open_table
from table_controller.app.venue import running, started_broker
from table_controller.feed.client import Broker
from table_controller.runtime.clock import RealClock
from table_controller.sim.event_table import EventTable
from table_controller.table import events as ev
from table_controller.venue.broker_files import Listening, account_of, write_files
from table_controller.venue.settings import (
    ArchiveSettings,
    BrokerSettings,
    PageSettings,
    RelaySettings,
    VenueConfig,
    VenueSettings,
)

PEOPLE = (("li", "referee"), ("wang", "head_referee"), ("zhao", "director"))
PASSWORD = "correct horse"
HELPERS = 6
VENUE = "hall"


@dataclass
class HallTable:
    """A table of the hall: its core is told what a camera and people would tell it."""

    name: str
    table: Table
    evidence: Path
    task: asyncio.Task[None]


class VenueHall:
    """A real broker and service with real tables on one loop in a thread; all can be stopped and started again."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder, self.names = folder, names
        self.loop = asyncio.new_event_loop()
        self.helpers = ThreadPoolExecutor(HELPERS)
        meet = threading.Barrier(HELPERS)
        # All of them now: a thread that begins in a test would seem to be left behind by it.
        wait([self.helpers.submit(meet.wait) for _ in range(HELPERS)])
        self.loop.set_default_executor(self.helpers)
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        broker, port = folder / "broker", free_port()
        login = str(broker / "secrets/venue.password")
        write_files(broker, VENUE, names, Listening("127.0.0.1", port, free_port()))
        (folder / "word").write_text(secrets.token_urlsafe(12), encoding="utf-8")
        self.config = VenueConfig(
            VenueSettings(VENUE, "default", str(folder / "state")),
            BrokerSettings("127.0.0.1", port, "venue", login, start=True, config=str(broker)),
            PageSettings("127.0.0.1", free_port()),
            ArchiveSettings(True, "", str(folder / "word")),
            RelaySettings(True, 0),
        )
        (folder / "state").mkdir()
        self.url = f"http://127.0.0.1:{self.config.web.port}"
        self.broker: contextlib.ExitStack | None = None
        self.stack: contextlib.AsyncExitStack | None = None
        self.tables: dict[str, HallTable] = {}
        self.start_broker()
        self.start_service()
        for name, role in PEOPLE:
            self.service.people.set_person(name, role, PASSWORD)
        self.keys = {role: self.service.people.add_key(f"a {role}", role) for role in ("overlay", "scoreboard")}
        for place, name in enumerate(names):
            self.tables[name] = self.wait(self._open(name, place))

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(20)

    def start_broker(self) -> None:
        self.broker = contextlib.ExitStack()
        self.broker.enter_context(started_broker(self.config))

    def stop_broker(self) -> None:
        assert self.broker is not None
        self.broker.close()

    def start_service(self) -> None:
        async def start() -> None:
            self.stack = contextlib.AsyncExitStack()
            relay = replace(
                self.config.broker,
                username="relay",
                password_file=str(self.folder / "broker/secrets/relay.password"),
            )
            alone = replace(self.config, relay=replace(self.config.relay, enabled=False))
            found = await self.stack.enter_async_context(running(alone))
            assert found is not None
            self.service = found[0]
            await self.stack.enter_async_context(running(replace(self.config, broker=relay), "relay"))

        self.wait(start())

    def stop_service(self) -> None:
        assert self.stack is not None
        self.wait(self.stack.aclose())

    async def _open(self, name: str, place: int) -> HallTable:
        own = self.folder / "tables" / name
        evidence = own / "evidence"
        evidence.mkdir(parents=True)
        clock = RealClock(self.loop)
        table = open_table(
            clock, own / "journal.jsonl", table=name, venue=VENUE, profile="default", seed=place, sync=False
        )
        task = self.loop.create_task(table.runtime.run())
        told = self.config.broker
        password = (self.folder / "broker/secrets" / f"{account_of(name)}.password").read_text().strip()
        port = free_port()
        add_feed(
            table,
            Broker(told.host, told.port, account_of(name), password),
            own / "outbox.sqlite",
            boot=f"boot{place}",
            simulated=True,
            ask=table.runtime.ask,
            http=f"http://127.0.0.1:{port}",
            evidence=evidence,
        )
        add_page(table, table.runtime.ask, evidence, token=(self.folder / "word").read_text())
        assert table.page is not None
        assert table.publisher is not None
        await table.page.start("127.0.0.1", port)
        table.begin()
        table.publisher.refresh()
        return HallTable(name, table, evidence, task)

    def tell(self, name: str, make: Callable[..., ev.Event], **fields: object) -> None:
        """An event at a table, as of now; it must be taken."""
        table = self.tables[name].table
        refusal = self.wait(table.runtime.ask(make(at_ms=table.clock.now_ms(), **fields)))
        assert refusal is None, refusal

    def play(self, name: str, acts: int, seed: int = 5) -> EventTable:
        """Deal, and let this many turns be played; returns the simulated people, to go on with."""
        script = EventTable(seed)
        script.open()
        script.deal()
        script.sort_and_exchange()
        for _ in range(acts):
            script.act()
        self._repeat(script, name, 1)
        return script

    def replay_one(self, script: EventTable, name: str) -> EventTable:
        """One more turn."""
        before = len(script.events)
        script.act()
        self._repeat(script, name, before)
        return script

    def _repeat(self, script: EventTable, name: str, since: int) -> None:
        table = self.tables[name].table
        for event in script.events[since:]:
            self.wait(table.runtime.ask(replace(event, at_ms=table.clock.now_ms())))

    def doubt(self, name: str, cards: str, unsure: tuple[int, ...]) -> None:
        """The seat in turn lays cards that the camera is not sure of; its picture is kept."""
        shown = cards.split()
        image = np.full((170, 80 + 70 * len(shown), 3), (60, 80, 40), np.uint8)
        for i, card in enumerate(shown):
            cv2.rectangle(image, (30 + 70 * i, 20), (120 + 70 * i, 150), (250, 250, 250), -1)
            cv2.rectangle(image, (30 + 70 * i, 20), (120 + 70 * i, 150), (120, 120, 120), 1)
            cv2.putText(image, card, (38 + 70 * i, 60), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (30, 30, 30), 2)
        picture = f"{secrets.token_hex(6)}.jpg"
        cv2.imwrite(str(self.tables[name].evidence / picture), image)
        deal = self.tables[name].table.runtime.state.deal
        assert deal is not None
        self.tell(name, ev.CardsSeen, seat=deal.turn, cards=tuple(shown), doubtful=unsure, evidence=picture)

    def state(self, name: str) -> Any:
        return self.tables[name].table.runtime.state

    async def _left(self) -> list[str]:
        """What still runs on the loop a while after all has been told to end."""
        left: list[str] = []
        for _ in range(250):
            left = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            if not left:
                break
            await asyncio.sleep(0.02)
        return left

    def close(self) -> None:
        async def end(one: HallTable) -> None:
            one.task.cancel()
            await asyncio.gather(one.task, return_exceptions=True)
            assert one.table.page is not None
            await one.table.page.stop()
            await asyncio.to_thread(one.table.close)

        for one in self.tables.values():
            self.wait(end(one))
        self.stop_service()
        self.stop_broker()
        left = self.wait(self._left())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.helpers.shutdown()
        self.loop.close()
        assert left == [], "a task that nobody awaits is destroyed with the loop"


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VenueHall]:
    """A hall of four tables."""
    made = VenueHall(tmp_path_factory.mktemp("venue"), ["t1", "t2", "t3", "t4"])
    yield made
    made.close()


@pytest.fixture
def own_venue(tmp_path: Path) -> Iterator[VenueHall]:
    """A hall of two tables for one test, which may stop what it likes."""
    made = VenueHall(tmp_path, ["t1", "t2"])
    yield made
    made.close()


class Visitor:
    """Somebody with a browser who logs in."""

    def __init__(self, eyes: Any) -> None:
        self.eyes = eyes

    def log_in(self, venue: VenueHall, name: str, path: str, width: int = 1280, height: int = 800) -> None:
        """By the log-in page, to a page."""
        eyes = self.eyes
        eyes.driver.delete_all_cookies()
        eyes.open(f"{venue.url}{path}", width, height)
        eyes.wait(lambda: eyes.all("input[name=password]"))
        eyes.one("input[name=name]").send_keys(name)
        eyes.one("input[name=password]").send_keys(PASSWORD, "\ue007")
        eyes.wait(lambda: "/login" not in eyes.driver.current_url)
        eyes.driver.get_log("browser")


@pytest.fixture
def visitor(eyes: Any) -> Visitor:
    """Logs in."""
    return Visitor(eyes)
