"""The HTTP API on a running hall: log-in, roles, rows, incidents, commands to real tables, results, hostile input."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from jsonschema import Draft202012Validator

from table_controller.app.table import add_feed, add_page, open_table
from table_controller.app.venue import running
from table_controller.app.venue_pages import venue_pages
from table_controller.feed.contract.schemas import schema_of
from table_controller.runtime.clock import RealClock
from table_controller.table.events import CardsSeen, DealtByHand, ReadyPressed, TdPressed
from table_controller.venue import service as services
from table_controller.venue.api import openapi, streams
from table_controller.venue.api.server import ROUTES
from table_controller.venue.broker_files import account_of
from table_controller.venue.people import ROLES
from table_controller.venue.settings import (
    ArchiveSettings,
    BrokerSettings,
    PageSettings,
    RelaySettings,
    VenueConfig,
    VenueSettings,
    parse_venue,
)

pytestmark = pytest.mark.broker
ROOT = Path(__file__).parents[2]
PASSWORD = "long enough"


class Site:
    """Requests as one person or as nobody."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session, self.url = session, url
        self.tokens: dict[str, str] = {}

    async def ask(
        self, method: str, path: str, role: str | None, body: Any = None, *, raw: bytes | None = None, mark: bool = True
    ) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"} if role else {}
        if mark:
            headers["X-Table-Controller"] = "1"
        data = raw if raw is not None else json.dumps(body).encode() if body is not None else None
        async with self.session.request(method, self.url + path, data=data, headers=headers) as answer:
            text = await answer.text()
            kind = answer.headers["Content-Type"]
            return answer.status, json.loads(text) if kind.startswith("application/json") else text

    async def enter(self, role: str) -> None:
        status, told = await self.ask("POST", "/api/login", None, {"name": role, "password": PASSWORD})
        assert (status, told["role"]) == (200, role)
        self.tokens[role] = told["token"]


def config_of(hall: Any, folder: Path) -> VenueConfig:
    (folder / "word").write_text("word")
    return VenueConfig(
        VenueSettings("hall", "default", str(folder / "state")),
        BrokerSettings("127.0.0.1", hall.port, "venue", str(hall.password_file("venue"))),
        PageSettings("127.0.0.1", 0),
        ArchiveSettings(token_file=str(folder / "word")),
        RelaySettings(True, 0, "relay", str(hall.password_file("relay"))),
    )


@asynccontextmanager
async def open_site(hall: Any, kit: Any, folder: Path) -> AsyncIterator[tuple[Site, Any, list[Any]]]:
    """The service, a relay, and two real tables."""
    config = config_of(hall, folder)
    async with (
        running(config) as made,
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
    ):
        assert made is not None
        service, web = made
        for role in ROLES:
            await asyncio.to_thread(service.people.set_person, role, role, PASSWORD)
        site = Site(session, f"http://127.0.0.1:{web.port}")
        tables = [await table_of(hall, folder, name) for name in ("t1", "t2")]
        try:
            await kit.until(
                lambda: [v for v in service.hall.views.values() if v.data and v.mono] and len(service.hall.views) == 2
            )
            for role in ROLES:
                await site.enter(role)
            yield site, service, tables
        finally:
            for table, consumer in tables:
                await table.page.stop()
                consumer.cancel()
                await asyncio.gather(consumer, return_exceptions=True)
                await asyncio.to_thread(table.close)


async def table_of(hall: Any, folder: Path, name: str) -> tuple[Any, asyncio.Task[None]]:
    clock = RealClock(asyncio.get_running_loop())
    own = folder / name
    (own / "evidence").mkdir(parents=True)
    (own / "evidence" / "p.jpg").write_bytes(b"a picture")
    table = open_table(clock, own / "journal.jsonl", table=name, venue="hall", profile="default", sync=False)
    consumer = asyncio.create_task(table.runtime.run())
    add_page(table, table.runtime.ask, own / "evidence", token="word")
    assert table.page is not None
    await table.page.start("127.0.0.1", 0)
    http = f"http://127.0.0.1:{table.page.port}"
    login = hall.login(account_of(name))
    add_feed(
        table, login, own / "outbox", boot=f"boot-{name}", simulated=True, ask=table.runtime.ask, http=http,
        evidence=own / "evidence",
    )  # fmt: skip
    table.begin()
    assert table.publisher is not None
    table.publisher.refresh()
    table.runtime.post(DealtByHand(clock.now_ms(), "test", "E"))
    for seat in ("E", "N", "W", "S"):
        table.runtime.post(ReadyPressed(clock.now_ms(), seat))
    return table, consumer


