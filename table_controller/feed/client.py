"""The MQTT client: paho on its own thread, fed from the outbox, with a will and retained documents.

paho calls back with its locks held, and an exception in a callback kills its thread for good; so a callback only puts a
word into a queue, and one thread of ours does all publishing.

Each connection has a paho client of its own. One that connects again by itself sends what it is given meanwhile before
what it had not got acknowledged: where our thread is behind, events would overtake each other.
"""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from table_controller.errors import DeviceError
from table_controller.feed.outbox import Outbox
from table_controller.feed.security import secure, why_refused
from table_controller.feed.topics import Topics
from table_controller.runtime import measure

log = logging.getLogger(__name__)
WINDOW = 64
"""Messages handed to paho and not yet acknowledged; more wait on disk."""
KEEPALIVE_S = 12
WILL_DELAY_S = 5
SESSION_EXPIRY_S = 120
RETAINED_EXPIRY_S = 12 * 3600
"""A table that never comes back does not stay on the screens for ever."""
REPUBLISH_S = 60
REPLY_EXPIRY_S = 30
AGAIN_S, MOST_AGAIN_S = 1.0, 15.0
"""After a lost connection the next try, twice as late after each that failed."""
TAKEN_OVER = "Session taken over"
SAME_NAME = "another table came in under this one's name: give each a table.id of its own"
MOST_COMMAND_BYTES = 16 * 1024
CommandHandler = Callable[[str, bytes], None]
"""Given the verb and the payload, on the client's own thread."""


@dataclass(frozen=True)
class Broker:
    """Where the broker is and how to get in."""

    host: str
    port: int
    username: str = ""
    password: str = ""
    tls: bool = False
    ca_file: str = ""
    """PEM of the authority that is believed; empty: the system's."""
    qos_state: int = 1
    """Retained documents go at this QoS at most: iotcore's queue to a slow reader is short."""


