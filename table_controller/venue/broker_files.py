"""The files of a mosquitto for a venue: listeners, limits, accounts with passwords, and who may read and write what."""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from table_controller.errors import UsageError
from table_controller.feed.home_assistant import PREFIX, discovery_topic
from table_controller.feed.topics import ROOT, Topics

MOST_QUEUED, MOST_QUEUED_BYTES = 200_000, 256 * 1024 * 1024
ITERATIONS = 101
"""What mosquitto_passwd itself uses; the passwords are random and long."""


@dataclass(frozen=True)
class Bridge:
    """A hall under a head broker: where that is, the hall's name there, its password, and whom to believe (PEM)."""

    host: str
    port: int
    hall: str
    password: str
    ca_file: str = ""


@dataclass(frozen=True)
class Listening:
    """Where the broker listens; a port of 0: not there."""

    host: str = "127.0.0.1"
    port: int = 1883
    websocket_port: int = 0
    tls_port: int = 0
    certificate: str = ""
    key: str = ""
    bridge: Bridge | None = None


def account_of(table: str) -> str:
    """A table's user name."""
    return f"table-{table}"


def account_of_hall(hall: str) -> str:
    """The user name at a head broker of a hall's own broker."""
    return f"hall-{hall}"


UP = ("air/#", "live/+/alert/#", "live/+/availability", "reply/#")
"""What a hall's broker hands to its head broker; commands come down."""


def rights(venue: str, tables: Iterable[str], halls: Iterable[str] = ()) -> dict[str, list[tuple[str, str]]]:
    """By account: (read or write, topic). Nothing else is allowed to anybody, and anonymous clients are not let in."""
    base = f"{ROOT}/{venue}"
    found: dict[str, list[tuple[str, str]]] = {
        "venue": [
            *(("read", f"{base}/{plane}/#") for plane in ("live", "seal", "reply", "air")),
            ("read", f"{base}/relay/+/status"),
            ("read", f"{base}/relay/+/again"),
            ("write", f"{base}/cmd/#"),
            ("write", f"{base}/venue/#"),
            ("write", f"{base}/relay/+/control"),
        ],
        "relay": [
            ("read", f"{base}/live/#"),
            ("read", f"{base}/relay/#"),
            ("read", f"{base}/venue/hall/roster"),
            ("readwrite", f"{base}/air/#"),
            ("write", f"{base}/relay/+/status"),
            ("write", f"{base}/relay/+/again"),
            ("write", f"{base}/relay/_relay/marker"),
        ],
        "overlay": [("read", f"{base}/air/#")],
        "scoreboard": [
            *(("read", f"{base}/live/+/{name}") for name in ("availability", "info", "state", "event")),
            ("read", f"{base}/venue/#"),
        ],
        "homeassistant": [
            *(("read", f"{base}/live/+/{name}") for name in ("availability", "state")),
            ("read", f"{PREFIX}/#"),
            ("write", f"{PREFIX}/status"),
        ],
        "archiver": [("read", f"{base}/{plane}/#") for plane in ("live", "seal", "venue")],
    }
    for table in tables:
        found[account_of(table)] = [
            ("write", f"{base}/live/{table}/#"),
            ("write", f"{base}/seal/{table}/#"),
            ("write", f"{base}/reply/{table}/#"),
            ("write", discovery_topic(Topics(venue, table))),
            ("read", f"{base}/cmd/{table}/#"),
        ]
    for hall in halls:
        found[account_of_hall(hall)] = [*(("write", f"{base}/{topic}") for topic in UP), ("read", f"{base}/cmd/#")]
    return found


def access_list(venue: str, tables: Iterable[str], halls: Iterable[str] = ()) -> str:
    """The ACL file. Patterns are not used: they would hold for every account."""
    parts = []
    for account, lines in rights(venue, tables, halls).items():
        parts.append("\n".join([f"user {account}", *(f"topic {what} {topic}" for what, topic in lines)]))
    return "\n\n".join(parts) + "\n"


