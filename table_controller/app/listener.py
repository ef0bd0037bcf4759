"""The demo's own reader of the feed: it counts what arrived, so that a lost event is seen."""

from __future__ import annotations

import json
import logging
import queue
import threading
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from table_controller.errors import DeviceError
from table_controller.feed.client import Broker
from table_controller.feed.topics import Topics

log = logging.getLogger(__name__)


class Listener:
    """Subscribes to one table's events and keeps their numbers."""

    def __init__(self, broker: Broker, topics: Topics) -> None:
        """Connect and subscribe; raises DeviceError when the broker does not answer."""
        self.numbers: set[int] = set()
        self._raw: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._ready = threading.Event()
        self._client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=f"demo-listener-{topics.table}", protocol=mqtt.MQTTv5
        )
        self._client.on_connect = lambda c, u, f, r, p: c.subscribe(topics.event, qos=1)
        self._client.on_subscribe = lambda c, u, m, r, p: self._ready.set()
        self._client.on_message = lambda c, u, message: self._raw.put(bytes(message.payload))
        try:
            self._client.connect(broker.host, broker.port)
        except OSError as error:
            raise DeviceError(f"No broker answers at {broker.host}:{broker.port}: {error}.") from error
        self._client.loop_start()
        if not self._ready.wait(10):
            raise DeviceError("The broker does not take a subscription.", way_out="Check its access list.")

    def wait_for(self, count: int, timeout_s: float) -> int:
        """Wait until ``count`` different events have arrived; returns how many have."""
        pause = threading.Event()
        for _ in range(int(timeout_s * 20)):
            self._take()
            if len(self.numbers) >= count:
                break
            pause.wait(0.05)
        return len(self.numbers)

    def _take(self) -> None:
        while not self._raw.empty():
            message: dict[str, Any] = json.loads(self._raw.get())
            self.numbers.add(int(message["seq"]))

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        self._client.loop_stop()
