"""A running table on a real broker: commands and answers, and events served again to who missed some."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from table_controller.app.brokers import open_broker
from table_controller.app.table import Table, add_feed, add_page, open_table
from table_controller.feed.client import Broker
from table_controller.runtime.clock import RealClock
from table_controller.table.events import DealtByHand

pytestmark = pytest.mark.broker


class Venue:
    """The venue's side of the broker, by hand."""

    def __init__(self, broker: Broker) -> None:
        self.messages: list[mqtt.MQTTMessage] = []
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = lambda c, u, message: self.messages.append(message)
        self.client.on_connect = lambda c, *rest: c.subscribe("guandan/v1/#", qos=1)
        self.client.connect(broker.host, broker.port)
        self.client.loop_start()

    def said(self, end: str) -> list[dict[str, Any]]:
        return [json.loads(m.payload) for m in list(self.messages) if m.topic.endswith(end) and m.payload]

    def command(self, verb: str, tx: str, *, retain: bool = False, **changes: Any) -> None:
        state = self.said("/state")[-1]
        made = {
            "v": 1, "tx": tx, "client": "venue", "role": "referee", "by": "Li", "boot": state["boot"],
            "expires_mono_ms": state["mono_ms"] + 10_000, "data": {},
        }  # fmt: skip
        payload = json.dumps({**made, **changes})
        self.client.publish(f"guandan/v1/hall/cmd/t1/{verb}", payload, qos=1, retain=retain)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


async def until(ready: Any, timeout_s: float = 100) -> Any:
    for _ in range(int(timeout_s * 50)):
        found = ready()
        if found:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError("waited too long")


@asynccontextmanager
async def running_table(folder: Path) -> AsyncIterator[tuple[Table, Venue]]:
    running = open_broker()
    clock = RealClock(asyncio.get_running_loop())
    table = open_table(clock, folder / "journal.jsonl", table="t1", venue="hall", profile="default")
    consumer = asyncio.create_task(table.runtime.run())
    (folder / "evidence").mkdir()
    (folder / "evidence" / "p1.jpg").write_bytes(b"picture")
    add_feed(
        table, running.broker, folder / "outbox", boot="b1", simulated=True, ask=table.runtime.ask, http="http://x",
        evidence=folder / "evidence",
    )  # fmt: skip
    add_page(table, table.runtime.ask, folder / "evidence", token="word")
    assert table.page is not None
    assert table.publisher is not None
    await table.page.start("127.0.0.1", 0)
    table.begin()
    venue = Venue(running.broker)
    table.publisher.refresh()
    table.runtime.post(DealtByHand(clock.now_ms(), "test", "E"))
    await until(lambda: [s for s in venue.said("/state") if s["data"]["phase"] == "sorting"])
    try:
        yield table, venue
    finally:
        venue.close()
        await table.page.stop()
        consumer.cancel()
        await asyncio.gather(consumer, return_exceptions=True)
        table.close()
        running.stop()


async def _commands(folder: Path) -> None:
    async with running_table(folder) as (table, venue):
        for times in (1, 2):
            venue.command("pause", "tx-pause-1", data={"reason": "tea"})
            await until(lambda times=times: len(venue.said("/reply/t1/venue")) == times)
        assert [reply["ok"] for reply in venue.said("/reply/t1/venue")] == [True, True]
        assert (table.runtime.state.phase, table.runtime.state.pause_reason) == ("paused", "tea")
        venue.command("roll_back", "tx-refused-1", data={"play": 9})
        venue.command("match", "tx-role-1")
        venue.command("resume", "tx-retained-1", retain=True)
        venue.command("resume", "tx-late-1", expires_mono_ms=1)
        venue.command("note", "tx-note-1", data={"kind": "stalling", "seat": "N"})
        answers = await until(
            lambda: by if len(by := {r["tx"]: r["code"] for r in venue.said("/reply/t1/venue")}) == 5 else None
        )
        assert answers.pop("tx-refused-1") != ""
        expected = {"tx-pause-1": "", "tx-role-1": "ROLE", "tx-late-1": "EXPIRED", "tx-note-1": ""}
        assert answers == expected
        assert table.runtime.state.phase == "paused"  # nor was the retained one carried out
        noted = [e["data"] for e in venue.said("/event") if e["data"]["kind"] == "incident"]
        assert (noted[0]["what"], noted[0]["seat"]) == ("stalling", "N")


def test_commands_are_carried_out_once_and_answered(tmp_path: Path) -> None:
    asyncio.run(_commands(tmp_path))


async def _missed(folder: Path) -> None:
    async with running_table(folder) as (table, venue):
        assert table.page is not None
        url = f"http://127.0.0.1:{table.page.port}"
        assert table.publisher is not None
        await until(lambda: len(venue.said("/event")) >= table.publisher.events_sent)
        published = venue.said("/event")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{url}/api/events", params={"boot": "b1", "after": "1"}) as answer:
                told = await answer.json()
            assert told["events"] == published[1:]
            assert told["boots"] == [{"boot": "b1", "first": 1, "last": len(published)}]
            for query in ({"boot": "other", "after": "0"}, {"after": "0"}):
                async with session.get(f"{url}/api/events", params=query) as answer:
                    assert (await answer.json())["events"] == []
            for wrong in ("-1", "x", "1" * 13, "١"):
                async with session.get(f"{url}/api/events", params={"boot": "b1", "after": wrong}) as answer:
                    assert answer.status == 400
            for name, word, status in (
                ("p1.jpg", "word", 200), ("p1.jpg", "other", 404), ("p1.jpg", "", 404),
                ("..%2Fjournal.jsonl", "word", 404), ("journal.jsonl", "word", 404),
            ):  # fmt: skip
                headers = {"Authorization": f"Bearer {word}"}
                async with session.get(f"{url}/api/evidence/{name}", headers=headers) as answer:
                    assert answer.status == status, (name, word)


def test_events_missed_and_pictures_are_served_again(tmp_path: Path) -> None:
    asyncio.run(_missed(tmp_path))
