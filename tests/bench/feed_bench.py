"""Bench ``feed``: a hall of tables through mosquitto, relay and archive, beside a bare publish and subscribe."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import psutil

TABLES = int(os.environ.get("FEED_TABLES", "500"))
SECONDS = int(os.environ.get("FEED_SECONDS", "8"))
PUBLISHERS = 4
MOST_UNDERWAY = 2000
SETTLE_S = 60.0
BASE = "guandan/v1/hall"
Parts = dict[str, subprocess.Popen[bytes]]
Watch = Callable[[Parts], None]
Done = Callable[[], object]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Reader:
    """Latency and order of the events on one plane."""

    def __init__(self, port: int, plane: str) -> None:
        self.latencies: list[float] = []
        self.last: dict[str, int] = {}
        self.disorder = 0
        granted = threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = self._take
        self.client.on_connect = lambda c, *rest: c.subscribe(f"{BASE}/{plane}/+/event", qos=1)
        self.client.on_subscribe = lambda *rest: granted.set()
        self.client.connect("127.0.0.1", port, keepalive=0)
        self.client.loop_start()
        granted.wait(10)

    def _take(self, client: mqtt.Client, userdata: Any, message: mqtt.MQTTMessage) -> None:
        said = json.loads(message.payload)
        self.latencies.append(time.monotonic() * 1000 - said["data"]["sent_ms"])
        table, seq = said["table"], said["seq"]
        self.disorder += seq != self.last.get(table, 0) + 1
        self.last[table] = seq

    def p(self, percent: int) -> float:
        return statistics.quantiles(self.latencies, n=100)[percent - 1] if len(self.latencies) > 1 else 0.0

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


def _message(table: str, schema: str, seq: int, rev: int, size: int) -> bytes:
    data: dict[str, Any] = {"kind": "bench", "sent_ms": time.monotonic() * 1000, "pad": "x" * size}
    made = {"v": 1, "schema": schema, "venue": "hall", "table": table, "boot": "b", "seq": seq, "rev": rev, "ts": "",
            "mono_ms": int(time.monotonic() * 1000), "sync": True, "deal": 1, "data": data}  # fmt: skip
    return json.dumps(made).encode()


class Publisher:
    """Some tables' connection; it waits where the broker is behind, as a table's outbox does.

    Without a keepalive, so that a machine with too much to do loses no link: paho, connecting again by itself, sends
    what it is given meanwhile before what was not acknowledged (tables have a client for each connection)."""

    def __init__(self, port: int) -> None:
        self._room = threading.Semaphore(MOST_UNDERWAY)
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.max_inflight_messages_set(500)
        self.client.on_publish = lambda *rest: self._room.release()
        self.client.connect("127.0.0.1", port, keepalive=0)
        self.client.loop_start()

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> mqtt.MQTTMessageInfo:
        self._room.acquire()
        return self.client.publish(topic, payload, qos=1, retain=retain)

    def close(self) -> None:
        self.publish(f"{BASE}/bench", b"").wait_for_publish(60)
        self.client.disconnect()
        self.client.loop_stop()


def _talk(port: int) -> int:
    """Each second two states of 1 KB and one event of 256 B from every table, spread over the second."""
    clients = [Publisher(port) for _ in range(PUBLISHERS)]
    began, sent = time.monotonic(), 0
    for second in range(SECONDS):
        for place in range(TABLES):
            client, table = clients[place % PUBLISHERS], f"t{place}"
            client.publish(
                f"{BASE}/live/{table}/state", _message(table, "state", second, 3 * second + 1, 800), retain=True
            )
            client.publish(f"{BASE}/live/{table}/event", _message(table, "event/bench", second + 1, 3 * second + 2, 40))
            client.publish(
                f"{BASE}/live/{table}/state", _message(table, "state", second + 1, 3 * second + 3, 800), retain=True
            )
            sent += 1
            late = began + second + (place + 1) / TABLES - time.monotonic()
            if late > 0:
                time.sleep(late)
    for client in clients:
        client.close()
    return sent


def _cpu(process: subprocess.Popen[bytes]) -> float:
    times = psutil.Process(process.pid).cpu_times()
    return float(times.user + times.system)


def mosquitto(folder: Path, port: int) -> subprocess.Popen[bytes]:
    config = folder / "mosquitto.conf"
    config.write_text(
        f"listener {port} 127.0.0.1\nsocket_domain ipv4\nallow_anonymous true\nmax_queued_messages 200000\n"
        "max_queued_bytes 268435456\nmax_inflight_messages 1000\n"
    )
    program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    made = subprocess.Popen([program, "-c", str(config)], stderr=subprocess.DEVNULL)
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    return made


def _plain(folder: Path) -> Reader:
    port = free_port()
    broker = mosquitto(folder, port)
    reader = Reader(port, "live")
    sent = _talk(port)
    _settle(lambda: len(reader.latencies) >= sent)
    reader.close()
    broker.terminate()
    broker.wait(10)
    return reader


def _settle(done: Any) -> None:
    end = time.monotonic() + SETTLE_S
    while not done() and time.monotonic() < end:
        time.sleep(0.05)


def _archived(folder: Path) -> int:
    try:
        with sqlite3.connect(folder / "state" / "archive.sqlite", timeout=20) as db:
            return int(db.execute("SELECT count(*) FROM event").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def _serve(folder: Path, port: int) -> Parts:
    """Service and relay, a process each."""
    config = folder / "venue.toml"
    config.write_text(
        f'[venue]\nname = "hall"\nstate = "{folder / "state"}"\n[broker]\nport = {port}\n[web]\nport = 0\n'
        "[relay]\nenabled = false\n"
    )
    command = [sys.executable, "-m", "table_controller", "venue", "serve", "--config", str(config), "--part"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return {part: subprocess.Popen([*command, part], **quiet) for part in ("service", "relay")}


def _probe(folder: Path, port: int, reader: Reader) -> None:
    """Until an event has come through relay and archive both."""
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
    client.connect("127.0.0.1", port)
    client.loop_start()
    number = 0
    while not reader.latencies or not _archived(folder):
        number += 1
        client.publish(f"{BASE}/live/probe/event", _message("probe", "event/bench", number, 1, 40), qos=1)
        time.sleep(0.2)
    client.disconnect()
    client.loop_stop()
    time.sleep(3)


def _end(parts: Parts) -> None:
    for process in parts.values():
        process.terminate()
    for process in parts.values():
        process.wait(60)


def feed(*, plain: bool = True, watch: Watch = lambda parts: None, done: Done = lambda: None) -> dict[str, Any]:
    """End-to-end p99 of events on air, beside events of a bare subscriber; what was lost; processor time a message.

    ``watch`` is given the processes before the tables talk, ``done`` is called before they end.
    """
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as running:
        folder, port = Path(name), free_port()
        bare = _plain(folder) if plain else None
        parts = {"mosquitto": mosquitto(folder, port), **_serve(folder, port)}
        running.callback(_end, parts)
        reader = Reader(port, "air")
        running.callback(reader.close)
        _probe(folder, port, reader)
        reader.latencies.clear()
        before, there = {n: _cpu(p) for n, p in parts.items()}, _archived(folder)
        watch(parts)
        running.callback(done)
        began = time.monotonic()
        sent = _talk(port)
        took = time.monotonic() - began
        _settle(lambda: len(reader.latencies) >= sent and _archived(folder) >= sent + there)
        spent = {n: (_cpu(p) - before[n]) / (3 * sent) * 1e6 for n, p in parts.items()}
        archived = _archived(folder) - there
    disorder = max(0, reader.disorder - 1)  # the probe's own numbers had begun before this reader heard of it
    p50, p99, heard = (bare.p(50), bare.p(99), len(bare.latencies)) if bare is not None else (0.0, 0.0, 0)
    return {
        "product": round(reader.p(99), 2),
        "plain": round(p99, 2),
        "ratio": round(p99 / max(reader.p(99), 0.01), 2),
        "unit": "ms p99",
        "what": f"{TABLES} tables, {SECONDS} s of messages in {took:.0f} s: "
        "an event from the table through relay to air, archived too "
        f"(p50 {reader.p(50):.1f}; aired {len(reader.latencies)} of {sent}, archived {archived}, out of order "
        f"{disorder}; µs a message: " + ", ".join(f"{name} {cost:.0f}" for name, cost in spent.items()) + ")",
        "against": f"bare publish and subscribe in mosquitto (p50 {p50:.1f}, {heard} of {sent})",
        "lost": sent - len(reader.latencies),
        "lost_by_archive": sent - archived,
        "took_s": round(took, 1),
        "disorder": disorder,
        "cpu_us": {name: round(cost, 1) for name, cost in spent.items()},
    }