def hashed(password: str) -> str:
    """As mosquitto keeps a password (PBKDF2 with SHA-512)."""
    salt = os.urandom(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ITERATIONS)
    return f"$7${ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def configuration(folder: Path, venue: str, listening: Listening) -> str:
    """mosquitto.conf."""
    lines = [
        "# Made by `table-controller venue broker-config`.",
        "per_listener_settings false",
        "allow_anonymous false",
        f"password_file {folder / 'passwd'}",
        f"acl_file {folder / 'acl'}",
        "persistence true",
        f"persistence_location {folder / 'data'}/",
        "autosave_interval 30",
        "persistent_client_expiration 2d",
        "# The default cuts a replay of more than a thousand retained topics without a word. What a reader that",
        "# is away misses beyond these limits (of each reader) it sees by the numbers, and asks the table for.",
        f"max_queued_messages {MOST_QUEUED}",
        f"max_queued_bytes {MOST_QUEUED_BYTES}",
        "max_inflight_messages 1000",
        "message_size_limit 262144",
        "max_keepalive 120",
        "log_type error",
        "log_type warning",
        "log_type notice",
        f"listener {listening.port} {listening.host}",
        "socket_domain ipv4",
        "max_connections 2000",
    ]
    if listening.websocket_port:
        lines += [
            f"listener {listening.websocket_port} {listening.host}",
            "protocol websockets",
            "# Without it this listener takes no notice of its address.",
            "socket_domain ipv4",
            "max_connections 2000",
        ]
    if listening.tls_port:
        lines += [
            f"listener {listening.tls_port} {listening.host}",
            "socket_domain ipv4",
            f"certfile {listening.certificate}",
            f"keyfile {listening.key}",
            "tls_version tlsv1.2",
            "max_connections 2000",
        ]
    if listening.bridge is not None:
        lines += _bridge(venue, listening.bridge)
    if os.getuid() == 0 and folder.stat().st_uid == 0:
        lines.append("user root")
    return "\n".join(lines) + "\n"


def _bridge(venue: str, to: Bridge) -> list[str]:
    base = f"{ROOT}/{venue}"
    lines = [
        f"connection {account_of_hall(to.hall)}",
        f"address {to.host}:{to.port}",
        "bridge_protocol_version mqttv50",
        f"remote_username {account_of_hall(to.hall)}",
        f"remote_password {to.password}",
        "cleansession false",
        "try_private true",
        "notifications false",
        "restart_timeout 1 10",
        *(f"topic {topic} out 1 {base}/ {base}/" for topic in UP),
        f"topic cmd/# in 1 {base}/ {base}/",
    ]
    return [*lines, f"bridge_cafile {to.ca_file}"] if to.ca_file else lines


def write_files(
    folder: Path, venue: str, tables: list[str], listening: Listening, halls: Iterable[str] = ()
) -> list[str]:
    """Write all of it; tables, halls and passwords that are there already stay. Returns the accounts.

    Raises UsageError.
    """
    for name in (venue, *tables, *halls, *([listening.bridge.hall] if listening.bridge else [])):
        if not name or any(mark in name for mark in "/+# \t\n$%"):
            raise UsageError(f"'{name}' cannot be a venue's, hall's or table's name.", way_out="No spaces, / + # $ %.")
    if listening.tls_port and not (listening.certificate and listening.key):
        raise UsageError("A TLS port needs --certificate and --key.", way_out="Name both PEM files.")
    try:
        for name in ("", "data", "secrets"):
            (folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        tables = list(dict.fromkeys([*_there(folder / "secrets", account_of("")), *tables]))
        halls = list(dict.fromkeys([*_there(folder / "secrets", account_of_hall("")), *halls]))
        accounts = list(rights(venue, tables, halls))
        lines = [f"{account}:{hashed(_password(folder / 'secrets', account))}" for account in accounts]
        _write(folder / "passwd", "\n".join(lines) + "\n")
        _write(folder / "acl", access_list(venue, tables, halls))
        _write(folder / "mosquitto.conf", configuration(folder, venue, listening))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.", way_out="Name another folder.") from error
    return accounts


def _there(folder: Path, kind: str) -> list[str]:
    """Tables or halls of earlier runs: who adds one shuts out nobody."""
    files = sorted(folder.glob(f"{kind}*.password"))
    return [path.name.removeprefix(kind).removesuffix(".password") for path in files]


def _password(folder: Path, account: str) -> str:
    path = folder / f"{account}.password"
    if path.is_file():
        return path.read_text(encoding="utf-8").strip()
    made = secrets.token_urlsafe(24)
    _write(path, made + "\n")
    return made


def _write(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
