"""The access list with the real mosquitto: every account against every plane, to read and to write."""

from __future__ import annotations

import stat
import threading
import time
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest

from table_controller.errors import UsageError
from table_controller.venue.broker_files import Listening, account_of, hashed, rights, write_files

pytestmark = pytest.mark.broker
BASE = "guandan/v1/hall"
SAMPLES = [
    f"{BASE}/live/t1/availability", f"{BASE}/live/t1/info", f"{BASE}/live/t1/state", f"{BASE}/live/t1/event",
    f"{BASE}/live/t1/alert/1", f"{BASE}/live/t1/health", f"{BASE}/live/t2/state",
    f"{BASE}/air/t1/state", f"{BASE}/air/t1/event", f"{BASE}/cmd/t1/pause", f"{BASE}/cmd/t2/pause",
    f"{BASE}/reply/t1/venue", f"{BASE}/seal/t1/commit", f"{BASE}/venue/hall/roster",
    f"{BASE}/relay/t1/control", f"{BASE}/relay/t1/status", f"{BASE}/relay/_relay/marker",
    "guandan/v1/other/air/t1/state", "homeassistant/device/guandan_hall_t1/config", "homeassistant/status",
    "elsewhere", "$SYS/broker/version",
]  # fmt: skip
WRITTEN = [topic for topic in SAMPLES if not topic.startswith("$")]


def matches(filter_: str, topic: str) -> bool:
    wanted, given = filter_.split("/"), topic.split("/")
    for place, part in enumerate(wanted):
        if part == "#":
            return True
        if place >= len(given) or part not in ("+", given[place]):
            return False
    return len(wanted) == len(given)


def may(account: str, what: str, topic: str) -> bool:
    lines = rights("hall", ["t1", "t2", "t3"])[account]
    return any(what in granted and matches(filter_, topic) for granted, filter_ in lines)


@pytest.fixture
def everywhere(hall: Any, kit: Any) -> Any:
    """A client of the test's own that may do everything: the ACL file gets one more account."""
    with (hall.folder / "acl").open("a") as file:
        file.write("\nuser root-of-tests\ntopic readwrite #\ntopic readwrite $SYS/#\n")
    lines = (hall.folder / "passwd").read_text()
    (hall.folder / "passwd").write_text(lines + f"root-of-tests:{hashed('x')}\n")
    (hall.folder / "secrets" / "root-of-tests.password").write_text("x")
    hall.stop()
    hall.start()
    client = kit.Client(hall.login("root-of-tests"), "root", "#")
    yield client
    client.close()


def write(broker: Any, account: str, topic: str) -> None:
    """One message on a connection of its own: mosquitto 2.0.11 ends the connection of who writes where it may not."""
    ended = threading.Event()
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5, reconnect_on_failure=False)
    client.username_pw_set(broker.username, broker.password)
    client.on_connect = lambda c, *rest: c.publish(topic, account.encode(), qos=1)
    client.on_publish = lambda *rest: ended.set()
    client.on_disconnect = lambda *rest: ended.set()
    client.connect(broker.host, broker.port)
    client.loop_start()
    assert ended.wait(10)
    client.disconnect()
    client.loop_stop()


