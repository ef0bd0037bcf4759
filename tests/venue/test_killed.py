"""Broker, service and relay killed at random instants: afterwards the archive equals what the tables said, and what was
aired is all of it, in order and once. What a killed broker lost a viewer sees by the numbers, and fetches."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from table_controller.app.table import missed_events
from table_controller.table.effects import Publish
from table_controller.venue.people import People
from table_controller.venue.store.database import migrate, open_database

ROUNDS = int(os.environ.get("KILL_ROUNDS", "3"))
pytestmark = [pytest.mark.broker, pytest.mark.timeout(150 + 30 * ROUNDS)]
TALK_S = 0.01


class Killed:
    """A hall at work: tables that talk, service and relay as processes, and what a viewer saw."""

    def __init__(self, hall: Any, kit: Any, folder: Path) -> None:
        self.hall, self.kit, self.folder = hall, kit, folder
        self.web, self.key = kit.free_port(), self._admit()
        self.fetched: dict[str, set[int]] = {name: set() for name in kit.TABLES}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.server.serve_forever, daemon=True, name="missed").start()
        self.tables = {name: kit.SimulatedTable(hall, name, folder) for name in kit.TABLES}
        self._tell()
        self.viewer = kit.Client(hall.login("overlay"), "viewer", "guandan/v1/hall/air/+/event", keeps=True)
        self.parts = {part: self._begin(part) for part in ("service", "relay")}
        self.talking = threading.Event()
        self.talker = threading.Thread(target=self._talk, name="talker", daemon=True)
        self.talker.start()

    def _admit(self) -> str:
        engine = open_database(f"sqlite:///{self.folder / 'state' / 'archive.sqlite'}")
        migrate(engine)
        key = People(engine, lambda: 0).add_key("obs", "overlay")
        engine.dispose()
        return key

    def _tell(self) -> None:
        """Where each table is, with the number of its last event."""
        for name, table in self.tables.items():
            url = f"http://127.0.0.1:{self.server.server_port}/{name}"
            table.publisher.info({"program": "t", "schema": 1, "simulated": True, "http": url, "commands": False})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        killed = self

        class Missed(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = urlsplit(self.path)
                query = parse_qs(asked.query)
                outbox = killed.tables[asked.path.split("/")[1]].outbox
                body = json.dumps(missed_events(outbox, query["boot"][0], int(query["after"][0]))).encode()
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                pass

        return Missed

    def _begin(self, part: str) -> subprocess.Popen[bytes]:
        account = {"service": "venue", "relay": "relay"}[part]
        file = self.folder / f"{part}.toml"
        file.write_text(
            f'[venue]\nname = "hall"\nstate = "{self.folder / "state"}"\n[broker]\nport = {self.hall.port}\n'
            f'username = "{account}"\npassword_file = "{self.hall.password_file(account)}"\n[web]\n'
            f"port = {self.web if part == 'service' else 0}\n"
            "[relay]\nenabled = false\n"
        )
        command = [sys.executable, "-m", "table_controller", "venue", "serve", "--part", part, "--config", str(file)]
        return subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def kill(self, what: str, rng: random.Random) -> None:
        time.sleep(rng.uniform(0.2, 1.2))
        if what == "broker":
            self.hall.kill()
            time.sleep(rng.uniform(0.0, 0.5))
            self.hall.start()
        else:
            self.parts[what].send_signal(signal.SIGKILL)
            self.parts[what].wait(10)
            time.sleep(rng.uniform(0.0, 0.5))
            self.parts[what] = self._begin(what)

    def _talk(self) -> None:
        number = 0
        while not self.talking.wait(TALK_S):
            number += 1
            name = self.kit.TABLES[number % len(self.kit.TABLES)]
            self.tables[name].publisher.perform(Publish("camera_back"))

    def settle(self) -> None:
        """Stop talking, and give everything the time to arrive."""
        self.talking.set()
        self.talker.join()
        for table in self.tables.values():
            self.kit.wait_for(lambda t=table: len(t.outbox) == 0, 60)
        self._tell()

    def archived(self, name: str) -> list[int]:
        return [row[0] for row in self._ask("archive", "SELECT seq FROM event WHERE tbl = ? ORDER BY seq", name)]

    def aired(self, name: str) -> list[int]:
        return [m["seq"] for m in self.viewer.said(f"/air/{name}/event")]

    def seen(self, name: str) -> list[int]:
        """What a viewer has: what came, and what he fetched where a number was missing."""
        return sorted({*self.aired(name), *self.fetched[name]})

    def fetch_missing(self, name: str) -> bool:
        """As docs/feed.md says: a reader that sees a number missing asks. Whether none is missing any more."""
        seen = self.seen(name)
        last = next((one for one, then in pairwise(seen) if then != one + 1), None)
        if last is None:
            return True
        url = f"http://127.0.0.1:{self.web}/api/air/{name}/events?boot=b1&after={last}"
        asked = urllib.request.Request(url, headers={"Authorization": f"Bearer {self.key}"})
        try:
            with urllib.request.urlopen(asked, timeout=5) as answer:
                self.fetched[name] |= {said["seq"] for said in json.load(answer)["events"]}
        except urllib.error.URLError:
            return False  # it was not up yet
        return False

    def waiting(self) -> int:
        return int(self._ask("relay", "SELECT count(*) FROM message WHERE rest = 'event' AND state < 2")[0][0])

    def _ask(self, file: str, words: str, *values: str) -> list[Any]:
        db = sqlite3.connect(self.folder / "state" / f"{file}.sqlite", timeout=20)
        try:
            return db.execute(words, values).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return []  # the service is about to make it
        finally:
            db.close()

    def close(self) -> None:
        self.talking.set()
        self.talker.join()
        for process in self.parts.values():
            process.terminate()
        for process in self.parts.values():
            process.wait(20)
        self.viewer.close()
        for table in self.tables.values():
            table.close()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def at_work(hall: Any, kit: Any, tmp_path: Path) -> Iterator[Killed]:
    (tmp_path / "state").mkdir()
    made = Killed(hall, kit, tmp_path)
    try:
        kit.wait_for(lambda: all(made.aired(name) for name in kit.TABLES), 60)
        kit.wait_for(lambda: made.archived("t1"), 60)
        yield made
    finally:
        made.close()


@pytest.mark.parametrize("what", ["service", "relay", "broker"])
def test_killed_at_random_instants(at_work: Killed, kit: Any, what: str) -> None:
    rng = random.Random(7)
    for _ in range(ROUNDS):
        at_work.kill(what, rng)
        before = {name: at_work.aired(name)[-1] for name in kit.TABLES}
        for name in kit.TABLES:
            if what == "broker":
                kit.wait_for(lambda n=name, was=before[name]: at_work.aired(n)[-1] > was, 40)
                kit.wait_for(lambda n=name: at_work.fetch_missing(n), 40)
    time.sleep(0.5)
    at_work.settle()
    for name, table in at_work.tables.items():
        said = list(range(1, table.sent + 1))
        kit.wait_for(lambda n=name, s=said: at_work.archived(n) == s, 40)
        if what != "broker":
            kit.wait_for(lambda n=name, s=said: at_work.aired(n)[-1:] == s[-1:], 40)
            aired = at_work.aired(name)
            assert aired == list(range(aired[0], table.sent + 1)), name
        else:
            kit.wait_for(lambda n=name, s=said: at_work.aired(n)[-1:] == s[-1:], 40)
            once = list(dict.fromkeys(at_work.aired(name)))
            assert once == sorted(once), name
            kit.wait_for(lambda n=name: at_work.fetch_missing(n), 40)
            assert at_work.seen(name) == list(range(once[0], table.sent + 1)), name
    kit.wait_for(lambda: at_work.waiting() == 0, 20)
