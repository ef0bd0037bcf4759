"""The archive on SQLite and on a real PostgreSQL: order, gaps, what is made of events, hostile messages."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, inspect, select

from table_controller.feed.topics import Topics, split_topic
from table_controller.games.guandan.profile import load_profile
from table_controller.sim.published import Kept, PublishingTable
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.effects import Publish
from table_controller.venue import records
from table_controller.venue.archive import Archive
from table_controller.venue.service import Service
from table_controller.venue.settings import ArchiveSettings, BrokerSettings, VenueConfig, VenueSettings
from table_controller.venue.standings import standings
from table_controller.venue.store import tables as t
from table_controller.venue.store.database import migrate, open_database
from table_controller.venue.wire import Heard, decoded

KILLS = int(os.environ.get("KILL_ROUNDS", "2"))
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def heard(topic: str, payload: bytes, *, retained: bool = False) -> Heard:
    parts = split_topic(topic)
    assert parts is not None
    return Heard(topic, *parts[1:], payload, retained, 0, decoded(payload))


@pytest.fixture(scope="module")
def messages() -> list[Heard]:
    kept = Kept()
    table = PublishingTable(4)
    table.attach(kept, Topics("v", "t1"))
    table.open()
    table.send(rv.MatchSet, by="x", system="计副", deals=2, minutes=0, games=1, format="swiss", round=3, names=())
    table.deal()
    table.sort_and_exchange()
    table.act()
    table.send(ev.TdPressed, seat="N")
    for status in ("acknowledged", "arrived", "resolved"):
        table.send(ev.IncidentUpdated, incident=1, status=status, by="Li", reason=f"{status} 了")
    table.send(ev.ResumeRequested, by="Li")
    while table.core.state.phase not in ("deal_over", "game_over"):
        table.act()
    table.send(rv.ResultEntered, seat="S")
    table.send(rv.ResultChecked, seat="E")
    table.play_deal()
    assert table.core.state.phase == "game_over"
    return [heard(topic, payload) for topic, payload in kept.messages]


class Server:
    """A PostgreSQL of its own, as an ordinary user (it refuses root)."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.program = folder, PROGRAMS[0]
        self.process: Any = None
        self.as_user: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            self.as_user |= {"user": owner.pw_uid, "group": owner.pw_gid, "cwd": "/"}
            shutil.chown(folder, "postgres")
        words = ["-U", "venue", "-A", "trust", "-E", "UTF8", "-N", "--locale=C"]
        self._run("initdb", "-D", str(folder / "data"), *words)
        self.url = f"postgresql+psycopg://venue@/postgres?host={folder}"

    def _run(self, program: str, *words: str, check: bool = True) -> int:
        return subprocess.run([str(self.program / program), *words], check=check, **self.as_user).returncode

    def start(self) -> None:
        """In a session of its own, so that what ends a test's processes does not reach it."""
        options = ("listen_addresses=", "fsync=off", f"unix_socket_directories={self.folder}")
        command = ["setsid", "-f", str(self.program / "postgres"), "-D", str(self.folder / "data")]
        command += [word for option in options for word in ("-c", option)]
        with (self.folder / "log").open("ab") as log:
            subprocess.run(command, check=True, **{**self.as_user, "stdout": log, "stderr": log})
        end = time.monotonic() + 60
        while self._run("pg_isready", "-q", "-h", str(self.folder), check=False) != 0:
            assert time.monotonic() < end, f"PostgreSQL does not start: {self.last_words()}"
            time.sleep(0.05)
        own = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        self.process = psutil.Process(own)

    def last_words(self) -> str:
        """The end of its log."""
        return (self.folder / "log").read_text(errors="replace")[-1500:]

    def kill(self) -> None:
        """At once, its children with it: nothing is written, and the next start recovers. All of them are waited for:
        a child that outlives its server writes into the files of the next one."""
        alive = self.process is not None and self.process.is_running() and self.process.status() != "zombie"
        assert alive, f"PostgreSQL died by itself: {self.last_words()}"
        family = [*self.process.children(recursive=True), self.process]
        self.process.send_signal(signal.SIGQUIT)
        _, left = psutil.wait_procs(family, 60)
        assert [one for one in left if one.status() != "zombie"] == [], f"PostgreSQL does not stop: {self.last_words()}"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """In a folder outside pytest's own, which each run of pytest closes to other users again, under a server's feet."""
    assert PROGRAMS, "PostgreSQL is not installed: .ci/setup dev"
    with tempfile.TemporaryDirectory(prefix="table-pg-") as folder:
        made = Server(Path(folder))
        made.start()
        yield made
        made.kill()


