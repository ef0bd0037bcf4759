"""`dealer flash`: a wrong image, a wrong board, a machine at work are refused; the right one goes through avrdude."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from table_controller.cli import main
from table_controller.dealer import commands, flash
from table_controller.dealer import messages as m
from table_controller.dealer.bench import build
from table_controller.dealer.console import Console, MachineWire
from table_controller.dealer.emulator import Emulator
from table_controller.errors import DeviceError, InputError


def hex_of(content: bytes, at: int = 0x200) -> str:
    lines = []
    for offset in range(0, len(content), 16):
        data = content[offset : offset + 16]
        record = bytes([len(data), *(at + offset).to_bytes(2, "big"), 0]) + data
        lines.append(":" + (record + bytes([-sum(record) & 0xFF])).hex().upper())
    return "\n".join([*lines, ":00000001FF"])


def image(
    path: Path, board: str = "atmega2560", protocol: int = m.PROTOCOL_VERSION, geometry: int = m.GEOMETRY_CRC
) -> Path:
    path.write_text(
        hex_of(f"xx GUANDAN-DEALER board={board} protocol={protocol} geometry={geometry} id=abc123+;".encode())
    )
    return path


@pytest.mark.avr
def test_the_firmware_says_what_it_is(bench):
    made = flash.read_image(build()[1].with_suffix(".hex"))
    flash.check_image(made)
    assert (made.board, made.protocol, made.geometry) == ("atmega2560", m.PROTOCOL_VERSION, m.GEOMETRY_CRC)
    assert len(made.firmware) >= 5


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"board": "atmega328p"}, "atmega328p"),
        ({"protocol": 1}, "protocol 1"),
        ({"geometry": 1}, "geometry 0001"),
    ],
)
def test_an_image_for_something_else_is_refused(tmp_path, capsys, changes, words):
    wrong = image(tmp_path / "dealer.hex", **changes)
    assert main(["dealer", "flash", "--simulated", "--image", str(wrong)]) == 66
    assert words in capsys.readouterr().err


def test_what_is_no_image_is_refused(tmp_path):
    file = tmp_path / "dealer.hex"
    with pytest.raises(InputError, match="cannot be read"):
        flash.read_image(file)
    file.write_text(hex_of(b"somebody else's firmware"))
    with pytest.raises(InputError, match="no firmware of this dealer"):
        flash.read_image(file)
    image(file)
    file.write_text(file.read_text().replace("02", "03", 1))
    with pytest.raises(InputError, match="line 1 is damaged"):
        flash.read_image(file)


def test_an_image_above_64_kilobytes_is_read(tmp_path):
    file = image(tmp_path / "dealer.hex")
    file.write_text(":020000040001F9\n" + file.read_text())
    assert flash.read_image(file).firmware == "abc123+"


def test_a_machine_at_work_is_not_written_to():
    machine = Emulator(4)
    asked = Console(MachineWire(machine), random.Random(1).randbytes, quiet_ms=0)
    assert commands.check_flashable(asked) == "emulator"
    asked.ask(m.Selftest, m.Ack)
    with pytest.raises(DeviceError, match="TESTING"):
        commands.check_flashable(Console(MachineWire(machine), random.Random(2).randbytes, quiet_ms=0))


@pytest.fixture
def avrdude(tmp_path, monkeypatch):
    """An avrdude that writes down what it was asked; the last line of its status file is its exit status."""
    program = tmp_path / "bin" / "avrdude"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/asked\necho "signature differs" >&2\nexit $(cat {tmp_path}/status)\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    (tmp_path / "status").write_text("0")
    return tmp_path


def test_avrdude_is_told_the_board(avrdude):
    file = image(avrdude / "dealer.hex")
    flash.run_avrdude(flash.command_for("/dev/ttyUSB0", file, "bootloader"))
    asked = (avrdude / "asked").read_text()
    assert "-p atmega2560 -c wiring -P /dev/ttyUSB0" in asked
    assert f"flash:w:{file}:i" in asked
    flash.run_avrdude(flash.command_for("/dev/ttyUSB0", file, "usbasp"))
    assert "-c usbasp -U" in (avrdude / "asked").read_text()


def test_avrdude_that_refuses_or_is_missing(avrdude, monkeypatch):
    (avrdude / "status").write_text("1")
    with pytest.raises(DeviceError, match="signature differs"):
        flash.run_avrdude(flash.command_for("/dev/ttyUSB0", avrdude / "dealer.hex", "bootloader"))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(DeviceError, match="not installed"):
        flash.run_avrdude(["avrdude"])


@pytest.mark.avr
def test_over_a_port(avrdude, pty_bench, capsys):
    path, _ = pty_bench
    file = image(avrdude / "dealer.hex")
    assert main(["dealer", "flash", "--port", path, "--image", str(file)]) == 0
    assert "written" in capsys.readouterr().out
    assert f"-P {path}" in (avrdude / "asked").read_text()
