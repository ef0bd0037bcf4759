"""The venue's service put together: the wire, the archive, the hall as it stands, commands, people, pictures."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import aiohttp

from table_controller.config import secret_of
from table_controller.feed.topics import plane_topics, relay_topic, venue_topic
from table_controller.games.guandan.profile import Profile, named_rules, rules_of
from table_controller.runtime import measure
from table_controller.runtime.clock import RealClock
from table_controller.venue import gaps, records
from table_controller.venue.aired import Aired
from table_controller.venue.archive import Archive
from table_controller.venue.commander import ANSWER_S, Commander
from table_controller.venue.documents import Documents
from table_controller.venue.evidence import EvidenceStore
from table_controller.venue.hall import Hall
from table_controller.venue.people import People
from table_controller.venue.settings import VenueConfig
from table_controller.venue.store.database import migrate, open_database
from table_controller.venue.wire import Batch, Heard, Wire

log = logging.getLogger(__name__)
GAP_MS = 2000
TRIES_BEFORE_LOST = 15
PURGE_MS = 600_000
AIR_GAP_MS = 1500
CHANGING = ("event/incident", "event/incident_updated", "event/opened")
DAY_MS = 86_400_000
GATHER_S = 0.02
BATCHES, BEHIND_S = 20, 10.0
"""So many batches wait for the loop at most; it is said when that lasts."""


class Service:
    """Make it on a running loop; ``start`` and ``stop`` it there."""

    def __init__(self, config: VenueConfig) -> None:
        self.config = config
        self.loop = asyncio.get_running_loop()
        self.clock = RealClock(self.loop)
        name, rules = named_rules(config.venue.profile)
        self.profile: Profile = rules_of(name, rules)
        self.engine = open_database(config.database_url)
        migrate(self.engine)
        self.documents = Documents(self.engine)
        self.archive = Archive(self.engine, config.venue.name, self.documents.book)
        self.hall = Hall(self.clock.now_ms)
        appeal_ms = self.profile.record.correction_minutes * 60_000
        keep_ms = config.archive.evidence_days * DAY_MS
        self.evidence = EvidenceStore(self.engine, config.folder / "evidence", int(appeal_ms), keep_ms)
        self.token = secret_of(config.archive.token_file, "archive.token_file")
        self.people = People(self.engine, measure.epoch_ms)
        venue = config.venue.name
        topics = [(plane_topics(venue, plane), 1) for plane in ("live", "seal", "air")]
        topics += [(relay_topic(venue, "+", name), 1) for name in ("status", "again")]
        topics += [(f"guandan/v1/{venue}/reply/+/venue", 1)]
        self.wire = Wire(
            config.broker_login(),
            f"venue-{venue}",
            tuple(topics),
            self.clock.now_ms,
            self._work,
            connected=self._again,
            gather_s=GATHER_S,
        )
        self.commander = Commander(venue, self.hall, self.wire)
        self.aired = Aired()
        self.relays: dict[str, dict[str, Any]] = {}
        self.relay_version = 0
        self._aired_ms: dict[str, int] = {}
        self._relay_asked: dict[str, set[asyncio.Future[None]]] = {}
        self._room = threading.Semaphore(BATCHES)
        self._tries: dict[tuple[str, str, int], int] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._http: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        """Begin to listen."""
        self.hall.incidents(await asyncio.to_thread(records.open_incidents, self.engine))
        self.wire.start()
        self._http = aiohttp.ClientSession()
        for name, every_ms, act in (
            ("gaps", GAP_MS, self._fill_gaps),
            ("air", AIR_GAP_MS, self._ask_the_relay),
            ("pictures", GAP_MS, self._fetch_pictures),
            ("purge", PURGE_MS, self._purge),
        ):
            self._tasks.append(self.loop.create_task(self._repeat(every_ms, act), name=name))

    async def stop(self) -> None:
        """Stop; the broker keeps what comes meanwhile."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._http is not None:
            await self._http.close()
        await asyncio.to_thread(self.wire.stop)
        await asyncio.to_thread(self.engine.dispose)

    # --- on the wire's thread -----------------------------------------------------------------------------------------

    def _work(self, batch: Batch) -> None:
        # Where the loop is behind, the broker keeps what comes: memory here stays what it is.
        while not self._room.acquire(timeout=BEHIND_S) and self.loop.is_running():
            log.warning("The service is behind: what comes waits at the broker.")
        with contextlib.suppress(RuntimeError):  # the loop is over
            self.loop.call_soon_threadsafe(self._live, batch)
        if not self.config.archive.enabled:
            return
        self.archive.ingest([h for h in batch if h.plane in ("live", "seal")])
        if any(h.said is not None and h.is_event and h.said.get("schema") in CHANGING for h in batch):
            self._tell_incidents()

    def _tell_incidents(self) -> None:
        rows = records.open_incidents(self.engine)
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.hall.incidents, rows)

    def _again(self) -> None:
        """Connected: say again what the broker keeps for readers."""
        for name, payload in self.documents.everything():
            self.wire.publish(venue_topic(self.config.venue.name, name), payload, retain=True)

    # --- on the loop --------------------------------------------------------------------------------------------------

    def _live(self, batch: Batch) -> None:
        self._room.release()
        self.hall.take(batch)
        self.commander.take(batch)
        for heard in batch:
            if heard.plane == "air":
                self._air(heard)
            elif heard.plane == "relay" and heard.said is not None:
                self._relay_said(heard.table, heard.rest, heard.said)

    def _air(self, heard: Heard) -> None:
        if not heard.retained:
            self._aired_ms[heard.table] = heard.at_ms
        if heard.rest == "state":
            self.aired.state(heard.table, heard.said)
        elif heard.rest == "event" and heard.said is not None:
            self.aired.event(heard.table, heard.said, heard.payload)

    def _relay_said(self, table: str, rest: str, said: dict[str, Any]) -> None:
        if rest == "again":
            self.aired.fill(table, said)
        elif rest == "status":
            before, self.relays[table] = self.relays.get(table, {}), said
            if said.get("mode") != before.get("mode"):
                self.hall.relay(table, str(said.get("mode")))
            self.relay_version += 1
            for asked in self._relay_asked.pop(table, ()):
                if not asked.done():
                    asked.set_result(None)

    async def _ask_the_relay(self) -> None:
        """For what it aired and the broker lost."""
        if self.wire.online:
            for table, boot, after in self.aired.gaps():
                self.control_relay(table, {"do": "again", "boot": boot, "after": after})

    async def _repeat(self, every_ms: int, act: Callable[[], Awaitable[None]]) -> None:
        while True:
            waiting = asyncio.Event()
            self.clock.call_at(self.clock.now_ms() + every_ms, waiting.set)
            await waiting.wait()
            try:
                await act()
            except Exception:
                log.exception("The service stumbled; it goes on.")

    async def _fill_gaps(self) -> None:
        for (table, boot), seq in self.archive.gaps().items():
            view = self.hall.views.get(table)
            http = view.info.get("http") if view is not None else None
            found: list[Any] | None = []
            if isinstance(http, str) and http and self._http is not None:
                found = await gaps.missed_events(self._http, http, boot, seq)
            if found:
                await self._on_wire(partial(self.archive.fill, (table, boot), found))
                self._tries.pop((table, boot, seq), None)
                await self._on_wire(self._tell_incidents)
                continue
            tries = self._tries[table, boot, seq] = self._tries.get((table, boot, seq), 0) + 1
            if tries >= TRIES_BEFORE_LOST and found is not None:
                log.warning("Events of %s after %d of %s are lost.", table, seq, boot)
                await self._on_wire(partial(self.archive.give_up, (table, boot)))
                self._tries.pop((table, boot, seq), None)

    async def _on_wire(self, act: Callable[[], None]) -> None:
        """The archive belongs to the wire's thread."""
        done = asyncio.Event()

        def work() -> None:
            try:
                act()
            finally:
                with contextlib.suppress(RuntimeError):
                    self.loop.call_soon_threadsafe(done.set)

        self.wire.call(work)
        await done.wait()

    async def _fetch_pictures(self) -> None:
        now_ms = measure.epoch_ms()
        for row in await asyncio.to_thread(self.evidence.waiting, now_ms):
            view = self.hall.views.get(row["tbl"])
            http = view.info.get("http") if view is not None else None
            body: bytes | int | None = None
            if isinstance(http, str) and http and self._http is not None:
                url = f"{http.rstrip('/')}/api/evidence/{row['name']}"
                body = await gaps.fetch(self._http, url, self.token)
            await asyncio.to_thread(self.evidence.fetched, row, body, now_ms)

    async def _purge(self) -> None:
        await asyncio.to_thread(self.evidence.purge, measure.epoch_ms())

    # --- for the API --------------------------------------------------------------------------------------------------

    async def put_document(self, name: str, data: dict[str, Any] | None) -> None:
        """Keep and publish schedule, roster or announcement; None takes it back."""
        payload = json.dumps(data, ensure_ascii=False).encode() if data is not None else b""
        await asyncio.to_thread(self.documents.put, name, payload)
        self.wire.publish(venue_topic(self.config.venue.name, name), payload, retain=True)

    def relay_rows(self) -> list[dict[str, Any]]:
        """How the relay stands for each table, as it said last; ``aired_ms``: how long ago it aired anything."""
        now = self.clock.now_ms()
        since = {table: now - at_ms for table, at_ms in self._aired_ms.items()}
        return [{**self.relays[table], "aired_ms": since.get(table)} for table in sorted(self.relays)]

    async def tell_relay(self, tables: list[str], said: dict[str, Any]) -> set[str]:
        """Tell the relay something about tables; returns those for which it has answered within ``ANSWER_S``."""
        asked = {table: self.loop.create_future() for table in tables}
        for table, answered in asked.items():
            self._relay_asked.setdefault(table, set()).add(answered)
            self.control_relay(table, said)
        done, late = await asyncio.wait(asked.values(), timeout=ANSWER_S)
        for table, answered in asked.items():
            if answered in late:
                self._relay_asked.get(table, set()).discard(answered)
        return {table for table, answered in asked.items() if answered in done}

    def control_relay(self, table: str, said: dict[str, Any]) -> None:
        """Tell the relay, wherever it runs."""
        payload = json.dumps(said).encode()
        self.wire.publish(relay_topic(self.config.venue.name, table, "control"), payload, expiry_s=60)
