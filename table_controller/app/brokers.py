"""A broker for the demo: a configured one, else mosquitto as a child in a private folder, else the ``[demo]`` extra."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from table_controller.config import Config, secret_of
from table_controller.errors import DeviceError, UsageError
from table_controller.feed.client import Broker

_SBIN = "/usr/sbin:/usr/local/sbin"
START_S = 10.0
BUILTIN = "builtin"
"""Names the broker of the [demo] extra."""


@dataclass
class RunningBroker:
    """Where it listens, what it is (``mosquitto``, ``iotcore`` or ``external``), and how to end it."""

    broker: Broker
    kind: str
    note: str
    stop: Callable[[], None]


def broker_of(config: Config) -> Broker:
    """The broker that the settings name; raises ConfigError where the password's file cannot be read."""
    feed = config.feed
    password = secret_of(feed.password_file, "feed.password_file")
    return Broker(feed.host, feed.port, feed.username, password, feed.tls, feed.ca_file)


def mosquitto_program() -> str | None:
    """The mosquitto on PATH, or where Debian puts it."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path=_SBIN)


def free_port() -> int:
    """A free TCP port on the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(host: str, port: int, timeout_s: float = 1.0) -> bool:
    """Whether something listens there."""
    try:
        with socket.create_connection((host, port), timeout=timeout_s):
            return True
    except OSError:
        return False


def open_broker(external: str | None = None) -> RunningBroker:
    """Start or find a broker (``external`` HOST:PORT, or ``builtin``); raises DeviceError when there is none."""
    if external == BUILTIN:
        return _iotcore()
    if external:
        return _external(external)
    program = mosquitto_program()
    if program:
        return _mosquitto(program)
    if importlib.util.find_spec("iotcore"):
        return _iotcore()
    raise DeviceError(
        "There is no MQTT broker: mosquitto is not installed, and neither is the [demo] extra.",
        way_out="apt-get install mosquitto, or pip install 'table-controller[demo]'.",
    )


def _external(where: str) -> RunningBroker:
    host, _, port = where.partition(":")
    number = int(port) if port.isdigit() else 1883
    if port and not port.isdigit():
        raise UsageError(f"'{where}' is no broker.", way_out="Write HOST:PORT, such as 127.0.0.1:1883.")
    if not answers(host, number, 3):
        raise DeviceError(f"No broker answers at {host}:{number}.", way_out="Start it, or name another by --broker.")
    return RunningBroker(Broker(host, number), "external", "", lambda: None)


def _mosquitto(program: str) -> RunningBroker:
    folder = Path(tempfile.mkdtemp(prefix="table-broker-"))
    port = free_port()
    config = folder / "mosquitto.conf"
    config.write_text(
        f"listener {port} 127.0.0.1\nsocket_domain ipv4\nallow_anonymous true\nmax_queued_messages 0\n"
        "max_inflight_messages 100\nlog_dest none\n"
    )
    process = subprocess.Popen(
        [program, "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )

    def stop() -> None:
        process.terminate()
        process.wait(5)
        shutil.rmtree(folder, ignore_errors=True)

    _await(port, process.poll, "mosquitto")
    return RunningBroker(Broker("127.0.0.1", port), "mosquitto", "", stop)


_IOTCORE_CONFIG = """\
id = 0
[router]
id = 0
max_connections = 1000
max_outgoing_packet_count = 20000
max_segment_size = 104857600
max_segment_count = 10
[v5.1]
name = "v5-1"
listen = "127.0.0.1:{port}"
next_connection_delay_ms = 1
[v5.1.connections]
connection_timeout_ms = 60000
max_payload_size = 1048576
max_inflight_count = 100
"""


def _iotcore() -> RunningBroker:
    """The Rust broker from the extra: loopback only, without any access control."""
    try:
        import iotcore
    except ImportError as error:
        raise DeviceError(
            "The built-in broker is not installed.", way_out="pip install 'table-controller[demo]'."
        ) from error

    folder = Path(tempfile.mkdtemp(prefix="table-broker-"))
    port = free_port()
    config = folder / "broker.toml"
    config.write_text(_IOTCORE_CONFIG.format(port=port))
    broker: Any = iotcore.Broker(config_path=str(config))
    broker.start()

    def stop() -> None:
        broker.stop()
        shutil.rmtree(folder, ignore_errors=True)

    _await(port, lambda: None, "iotcore")
    note = "broker: iotcore stands in for mosquitto, on this machine only and without access control"
    return RunningBroker(Broker("127.0.0.1", port, qos_state=0), "iotcore", note, stop)


def _await(port: int, ended: Callable[[], int | None], name: str) -> None:
    waiting = threading.Event()
    for _ in range(int(START_S * 20)):
        if answers("127.0.0.1", port, 0.2):
            return
        if ended() is not None:
            break
        waiting.wait(0.05)
    raise DeviceError(f"{name} does not start.", way_out=f"Run {name} by hand to see why.")
