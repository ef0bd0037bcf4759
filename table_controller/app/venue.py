"""``venue``: the service of a hall of tables, its broker's files, its people."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import getpass
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from table_controller.app.brokers import answers, mosquitto_program
from table_controller.app.table import fresh_folder
from table_controller.app.terminal import say, url_host
from table_controller.app.venue_pages import venue_pages
from table_controller.config import secret_of
from table_controller.errors import DeviceError, UsageError
from table_controller.runtime import measure
from table_controller.venue.api.server import VenueWeb
from table_controller.venue.broker_files import Bridge, Listening, account_of, write_files
from table_controller.venue.people import ROLES, People
from table_controller.venue.relay.missed import missed_now
from table_controller.venue.relay.relay import Relay
from table_controller.venue.service import Service
from table_controller.venue.settings import VenueConfig, load_venue
from table_controller.venue.store.database import migrate, open_database

PARTS = ("all", "service", "relay")
BROKER_STARTS_S = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    acts = parser.add_subparsers(dest="deed", required=True, metavar="WHAT")
    serve = acts.add_parser("serve", help="run the service until Ctrl-C")
    serve.add_argument("--part", choices=PARTS, default="all", help="the relay can run in a process of its own")
    files = acts.add_parser("broker-config", help="write mosquitto's files: listeners, passwords, who may what")
    files.add_argument("--out", type=Path, required=True, metavar="DIR")
    files.add_argument("--table", action="append", default=[], metavar="NAME", help="a table's name (again for each)")
    files.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    for name, words in (
        ("port", "MQTT (default: broker.port)"),
        ("websocket-port", "MQTT over websockets"),
        ("tls-port", "MQTT over TLS"),
    ):
        files.add_argument(f"--{name}", type=int, default=0, metavar="N", help=words)
    files.add_argument("--certificate", default="", metavar="PEM")
    files.add_argument("--key", default="", metavar="PEM")
    files.add_argument("--hall", action="append", default=[], metavar="NAME", help="a hall bridged to this head broker")
    files.add_argument("--bridge", default="", metavar="HOST:PORT", help="this broker is a hall's, under a head broker")
    files.add_argument("--bridge-as", default="", metavar="NAME", help="the hall's name at the head broker")
    files.add_argument("--bridge-password-file", type=Path, metavar="FILE", help="what the head broker made for it")
    files.add_argument("--bridge-ca", default="", metavar="PEM", help="TLS to the head broker, by this authority")
    user = acts.add_parser("user", help="people who log in")
    what = user.add_subparsers(dest="what", required=True, metavar="WHAT")
    add = what.add_parser("add", help="add somebody, or set role and password anew")
    add.add_argument("name")
    add.add_argument("--role", choices=ROLES, required=True)
    add.add_argument("--password-file", type=Path, metavar="FILE", help="instead of asking")
    remove = what.add_parser("remove", help="somebody no longer enters")
    remove.add_argument("name")
    listed = what.add_parser("list", help="everybody")
    key = acts.add_parser("key", help="a key for a page that cannot log in")
    key.add_argument("name")
    key.add_argument("--role", choices=("overlay", "scoreboard", "viewer"), required=True)
    migrating = acts.add_parser("migrate", help="bring the database up to date")
    for one in (serve, files, add, remove, listed, key, migrating):
        one.add_argument("--config", type=Path, required=True, metavar="FILE", help="the venue's venue.toml")


def run(args: argparse.Namespace) -> int:
    """Do it; raises TableError."""
    config = load_venue(args.config)
    if args.deed == "serve":
        return serve(config, args.part)
    if args.deed == "broker-config":
        return _broker_files(config, args)
    engine = open_database(config.database_url)
    migrate(engine)
    people = People(engine, measure.epoch_ms)
    try:
        if args.deed == "key":
            print(people.add_key(args.name, args.role))
        elif args.deed == "user":
            _user(people, args)
    finally:
        engine.dispose()
    return 0


def _user(people: People, args: argparse.Namespace) -> None:
    if args.what == "list":
        for row in people.everybody():
            print(
                f"{row['name']:30} {row['role']:14} {'key' if row['is_key'] else ''} {'' if row['active'] else 'gone'}"
            )
    elif args.what == "remove":
        if not people.remove(args.name):
            raise UsageError(f"There is nobody called '{args.name}'.", way_out="`venue user list` shows everybody.")
    else:
        people.set_person(args.name, args.role, _asked(args.password_file))


def _asked(file: Path | None) -> str:
    if file is not None:
        try:
            return file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}.", way_out="Name another file.") from error
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    return getpass.getpass("Password: ")


def _broker_files(config: VenueConfig, args: argparse.Namespace) -> int:
    port = args.port or config.broker.port
    listening = Listening(
        args.host, port, args.websocket_port, args.tls_port, args.certificate, args.key, _bridge(args)
    )
    folder = args.out.absolute()
    accounts = write_files(folder, config.venue.name, args.table, listening, args.hall)
    print(f"{folder}/mosquitto.conf, {folder}/passwd, {folder}/acl")
    print(f"accounts: {', '.join(accounts)}; their passwords: {folder}/secrets/ACCOUNT.password")
    if args.table:
        print(f'a table\'s table.toml: feed.username = "{account_of(args.table[0])}" and its password_file')
    return 0


def _bridge(args: argparse.Namespace) -> Bridge | None:
    if not args.bridge:
        return None
    host, _, port = args.bridge.partition(":")
    if not port.isdigit() or not args.bridge_as or args.bridge_password_file is None:
        raise UsageError(
            "A bridge needs HOST:PORT, --bridge-as and --bridge-password-file.",
            way_out="At the head: venue broker-config --hall NAME; its secrets/hall-NAME.password is the file.",
        )
    password = secret_of(str(args.bridge_password_file), "--bridge-password-file")
    return Bridge(host, int(port), args.bridge_as, password, args.bridge_ca)


def serve(config: VenueConfig, part: str = "all") -> int:
    """Run until SIGTERM or Ctrl-C."""
    fresh_folder(config.folder)
    with started_broker(config):
        asyncio.run(_serve(config, part))
    return 0


async def _serve(config: VenueConfig, part: str) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    async with running(config, part) as service:
        if service is not None:
            say(f"venue {config.venue.name}: {address(config, service[1].port)}/referee")
        else:
            say(f"relay of {config.venue.name}, delay {config.relay.delay_s} s")
        await stopping.wait()


def address(config: VenueConfig, port: int) -> str:
    """Where the pages are."""
    return f"{'https' if config.web.tls_certificate else 'http'}://{url_host(config.web.host)}:{port}"


@contextlib.asynccontextmanager
async def running(config: VenueConfig, part: str = "all") -> AsyncIterator[tuple[Service, VenueWeb] | None]:
    """The service and its web server while this lasts (None for a relay alone)."""
    relay = None
    if part == "relay" or (part == "all" and config.relay.enabled):
        relay = Relay(config.relay_login(), config.venue.name, config.folder, config.relay.delay_s, missed_now)
        relay.start()
    try:
        if part == "relay":
            yield None
            return
        service = Service(config)
        pages = VenueWeb(service, venue_pages())
        await pages.start()
        await service.start()
        try:
            yield service, pages
        finally:
            await pages.stop()
            await service.stop()
    finally:
        if relay is not None:
            await asyncio.to_thread(relay.stop)


@contextlib.contextmanager
def started_broker(config: VenueConfig) -> Iterator[None]:
    """The venue's own mosquitto while this lasts, if it is to be started here."""
    if not config.broker.start:
        yield
        return
    program = mosquitto_program()
    file = Path(config.broker.config) / "mosquitto.conf"
    if program is None:
        raise DeviceError("mosquitto is not installed.", way_out="apt-get install mosquitto.")
    if not config.broker.config or not file.is_file():
        raise DeviceError(f"There is no {file}.", way_out="Write it: table-controller venue broker-config.")
    host, port = config.broker.host, config.broker.port
    if answers(host, port, 0.2):
        raise DeviceError(
            f"Something listens at {host}:{port} already, so no broker can be started there.",
            way_out="Stop it (systemctl stop mosquitto), or set broker.start = false, or another broker.port.",
        )
    process = subprocess.Popen([program, "-c", str(file)], start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        _await(config, process.poll, file)
        yield
    finally:
        process.terminate()
        process.wait(10)


def _await(config: VenueConfig, ended: Callable[[], int | None], file: Path) -> None:
    for _ in range(int(BROKER_STARTS_S * 20)):
        if answers(config.broker.host, config.broker.port, 0.2):
            return
        if ended() is not None:
            break
        threading.Event().wait(0.05)
    where = f"{config.broker.host}:{config.broker.port}"
    raise DeviceError(
        f"mosquitto does not answer at {where}.",
        way_out=f"Run `mosquitto -c {file}` to see why, and look for its listener.",
    )
