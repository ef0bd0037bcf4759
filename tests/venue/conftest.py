"""A real mosquitto with the venue's own files, and a publisher for simulated tables."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from table_controller.feed.client import Broker, FeedClient
from table_controller.feed.outbox import Outbox
from table_controller.feed.publisher import FeedPublisher
from table_controller.feed.topics import Topics
from table_controller.sim.published import PublishingTable
from table_controller.venue.broker_files import Listening, account_of, write_files

VENUE = "hall"
TABLES = ["t1", "t2", "t3"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(ready: Callable[[], Any], timeout_s: float = 20) -> Any:
    end = time.monotonic() + timeout_s
    while not (found := ready()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    return found


async def until(ready: Callable[[], Any], timeout_s: float = 20) -> Any:
    end = time.monotonic() + timeout_s
    while not (found := ready()):
        assert time.monotonic() < end, "waited too long"
        await asyncio.sleep(0.02)
    return found


class Hall:
    """A venue's broker: started, killed and started again, always with the same files and port."""

    def __init__(self, folder: Path, tables: list[str]) -> None:
        self.folder, self.port = folder, free_port()
        write_files(folder, VENUE, tables, Listening("127.0.0.1", self.port))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        command = [program, "-c", str(self.folder / "mosquitto.conf")]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        wait_for(self.answers)

    def answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        """As a power cut would: nothing is saved."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)

    def password_file(self, account: str) -> Path:
        return self.folder / "secrets" / f"{account}.password"

    def login(self, account: str) -> Broker:
        return Broker("127.0.0.1", self.port, account, self.password_file(account).read_text().strip())


class Client:
    """A plain MQTT client with one account: what it asks for, and all that it is given."""

    def __init__(self, broker: Broker, name: str, *topics: str, keeps: bool = False) -> None:
        self.messages: list[mqtt.MQTTMessage] = []
        self.granted = threading.Event()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5)
        self.client.username_pw_set(broker.username, broker.password)
        self.client.on_message = lambda c, u, message: self.messages.append(message)
        self.client.on_connect = lambda c, *rest: c.subscribe([(topic, 1) for topic in topics]) if topics else None
        self.client.on_subscribe = lambda *rest: self.granted.set()
        self.client.reconnect_delay_set(1, 1)
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 600 if keeps else 0
        self.client.connect(broker.host, broker.port, clean_start=not keeps, properties=properties)
        self.client.loop_start()
        if topics:
            assert self.granted.wait(10)
        else:
            wait_for(self.client.is_connected)

    def publish(self, topic: str, payload: bytes | str = b"x", *, retain: bool = False) -> None:
        self.client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(10)

    def topics(self) -> set[str]:
        return {message.topic for message in list(self.messages)}

    def said(self, end: str) -> list[dict[str, Any]]:
        return [json.loads(m.payload) for m in list(self.messages) if m.topic.endswith(end) and m.payload]

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


class SimulatedTable:
    """A table that plays in virtual time and publishes for real."""

    def __init__(self, hall: Hall, name: str, folder: Path | None = None, *, seed: int = 4, boot: str = "b1") -> None:
        self.topics = Topics(VENUE, name)
        self.outbox = Outbox(folder / f"{name}.sqlite" if folder else None)
        self.client = FeedClient(hall.login(account_of(name)), self.topics, self.outbox, boot)
        self.table = PublishingTable(seed)
        self.publisher: FeedPublisher = self.table.attach(self.client, self.topics, boot)
        self.client.start()

    @property
    def sent(self) -> int:
        return self.publisher.events_sent

    def close(self) -> None:
        self.client.stop()
        self.outbox.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    made = Hall(tmp_path / "broker", TABLES)
    made.start()
    yield made
    made.stop()


class Kit:
    """What the tests of this folder use; given by a fixture because test files cannot import each other."""

    VENUE, TABLES = VENUE, TABLES
    Hall, Client, SimulatedTable = Hall, Client, SimulatedTable
    wait_for, until, free_port = staticmethod(wait_for), staticmethod(until), staticmethod(free_port)


@pytest.fixture
def kit() -> type[Kit]:
    return Kit
