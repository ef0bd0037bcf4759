"""R16: SIGTERM at any time ends the table soon; a stalled loop is noticed by the watchdog of systemd."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from table_controller.journal.reader import read_journal
from table_controller.runtime.notify import STALL_MS

UNIT = Path(__file__).parents[2] / "systemd" / "table-controller.service"
END_S, MARGIN = 2.0, 5
NOTICED_S = 12.0
TIMES = int(os.environ.get("SIGTERMS", "10"))


def config(folder: Path) -> Path:
    path = folder / "table.toml"
    path.write_text(
        f"[camera]\nsource = 'frames:{folder}/none'\n[dealer]\nport = 'none'\n[feed]\nhost = ''\n[web]\nport = 0\n"
        f"[panel]\nenabled = false\n[state]\ndirectory = '{folder}/state'\n"
    )
    return path


@contextmanager
def running(folder: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "table_controller", "run", "--degraded", "--config", str(config(folder))]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        assert child.stderr is not None
        child.stderr.close()


def stop_once(folder: Path, delay_s: float) -> tuple[float, int, str]:
    """SIGTERM so long after the start; seconds until the end, exit status, what was said."""
    with running(folder) as child:
        time.sleep(delay_s)
        began = time.monotonic()
        child.terminate()
        _, said = child.communicate(timeout=60)
        return time.monotonic() - began, child.returncode, said


def stop_many(folder: Path, times: int, seed: int) -> None:
    rng = random.Random(seed)
    for number in range(times):
        delay_s = rng.uniform(0.2, 5.0)
        where = f"seed {seed}, number {number}, after {delay_s:.2f} s"
        took_s, status, said = stop_once(folder, delay_s)
        assert took_s < END_S * MARGIN, where
        assert status in (0, 130, -signal.SIGTERM, -signal.SIGINT), f"{where}: {said}"
        assert "Traceback" not in said or status != 0, f"{where}: {said}"
        journal = folder / "state" / "journal.jsonl"
        if journal.exists():
            contents = read_journal(journal)
            assert contents.damage == "" or contents.torn, where


def test_sigterm_at_any_time_ends_a_table_soon(tmp_path: Path) -> None:
    stop_many(tmp_path, TIMES, 16)


@pytest.mark.parametrize("ignored", [False, True], ids=["terminal closed", "nohup"])
def test_a_terminal_that_is_closed_ends_a_table_in_order(tmp_path: Path, ignored: bool) -> None:
    """Its lamps go off and its worker ends; one started with ``nohup`` goes on."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        with running(tmp_path) as child:
            assert child.stderr is not None
            for line in child.stderr:
                if "is ready" in line:
                    break
            child.send_signal(signal.SIGHUP)
            if ignored:
                child.terminate()
            _, said = child.communicate(timeout=60)
            assert (child.returncode, "leaked" in said) == (0, False)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.runs(
    "app cards config dealer errors feed files games geometry journal panel resources runtime table vision",
    starts="table_controller.app.run",
    besides="cli web",
)
def test_a_hundred_sigterms(tmp_path: Path, part_once: Any) -> None:
    stop_many(tmp_path, 100, 160)
    part_once("R16", 100, seed=160)


def test_the_watchdog_is_fed_while_the_loop_is_timely_and_not_while_it_is_stalled(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(address)
        heard.settimeout(60)
        with running(tmp_path, NOTIFY_SOCKET=address) as child:
            words = [heard.recv(200).decode()]
            assert words[0].startswith("READY=1"), "nothing is said before everything is open"
            while sum(word.startswith("WATCHDOG=1") for word in words) < 4:
                words.append(heard.recv(200).decode())
            child.send_signal(signal.SIGSTOP)
            time.sleep(0.3)
            heard.setblocking(False)
            with pytest.raises(BlockingIOError):
                while True:
                    heard.recv(200)
            time.sleep(2.0)
            with pytest.raises(BlockingIOError):
                heard.recv(200)
            child.send_signal(signal.SIGCONT)
            heard.settimeout(60)
            assert heard.recv(200).startswith(b"WATCHDOG=1")
            child.terminate()
            while not (word := heard.recv(200)).startswith(b"STOPPING=1"):
                assert word.startswith(b"WATCHDOG=1")
            assert child.wait(60) == 0


def test_a_stall_is_ended_in_twelve_seconds_by_the_units_own_figures() -> None:
    text = UNIT.read_text(encoding="utf-8")
    found = {key: float(value) for key, value in re.findall(r"^(WatchdogSec|RestartSec)=(\d+)$", text, re.MULTILINE)}
    assert STALL_MS / 1000 + found["WatchdogSec"] + found["RestartSec"] <= NOTICED_S
