"""No card that was not yet shown is in any message, answer, page, log line or file of the venue, deal after deal.

SECRECY_DEALS plays more of them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from table_controller.app.venue import running
from table_controller.cards import FACES
from table_controller.venue.api.server import ROUTES
from table_controller.venue.broker_files import hashed
from table_controller.venue.people import ROLES
from table_controller.venue.settings import (
    ArchiveSettings,
    BrokerSettings,
    PageSettings,
    RelaySettings,
    VenueConfig,
    VenueSettings,
)

pytestmark = [pytest.mark.broker, pytest.mark.timeout(1800)]
DEALS = int(os.environ.get("SECRECY_DEALS", "2"))
LOOKS = (0, 1, 2, 4, 8, 16, 40)
"""After so many acts of a deal everything is looked through."""
CARD = re.compile(r'"(' + "|".join(sorted(FACES)) + r')\\?"')
PASSWORD = "long enough"


class Shown:
    """The faces that people at the table have seen, by deal; what else is found is a leak."""

    def __init__(self) -> None:
        self.deal = self.deals = self.begun = 0
        """This deal's number, how many there were, and the number of the last event of the games before."""
        self.by_deal: dict[int, set[str]] = defaultdict(set)
        self.looked_at = 0

    def new_deal(self, number: int, sent: int) -> None:
        """Deals are counted from 1 again in each game: what was said in those before was looked through then."""
        self.deals += 1
        if number <= self.deal:
            last = self.by_deal[self.deal]
            self.by_deal.clear()
            self.by_deal[0] = last  # until the first deal of a game begins, the table shows the last one of before
            self.begun = sent
        self.deal = number

    def learn(self, table: Any) -> None:
        state = table.core.state
        known = self.by_deal[self.deal]
        for action in state.actions:
            known |= set(action.cards)
        if (exchange := state.exchange) is not None:
            known |= {*exchange.shown.values(), *exchange.returned.values()}

    def check(self, where: str, text: str) -> None:
        """Any text: cards in it belong to the deal that it names, else to this one."""
        self.looked_at += 1
        try:
            said = json.loads(text)
        except ValueError:
            said = text
        for deal, card in _cards(said, self.deal, self.begun):
            assert card in self.by_deal[deal], f"{where}: {card} of deal {deal} is not shown yet: {text[:300]}"


def _cards(said: Any, deal: int, begun: int = 0) -> Iterator[tuple[int, str]]:
    if isinstance(said, dict):
        seq = said.get("seq")
        if "boot" in said and isinstance(seq, int) and seq <= begun:
            return
        named = said.get("deal")
        deal = named if isinstance(named, int) and not isinstance(named, bool) else deal
        for key, value in said.items():
            if key in FACES:
                yield deal, key
            yield from _cards(value, deal, begun)
    elif isinstance(said, list):
        for value in said:
            yield from _cards(value, deal, begun)
    elif isinstance(said, str):
        if said in FACES:
            yield deal, said
        elif CARD.search(said):
            try:
                yield from _cards(json.loads(said), deal, begun)
            except ValueError:
                yield from ((deal, card) for card in CARD.findall(said))


class Lines(logging.Handler):
    """Every line of every logger."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


class Everything:
    """Looks through all that is new since it looked last."""

    def __init__(self, shown: Shown, reader: Any, folder: Path, lines: Lines) -> None:
        self.shown, self.reader, self.folder, self.lines = shown, reader, folder, lines
        self.read = self.logged = 0
        self.rows: set[tuple[str, str]] = set()

    def messages(self) -> None:
        found = list(self.reader.messages)
        for message in found[self.read :]:
            self.shown.check(message.topic, bytes(message.payload).decode())
        self.read = len(found)

    def log(self) -> None:
        for line in self.lines.lines[self.logged :]:
            self.shown.check("log", line)
        self.logged = len(self.lines.lines)

    def files(self) -> None:
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in (".sqlite", "") and path.is_file() and path.read_bytes()[:6] == b"SQLite":
                self._database(path)
            elif path.is_file() and not path.name.endswith(("-wal", "-shm")) and "broker" not in path.parts:
                self.shown.check(path.name, path.read_text(errors="replace"))

    def _database(self, path: Path) -> None:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)) as db:
            for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                for row in db.execute(f'SELECT * FROM "{table}"').fetchall():
                    known = (f"{path.name}.{table}", repr(row))
                    if known not in self.rows:
                        self.rows.add(known)
                        for cell in row:
                            self.shown.check(known[0], cell.decode() if isinstance(cell, bytes) else str(cell))

    async def answers(self, http: aiohttp.ClientSession, url: str, tokens: dict[str, str]) -> None:
        for route in ROUTES:
            if route.method != "GET" or route.answer != "application/json":
                continue
            path = route.path.replace("{table}", "t1").replace("{id}", "1")
            for role in (route.roles or ("",))[-2:]:
                headers = {"Authorization": f"Bearer {tokens[role]}"} if role else {}
                async with http.get(url + path, headers=headers, params={"boot": "b1"}) as answer:
                    assert answer.status in (200, 404), (path, answer.status)
                    self.shown.check(path, await answer.text())
        for page in ("/referee", "/director", "/overlay/t1", "/scoreboard", "/table/t1", "/login"):
            async with http.get(url + page) as answer:
                assert CARD.findall(await answer.text()) == []


@pytest.fixture
def all_seeing(hall: Any, kit: Any) -> Iterator[Any]:
    """A reader of the test's own of every topic: the ACL file gets one more account."""
    with (hall.folder / "acl").open("a") as file:
        file.write("\nuser root-of-tests\ntopic read #\n")
    with (hall.folder / "passwd").open("a") as file:
        file.write(f"root-of-tests:{hashed('x')}\n")
    (hall.folder / "secrets" / "root-of-tests.password").write_text("x")
    hall.stop()
    hall.start()
    client = kit.Client(hall.login("root-of-tests"), "root", "#")
    yield client
    client.close()


