"""The demo of a hall, and the command line: as a person types them."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.broker, pytest.mark.timeout(120)]


def table_controller(*arguments: str, status: int = 0, said: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "table_controller", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, input=said)
    assert done.returncode == status, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    return done


def test_a_hall_in_one_command() -> None:
    command = [sys.executable, "-m", "table_controller", "demo-venue", "--tables", "2", "--seconds", "14", "--hurried",
               "--port", "0", "--delay", "1"]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith("broker"):
            lines.append(process.stderr.readline())
        text = "".join(lines)
        url = re.findall(r"http://127\.0\.0\.1:\d+", text)[0]
        key = re.findall(r"key=([\w-]+)", text)[0]
        assert "referee" in text
        rows: list[dict[str, Any]] = []
        end = time.monotonic() + 12
        request = urllib.request.Request(f"{url}/api/login", b'{"name": "referee", "password": "guandan-demo"}')
        request.add_header("X-Table-Controller", "1")
        with urllib.request.urlopen(request) as answer:
            token = json.loads(answer.read())["token"]
        while time.monotonic() < end and not (rows and all(row["phase"] == "playing" for row in rows)):
            time.sleep(0.2)
            asked = urllib.request.Request(f"{url}/api/tables", headers={"Authorization": f"Bearer {token}"})
            with urllib.request.urlopen(asked) as answer:
                rows = json.loads(answer.read())["tables"]
        assert [row["phase"] for row in rows] == ["playing", "playing"]
        with urllib.request.urlopen(f"{url}/api/air/t1/state?key={key}") as answer:
            assert json.loads(answer.read())["table"] == "t1"
        rest = process.stderr.read()
        assert process.wait(20) == 0
    counted = re.search(r"events in the archive: (\d+)", rest)
    assert counted is not None, rest
    assert int(counted.group(1)) > 10
    assert "Traceback" not in rest


def test_people_keys_and_files_by_the_command_line(tmp_path: Path) -> None:
    config = tmp_path / "venue.toml"
    config.write_text(f'[venue]\nname = "hall"\nstate = "{tmp_path / "state"}"\n')
    table_controller("venue", "user", "add", "Li", "--role", "referee", "--config", str(config), said="long enough\n")
    key = table_controller("venue", "key", "obs", "--role", "overlay", "--config", str(config)).stdout.strip()
    assert len(key) > 20
    listed = table_controller("venue", "user", "list", "--config", str(config)).stdout
    assert re.search(r"Li +referee", listed)
    assert "long enough" not in listed
    assert key not in listed
    out = tmp_path / "broker"
    done = table_controller("venue", "broker-config", "--config", str(config), "--out", str(out), "--table", "t1")
    assert "table-t1" in done.stdout
    assert (out / "acl").is_file()
    assert "listener 1883 127.0.0.1" in (out / "mosquitto.conf").read_text()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        taken = f'[venue]\nstate = "{tmp_path / "s"}"\n[broker]\nport = {port}\nstart = true\nconfig = "{out}"\n'
        config.write_text(taken)
        table_controller("venue", "broker-config", "--config", str(config), "--out", str(out))
        assert f"listener {port} 127.0.0.1" in (out / "mosquitto.conf").read_text()
        assert "listens" in table_controller("venue", "serve", "--config", str(config), status=69).stderr
    config.write_text("[venue]\nnmae = 1\n")
    assert "nmae" in table_controller("venue", "serve", "--config", str(config), status=78).stderr
