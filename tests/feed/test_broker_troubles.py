"""R10: a broker that is restarted, killed, deaf, closed to us, again and again; an old retained command at each return.

``BROKER_TROUBLES`` (20) and ``BROKER_SEED`` (10) set how often and in which order; a day offline is 20,000 events.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import paho.mqtt.publish
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from table_controller.feed.client import WINDOW, Broker, FeedClient
from table_controller.feed.outbox import Outbox
from table_controller.feed.topics import Topics

pytestmark = pytest.mark.broker
TROUBLES = int(os.environ.get("BROKER_TROUBLES", "20"))
SEED = int(os.environ.get("BROKER_SEED", "10"))
DAY = int(os.environ.get("BROKER_DAY", "2000"))
EACH = 8
KINDS = ("restarted", "killed", "deaf", "closed to us")
TOPICS = Topics("v", "t1")


def free_port() -> int:
    """Below those that the system gives to clients: one who tries such a port in vain may in the end meet himself."""
    for port in random.Random(os.getpid()).sample(range(20_000, 32_000), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def soon(client: mqtt.Client) -> None:
    """Try again every twentieth of a second: paho itself waits for at least one."""
    client.reconnect_delay_set(0.05, 0.05)  # type: ignore[arg-type]


def until(ready: Callable[[], object], what: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, what
        time.sleep(0.01)


class Mosquitto:
    """A broker that keeps what it has, if it may end properly."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o777)
        self.port, self._folder = free_port(), folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, anybody: bool = True) -> None:
        config = self._folder / "mosquitto.conf"
        config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous {str(anybody).lower()}\nmax_queued_messages 0\n"
            f"persistence true\npersistence_location {self._folder}/\nuser root\nautosave_interval 1\n"
        )
        self.process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", str(config)], stderr=subprocess.DEVNULL)
        until(self._answers, "the broker does not start")
        assert self.process.poll() is None

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(10)


class Reader:
    """Who reads the feed, with a session that the broker keeps; what came, by number."""

    def __init__(self, port: int) -> None:
        self.numbers: list[int] = []
        self.ready = threading.Event()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, "reader", protocol=mqtt.MQTTv5)
        self.client.on_connect = lambda c, *rest: c.subscribe(TOPICS.event, qos=1)
        self.client.on_subscribe = lambda *rest: self.ready.set()
        self.client.on_message = lambda c, u, message: self.numbers.append(json.loads(message.payload)["seq"])
        keeps = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        keeps.SessionExpiryInterval = 3600
        soon(self.client)
        self.client.connect("127.0.0.1", port, clean_start=False, properties=keeps)
        self.client.loop_start()
        assert self.ready.wait(10)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


def strike(kind: str, broker: Mosquitto, client: FeedClient, say: Callable[[], None], rng: random.Random) -> None:
    """One trouble while events are said; at its end the broker is as before."""
    assert broker.process is not None
    if kind == "deaf":  # a black hole: the connection stands and nothing comes through
        broker.process.send_signal(signal.SIGSTOP)
        say()
        time.sleep(rng.uniform(0.1, 0.6))
        broker.process.send_signal(signal.SIGCONT)
        return
    broker.end(signal.SIGKILL if kind == "killed" else signal.SIGTERM)
    say()
    if kind == "closed to us":
        broker.start(anybody=False)
        until(lambda: "refused the connection" in client.problem, "a refusal is not told")
        say()
        broker.end(signal.SIGTERM)
    broker.start()


def test_again_and_again_nothing_is_lost_and_no_old_command_is_taken(tmp_path: Path) -> None:
    rng, broker, outbox = random.Random(SEED), Mosquitto(tmp_path / "broker"), Outbox(tmp_path / "outbox")
    broker.start()
    reader = Reader(broker.port)
    old = TOPICS.commands.replace("+", "pause")
    paho.mqtt.publish.single(old, b"{}", qos=1, retain=True, hostname="127.0.0.1", port=broker.port)
    client = FeedClient(Broker("127.0.0.1", broker.port), TOPICS, outbox, "b")
    client.again_s = 0.05  # a table waits for a second between two tries
    commands: list[Any] = []
    client.on_command = lambda verb, payload: commands.append(verb)
    client.start()
    said = 0

    def say() -> None:
        nonlocal said
        for _ in range(EACH):
            said += 1
            client.send(TOPICS.event, b'{"seq": %d}' % said, seq=said)

    done: list[str] = []
    try:
        for number in range(TROUBLES):
            where = f"BROKER_SEED={SEED}, trouble {number} after {done[-5:]}"
            until(lambda: client.online, f"no way back: {where}")
            say()
            done.append(KINDS[number % 4] if number < 4 else rng.choice(KINDS))
            strike(done[-1], broker, client, say, rng)
            assert len(client._in_flight) <= WINDOW, where
        until(lambda: client.online and len(outbox) == 0, "the outbox does not empty")
        time.sleep(1.5)  # the reader is back as well
        # A broker that was killed forgets what it had taken and not passed on: the table serves it again.
        served = {json.loads(p)["seq"] for seq in range(0, said, 500) for p in outbox.events("b", seq)}
        assert set(reader.numbers) | served == set(range(1, said + 1))
        if "killed" not in done:
            assert set(reader.numbers) == set(range(1, said + 1))
        assert len(set(reader.numbers)) > said * 0.8
        assert commands == []
        assert threading.active_count() < 8
    finally:
        client.stop()
        reader.close()
        broker.end(signal.SIGTERM)
        outbox.close()


def test_a_day_offline_is_told_in_order_when_the_broker_is_back(tmp_path: Path) -> None:
    broker, outbox = Mosquitto(tmp_path / "broker"), Outbox(tmp_path / "outbox")
    broker.start()
    reader = Reader(broker.port)
    broker.end(signal.SIGTERM)
    client = FeedClient(Broker("127.0.0.1", broker.port), TOPICS, outbox, "b")
    client.again_s = 0.05  # a table waits for a second between two tries
    client.start()
    for number in range(1, DAY + 1):
        client.send(TOPICS.event, b'{"seq": %d}' % number, seq=number)
    assert len(outbox) == DAY
    broker.start()
    try:
        most = 0
        end = time.monotonic() + 120
        while len(outbox):
            assert time.monotonic() < end, "the outbox does not empty"
            most = max(most, len(client._in_flight))
            time.sleep(0.01)
        until(lambda: len(set(reader.numbers)) == DAY, "something is missing")
        assert list(dict.fromkeys(reader.numbers)) == list(range(1, DAY + 1))
        assert most <= WINDOW
    finally:
        client.stop()
        reader.close()
        broker.end(signal.SIGTERM)
        outbox.close()
