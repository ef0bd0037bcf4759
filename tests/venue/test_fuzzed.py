"""The HTTP API fuzzed from its own OpenAPI document: whatever comes is answered as it says, and never by a 500."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from table_controller.app.venue import running
from table_controller.venue.people import ROLES
from table_controller.venue.settings import (
    ArchiveSettings,
    BrokerSettings,
    PageSettings,
    RelaySettings,
    VenueConfig,
    VenueSettings,
)

pytestmark = [pytest.mark.broker, pytest.mark.timeout(180)]
EXAMPLES = 8
"""Of each operation and each kind of data."""
PASSWORD = "long enough"
ENDLESS = "text/event-stream"
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
REFUSED = {400, 401, 403, 404, 409, 413, 429, 502, 504}


@asynccontextmanager
async def served(hall: Any, kit: Any, folder: Path) -> AsyncIterator[tuple[str, dict[str, str]]]:
    """A service with two simulated tables; its address, and a session of each role."""
    config = VenueConfig(
        VenueSettings("hall", "default", str(folder / "state")),
        BrokerSettings("127.0.0.1", hall.port, "venue", str(hall.password_file("venue"))),
        PageSettings("127.0.0.1", 0),
        ArchiveSettings(),
        RelaySettings(False),
    )
    (folder / "state").mkdir()
    tables = [kit.SimulatedTable(hall, name) for name in ("t1", "t2")]
    try:
        async with running(config) as made:
            assert made is not None
            service, web = made
            for table in tables:
                await asyncio.to_thread(table.table.open)
                await asyncio.to_thread(table.table.play_deal)
            tokens = {}
            for role in ROLES:
                await asyncio.to_thread(service.people.set_person, role, role, PASSWORD)
                found = await asyncio.to_thread(service.people.log_in, role, PASSWORD, "here", 1)
                assert found is not None
                tokens[role] = found[1]
            await kit.until(lambda: len(service.hall.views) == 2)
            yield f"http://127.0.0.1:{web.port}", tokens
    finally:
        for table in tables:
            table.close()


def fuzz(url: str, tokens: dict[str, str]) -> dict[int, int]:
    """Ask every operation with data that fits its schemas and with data that does not; how often each status came."""
    schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json")
    statuses: dict[int, int] = {}
    for found in schema.get_all_operations():
        operation = found.ok()
        raw = operation.definition.raw
        if ENDLESS in raw["responses"]["200"]["content"] or operation.path in ("/api/logout", "/api/login"):
            continue
        roles = raw.get("x-roles")
        headers = {"Authorization": f"Bearer {tokens[roles[-1]]}"} if roles else {}
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            _ask(operation.as_strategy(generation_mode=mode), headers, statuses)
    return statuses


def _ask(cases: Any, headers: dict[str, str], statuses: dict[int, int]) -> None:
    @given(case=cases)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate], derandomize=True,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    def ask(case: Any) -> None:
        response = case.call(headers={**(case.headers or {}), **headers}, timeout=20)
        statuses[response.status_code] = statuses.get(response.status_code, 0) + 1
        if response.status_code in (502, 504):
            return  # no table is there that would answer: the document says so
        case.validate_response(response, checks=CHECKS)
        assert response.status_code == 200 or response.status_code in REFUSED, response.text

    with contextlib.suppress(Unsatisfiable):  # an operation without anything to say cannot be told wrong things
        ask()


def test_the_api_keeps_to_its_document_whatever_it_is_asked(hall: Any, kit: Any, tmp_path: Path) -> None:
    async def work() -> dict[int, int]:
        async with served(hall, kit, tmp_path) as (url, tokens):
            return await asyncio.to_thread(fuzz, url, tokens)

    statuses = asyncio.run(work())
    assert 500 not in statuses
    assert statuses[200] > 50
    assert statuses[400] > 50
    assert sum(statuses.values()) > 400
    with sqlite3.connect(tmp_path / "state" / "archive.sqlite") as db:
        assert db.execute("SELECT count(*) FROM audit").fetchone()[0] > 20