@pytest.fixture
def postgresql(server: Server) -> str:
    return server.url


def emptied(url: str) -> Engine:
    made = open_database(url)
    t.metadata.drop_all(made)
    with made.begin() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS alembic_version")
    return made


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        made = open_database(f"sqlite:///{tmp_path / 'a.sqlite'}")
    else:
        made = emptied(request.getfixturevalue("postgresql"))
    migrate(made)
    migrate(made)  # twice is once
    yield made
    made.dispose()


NEXT = {"tables": {"t1": {"EW": "next", "NS": "after"}}}
BOOK = {**NEXT, "rounds": {3: {"tables": {"t1": {"EW": "East", "NS": "North"}}}, 4: NEXT}}
"""The seats of the round that is played, and those of the next, written already."""


def archive_of(engine: Engine) -> Archive:
    return Archive(engine, "v", lambda: BOOK)


def count(engine: Engine, table: Any) -> int:
    with engine.begin() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def test_the_migrations_make_the_tables_of_the_code(engine: Engine) -> None:
    found = inspect(engine)
    assert set(found.get_table_names()) == {*t.metadata.tables, "alembic_version"}
    for name, table in t.metadata.tables.items():
        assert {c["name"] for c in found.get_columns(name)} == {c.name for c in table.columns}, name


def test_a_match_is_kept_whole_whatever_the_order(engine: Engine, messages: list[Heard]) -> None:
    """Shuffled, doubled and in batches: the archive is the same, and what it makes of it too."""
    events = [h for h in messages if h.is_event]
    mixed = [*messages, *events[::3]]
    random.Random(5).shuffle(mixed)
    archive = archive_of(engine)
    for start in range(0, len(mixed), 37):
        archive.ingest(mixed[start : start + 37])
    assert archive.gaps() == {}
    assert count(engine, t.event) == len(events)
    kept = [json.loads(p) for p in archive.missed("t1", "boot-1", 0, 10_000)]
    assert kept == [json.loads(h.payload) for h in events]
    [told] = records.incidents(engine, 10**13, status="all", table="", limit=10)
    assert (told["kind"], told["status"], told["reason"]) == ("td_call", "resolved", "resolved 了")
    assert [told[step]["by"] for step in ("acknowledged", "arrived", "ended")] == ["Li"] * 3
    rows = records.results(engine, 3, BOOK)
    assert [(row["deal"], row["round"], row["EW"]) for row in rows] == [(1, 3, "East"), (2, 3, "East")]
    assert (rows[0]["entered_by"], rows[0]["checked_by"]) == ("S", "E")
    text = records.as_csv(rows)
    assert text.splitlines()[1].startswith("t1,3,1,1,2,")
    [game] = records.games(engine, None)
    assert game["EW"] == "East"
    [first, second] = standings([game], load_profile("default"))
    assert (first["place"], second["place"]) == (1, 2)
    assert first["teams"][0]["won"] == 1
    assert count(engine, t.seal) == 4
    again = archive_of(engine)  # opened anew: where it was
    assert again.cursors["t1", "boot-1"].seq == len(events)


def test_a_gap_is_named_waits_and_is_filled_or_given_up(engine: Engine, messages: list[Heard]) -> None:
    events = [h for h in messages if h.is_event]
    archive = archive_of(engine)
    archive.ingest([*events[:10], *events[15:]])
    assert archive.gaps() == {("t1", "boot-1"): 10}
    assert records.games(engine, None) == []
    archive.fill(("t1", "boot-1"), [json.loads(h.payload) for h in events[10:13]])
    assert archive.gaps() == {("t1", "boot-1"): 13}
    archive.give_up(("t1", "boot-1"))
    assert archive.gaps() == {}
    assert archive.cursors["t1", "boot-1"].lost == 2
    assert len(records.games(engine, None)) == 1
    archive.ingest(events)  # found again after all
    assert count(engine, t.event) == len(events)


