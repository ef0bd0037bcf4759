"""The service's ear on the broker: messages come in batches to one worker, and are acknowledged when it has kept them.

Acknowledging after the write, with a session that the broker keeps, is what makes a killed service miss nothing.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from table_controller.errors import DeviceError
from table_controller.feed.client import Broker
from table_controller.feed.security import secure, why_refused
from table_controller.feed.topics import split_topic

log = logging.getLogger(__name__)
SESSION_S = 24 * 3600
"""So long the broker keeps what came while the service was away."""
KEEPALIVE_S = 12
MOST_AT_ONCE = 400
LONGEST_PAYLOAD = 256 * 1024
TICK_S = 0.05
RETRY_S = 1.0
MOST_IN_FLIGHT = 2000
ROOM_TRIES = 400
"""So often it is looked for room before one message more is taken: pings must not wait for ever."""


@dataclass(frozen=True)
class Heard:
    """One message: its plane, table and the rest of its topic; ``said`` is None for an emptied or unreadable one."""

    topic: str
    plane: str
    table: str
    rest: str
    payload: bytes
    retained: bool
    at_ms: int
    said: dict[str, Any] | None
    mid: int = 0
    qos: int = 0
    link: int = 0
    """Of which connection's client it came."""

    @property
    def is_event(self) -> bool:
        """Whether it is a numbered event."""
        return self.rest == "event" and self.said is not None


def decoded(payload: bytes) -> dict[str, Any] | None:
    """The object in a payload, or None for anything else: what is not understood is never an error."""
    if not payload or len(payload) > LONGEST_PAYLOAD:
        return None
    try:
        said = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def envelope_fits(said: dict[str, Any], table: str) -> bool:
    """Whether an envelope's own fields are what they must be, for this table."""
    whole = all(
        isinstance(said.get(key), int) and not isinstance(said[key], bool) and 0 <= said[key] < 2**53
        for key in ("seq", "rev", "mono_ms", "deal")
    )
    words = all(
        isinstance(said.get(key), str) and len(said[key]) <= 100 for key in ("schema", "venue", "table", "boot", "ts")
    )
    return whole and words and bool(said["boot"]) and said["table"] == table and isinstance(said.get("data"), dict)


Batch = list[Heard]