def test_every_account_reads_and_writes_what_it_may_and_nothing_else(hall: Any, kit: Any, everywhere: Any) -> None:
    for topic in WRITTEN:
        everywhere.publish(topic, b"kept", retain=True)
    accounts = [account for account in rights("hall", kit.TABLES) if account not in ("table-t2", "table-t3")]
    assert len(accounts) == 7
    clients = {}
    for account in accounts:
        asks = ("#", "$SYS/#", "+/+/+/+/+/#", f"$share/all-{account}/#", f"{BASE}/air/#", f"{BASE}/live/#", *SAMPLES)
        clients[account] = kit.Client(hall.login(account), account, *asks)
    for account, client in clients.items():
        readable = {topic for topic in SAMPLES if may(account, "read", topic)}
        kit.wait_for(lambda client=client, readable=readable: readable <= client.topics())
    for topic in WRITTEN:  # again, not retained: live messages, also by the shared subscription
        everywhere.publish(topic, b"now")
    marks = {account: {t for t in SAMPLES if may(account, "read", t)} for account in accounts}
    for account, client in clients.items():
        wanted = len(marks[account])
        kit.wait_for(lambda c=client, n=wanted: len({m.topic for m in list(c.messages) if m.payload == b"now"}) >= n)
    time.sleep(0.3)
    for account, client in clients.items():
        assert client.topics() == marks[account], account
    # writing: every account at every topic; only the permitted ones reach anybody
    everywhere.messages.clear()
    for account in accounts:
        for topic in WRITTEN:
            write(hall.login(account), account, topic)
    permitted = {(topic, account) for account in accounts for topic in WRITTEN if may(account, "write", topic)}

    def arrived() -> set[tuple[str, str]]:
        return {(m.topic, bytes(m.payload).decode()) for m in list(everywhere.messages)}

    kit.wait_for(lambda: permitted <= arrived())
    time.sleep(0.3)
    assert arrived() == permitted
    for client in clients.values():
        client.close()


def test_what_an_overlay_gets_is_air_alone(kit: Any) -> None:
    read = [topic for topic in SAMPLES if may("overlay", "read", topic)]
    assert read == [f"{BASE}/air/t1/state", f"{BASE}/air/t1/event"]
    assert [topic for topic in SAMPLES if may("overlay", "write", topic)] == []
    assert [topic for topic in SAMPLES if may("scoreboard", "write", topic)] == []
    writers = [a for a in rights("hall", kit.TABLES) if may(a, "write", f"{BASE}/cmd/t1/pause")]
    assert writers == ["venue"]
    assert [a for a in rights("hall", kit.TABLES) if may(a, "write", f"{BASE}/live/t1/state")] == [account_of("t1")]
    assert [a for a in rights("hall", kit.TABLES) if may(a, "write", f"{BASE}/air/t1/state")] == ["relay"]


def test_nobody_enters_without_the_right_password(hall: Any, kit: Any) -> None:
    for name, password in (("", ""), ("overlay", "wrong"), ("nobody", "x")):
        refused: list[Any] = []
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        if name:
            client.username_pw_set(name, password)
        client.on_connect = lambda c, u, flags, reason, props, refused=refused: refused.append(reason)
        client.connect("127.0.0.1", hall.port)
        client.loop_start()
        kit.wait_for(lambda refused=refused: refused)
        assert refused[0].is_failure
        client.disconnect()
        client.loop_stop()


def test_files_are_for_their_owner_and_passwords_stay(tmp_path: Path) -> None:
    write_files(tmp_path / "b", "hall", ["t1"], Listening())
    first = (tmp_path / "b/secrets/overlay.password").read_text()
    accounts = write_files(tmp_path / "b", "hall", ["t2"], Listening(websocket_port=9001))
    assert accounts[-2:] == ["table-t1", "table-t2"], "who adds a table shuts out nobody"
    assert "user table-t1\n" in (tmp_path / "b/acl").read_text()
    assert "table-t1:$7$" in (tmp_path / "b/passwd").read_text()
    assert (tmp_path / "b/secrets/overlay.password").read_text() == first
    for path in (tmp_path / "b").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    text = (tmp_path / "b/mosquitto.conf").read_text()
    assert "allow_anonymous false" in text
    assert text.count("socket_domain ipv4") == 2
    for venue, tables in (("a/b", []), ("hall", ["+"]), ("hall", ["x y"]), ("", [])):
        with pytest.raises(UsageError):
            write_files(tmp_path / "c", venue, tables, Listening())
    with pytest.raises(UsageError):
        write_files(tmp_path / "c", "hall", [], Listening(tls_port=8883))
