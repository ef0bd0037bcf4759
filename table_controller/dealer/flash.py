"""Firmware onto the board: the right image for the right board, and never in the middle of a deal."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from table_controller.dealer import messages as m
from table_controller.errors import DeviceError, InputError

BOARD = "atmega2560"
MARK = re.compile(rb"GUANDAN-DEALER board=(\w+) protocol=(\d+) geometry=(\d+) id=([\w+]+);")
"""What every firmware holds in its flash, so that an image says what it is before it is on a board."""
MOST_BYTES = 256 * 1024


@dataclass(frozen=True)
class Image:
    """What an image says of itself."""

    board: str
    protocol: int
    geometry: int
    firmware: str


def read_image(path: Path) -> Image:
    """Reads an Intel HEX file. InputError: not readable, damaged, or no dealer's firmware."""
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a firmware.", way_out="Name a .hex file.") from error
    found = MARK.search(_content(text, path))
    if found is None:
        raise InputError(f"{path} is no firmware of this dealer.", way_out="Build it: make -C firmware")
    return Image(found[1].decode(), int(found[2]), int(found[3]), found[4].decode())


def check_image(image: Image) -> None:
    """InputError when it is for another board, or speaks what this program does not."""
    if image.board != BOARD:
        raise InputError(f"This firmware is for the board {image.board}, the dealer has an {BOARD}.")
    if (image.protocol, image.geometry) != (m.PROTOCOL_VERSION, m.GEOMETRY_CRC):
        raise InputError(
            f"This firmware has protocol {image.protocol}, geometry {image.geometry:04x}; this program needs protocol "
            f"{m.PROTOCOL_VERSION}, geometry {m.GEOMETRY_CRC:04x}.",
            way_out="Build the firmware of the same release: make -C firmware",
        )


def command_for(port: str, image: Path, programmer: str) -> list[str]:
    """The avrdude call. ``-p`` names the board: avrdude compares the chip's signature and stops at another one."""
    how = ["-c", "wiring", "-P", port, "-b", "115200", "-D"] if programmer == "bootloader" else ["-c", programmer]
    return ["avrdude", "-p", BOARD, *how, "-U", f"flash:w:{image}:i"]


def run_avrdude(command: list[str]) -> None:
    """Runs it; DeviceError with its last words."""
    if shutil.which(command[0]) is None:
        raise DeviceError("avrdude is not installed.", way_out="apt-get install avrdude", code="NO_AVRDUDE")
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
        raise DeviceError(
            f"The firmware was not written: {last[0]}",
            way_out="Check board, cable and bootloader; with a programmer: --programmer usbasp",
            code="FLASH",
        )


def _content(text: str, path: Path) -> bytes:
    """The bytes of an Intel HEX file in one piece; gaps are FF."""
    content, base = bytearray(), 0
    for number, line in enumerate(text.split(), 1):
        try:
            record = bytes.fromhex(line[1:]) if line.startswith(":") else b""
        except ValueError:
            record = b""
        if len(record) < 5 or sum(record) & 0xFF or len(record) != record[0] + 5:
            raise InputError(f"{path}: line {number} is damaged.", way_out="Build or copy it again.")
        data = record[4:-1]
        at = base + int.from_bytes(record[1:3], "big")
        if record[3] in (2, 4) and len(data) == 2:
            base = int.from_bytes(data, "big") << (4 if record[3] == 2 else 16)
        elif record[3] == 0 and at + len(data) <= MOST_BYTES:
            content += b"\xff" * (at - len(content))
            content[at : at + len(data)] = data
    return bytes(content)