@dataclass
class Wire:
    """``work`` is called on one thread with each batch; what it returns without an error is acknowledged.

    ``tick`` is called there too, at least every ``TICK_S``; ``online`` says whether the broker answers.
    """

    broker: Broker
    client_id: str
    topics: tuple[tuple[str, int], ...]
    now_ms: Callable[[], int]
    work: Callable[[Batch], None]
    tick: Callable[[], None] = lambda: None
    connected: Callable[[], None] = lambda: None
    fresh: bool = False
    """A new client for each connection: it sends nothing again by itself. Else paho does."""
    gather_s: float = 0.0
    """So long more is waited for after each batch: a batch costs as much as some messages."""
    online: bool = False
    problem: str = ""
    session_kept: bool = False
    """Whether the broker still knew this client when it last connected."""
    connects: int = 0
    dropped: int = 0
    acknowledged: deque[int] = field(default_factory=deque)
    """Numbers of what the broker has taken, for whoever asks for ``fresh`` clients: to be emptied by ``tick``."""
    _queue: queue.SimpleQueue[Heard | Callable[[], None] | None] = field(default_factory=queue.SimpleQueue)
    _thread: threading.Thread | None = None
    _link: int = 0
    _given_back: int = 0
    """What came by this link or an earlier one is not worked on: the broker gives it again, in its order."""
    _stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.client = self._made()

    def _made(self) -> mqtt.Client:
        self._link += 1
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=self.client_id,
            protocol=mqtt.MQTTv5,
            manual_ack=True,
            userdata=self._link,
            reconnect_on_failure=not self.fresh,
        )
        client.max_queued_messages_set(0)
        # With a limit paho looks through all that is on its way for each that has arrived; the relay has its own.
        client.max_inflight_messages_set(0)
        client.reconnect_delay_set(1, 5)
        if self.broker.username:
            client.username_pw_set(self.broker.username, self.broker.password)
        if self.broker.tls:
            secure(client, self.broker.ca_file)
        put = self._queue.put
        client.on_connect = lambda c, u, flags, reason, props: put(lambda: self._connected(c, flags, reason))
        client.on_connect_fail = lambda c, u: put(lambda: self._away(c, self._why()))
        client.on_disconnect = lambda c, u, flags, reason, props: put(lambda: self._away(c, str(reason)))
        if self.fresh:
            client.on_publish = self._taken
        client.on_message = self._received
        return client

    def start(self) -> None:
        """Connect in the background; raises DeviceError for a host name that is none."""
        self._connect()
        self._thread = threading.Thread(target=self._run, name=self.client_id, daemon=True)
        self._thread.start()

    def _connect(self) -> None:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = SESSION_S
        properties.ReceiveMaximum = MOST_IN_FLIGHT
        try:
            self.client.connect_async(
                self.broker.host, self.broker.port, keepalive=KEEPALIVE_S, clean_start=False, properties=properties
            )
        except ValueError as error:
            raise DeviceError(f"'{self.broker.host}' is not a broker's name: {error}.") from error
        self.client.loop_start()

    def call(self, act: Callable[[], None]) -> None:
        """Do this on the worker's thread, in order with the messages."""
        self._queue.put(act)

    def publish(
        self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False, expiry_s: int = 0
    ) -> mqtt.MQTTMessageInfo:
        """Publish from any thread."""
        properties = None
        if expiry_s:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.MessageExpiryInterval = expiry_s
        return self.client.publish(topic, payload, qos=qos, retain=retain, properties=properties)

    def stop(self) -> None:
        """Disconnect; the broker keeps the session."""
        self._stopping.set()
        self.client.disconnect()
        self.client.loop_stop()
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join(10)

    def _received(self, client: mqtt.Client, userdata: int, message: mqtt.MQTTMessage) -> None:
        self._wait_for_room(userdata)
        parts = split_topic(message.topic)
        payload = bytes(message.payload)
        plane, table, rest = parts[1:] if parts is not None else ("", "", "")
        heard = Heard(
            message.topic,
            plane,
            table,
            rest,
            payload,
            message.retain,
            self.now_ms(),
            decoded(payload),
            message.mid,
            message.qos,
            userdata,
        )
        self._queue.put(heard)

    def _wait_for_room(self, link: int) -> None:
        """Where the worker is behind do not read on: mosquitto 2.0.11 gives more than a client's Receive Maximum."""
        for _ in range(ROOM_TRIES):
            if self._queue.qsize() < MOST_IN_FLIGHT or link <= self._given_back or self._stopping.wait(TICK_S / 10):
                return

    def _taken(self, client: mqtt.Client, userdata: Any, mid: int, reason: Any, properties: Any) -> None:
        if client is self.client:
            self.acknowledged.append(mid)

    def _connected(self, client: mqtt.Client, flags: Any, reason: Any) -> None:
        if client is not self.client:
            return
        self.session_kept = bool(flags.session_present)
        if reason.is_failure:
            self.problem = f"The broker refused the connection: {reason}."
            log.warning("%s Check broker.username and its password.", self.problem)
            return
        self.online, self.problem = True, ""
        self.connects += 1
        self.client.subscribe([(topic, qos) for topic, qos in self.topics])
        self.connected()

    def _why(self) -> str:
        reason = why_refused(self.broker.host, self.broker.port, self.broker.ca_file) if self.broker.tls else ""
        if reason and reason not in self.problem:
            log.warning("No broker at %s:%s: %s.", self.broker.host, self.broker.port, reason)
        return reason or "it does not answer"

    def _away(self, client: mqtt.Client, reason: str) -> None:
        if client is not self.client:
            return
        self.online = False
        self.problem = f"No broker at {self.broker.host}:{self.broker.port}: {reason}."
        if self.fresh and not self._stopping.wait(RETRY_S / 2):
            client.loop_stop()
            self.client = self._made()
            self._connect()

    def _run(self) -> None:
        ended = False
        while not ended:
            batch: Batch = []
            for item in self._waiting():
                if item is None:
                    ended = True
                elif isinstance(item, Heard):
                    if item.link > self._given_back:
                        batch.append(item)
                else:
                    batch = self._worked(batch)
                    self._safely(item)
            self._worked(batch)
            self._safely(self.tick)
            if batch and not ended:
                self._stopping.wait(self.gather_s)

    def _waiting(self) -> Iterable[Heard | Callable[[], None] | None]:
        try:
            yield self._queue.get(timeout=TICK_S)
            for _ in range(MOST_AT_ONCE - 1):
                yield self._queue.get_nowait()
        except queue.Empty:
            return

    def _worked(self, batch: Batch) -> Batch:
        """Work on a batch, then acknowledge it. One that cannot be kept stays with the broker, and comes again."""
        if batch:
            try:
                self.work(batch)
            except Exception:
                self.dropped += len(batch)
                log.exception("%d messages could not be kept; the broker gives them again.", len(batch))
                self._safely(self._again)
                return []
            for heard in batch:
                # By another link a number may mean another message.
                if heard.qos and heard.link == self._link:
                    self.client.ack(heard.mid, heard.qos)
        return []

    def _again(self) -> None:
        """Only a new connection makes a broker send what was not acknowledged; after a breath, the cause may last.

        What lies behind it in the queue comes again too: worked on before, it would be out of order.
        """
        self.online, self._given_back = False, self._link
        self.client.disconnect()
        self.client.loop_stop()
        if not self._stopping.wait(RETRY_S):
            self.client = self._made()
            self._connect()

    def _safely(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception:
            log.exception("%s stumbled; it goes on.", self.client_id)