def on_site(hall: Any, kit: Any, folder: Path, work: Any) -> None:
    async def go() -> None:
        async with open_site(hall, kit, folder) as (site, service, tables):
            await work(site, service, tables)

    asyncio.run(go())


def test_a_call_is_seen_taken_arrived_at_and_ruled_on(hall: Any, kit: Any, tmp_path: Path) -> None:
    async def work(site: Site, service: Any, tables: Any) -> None:
        table = tables[0][0]
        await kit.until(lambda: table.runtime.state.phase == "playing")
        now = table.clock.now_ms()
        table.runtime.post(CardsSeen(now, "E", ("5S",), (0,), 0.5, "p.jpg"))
        table.runtime.post(TdPressed(now + 10, "N"))
        await kit.until(lambda: len(service.hall.views["t1"].incidents) == 2)
        status, told = await site.ask("GET", "/api/tables", "viewer")
        row = told["tables"][0]
        assert (status, row["table"], row["attention"], row["urgent"]["kind"]) == (200, "t1", 3, "td_call")
        assert 0 <= row["urgent"]["age_ms"] < 3_600_000, "no page needs a right clock of its own"
        status, told = await site.ask("GET", "/api/incidents", "referee")
        ids = {i["kind"]: i["id"] for i in told["incidents"]}
        for step in ("acknowledge", "arrive"):
            path = f"/api/incidents/{ids['td_call']}/{step}"
            assert (await site.ask("POST", path, "referee", {}))[0] == 200
        status, told = await site.ask("POST", "/api/incidents/acknowledge", "referee", {"ids": list(ids.values())})
        assert told["results"][str(ids["doubtful_reading"])]["ok"] is True
        assert told["results"][str(ids["td_call"])]["ok"] is False  # he has arrived already
        [_picture] = await kit.until(lambda: service.evidence.waiting(10**15) == [] and [1])
        found = (await site.ask("GET", f"/api/incidents/{ids['doubtful_reading']}", "referee"))[1]
        [shown] = await until_here(site, ids["doubtful_reading"])
        assert await site.ask("GET", f"/api/evidence/{shown['sha256']}", "referee") == (200, "a picture")
        assert (await site.ask("GET", f"/api/evidence/{shown['sha256']}", "viewer"))[0] == 403
        path = f"/api/incidents/{ids['doubtful_reading']}/evidence"
        assert (await site.ask("GET", path, "viewer"))[0] == 403
        whole = (await site.ask("GET", path, "referee"))[1]
        assert ([one["when"] for one in whole["evidence"]["pictures"]], whole["locked"]) == (["at"], True)
        assert [one["confidence"] for one in whole["evidence"]["readings"] if one["kind"] == "play"] == [0.5]
        assert service.evidence.locked(shown["sha256"], 10**15)
        body = {"do": "correct", "play": found["play"], "cards": ["6S"], "by": "somebody else"}
        assert (await site.ask("POST", "/api/tables/t1/command", "referee", body))[0] == 200
        assert table.runtime.state.actions[0].cards == ("6S",)
        path = f"/api/incidents/{ids['td_call']}/resolve"
        assert (await site.ask("POST", path, "referee", {"reason": "explained"}))[0] == 200
        await kit.until(lambda: service.hall.views["t1"].incidents == [])
        told = (await site.ask("GET", "/api/incidents?status=all&table=t1", "head_referee"))[1]["incidents"]
        steps = next(i for i in told if i["kind"] == "td_call")
        assert [steps[s]["by"] for s in ("acknowledged", "arrived", "ended")] == ["referee"] * 3
        assert (await site.ask("POST", f"/api/incidents/{ids['td_call']}/appeal", "head_referee", {"note": "x"}))[
            0
        ] == 200
        audit = (await site.ask("GET", "/api/audit", "head_referee"))[1]["audit"]
        assert {"incident", "correct", "evidence", "login", "appeal"} <= {line["act"] for line in audit}
        assert next(line for line in audit if line["act"] == "correct")["who"] == "referee"
        timeline = (await site.ask("GET", "/api/tables/t1/timeline", "referee"))[1]["events"]
        missed = (await site.ask("GET", "/api/tables/t1/events?boot=boot-t1&after=0", "viewer"))[1]
        assert [e["seq"] for e in missed["events"]] == [e["seq"] for e in reversed(timeline)]
        assert missed["complete"] is True

    async def until_here(site: Site, number: int) -> list[Any]:
        for _ in range(200):
            found = (await site.ask("GET", f"/api/incidents/{number}", "referee"))[1]["evidence"]
            if found and found[0]["state"] == "here":
                return found
            await asyncio.sleep(0.05)
        raise AssertionError("the picture never came")

    on_site(hall, kit, tmp_path, work)