class FeedClient:
    """Publishes for one table. ``online`` says whether the broker answers; ``problem`` why not, in plain words."""

    def __init__(self, broker: Broker, topics: Topics, outbox: Outbox, boot: str) -> None:
        self._broker, self._topics, self._outbox, self._boot = broker, topics, outbox, boot
        self._words: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._documents: dict[str, tuple[bytes, int]] = {}
        self._in_flight: dict[int, int] = {}
        self._handed = 0
        self._said_s: dict[str, float] = {}
        self.on_command: CommandHandler | None = None
        """Set before ``start``: the table then listens to its commands."""
        self.online = False
        self.problem = self._said = ""
        self.refused = False
        """It answers, and does not let this table in."""
        self.connects = 0
        self.again_s = AGAIN_S
        """So soon after a lost connection the next is tried."""
        self._waits_s = 0.0
        self._try_at_s: float | None = None
        self._mqtt = self._make_client()
        self._beat_s = measure.wall_seconds()
        self._thread = threading.Thread(target=self._work, name="feed", daemon=True)

    def _make_client(self) -> mqtt.Client:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"table-{self._topics.venue}-{self._topics.table}",
            protocol=mqtt.MQTTv5,
            reconnect_on_failure=False,
        )
        client.max_queued_messages_set(WINDOW * 4)
        client.max_inflight_messages_set(WINDOW)
        client.reconnect_delay_set(1, 15)
        if self._broker.username:
            client.username_pw_set(self._broker.username, self._broker.password)
        if self._broker.tls:
            secure(client, self._broker.ca_file)
        will = _properties(PacketTypes.WILLMESSAGE, WillDelayInterval=WILL_DELAY_S)
        client.will_set(self._topics.availability, self._availability("lost"), qos=1, retain=True, properties=will)
        put = self._words.put
        client.on_connect = lambda c, u, flags, reason, props: put(lambda: self._of(c, self._connected, reason))
        client.on_connect_fail = lambda c, u: put(lambda: self._of(c, self._not_connected))
        client.on_disconnect = lambda c, u, flags, reason, props: put(lambda: self._of(c, self._lost, str(reason)))
        client.on_publish = lambda c, u, mid, reason, props: put(lambda: self._of(c, self._acknowledged, mid))
        client.on_message = lambda c, u, message: put(lambda: self._heard(message))
        return client

    def _of(self, client: mqtt.Client, act: Callable[..., None], *told: Any) -> None:
        """What a client said, unless another has taken its place."""
        if client is self._mqtt:
            act(*told)

    def _availability(self, state: str) -> bytes:
        return json.dumps({"state": state, "boot": self._boot}).encode()

    def start(self) -> None:
        """Connect in the background; raises DeviceError only for a host name that is not one."""
        self._connect()
        self._thread.start()

    def _connect(self) -> None:
        properties = _properties(PacketTypes.CONNECT, SessionExpiryInterval=SESSION_EXPIRY_S)
        try:
            self._mqtt.connect_async(
                self._broker.host, self._broker.port, keepalive=KEEPALIVE_S, clean_start=False, properties=properties
            )
        except ValueError as error:
            raise DeviceError(f"'{self._broker.host}' is not a broker's name: {error}.") from error
        self._mqtt.loop_start()

    def silent_ms(self) -> int:
        """How long ago the thread last took something up; it does so at least every 15 s."""
        return round((measure.wall_seconds() - self._beat_s) * 1000)

    def document(self, topic: str, payload: bytes, *, qos: int = 1) -> None:
        """Publish a retained document; only its newest version is kept for a reconnect."""
        self._words.put(lambda: self._document(topic, payload, qos))

    def send(self, topic: str, payload: bytes, *, retain: bool = False, seq: int = 0) -> None:
        """Queue a message durably and send it as soon as the broker takes it; an event is kept by its ``seq``.

        Never raises: what the disk does not take waits (outbox.py)."""
        self._outbox.put(topic, payload, retain=retain, event=(self._boot, seq) if seq else None)
        self._words.put(self._pump)

    def remember(self, topic: str, payload: bytes) -> None:
        """Say a retained document again from time to time, so that it does not expire; an empty one no longer."""
        self._words.put(lambda: self._remember(topic, payload))

    def reply(self, client: str, payload: bytes) -> None:
        """Answer a command: lost if the broker is away, as the question's time is over then."""
        self._words.put(lambda: self._answer(self._topics.reply(client), payload))

    def _answer(self, topic: str, payload: bytes) -> None:
        expiry = _properties(PacketTypes.PUBLISH, MessageExpiryInterval=REPLY_EXPIRY_S)
        self._mqtt.publish(topic, payload, qos=1, properties=expiry)

    def _work(self) -> None:
        while True:
            try:
                word = self._words.get(timeout=self._patience_s())
            except queue.Empty:
                word = self._idle
            if word is None:
                return
            self._beat_s = measure.wall_seconds()
            try:
                word()
                self._try_again()
            except Exception:
                log.exception("The feed stumbled; it goes on.")

    def _patience_s(self) -> float:
        """How long to wait for a word before there is something else to do."""
        at_s = self._try_at_s
        return REPUBLISH_S / 4 if at_s is None else min(REPUBLISH_S / 4, max(0.0, at_s - measure.wall_seconds()))

    def _lost(self, reason: str) -> None:
        """The connection is gone; after a refusal the words for that stand."""
        self.online = False
        if self._try_at_s is None:
            taken_over = reason == TAKEN_OVER
            self._disconnected(SAME_NAME if taken_over else reason)
            self._waits_s = MOST_AGAIN_S if taken_over else self._waits_s  # or each would turn the other out at once
            self._plan_again()
            if taken_over:
                log.warning("%s", self.problem)

    def _plan_again(self) -> None:
        """The next connection is another client's."""
        self._waits_s = min(MOST_AGAIN_S, max(self.again_s, 2 * self._waits_s))
        self._try_at_s = measure.wall_seconds() + self._waits_s

    def _try_again(self) -> None:
        if self._try_at_s is None or measure.wall_seconds() < self._try_at_s:
            return
        self._try_at_s = None
        self._mqtt.disconnect()
        self._mqtt.loop_stop()
        self._mqtt = self._make_client()
        self._connect()

    def _idle(self) -> None:
        """From time to time: what has not been said for long, and what the disk or paho did not take before."""
        self._say_again()
        self._outbox.settle()
        self._pump()

    def _heard(self, message: mqtt.MQTTMessage) -> None:
        verb = message.topic.rpartition("/")[2]
        if self.on_command is None or message.retain or len(message.payload) > MOST_COMMAND_BYTES:
            log.warning("A command '%s' was not taken: retained, or too long.", verb)
            return
        self.on_command(verb, bytes(message.payload))

    def _remember(self, topic: str, payload: bytes) -> None:
        if payload:
            self._documents[topic] = (payload, 1)
            self._said_s[topic] = measure.wall_seconds()
        else:
            self._documents.pop(topic, None)
            self._said_s.pop(topic, None)

    def _say_again(self) -> None:
        """What has not been said for a minute: info and open alerts, so that they do not expire."""
        now_s = measure.wall_seconds()
        for topic, (payload, qos) in self._documents.items():
            if self.online and now_s - self._said_s.get(topic, 0.0) >= REPUBLISH_S:
                self._publish_document(topic, payload, qos)

    def _publish_document(self, topic: str, payload: bytes, qos: int) -> None:
        self._said_s[topic] = measure.wall_seconds()
        self._mqtt.publish(topic, payload, qos=qos, retain=True, properties=_expiring())

    def _document(self, topic: str, payload: bytes, qos: int) -> None:
        qos = min(qos, self._broker.qos_state)
        self._documents[topic] = (payload, qos)
        if self.online:
            self._publish_document(topic, payload, qos)
        self._say_again()

    def _connected(self, reason: Any) -> None:
        if reason.is_failure:
            self.refused, self.problem = True, f"The broker refused the connection: {reason}."
            log.warning("%s Check user name and password.", self.problem)
            self._plan_again()
            return
        self.online, self.refused, self.problem, self._waits_s = True, False, "", 0.0
        self.connects += 1
        # What was in flight is asked for again: the reader drops the duplicates by number.
        self._in_flight.clear()
        self._handed = 0
        if self.on_command is not None:
            # Without this a broker takes the mark of a retained command off.
            as_published = SubscribeOptions(qos=1, retainAsPublished=True)
            self._mqtt.subscribe(self._topics.commands, options=as_published)
        self._mqtt.publish(self._topics.availability, self._availability("ready"), qos=1, retain=True)
        for topic, (payload, qos) in self._documents.items():
            self._publish_document(topic, payload, qos)
        self._pump()

    def _not_connected(self) -> None:
        """Say why, and in the log too where it is not for its absence."""
        broker = self._broker
        reason = why_refused(broker.host, broker.port, broker.ca_file) if broker.tls else ""
        self._disconnected(reason or "it does not answer")
        if self._try_at_s is None:
            self._plan_again()
        if reason and self.problem != self._said:
            self._said = self.problem
            log.warning("%s", self.problem)

    def _disconnected(self, reason: str) -> None:
        self.online = self.refused = False
        self.problem = f"No broker at {self._broker.host}:{self._broker.port}: {reason}."

    def _pump(self) -> None:
        room = WINDOW - len(self._in_flight)
        if not self.online or room <= 0:
            return
        for message in self._outbox.after(self._handed, room):
            info = self._mqtt.publish(
                message.topic,
                message.payload,
                qos=1,
                retain=message.retain,
                properties=_expiring() if message.retain else None,
            )
            if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
                return
            self._in_flight[info.mid] = message.number
            self._handed = message.number

    def _acknowledged(self, mid: int) -> None:
        number = self._in_flight.pop(mid, None)
        if number is not None:
            self._outbox.acknowledge(number)
            self._pump()

    def stop(self) -> None:
        """Say offline, and disconnect cleanly (no will)."""
        if self.online:
            info = self._mqtt.publish(self._topics.availability, self._availability("offline"), qos=1, retain=True)
            info.wait_for_publish(2)
        self._words.put(None)
        if self._thread.is_alive():
            self._thread.join(5)  # it may be about to put another client in this one's place
        self._mqtt.disconnect()
        with contextlib.suppress(RuntimeError):  # its thread did not begin
            self._mqtt.loop_stop()


def _expiring() -> Properties:
    return _properties(PacketTypes.PUBLISH, MessageExpiryInterval=RETAINED_EXPIRY_S)


def _properties(packet: int, **values: int) -> Properties:
    made: Properties = Properties(packet)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(made, name, value)
    return made
