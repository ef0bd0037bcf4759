"""The serial driver: ports in plain words, and a deal over a pty with the real firmware in real time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from pathlib import Path

import pytest

from table_controller.dealer.driver import SerialLink
from table_controller.dealer.emulator import Emulator
from table_controller.dealer.ports import find_port, open_port, stable_name
from table_controller.errors import DeviceError
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealDone, DealerOffline, DealerOnline, DealFailed, DealPlanned, DealProgress


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
    assert took_ms > 4500  # quiet window and 12 cards: it did not run faster than a machine can
    plan = next(event.plan for event in log if isinstance(event, DealPlanned))
    process.stdin.write("D\n")
    trays = process.stdout.readline().removeprefix("= ").rstrip("\n").split(" ")
    want = [",".join(str(index) for index, at in enumerate(plan) if at == letter) for letter in "ENWSB"]
    assert trays == want


class Cable:
    """An emulator in real time behind a pty; pulling it closes the pty, plugging in makes one of another name."""

    def __init__(self, by_id: Path) -> None:
        self.emulator = Emulator(16)
        self.link = by_id / "usb-Dealer-if00"
        self.master = -1

    def plug(self) -> str:
        self.master, slave = os.openpty()
        os.set_blocking(self.master, False)
        name = os.ttyname(slave)
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(name)
        self.slave = slave
        self.emulator.replug()
        return name

    def pull(self) -> None:
        self.link.unlink()
        for descriptor in (self.slave, self.master):
            os.close(descriptor)
        self.master = -1
        self.emulator.unplug()

    async def live(self) -> None:
        last_ms = now_ms()
        while True:
            await asyncio.sleep(0.005)
            with contextlib.suppress(BlockingIOError, OSError):
                if self.master >= 0:
                    self.emulator.write(os.read(self.master, 4096))
            came = self.emulator.advance(now_ms() - last_ms)
            last_ms = now_ms()
            if came and self.master >= 0:
                os.write(self.master, came)


def test_replugged_under_another_name_the_deal_goes_on(tmp_path):
    async def run() -> tuple[list, dict, list[str]]:
        log: list = []
        cable = Cable(tmp_path)
        names = [cable.plug()]
        living = asyncio.create_task(cable.live())
        link = SerialLink("auto", log.append, now_ms=now_ms, by_id=tmp_path, quiet_ms=100)
        link.start()
        while not link.online:
            await asyncio.sleep(0.02)
        link.perform(PlanDeal(1, "A", (4, 4, 4, 4, 0)))
        link.perform(RunDeal(1, "A", log[-1].plan))
        await asyncio.sleep(1.0)
        cable.pull()
        await asyncio.sleep(0.5)
        holder = os.openpty()  # takes the old name, if the system would give it again
        names.append(cable.plug())
        while link.busy:
            await asyncio.sleep(0.02)
        link.close()
        living.cancel()
        cable.pull()
        for descriptor in holder:
            os.close(descriptor)
        return log, cable.emulator.delivered(), names

    log, delivered, names = asyncio.run(asyncio.wait_for(run(), 60))
    assert names[0] != names[1]
    kinds = [type(event) for event in log if not isinstance(event, DealPlanned | DealProgress)]
    assert kinds == [DealerOnline, DealerOffline, DealerOnline, DealDone], log
    plan = next(event.plan for event in log if isinstance(event, DealPlanned))
    assert delivered == {letter: [index for index, at in enumerate(plan) if at == letter] for letter in "ENWSB"}
