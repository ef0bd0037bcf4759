"""The feed against a real mosquitto: numbered events, retained documents, the outbox across a broker that dies."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from table_controller.feed import client as client_module
from table_controller.feed.client import Broker, FeedClient
from table_controller.feed.envelope import Enveloper
from table_controller.feed.outbox import LIMIT, Outbox
from table_controller.feed.publisher import FeedPublisher
from table_controller.feed.topics import Topics
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.event_table import EventTable
from table_controller.table.effects import Publish

pytestmark = pytest.mark.broker
TOPICS = Topics("v", "t1")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.config = folder / "mosquitto.conf"
        self.config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"
            f"persistence true\npersistence_location {folder}/\nuser root\n"
        )
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.process = subprocess.Popen([program, "-c", str(self.config)], stderr=subprocess.DEVNULL)
        wait_for(self.answers)

    def answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None


def wait_for(ready: Callable[[], object], timeout_s: float = 20) -> None:
    end = time.monotonic() + timeout_s
    while not ready():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


class Subscriber:
    def __init__(self, port: int, topic: str = "guandan/v1/#") -> None:
        self.messages: list[mqtt.MQTTMessage] = []
        self.connected = threading.Event()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="test-reader", protocol=mqtt.MQTTv5)
        self.client.on_message = lambda c, u, message: self.messages.append(message)
        self.client.on_connect = lambda c, u, f, r, p: c.subscribe(topic, qos=1)
        self.client.on_subscribe = lambda c, u, m, r, p: self.connected.set()
        self.client.reconnect_delay_set(1, 1)
        # A reader that keeps its session: the broker holds for it what comes while it is away.
        keeps = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        keeps.SessionExpiryInterval = 120
        self.client.connect("127.0.0.1", port, clean_start=False, properties=keeps)
        self.client.loop_start()
        assert self.connected.wait(10)

    def data(self, topic: str) -> list[dict[str, object]]:
        return [json.loads(m.payload) for m in list(self.messages) if m.topic == topic and m.payload]

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path)
    made.start()
    yield made
    made.stop()


def published_deal(client: FeedClient) -> tuple[FeedPublisher, EventTable]:
    clock = VirtualClock()
    publisher = FeedPublisher(client, TOPICS, Enveloper("v", "t1", "boot-1"), clock)
    table = EventTable(4)

    def follow() -> None:
        for effect in table.effects:
            publisher.perform(effect)
        publisher.committed(table.events[-1], table.core.state, tuple(table.effects))
        table.effects.clear()
        while clock.run_next():
            pass

    table.open()
    table.play_deal()
    follow()
    return publisher, table


def test_a_deal_arrives_whole_numbered_and_without_secrets(broker: Mosquitto, tmp_path: Path) -> None:
    reader = Subscriber(broker.port)
    outbox = Outbox(tmp_path / "outbox")
    client = FeedClient(Broker("127.0.0.1", broker.port), TOPICS, outbox, "boot-1")
    client.start()
    publisher, table = published_deal(client)
    wait_for(lambda: len(reader.data(TOPICS.event)) >= publisher.events_sent)
    wait_for(lambda: len(outbox) == 0)
    events = reader.data(TOPICS.event)
    assert [e["seq"] for e in events] == list(range(1, publisher.events_sent + 1))
    assert {e["boot"] for e in events} == {"boot-1"}
    state = reader.data(TOPICS.state)[-1]
    assert state["seq"] == publisher.events_sent
    commits = reader.data(TOPICS.seal("commit"))
    assert "plan" not in json.dumps(commits)
    held = [card for brain in table.brains.values() for card in brain.hand]
    shown = {card for action in table.core.state.actions for card in action.cards}
    text = b"".join(m.payload for m in reader.messages)
    assert not [card for card in held if card not in shown and f'"{card}"'.encode() in text]
    client.stop()
    wait_for(lambda: reader.data(TOPICS.availability)[-1]["state"] == "offline")
    reader.close()
    outbox.close()


def test_nothing_is_lost_while_the_broker_is_away(broker: Mosquitto, tmp_path: Path) -> None:
    reader = Subscriber(broker.port)
    outbox = Outbox(tmp_path / "outbox")
    client = FeedClient(Broker("127.0.0.1", broker.port), TOPICS, outbox, "boot-1")
    client.start()
    publisher = FeedPublisher(client, TOPICS, Enveloper("v", "t1", "boot-1"), VirtualClock())
    wait_for(lambda: client.online)
    for number in range(50):
        publisher.perform(Publish("test", (("number", number),)))
    broker.stop()
    for number in range(50, 300):
        publisher.perform(Publish("test", (("number", number),)))
    broker.start()
    wait_for(lambda: len(outbox) == 0, 40)
    wait_for(lambda: len({e["seq"] for e in reader.data(TOPICS.event)}) == 300, 40)
    assert {e["seq"] for e in reader.data(TOPICS.event)} == set(range(1, 301))
    assert client.connects >= 2
    client.stop()
    reader.close()
    outbox.close()


def test_a_killed_table_is_announced_by_its_will(broker: Mosquitto, tmp_path: Path) -> None:
    outbox = Outbox()
    client = FeedClient(Broker("127.0.0.1", broker.port), TOPICS, outbox, "boot-1")
    client.start()
    wait_for(lambda: client.online)
    reader = Subscriber(broker.port, TOPICS.availability)
    wait_for(lambda: reader.data(TOPICS.availability))
    assert reader.data(TOPICS.availability)[-1] == {"state": "ready", "boot": "boot-1"}
    client.again_s = 60
    sock = client._mqtt.socket()
    assert isinstance(sock, socket.socket)
    sock.shutdown(socket.SHUT_RDWR)
    wait_for(lambda: reader.data(TOPICS.availability)[-1]["state"] == "lost", 30)
    client.stop()
    reader.close()
    outbox.close()


def test_the_outbox_is_bounded_and_keeps_what_was_not_acknowledged(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "o")
    for i in range(10):
        outbox.put("t", b"%d" % i)
    outbox.acknowledge(outbox.after(0, 1)[0].number)
    outbox.close()
    again = Outbox(tmp_path / "o")
    assert [m.payload for m in again.after(0, 100)] == [b"%d" % i for i in range(1, 10)]
    assert LIMIT >= 100_000
    again.close()


def test_retained_documents_expire_and_are_said_again(broker: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    """Info and open alerts come again while they hold, with an expiry; a settled alert does not."""
    monkeypatch.setattr(client_module, "REPUBLISH_S", 0.4)
    reader = Subscriber(broker.port)
    outbox = Outbox()
    client = FeedClient(Broker("127.0.0.1", broker.port), TOPICS, outbox, "boot-1")
    client.start()
    publisher = FeedPublisher(client, TOPICS, Enveloper("v", "t1", "boot-1"), VirtualClock())
    publisher.info({"program": "x", "schema": 1, "simulated": True})
    publisher.perform(Publish("incident", (("kind", "td_call"), ("number", 1))))
    publisher.perform(Publish("incident", (("kind", "td_call"), ("number", 2))))
    publisher.perform(Publish("incident_updated", (("number", 2), ("status", "resolved"))))
    wait_for(lambda: [m for m in reader.messages if m.topic == TOPICS.alert(2) and not m.payload])
    said = len(reader.data(TOPICS.info))
    settled = len(reader.data(TOPICS.alert(2)))
    wait_for(lambda: len(reader.data(TOPICS.info)) >= said + 3 and len(reader.data(TOPICS.alert(1))) >= 3)
    assert len(reader.data(TOPICS.alert(2))) == settled
    kept = [m for m in reader.messages if m.topic in (TOPICS.info, TOPICS.alert(1))]
    assert {getattr(m.properties, "MessageExpiryInterval", None) for m in kept} <= {12 * 3600, 12 * 3600 - 1}
    client.stop()
    reader.close()
    outbox.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_has_died_is_silent_and_an_idle_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "REPUBLISH_S", 0.2)
    outbox = Outbox()
    client = FeedClient(Broker("127.0.0.1", 1), TOPICS, outbox, "boot-1")
    client.start()
    time.sleep(0.5)
    assert client.silent_ms() < 400

    def die() -> None:
        raise SystemExit

    client._words.put(die)
    wait_for(lambda: client.silent_ms() > 400)
    assert not client._thread.is_alive()
    client.stop()
    outbox.close()
