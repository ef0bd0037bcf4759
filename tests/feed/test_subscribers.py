"""The subscribers that the page shows are run as they stand there, against a real broker and a simulated table."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from table_controller.app.brokers import RunningBroker, open_broker
from table_controller.feed.client import FeedClient
from table_controller.feed.outbox import Outbox
from table_controller.feed.topics import Topics
from table_controller.sim.published import PublishingTable
from table_controller.table.effects import Publish

pytestmark = pytest.mark.broker
ROOT = Path(__file__).parents[2]
MODULES = ROOT / "build/node/node_modules"


def shown(language: str, port: int) -> str:
    text = (ROOT / "docs/feed.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- run {language} -->\n```{language}\n(.*?)```", text, re.DOTALL)
    assert found is not None
    code = found.group(1)
    assert len([line for line in code.splitlines() if line.strip()]) <= 13
    assert "1883" in code
    return code.replace("1883", str(port))


def played(running: RunningBroker, reader: subprocess.Popen[str]) -> list[str]:
    """What the reader prints of one deal that a table publishes."""
    outbox = Outbox()
    client = FeedClient(running.broker, Topics("hall", "t1"), outbox, "boot-1")
    table = PublishingTable(4)
    publisher = table.attach(client, Topics("hall", "t1"))
    client.start()
    lines: list[str] = []
    try:
        assert reader.stdout is not None
        os.set_blocking(reader.stdout.fileno(), False)
        end = time.monotonic() + 30
        table.open()
        while not lines and time.monotonic() < end:  # until the reader has subscribed
            publisher.perform(Publish("camera_back"))
            time.sleep(0.1)
            lines += reader.stdout.readlines()
        table.play_deal()
        while time.monotonic() < end and not any(line.startswith(f"{publisher.events_sent} ") for line in lines):
            time.sleep(0.05)
            lines += reader.stdout.readlines()
    finally:
        client.stop()
        outbox.close()
    return [line.rstrip() for line in lines]


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_the_subscriber_of_the_page(language: str, tmp_path: Path) -> None:
    running = open_broker()
    program = {"python": sys.executable, "javascript": shutil.which("node")}[language]
    assert program, "node is not installed: .ci/setup dev"
    if language == "javascript":
        assert (MODULES / "mqtt").is_dir(), "mqtt from npm is not installed: .ci/setup dev"
    script = tmp_path / {"python": "reader.py", "javascript": "reader.cjs"}[language]
    script.write_text(shown(language, running.broker.port), encoding="utf-8")
    environment = {**os.environ, "NODE_PATH": str(MODULES), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen([program, str(script)], stdout=subprocess.PIPE, text=True, env=environment) as reader:
        try:
            lines = played(running, reader)
        finally:
            reader.terminate()
            running.stop()
    plays = [line for line in lines if re.match(r"\d+ play [ENWS] \S\S", line)]
    assert len(plays) > 20
    assert any(" deal_over" in line for line in lines)
    numbers = [int(line.split()[0]) for line in lines]
    assert numbers == sorted(numbers)
