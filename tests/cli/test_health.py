"""How the adapters are, in words: each state has a cause and a way out in both languages; only a stall restarts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from table_controller import cli
from table_controller.app.health import (
    ADAPTERS,
    CAMERA_SILENT_MS,
    DEALER_OVERDUE_MS,
    FEED_SILENT_MS,
    STALE_MS,
    Health,
    Signs,
    critical,
    health_of,
    troubles,
)
from table_controller.feed.contract.documents import HEALTH
from table_controller.runtime.notify import STALL_MS

WELL = Signs(
    camera_heard_ms=200, camera_lost="", recorded=False, dealer_link="online", dealer_fault="", dealer_message="",
    broker_online=True, broker_problem="", waiting=0, pins=True, pins_problem="", journal_fault="",
    journal_waiting_ms=0, free_mb=9000,
)  # fmt: skip
CASES: list[tuple[dict[str, Any], str, str, str]] = [
    ({"camera_lost": "The picture is black."}, "camera", "failed", "/control"),
    ({"camera_heard_ms": -1}, "camera", "failed", "/control"),
    ({"camera_heard_ms": None}, "camera", "failed", "/control"),
    ({"camera_heard_ms": STALE_MS + 1}, "camera", "stale", "started again"),
    ({"dealer_link": None}, "dealer", "off", "people deal"),
    ({"dealer_link": "closed"}, "dealer", "failed", "plug it in"),
    ({"dealer_link": "refused"}, "dealer", "failed", "flash"),
    ({"dealer_link": "hello"}, "dealer", "stale", "deal by hand"),
    ({"dealer_fault": "JAM", "dealer_message": "A card is stuck."}, "dealer", "failed", "Clear"),
    ({"broker_online": None}, "broker", "off", "no feed"),
    ({"broker_online": False, "broker_problem": "refused", "waiting": 7}, "broker", "failed", "7 messages wait"),
    ({"broker_online": False, "broker_refused": True, "waiting": 7}, "broker", "failed", "feed.password_file"),
    ({"broker_online": False}, "broker", "stale", "the game goes on"),
    ({"outbox_problem": "disk I/O error", "waiting": 9}, "broker", "stale", "9 wait"),
    ({"pins": None}, "pins", "off", "every button"),
    ({"pins": False, "pins_problem": "no chip"}, "pins", "failed", "/control"),
    ({"journal_fault": "No space left."}, "journal", "failed", "free some disk"),
    ({"journal_waiting_ms": STALE_MS + 1}, "journal", "stale", "slow"),
    ({"free_mb": 20}, "journal", "stale", "20 MB"),
]


def found(**changes: Any) -> dict[str, Health]:
    return {one.name: one for one in health_of(replace(WELL, **changes))}


def test_a_well_table_has_nothing_to_say() -> None:
    assert [one.state for one in health_of(WELL)] == ["fresh"] * 5
    assert tuple(found()) == ADAPTERS
    assert troubles(health_of(WELL)) == []


@pytest.mark.parametrize(("changes", "name", "state", "words"), CASES, ids=lambda value: str(value)[:30])
def test_each_state_has_its_cause_and_way_out(changes: dict[str, Any], name: str, state: str, words: str) -> None:
    one = found(**changes)[name]
    assert one.state == state
    assert words in one.en
    assert any("一" <= character <= "鿿" for character in one.zh)
    assert {other.state for other in found(**changes).values() if other.name != name} == {"fresh"}
    cause = next((value for key, value in changes.items() if key.endswith(("lost", "message", "problem", "fault"))), "")
    assert (changes.get("dealer_message") or cause) == one.cause


def test_every_state_of_every_adapter_is_as_the_feed_says() -> None:
    allowed = HEALTH["properties"]["adapters"]["items"]["properties"]
    for changes, *_ in CASES:
        for one in health_of(replace(WELL, **changes)):
            assert one.name in allowed["name"]["enum"]
            assert one.state in allowed["state"]["enum"]
            assert set(one.document()) == set(allowed)


STUCK: dict[str, dict[str, Any]] = {
    "camera": {"camera_heard_ms": CAMERA_SILENT_MS},
    "dealer": {"dealer_overdue_ms": DEALER_OVERDUE_MS},
    "broker": {"feed_silent_ms": FEED_SILENT_MS},
}
REPORTED: dict[str, dict[str, Any]] = {
    "camera": {"camera_lost": "The picture is black."},
    "dealer": {"dealer_link": "closed", "dealer_message": "It was unplugged."},
    "broker": {"broker_online": None},
}


def test_only_a_loop_that_takes_no_events_is_restarted() -> None:
    for changes, *_ in CASES:
        assert not critical(replace(WELL, **changes), STALL_MS)
    stalled = replace(WELL, journal_waiting_ms=STALL_MS)
    assert critical(stalled, STALL_MS) == ("journal",)
    assert not critical(replace(stalled, journal_fault="No space left."), STALL_MS), "a restart makes no room"


@pytest.mark.parametrize("name", STUCK)
def test_a_stuck_adapter_is_restarted_and_one_that_reports_its_failure_is_played_round(name: str) -> None:
    """Stuck: silent though it claims to be well. Its words say that nobody need act."""
    (changes,) = STUCK[name].items()
    assert critical(replace(WELL, **{changes[0]: changes[1]}), STALL_MS) == (name,)
    assert critical(replace(WELL, **{changes[0]: changes[1] - 1}), STALL_MS) == ()
    one = found(**STUCK[name])[name]
    assert (one.state, one.en) == ("stale", "it is stuck: the controller is restarted by itself")
    assert critical(replace(WELL, **STUCK[name], **REPORTED[name]), STALL_MS) == ()
    assert found(**STUCK[name], **REPORTED[name])[name].state in ("failed", "off")


def test_a_recordings_end_is_no_lost_camera() -> None:
    assert found(camera_lost="The recording has ended.", recorded=True)["camera"].state == "fresh"


@pytest.fixture
def page() -> Iterator[tuple[int, dict[str, Any]]]:
    """A table's page that tells one state."""
    state: dict[str, Any] = {"table": "t1", "phase": "playing", "health": []}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(state).encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port, state
    server.shutdown()
    thread.join()
    server.server_close()


def test_doctor_asks_the_table_that_runs(
    page: tuple[int, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port, state = page
    config = tmp_path / "table.toml"
    config.write_text(f"[web]\nport = {port}\n[feed]\nhost = ''\n")
    cli.main(["doctor", "--config", str(config)])
    assert "ok  running table   t1, playing: all adapters are fresh" in capsys.readouterr().out
    state["health"] = troubles(health_of(replace(WELL, dealer_link="closed", free_mb=20)))
    cli.main(["doctor", "--config", str(config)])
    out = capsys.readouterr().out
    assert "--  dealer          failed: not plugged in: plug it in" in out
    assert "~~  journal         stale: only 20 MB" in out
    assert "发牌机：未连接" in out
