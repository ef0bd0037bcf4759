"""The serial driver: ports in plain words, and a deal over a pty with the real firmware in real time."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

import pytest

from table_controller.dealer.bench import build
from table_controller.dealer.driver import SerialLink
from table_controller.dealer.ports import find_port, open_port, stable_name
from table_controller.errors import DeviceError
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealDone, DealerOffline, DealerOnline, DealFailed, DealPlanned


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def test_no_port_in_plain_words(tmp_path):
    with pytest.raises(DeviceError, match="There is no serial port /dev/ttyNONE"):
        find_port("/dev/ttyNONE", tmp_path)
    with pytest.raises(DeviceError, match="No USB serial port"):
        find_port("auto", tmp_path / "missing")


def test_auto_takes_the_only_one_and_names_several(tmp_path):
    (tmp_path / "usb-Arduino_Mega-if00").symlink_to("/dev/null")
    assert find_port("auto", tmp_path) == tmp_path / "usb-Arduino_Mega-if00"
    (tmp_path / "usb-GPS-if00").symlink_to("/dev/zero")
    with pytest.raises(DeviceError, match=r"usb-Arduino_Mega-if00, usb-GPS-if00"):
        find_port("auto", tmp_path)


def test_a_port_is_remembered_by_its_id(tmp_path):
    (tmp_path / "usb-Arduino_Mega-if00").symlink_to("/dev/null")
    assert stable_name(Path("/dev/null"), tmp_path) == tmp_path / "usb-Arduino_Mega-if00"
    assert stable_name(Path("/dev/zero"), tmp_path) == Path("/dev/zero")


def test_what_is_no_serial_port(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(DeviceError, match="cannot be opened"):
        open_port(file)
    with pytest.raises(DeviceError, match="has gone"):
        open_port(tmp_path / "gone")


def test_a_port_in_use(tmp_path):
    master, slave = os.openpty()
    path = Path(os.ttyname(slave))
    port = open_port(path)
    try:
        with pytest.raises(DeviceError, match=r"in use|cannot be opened"):
            open_port(path)
    finally:
        port.close()
        os.close(master)
        os.close(slave)


def test_a_missing_port_is_said_once_and_looked_for(tmp_path):
    async def run() -> list:
        log: list = []
        link = SerialLink(str(tmp_path / "ttyUSB0"), log.append, now_ms=now_ms, by_id=tmp_path / "none")
        link.start()
        await asyncio.sleep(1.2)
        master, slave = os.openpty()
        (tmp_path / "ttyUSB0").symlink_to(os.ttyname(slave))
        await asyncio.sleep(1.2)
        opened = link.link.state
        os.close(slave)
        os.close(master)
        await asyncio.sleep(0.2)
        log.append(opened)
        link.close()
        return log

    log = asyncio.run(run())
    assert log[-1] == "hello"
    assert [type(event) for event in log[:-1]] == [DealerOffline, DealerOffline]
    assert "no serial port" in log[0].message
    assert "unplugged" in log[1].message


@pytest.fixture
def pty_bench(bench):
    """(path of the pty, process) of the real firmware in real time."""
    program, elf = build()
    process = subprocess.Popen(
        [program, elf, "--pty"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    path = process.stdout.readline().removeprefix("= ").strip()
    process.stdin.write("L 12\n")
    assert process.stdout.readline() == "= ok\n"
    yield path, process
    process.stdin.close()
    process.wait(timeout=10)
    process.stdout.close()


@pytest.mark.avr
def test_a_deal_in_real_time_over_a_pty(pty_bench, tmp_path):
    path, process = pty_bench

    async def run() -> tuple[list, float]:
        log: list = []
        link = SerialLink(path, log.append, now_ms=now_ms, by_id=tmp_path)
        link.start()
        began = now_ms()
        while not link.online:
            await asyncio.sleep(0.02)
            assert now_ms() - began < 10_000, log
        link.perform(PlanDeal(1, "A", (3, 3, 3, 3, 0)))
        link.perform(RunDeal(1, "A", log[-1].plan))
        while link.busy:
            await asyncio.sleep(0.02)
            assert now_ms() - began < 30_000, log
        link.close()
        return log, now_ms() - began

    log, took_ms = asyncio.run(run())
    assert isinstance(log[0], DealerOnline)
    assert isinstance(log[-1], DealDone), log[-1]
    assert not [event for event in log if isinstance(event, DealFailed | DealerOffline)]
    assert took_ms > 5000  # quiet window and 12 cards: it did not run faster than a machine can
    plan = next(event.plan for event in log if isinstance(event, DealPlanned))
    process.stdin.write("D\n")
    trays = process.stdout.readline().removeprefix("= ").rstrip("\n").split(" ")
    want = [",".join(str(index) for index, at in enumerate(plan) if at == letter) for letter in "ENWSB"]
    assert trays == want
