"""Two halls' brokers: what is on air and alerts go up to the head, commands come down; through a killed head too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from table_controller.table.effects import Publish
from table_controller.venue.broker_files import Bridge, Listening, account_of, write_files
from table_controller.venue.relay.relay import Relay

pytestmark = [pytest.mark.broker, pytest.mark.timeout(120)]


@pytest.fixture
def head(kit: Any, tmp_path: Path) -> Any:
    """A head broker that knows a hall called east."""
    made = kit.Hall(tmp_path / "head", [])
    write_files(made.folder, kit.VENUE, [], Listening("127.0.0.1", made.port), ["east"])
    made.start()
    yield made
    made.stop()


@pytest.fixture
def east(kit: Any, head: Any, tmp_path: Path) -> Any:
    """The hall's own broker, bridged to it."""
    made = kit.Hall(tmp_path / "east", kit.TABLES)
    password = head.password_file("hall-east").read_text().strip()
    up = Bridge("127.0.0.1", head.port, "east", password)
    write_files(made.folder, kit.VENUE, kit.TABLES, Listening("127.0.0.1", made.port, bridge=up))
    made.start()
    yield made
    made.stop()


def test_air_goes_up_in_order_through_a_killed_head_and_commands_come_down(
    kit: Any, head: Any, east: Any, tmp_path: Path
) -> None:
    viewer = kit.Client(head.login("overlay"), "viewer", "guandan/v1/hall/air/#", keeps=True)
    chief = kit.Client(head.login("venue"), "chief", "guandan/v1/hall/reply/#", "guandan/v1/hall/live/#")
    ear = kit.Client(east.login(account_of("t1")), "ear", "guandan/v1/hall/cmd/t1/+")
    table = kit.SimulatedTable(east, "t2", tmp_path)
    relay = Relay(east.login("relay"), "hall", tmp_path / "state", 0, None)
    relay.start()
    seqs = lambda: [event["seq"] for event in viewer.said("/air/t2/event")]  # noqa: E731
    try:
        kit.wait_for(lambda: relay._clear)
        for _ in range(100):
            table.publisher.perform(Publish("camera_back"))
        kit.wait_for(lambda: len(seqs()) == 100)
        head.kill()
        for _ in range(100):
            table.publisher.perform(Publish("camera_back"))
        kit.wait_for(lambda: not relay._tracks["t2"].out and not relay._tracks["t2"].waiting)
        head.start()
        for _ in range(100):
            table.publisher.perform(Publish("camera_back"))
        kit.wait_for(lambda: seqs()[-1:] == [300], 40)
        assert list(dict.fromkeys(seqs())) == list(range(1, 301))
        table.publisher.perform(
            Publish("incident", (("kind", "td_call"), ("number", 1), ("seat", "N"), ("play", None), ("rule", ""),
                                 ("proposal", ""), ("needs", "")))
        )  # fmt: skip
        kit.wait_for(lambda: "guandan/v1/hall/live/t2/alert/1" in chief.topics())
        assert not [topic for topic in chief.topics() if topic.endswith(("/state", "/event"))], "live stays in its hall"
        chief.publish("guandan/v1/hall/cmd/t1/pause", b"down")
        kit.wait_for(lambda: "guandan/v1/hall/cmd/t1/pause" in ear.topics())
        ear.publish("guandan/v1/hall/reply/t1/venue", b"up")
        kit.wait_for(lambda: "guandan/v1/hall/reply/t1/venue" in chief.topics())
    finally:
        relay.stop()
        table.close()
        for client in (viewer, chief, ear):
            client.close()


def test_a_hall_s_broker_may_not_do_more_at_the_head(kit: Any, head: Any) -> None:
    hall = kit.Client(head.login("hall-east"), "as-the-bridge", "#", "guandan/v1/hall/air/#", "guandan/v1/hall/live/#")
    other = kit.Client(head.login("relay"), "relay")
    other.publish("guandan/v1/hall/air/t1/state", json.dumps({}), retain=True)
    chief = kit.Client(head.login("venue"), "chief")
    chief.publish("guandan/v1/hall/cmd/t1/pause", b"x")
    kit.wait_for(hall.topics)
    assert hall.topics() == {"guandan/v1/hall/cmd/t1/pause"}
    for client in (hall, other, chief):
        client.close()


def test_the_command_line_makes_both_ends(tmp_path: Path) -> None:
    config = tmp_path / "venue.toml"
    config.write_text(f'[venue]\nname = "hall"\nstate = "{tmp_path / "state"}"\n')

    def files(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "table_controller", "venue", "broker-config", "--config", str(config), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert files("--out", str(tmp_path / "head"), "--hall", "east").returncode == 0
    secret = tmp_path / "head" / "secrets" / "hall-east.password"
    east = ["--out", str(tmp_path / "east"), "--table", "t1", "--bridge", "head.example:8883", "--bridge-as", "east"]
    done = files(*east, "--bridge-password-file", str(secret), "--bridge-ca", "/etc/ca.pem")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "east" / "mosquitto.conf").read_text()
    for line in ("address head.example:8883", "remote_username hall-east", "bridge_cafile /etc/ca.pem",
                 f"remote_password {secret.read_text().strip()}"):  # fmt: skip
        assert line in text
    refused = files(*east)
    assert refused.returncode == 64
    assert "--bridge-password-file" in refused.stderr