def test_a_new_session_ends_what_was_open(engine: Engine, messages: list[Heard]) -> None:
    archive = archive_of(engine)
    events = [h for h in messages if h.is_event and h.said is not None]
    first = next(place for place, h in enumerate(events) if h.said and h.said["schema"] == "event/incident")
    archive.ingest(events[: first + 1])
    assert len(records.open_incidents(engine)) == 1
    opened = {**json.loads(events[0].payload), "boot": "boot-2"}
    archive.ingest([heard("guandan/v1/v/live/t1/event", json.dumps(opened).encode())])
    assert records.open_incidents(engine) == []


HOSTILE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(data=st.data())
def test_hostile_messages_never_stop_the_archive(data: st.DataObject, messages: list[Heard]) -> None:
    """One field of one message is anything: the archive takes it or leaves it, and takes the next."""
    engine = open_database("sqlite://")
    migrate(engine)
    archive = archive_of(engine)
    whole = [h for h in messages if h.said is not None]
    said = json.loads(data.draw(st.sampled_from(whole)).payload)
    place = said["data"] if data.draw(st.booleans()) else said
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(HOSTILE)
    payload = json.dumps(said).encode()
    archive.ingest([heard("guandan/v1/v/live/t1/event", payload), heard("guandan/v1/v/seal/t1/commit", payload)])
    archive.ingest([h for h in messages if h.is_event][:30])
    assert archive.cursors["t1", "boot-1"].seq >= 1
    engine.dispose()


@pytest.mark.parametrize("text", ["\x00", "\ud800", "x" * 5000, "💥" * 90])
def test_text_that_a_database_does_not_take(engine: Engine, messages: list[Heard], text: str) -> None:
    archive = archive_of(engine)
    events = [h for h in messages if h.is_event]
    place = next(i for i, h in enumerate(events) if h.said and h.said["schema"] == "event/incident_updated")
    said = json.loads(events[place].payload)
    said["data"].update(by=text, reason=text)
    bad = heard("guandan/v1/v/live/t1/event", json.dumps(said).encode())
    archive.ingest([*events[:place], bad, *events[place + 1 :]])
    assert archive.cursors["t1", "boot-1"].seq == len(events)


def test_depth_and_size_are_not_understood() -> None:
    for payload in (b"[" * 200_000, b'{"a":' * 100_000, b"{" + b" " * 300_000 + b"}", b"\xff\xfe", b"", b"[]", b"3"):
        assert decoded(payload) is None


@pytest.mark.broker
@pytest.mark.timeout(300 + 30 * KILLS)
def test_a_killed_database_loses_nothing(server: Server, hall: Any, kit: Any, tmp_path: Path) -> None:
    """Again and again, while a table talks: what could not be written comes again from the broker."""
    emptied(server.url).dispose()
    config = VenueConfig(
        VenueSettings("hall", "default", str(tmp_path / "state")),
        BrokerSettings("127.0.0.1", hall.port, "venue", str(hall.password_file("venue"))),
        archive=ArchiveSettings(database=server.url),
    )
    table = kit.SimulatedTable(hall, "t1")

    def talk(count: int) -> None:
        for _ in range(count):
            table.publisher.perform(Publish("camera_back"))

    async def work() -> None:
        service = Service(config)
        await service.start()
        try:
            await killed(service)
            assert (
                len(await asyncio.to_thread(service.archive.missed, "t1", "b1", 0, 10_000))
                == table.sent
                == 50 + 100 * KILLS
            )
        finally:
            await service.stop()

    async def killed(service: Service) -> None:
        taken = lambda: getattr(service.archive.cursors.get(("t1", "b1")), "seq", 0)  # noqa: E731
        await kit.until(lambda: "t1" in service.hall.views)  # it has subscribed
        talk(50)
        await kit.until(lambda: taken() == 50, 40)
        for round_ in range(1, KILLS + 1):
            await asyncio.to_thread(server.kill)
            before = service.wire.dropped
            talk(50)
            await kit.until(lambda n=before: service.wire.dropped > n, 40)
            await asyncio.to_thread(server.start)
            talk(50)
            await kit.until(lambda r=round_: taken() == 50 + 100 * r, 60)

    try:
        asyncio.run(work())
    finally:
        table.close()