def test_the_director_and_the_whole_hall(hall: Any, kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LOOK_AGAIN_MS", 200)
    monkeypatch.setattr(services, "ANSWER_S", 60)

    async def work(site: Site, service: Any, tables: Any) -> None:
        await kit.until(lambda: all(t.runtime.state.phase == "playing" for t, _ in tables))
        roster = {"round": 2, "tables": {"t1": {"names": ["甲", "乙", "丙", "丁"], "EW": "东", "NS": "西"}}}
        assert (await site.ask("PUT", "/api/roster", "director", roster))[0] == 200
        assert (await site.ask("GET", "/api/roster", "viewer"))[1]["rounds"]["2"]["tables"]["t1"]["EW"] == "东"
        _status, told = await site.ask("POST", "/api/hall", "director", {"do": "pause", "reason": "tea"})
        assert told["results"] == {name: {"ok": True, "problem": ""} for name in ("t1", "t2")}
        assert {t.runtime.state.phase for t, _ in tables} == {"paused"}
        told = (await site.ask("POST", "/api/hall", "head_referee", {"do": "resume", "tables": ["t2"]}))[1]
        assert list(told["results"]) == ["t2"]
        second = tables[1][0]
        assert second.runtime.state.phase == "playing"
        await second.runtime.ask(TdPressed(second.clock.now_ms(), "N"))
        await kit.until(lambda: service.hall.views["t2"].data["pause_reason"] == "td_call")
        told = (await site.ask("POST", "/api/hall", "director", {"do": "resume", "tables": None}))[1]["results"]
        assert (told["t1"]["ok"], told["t2"]["code"]) == (True, "CALLED"), "a referee is at work there"
        assert second.runtime.state.phase == "paused"
        told = (await site.ask("POST", "/api/hall", "director", {"do": "resume", "tables": ["t2"]}))[1]
        assert second.runtime.state.phase == "playing"
        assert (await site.ask("POST", "/api/hall", "head_referee", {"do": "start"}))[0] == 403
        told = (await site.ask("POST", "/api/hall", "director", {"do": "announce", "kind": "last_deal"}))[1]
        assert (await site.ask("GET", "/api/hall", "scoreboard"))[1]["announcement"]["zh"] == "最后一副"
        rounds = {"rounds": [{"round": 1, "starts": "14:00", "note": ""}], "hall": "east"}
        assert (await site.ask("PUT", "/api/schedule", "director", rounds))[0] == 200
        for name in ("roster", "announcement", "schedule"):
            Draft202012Validator(schema_of(name)).validate(service.documents.get(name))
        assert (await site.ask("POST", "/api/relay", "director", {"do": "delay", "delay_s": 1, "tables": ["t1"]}))[
            0
        ] == 200
        rows = await kit.until(
            lambda: [r for r in service.relays.values() if r["table"] == "t1" and r["delay_ms"] == 1000]
        )
        assert rows[0]["mode"] == "go"
        for _ in range(2):  # answered though nothing changes
            told = (await site.ask("POST", "/api/relay", "director", {"do": "go", "tables": ["t1"]}))[1]
            assert told == {"results": {"t1": {"ok": True, "problem": ""}}, "ok": True}
        await kit.until(lambda: service.relay_rows()[0]["aired_ms"] is not None)
        with monkeypatch.context() as patched:
            patched.setattr(service, "control_relay", lambda table, said: None)  # a relay that hears nothing
            patched.setattr(service, "_relay_said", lambda table, rest, said: None)
            patched.setattr(services, "ANSWER_S", 0.05)
            status, told = await site.ask("POST", "/api/relay", "director", {"do": "cut"})
            assert (status, told["ok"], told["code"]) == (504, False, "RELAY")
        for body in (
            {"do": "delay", "delay_s": 901},
            {"do": "x"},
            {"do": "hold", "tables": ["t9"]},
            {"do": "hold", "tables": 3},
        ):
            assert (await site.ask("POST", "/api/relay", "director", body))[0] in (400, 404)
        await kit.until(lambda: "t1" in service.aired.states)
        assert (await site.ask("GET", "/api/air/t1/state", "overlay"))[0] == 200
        for path in (
            "/api/tables",
            "/api/stream",
            "/api/tables/t1/stream",
            "/api/incidents",
            "/api/results",
            "/api/relay",
        ):
            assert (await site.ask("GET", path, "overlay"))[0] == 403, path
        taken = {"name": "director", "role": "overlay"}
        assert (await site.ask("POST", "/api/keys", "director", taken))[0] == 400, "a key shuts nobody out"
        key = (await site.ask("POST", "/api/keys", "director", {"name": "obs", "role": "overlay"}))[1]["key"]
        assert (await site.ask("GET", f"/api/air/t1/state?key={key}", None))[0] == 200
        assert (await site.ask("GET", f"/api/tables?key={key}", None))[0] == 403
        assert (await site.ask("GET", f"/api/people?key={key}", None))[0] == 401
        async with site.session.get(f"{site.url}/api/air/t1/stream?key={key}") as answer:
            assert (await answer.content.readline()).startswith(b"event: state")
            assert (await site.ask("DELETE", "/api/people/obs", "director"))[0] == 200
            await asyncio.wait_for(answer.content.read(), 20)  # the open line ends with the key
        assert (await site.ask("GET", f"/api/air/t1/state?key={key}", None))[0] == 401
        async with site.session.get(
            f"{site.url}/api/stream", headers={"Authorization": f"Bearer {site.tokens['viewer']}"}
        ) as answer:
            assert await answer.content.readline() == b"event: rows\n"
            rows = json.loads((await answer.content.readline()).removeprefix(b"data: "))["rows"]
            assert {row["table"] for row in rows} == {"t1", "t2"}
        csv = (await site.ask("GET", "/api/results?format=csv", "viewer"))[1]
        assert csv.startswith("\ufefftable,round,")
        assert (await site.ask("GET", "/api/standings", "viewer"))[1] == {"standings": []}

    on_site(hall, kit, tmp_path, work)


def test_every_route_asks_for_its_roles_and_takes_nothing_hostile(hall: Any, kit: Any, tmp_path: Path) -> None:
    """Each route of the OpenAPI document: nobody, a wrong role, a missing header, and bodies that are anything."""
    bad = [b"", b"{", b"[]", b"null", b"3", b"\xff", b'{"do": {}}', b"[" * 60_000, b'{"a": "' + b"x" * 70_000 + b'"}']
    nasty = ["%00", "..%2F..%2Fetc", "x" * 300, "'%20OR%201=1--", "%F0%9F%92%A5"]

    async def work(site: Site, service: Any, tables: Any) -> None:
        document = (await site.ask("GET", "/api/openapi.json", None))[1]
        problem = Draft202012Validator(openapi.PROBLEM)
        asked = 0
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                place = re.sub(r"{\w+}", "1", path)
                roles = operation.get("x-roles")
                if roles is not None:
                    assert (await site.ask(method.upper(), place, None))[0] == 401, path
                    for role in set(ROLES) - set(roles):
                        status, told = await site.ask(method.upper(), place, role, {})
                        assert (status, told["code"]) == (403, "ROLE"), (path, role)
                if method == "get" and "stream" in path:
                    continue
                role = roles[-1] if roles else None
                if method != "get":
                    assert (await site.ask(method.upper(), place, role, {}, mark=False))[0] == 403, path
                for raw in bad if method != "get" and path != "/api/logout" and method != "delete" else []:
                    status, told = await site.ask(method.upper(), place, role, raw=raw)
                    asked += 1
                    if path == "/api/schedule" and raw.startswith(b'{"do'):
                        assert status == 200  # a schedule is any object
                        continue
                    assert status in (400, 403, 404, 409, 413), (path, raw[:20], status)
                    assert problem.is_valid(told), path
                for word in nasty:
                    queries = "&".join(f"{p['name']}={word}" for p in operation["parameters"] if p["in"] == "query")
                    there = re.sub(r"{\w+}", word, path) + ("?" + queries if queries else "")
                    status, told = await site.ask(method.upper(), there, role, {})
                    assert status < 500 or status in (502, 504), (path, word, status, told)
                    asked += 1
        assert asked > 150
        assert (await site.ask("GET", "/api/me", "director"))[0] == 200
        assert service.archive.refused == 0

    on_site(hall, kit, tmp_path, work)


def test_log_in_is_slowed_down_and_sessions_end(hall: Any, kit: Any, tmp_path: Path) -> None:
    async def work(site: Site, service: Any, tables: Any) -> None:
        wrong = {"name": "referee", "password": "wrong one"}
        assert [(await site.ask("POST", "/api/login", None, wrong))[0] for _ in range(7)] == [401] * 5 + [429] * 2
        assert (await site.ask("POST", "/api/login", None, {"name": "nobody", "password": "x"}))[0] == 401
        assert (await site.ask("POST", "/api/logout", "viewer", {}))[0] == 200
        assert (await site.ask("GET", "/api/me", "viewer"))[0] == 401
        assert (await site.ask("DELETE", "/api/people/scoreboard", "director"))[0] == 200
        assert (await site.ask("GET", "/api/me", "scoreboard"))[0] == 401
        assert (await site.ask("DELETE", "/api/people/director", "director"))[0] == 409
        for name, role, password in (("a/b", "viewer", PASSWORD), ("x", "king", PASSWORD), ("x", "viewer", "short")):
            body = {"name": name, "role": role, "password": password}
            assert (await site.ask("POST", "/api/people", "director", body))[0] == 400
        people = (await site.ask("GET", "/api/people", "director"))[1]
        assert "hash" not in json.dumps(people)
        await site.ask("POST", "/api/login", None, {"name": "director", "password": PASSWORD})
        async with site.session.post(
            f"{site.url}/api/login",
            json={"name": "director", "password": PASSWORD},
            headers={"X-Table-Controller": "1"},
        ) as answer:
            cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie

    on_site(hall, kit, tmp_path, work)


def test_the_page_of_the_api_names_every_path_and_the_configuration_is_whole() -> None:
    text = (ROOT / "docs/venue.md").read_text(encoding="utf-8")
    for route in ROUTES:
        assert route.path in text, route.path
        assert route.handler.__doc__, route.path
    block = re.search(r"<!-- venue.toml -->\n```toml\n(.*?)```", text, re.DOTALL)
    assert block is not None
    assert parse_venue(block.group(1), "docs/venue.md") == VenueConfig()
    assert all(path.suffix == ".html" for path in venue_pages().files.values())