def test_nothing_tells_of_a_card_before_the_table_has_seen_it(
    hall: Any, kit: Any, tmp_path: Path, all_seeing: Any
) -> None:
    config = VenueConfig(
        VenueSettings("hall", "default", str(tmp_path / "state")),
        BrokerSettings("127.0.0.1", hall.port, "venue", str(hall.password_file("venue"))),
        PageSettings("127.0.0.1", 0),
        ArchiveSettings(),
        RelaySettings(True, 0, "relay", str(hall.password_file("relay"))),
    )
    (tmp_path / "state").mkdir()
    lines, shown = Lines(), Shown()
    logging.getLogger().addHandler(lines)
    table = kit.SimulatedTable(hall, "t1", tmp_path / "state", seed=11)
    everything = Everything(shown, all_seeing, tmp_path, lines)

    async def look(service: Any, web: Any, http: Any, tokens: dict[str, str]) -> None:
        shown.learn(table.table)
        taken = lambda: getattr(service.archive.cursors.get(("t1", "b1")), "seq", 0)  # noqa: E731
        aired = lambda: service.aired.states.get("t1", {}).get("seq", 0)  # noqa: E731
        await kit.until(lambda: taken() == table.sent and aired() == table.sent, 40)
        await asyncio.to_thread(everything.messages)
        await asyncio.to_thread(everything.files)
        await everything.answers(http, f"http://127.0.0.1:{web.port}", tokens)
        everything.log()

    async def work() -> None:
        async with running(config) as made, aiohttp.ClientSession() as http:
            assert made is not None
            service, web = made
            tokens = {}
            for role in ROLES:
                await asyncio.to_thread(service.people.set_person, role, role, PASSWORD)
                found = await asyncio.to_thread(service.people.log_in, role, PASSWORD, "here", 1)
                assert found is not None
                tokens[role] = found[1]
            await kit.until(lambda: service.wire.online)
            table.table.open()
            for _ in range(DEALS):
                sent = table.sent
                table.table.deal()
                shown.new_deal(table.table.core.state.deal_number, sent)
                await look(service, web, http, tokens)
                assert shown.by_deal[shown.deal] == set(), "cards are held, none is shown"
                table.table.sort_and_exchange()
                acts = 0
                while table.table.core.state.phase in ("playing", "trick_over"):
                    if acts in LOOKS:
                        await look(service, web, http, tokens)
                    table.table.act()
                    acts += 1
                await look(service, web, http, tokens)

    try:
        asyncio.run(work())
    finally:
        logging.getLogger().removeHandler(lines)
        table.close()
    print(f"{shown.deals} deals, {everything.read} messages, {len(everything.rows)} rows, {shown.looked_at} texts")
    assert shown.deals == DEALS
    assert everything.read > 100 * DEALS
    assert len(shown.by_deal[shown.deal]) > 40


def test_a_leak_would_be_noticed() -> None:
    shown = Shown()
    shown.deal = 2
    shown.by_deal[2] |= {"5S"}
    shown.check("ok", '{"deal": 2, "data": {"cards": ["5S"]}}')
    shown.check("ok", "a straight:8 of E at 5")
    for leak in ('{"deal": 2, "hand": ["5S", "BJ"]}', 'hands {"E": ["6H"]', '{"payload": "{\\"cards\\": [\\"7D\\"]}"}'):
        with pytest.raises(AssertionError, match="not shown yet"):
            shown.check("leak", leak)
