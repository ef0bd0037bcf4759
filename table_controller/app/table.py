"""One table put together: core, journal, loop, feed, panel and page round one clock. Used by ``run`` and ``demo``."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import secrets
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpiozero.pins import Factory

from table_controller import __version__
from table_controller.app.reopen import Tell, reopen, silent
from table_controller.cards import SEATS, Seat
from table_controller.errors import DeviceError, TableError
from table_controller.feed.client import Broker, CommandHandler, FeedClient
from table_controller.feed.commands import Asked, CommandDesk
from table_controller.feed.envelope import Enveloper
from table_controller.feed.outbox import Outbox, open_outbox
from table_controller.feed.publisher import Digest, FeedPublisher
from table_controller.feed.refill import missing, refill
from table_controller.feed.topics import Topics
from table_controller.journal.program import program
from table_controller.journal.reader import Records
from table_controller.journal.writer import JournalWriter, other_table
from table_controller.panel.panel import Panel
from table_controller.runtime.clock import Clock
from table_controller.runtime.loop import TableRuntime
from table_controller.table.events import Event, TableOpened
from table_controller.table.snapshot import past_deal, snapshot
from table_controller.web.server import Page

log = logging.getLogger(__name__)


@dataclass
class Table:
    """The parts of a running table that do not depend on where cards and pictures come from."""

    clock: Clock
    runtime: TableRuntime
    journal_path: Path
    journal: JournalWriter
    draw_leader: Callable[[], Seat]
    topics: Topics
    opening: TableOpened
    client: FeedClient | None = None
    outbox: Outbox | None = None
    publisher: FeedPublisher | None = None
    panel: Panel | None = None
    page: Page | None = None
    last_wall: str = ""
    """The wall label and the stamp of the last event before this start."""
    last_ms: int = 0
    troubles: list[dict[str, Any]] = field(default_factory=list)
    """Adapters that are stale or failed, in words (app/health.py)."""
    told: tuple[str, int] = ("", 0)
    """Who published last before this start, and how many events."""
    tell: Tell = silent
    """Hears that a long start goes on."""
    recovered: str = ""
    """Why the state after a restart is not just what people saw before it (another version judges); else empty."""

    def snapshot(self) -> dict[str, Any]:
        """The public state now, with the loop's own fault if the journal cannot be written."""
        data = snapshot(self.runtime.state, self.clock.now_ms())
        data["controller_fault"] = self.runtime.fault
        data["health"] = self.troubles
        return data

    def begin(self) -> None:
        """Open the session, once everybody who must hear of it is listening; a recovered one is open already."""
        if not self.runtime.state.table:
            self.runtime.post(self.opening)

    def close(self) -> None:
        """Lamps off, feed offline, journal closed."""
        if self.panel is not None:
            self.panel.close()
        if self.client is not None:
            self.client.stop()
        if self.outbox is not None:
            self.outbox.close()
        self.journal.close()


def any_seat() -> Seat:
    """A seat drawn from the operating system's random source: the first leader of a real game."""
    return SEATS[secrets.randbelow(len(SEATS))]


def open_table(
    clock: Clock,
    journal_path: Path,
    *,
    table: str,
    venue: str,
    profile: str,
    rules: str = "",
    officiating: str = "",
    seed: int | None = None,
    sync: bool = True,
    draw_leader: Callable[[], Seat] = any_seat,
    tell: Tell = silent,
) -> Table:
    """A table, recovered from its journal if there is one. Add its adapters, then call ``begin``.

    ``tell`` hears how far a long journal has been read.
    """
    before = reopen(journal_path, tell)
    if before.core.state.table not in ("", table):
        raise other_table(journal_path, before.core.state.table, table)
    header = {"program": program(), "table": table, "venue": venue}
    journal = JournalWriter(journal_path, header=header, sync=sync, since=before.since)
    if before.written_by not in ("", program()):
        journal.append({"kind": "program", "program": program()})
    runtime = TableRuntime(before.core, journal, clock)
    opening = TableOpened(clock.now_ms(), table, venue, profile, seed, officiating, rules)
    made = Table(clock, runtime, journal_path, journal, draw_leader, Topics(venue, table), opening)
    made.tell = tell
    made.last_wall, made.last_ms = before.wall, before.at_ms
    made.recovered, made.told = before.recovered, before.told
    return made


Ask = Callable[[Event], Awaitable[TableError | None]]


