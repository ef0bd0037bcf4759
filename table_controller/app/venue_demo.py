"""``venue demo``: a broker, the venue's service and a hall of simulated tables, with some trouble at some of them."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random  # noqa: TID251 - the seeds of a simulated run
import secrets
import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import cv2
import numpy as np

from table_controller.app.brokers import free_port
from table_controller.app.table import Table, add_feed, add_page, open_table
from table_controller.app.terminal import say
from table_controller.app.venue import address, running, started_broker
from table_controller.cards import Seat
from table_controller.errors import UsageError
from table_controller.feed.client import Broker
from table_controller.geometry import load_geometry
from table_controller.runtime.clock import RealClock
from table_controller.runtime.measure import boot_id
from table_controller.sim.art import prompt_picture
from table_controller.sim.deck import deck
from table_controller.sim.quiet_table import STEP_MS, Habits, QuietTable
from table_controller.table.referee_events import MatchSet
from table_controller.venue.broker_files import Listening, account_of, write_files
from table_controller.venue.service import Service
from table_controller.venue.settings import (
    ArchiveSettings,
    BrokerSettings,
    PageSettings,
    RelaySettings,
    VenueConfig,
    VenueSettings,
)

MOST_TABLES = 60
PEOPLE = (("referee", "referee"), ("head", "head_referee"), ("director", "director"))
PASSWORD = "guandan-demo"
TEAMS = ("东风", "南山", "西湖", "北斗", "江淮", "秦岭", "洞庭", "泰山")
VENUE = "demo-hall"
CIRCLE_PX_PER_MM = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--tables", type=int, default=4, metavar="N", help=f"1 to {MOST_TABLES} (default 4)")
    parser.add_argument("--seconds", type=int, default=0, metavar="N", help="end by itself (default: Ctrl-C)")
    parser.add_argument("--delay", type=int, default=5, metavar="S", help="seconds before air (default 5)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--port", type=int, default=8090, metavar="N", help="the service's port (0: any)")
    parser.add_argument("--hurried", action="store_true", help="players take half a second to two")


def run_venue_demo(args: argparse.Namespace) -> int:
    """Run until Ctrl-C or for ``--seconds``."""
    if not 1 <= args.tables <= MOST_TABLES or not 0 <= args.delay <= 900:
        raise UsageError(f"1 to {MOST_TABLES} tables, and 0 to 900 s of delay.", way_out="Name others.")
    with tempfile.TemporaryDirectory(prefix="venue-demo-") as name:
        folder = Path(name)
        names = [f"t{number}" for number in range(1, args.tables + 1)]
        config = _config(folder, names, args)
        with started_broker(config):
            asyncio.run(_run(config, folder, names, args))
    return 0


def _config(folder: Path, names: list[str], args: argparse.Namespace) -> VenueConfig:
    broker, port, sockets = folder / "broker", free_port(), free_port()
    write_files(broker, VENUE, names, Listening("127.0.0.1", port, sockets))
    (folder / "word").write_text(secrets.token_urlsafe(16), encoding="utf-8")
    return VenueConfig(
        VenueSettings(VENUE, "default", str(folder / "state")),
        BrokerSettings(
            "127.0.0.1", port, "venue", str(broker / "secrets/venue.password"), start=True, config=str(broker)
        ),
        PageSettings("127.0.0.1", args.port),
        ArchiveSettings(True, "", str(folder / "word")),
        RelaySettings(True, args.delay, "relay", str(broker / "secrets/relay.password")),
    )


async def _run(config: VenueConfig, folder: Path, names: list[str], args: argparse.Namespace) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    if args.seconds:
        loop.call_later(args.seconds, stopping.set)
    async with running(config) as made:
        assert made is not None
        service, pages = made
        overlay = _admit(service)
        await _seat(service, names)
        _announce(config, pages.port, names, overlay)
        async with contextlib.AsyncExitStack() as stack:
            for place, name in enumerate(names):
                await stack.enter_async_context(_table(config, folder, name, place, args))
            await stopping.wait()
        archived = service.archive.events
    say(f"events in the archive: {archived}")


def _admit(service: Service) -> str:
    for name, role in PEOPLE:
        service.people.set_person(name, role, PASSWORD)
    return service.people.add_key("demo overlay", "overlay")


def _players(place: int) -> tuple[str, str, str, str]:
    """East, North, West, South of one table."""
    ew, ns = TEAMS[2 * place % len(TEAMS)], TEAMS[(2 * place + 1) % len(TEAMS)]
    number = 2 * place // len(TEAMS) + 1
    return (f"{ew}{number}甲", f"{ns}{number}甲", f"{ew}{number}乙", f"{ns}{number}乙")


async def _seat(service: Service, names: list[str]) -> None:
    tables = {}
    for place, name in enumerate(names):
        seated = _players(place)
        tables[name] = {"names": list(seated), "EW": seated[0][:-1], "NS": seated[1][:-1]}
    await service.put_document("roster", {"round": 1, "tables": tables})


def _announce(config: VenueConfig, port: int, names: list[str], overlay: str) -> None:
    at = address(config, port)
    for name, role in PEOPLE:
        say(f"log in as {name:10} ({role}), password {PASSWORD}")
    say(f"referee   {at}/referee   in English {at}/referee?lang=en")
    say(f"director  {at}/director")
    say(f"overlay   {at}/overlay/{names[0]}?key={overlay}   {config.relay.delay_s} s behind")
    say(f"table     {at}/table/{names[0]}   once logged in")
    say(f"broker    {config.broker.host}:{config.broker.port}, venue {config.venue.name}   stop with Ctrl-C")
    say(f"          accounts overlay (air) and scoreboard (live), passwords in {config.broker.config}/secrets")


@contextlib.asynccontextmanager
async def _table(
    config: VenueConfig, folder: Path, name: str, place: int, args: argparse.Namespace
) -> AsyncIterator[Table]:
    """A simulated table at its broker; every third one has trouble."""
    clock = RealClock(asyncio.get_running_loop())
    own = folder / "tables" / name
    evidence = own / "evidence"
    evidence.mkdir(parents=True)
    table = open_table(
        clock, own / "journal.jsonl", table=name, venue=VENUE, profile="default", seed=args.seed + place, sync=False
    )
    word = (folder / "word").read_text(encoding="utf-8")
    password = (folder / "broker/secrets" / f"{account_of(name)}.password").read_text(encoding="utf-8").strip()
    broker = Broker(config.broker.host, config.broker.port, account_of(name), password)
    consumer = asyncio.create_task(table.runtime.run(), name=f"consumer {name}")
    quiet = QuietTable(
        clock,
        table.runtime.ask,
        lambda: table.runtime.state,
        args.seed * 1000 + place,
        _habits(place, hurried=args.hurried),
        lambda cards: _picture(evidence, cards),
        lambda seat, kind: _circle(evidence, seat, kind),
    )
    port = free_port()
    add_feed(
        table,
        broker,
        own / "outbox.sqlite",
        boot=boot_id(),
        simulated=True,
        ask=table.runtime.ask,
        http=f"http://127.0.0.1:{port}",
        evidence=evidence,
    )
    add_page(table, table.runtime.ask, evidence, token=word)
    assert table.page is not None
    assert table.publisher is not None
    await table.page.start("127.0.0.1", port)
    table.runtime.add(perform=quiet.perform)
    table.begin()
    table.runtime.post(MatchSet(clock.now_ms(), "demo", "计副", 4, 0, 1, "swiss", 1, _players(place)))
    table.publisher.refresh()
    if place == 0:
        say(f"{name} itself http://127.0.0.1:{port}/control   its East http://127.0.0.1:{port}/seat?seat=E")
    people = asyncio.create_task(_people(clock, quiet, place), name=f"people {name}")
    try:
        yield table
    finally:
        for task in (people, consumer):
            task.cancel()
        await asyncio.gather(people, consumer, return_exceptions=True)
        await table.page.stop()
        await asyncio.to_thread(table.close)


def _habits(place: int, *, hurried: bool) -> Habits:
    trouble = 12 if place % 3 == 0 else 1 if place % 3 == 1 else 0
    return Habits((500, 2000), (300, 900), 2000, trouble) if hurried else Habits(trouble=trouble)


async def _people(clock: RealClock, quiet: QuietTable, place: int) -> None:
    due_ms = clock.now_ms() + place * 37 % STEP_MS
    while True:
        waiting = asyncio.Event()
        due_ms = max(due_ms + STEP_MS, clock.now_ms())
        clock.call_at(due_ms, waiting.set)
        await waiting.wait()
        await quiet.step()


def _picture(folder: Path, cards: tuple[str, ...]) -> str:
    """The cards side by side, as a crop of the play area would show them."""
    faces = [cv2.resize(deck("classic").face(card)[..., 2::-1], (90, 130)) for card in cards]
    cloth = np.full((170, 40 + 60 * len(faces) + 40, 3), (94, 74, 58), np.uint8)
    for place, face in enumerate(faces):
        cloth[20:150, 20 + 60 * place : 110 + 60 * place] = face
    name = f"{random.randrange(16**12):012x}.jpg"
    cv2.imwrite(str(folder / name), cloth, [cv2.IMWRITE_JPEG_QUALITY, 85])
    return name


def _circle(folder: Path, seat: Seat, kind: str) -> str:
    """A seat's prompt circle, as its crop would show it; each is drawn once."""
    file = folder / f"{seat}-{kind or 'empty'}-circle.jpg"
    if file.exists():
        return file.name
    geometry = load_geometry()
    side = round((geometry.prompt_diameter_mm + 30) * CIRCLE_PX_PER_MM)
    shown = np.zeros((side, side, 3), np.uint8)
    reach = round(geometry.prompt_diameter_mm / 2 * CIRCLE_PX_PER_MM)
    cv2.circle(shown, (side // 2, side // 2), reach, (94, 74, 58), cv2.FILLED)
    cv2.circle(shown, (side // 2, side // 2), reach, (150, 170, 180), 2, cv2.LINE_AA)
    if kind in geometry.prompt_box:
        marker = geometry.prompt_marker(seat, geometry.prompt_box.index(kind))
        card = prompt_picture(geometry, marker, CIRCLE_PX_PER_MM)[..., 2::-1]
        high, wide = card.shape[:2]
        top, left = (side - high) // 2, (side - wide) // 2
        shown[top : top + high, left : left + wide] = card
    cv2.imwrite(str(file), shown, [cv2.IMWRITE_JPEG_QUALITY, 85])
    return file.name