def add_feed(
    table: Table,
    broker: Broker,
    outbox_path: Path | None,
    *,
    boot: str,
    simulated: bool,
    ask: Ask | None = None,
    http: str = "",
    evidence: Path | None = None,
) -> None:
    """Publish the table's events and state; with ``ask`` (on a running loop) also take commands from the broker.

    ``http`` is where others reach the table's page.
    """
    table.outbox = open_outbox(outbox_path)
    digest = (lambda name: _sha256(evidence / name)) if evidence is not None else None
    if outbox_path is not None:
        _refill(table, table.outbox, simulated=simulated, digest=digest)
        table.journal.append({"kind": "boot", "boot": boot})
    table.client = FeedClient(broker, table.topics, table.outbox, boot)
    if ask is not None:
        table.client.on_command = _listen(table, table.client, boot, ask)
    enveloper = Enveloper(table.topics.venue, table.topics.table, boot, sync=not simulated)
    table.publisher = FeedPublisher(table.client, table.topics, enveloper, table.clock)
    table.runtime.add(perform=table.publisher.perform, committed=table.publisher.committed, first=table.publisher.seen)
    table.publisher.digest = digest
    table.client.start()
    told = {"program": __version__, "schema": 1, "simulated": simulated, "http": http, "commands": ask is not None}
    table.publisher.info(told)


def _refill(table: Table, outbox: Outbox, *, simulated: bool, digest: Digest | None) -> None:
    """Events of the last run that its disk lost are told before the first of this one; a failing disk is only said."""
    try:
        if table.told[0] and missing(outbox, *table.told):
            records = Records(table.journal_path, table.tell)
            filled = refill(outbox, records, table.topics, simulated=simulated, digest=digest)
            log.warning(
                "%d events of boot %s were not in the outbox: sent again from the journal.", filled, table.told[0]
            )
    except sqlite3.Error as error:
        log.warning("The outbox cannot be read (%s): gaps of the last run are not filled.", error)


def _listen(table: Table, client: FeedClient, boot: str, ask: Ask) -> CommandHandler:
    """What the client calls with a command: checked and carried out on the loop, one after the other."""
    loop = asyncio.get_running_loop()
    desk = CommandDesk(table.topics.table, boot, table.clock.now_ms, table.draw_leader)
    at_work: set[asyncio.Task[None]] = set()

    async def carry_out(asked: Asked) -> None:
        client.reply(asked.client, desk.answer(asked, await ask(asked.event)))

    def take(verb: str, payload: bytes) -> None:
        found = desk.take(verb, payload)
        if isinstance(found, Asked):
            task = loop.create_task(carry_out(found), name=f"command {verb}")
            at_work.add(task)
            task.add_done_callback(at_work.discard)
        elif found is not None:
            client.reply(*found)

    def handler(verb: str, payload: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is over: so is the table
            loop.call_soon_threadsafe(take, verb, payload)

    return handler


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def missed_events(outbox: Outbox, boot: str, after: int) -> dict[str, Any]:
    """What a reader of the feed missed: published events of ``boot`` after a number, and the boots that are kept."""
    events = [json.loads(payload) for payload in outbox.events(boot, after)]
    return {"boots": outbox.boots(), "events": events}


def add_panel(table: Table, post: Callable[[Event], None], factory: Factory | None = None) -> None:
    """Lamps and buttons; raises DeviceError when the pins cannot be had."""
    table.panel = Panel(post, table.clock.now_ms, table.draw_leader, factory)
    if table.page is not None:
        table.page.panel = table.panel
    table.runtime.add(perform=table.panel.perform)


def add_page(table: Table, ask: Ask, evidence: Path | None = None, *, token: str = "") -> None:
    """The table's own page; start it with ``await table.page.start(host, port)``."""
    page = table.page = Page(table.snapshot, ask, table.clock.now_ms, table.draw_leader, evidence, token=token)
    page.panel = table.panel
    page.past = lambda number: past_deal(table.runtime.state, number)
    outbox = table.outbox
    if outbox is not None:
        page.missed = lambda boot, after: missed_events(outbox, boot, after)
    table.runtime.add(committed=lambda event, state, effects: page.changed())


def fresh_folder(folder: Path) -> Path:
    """Make a folder for state; raises DeviceError in plain words."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeviceError(
            f"The folder {folder} cannot be made: {error.strerror}.", way_out="Name another one."
        ) from error
    return folder
