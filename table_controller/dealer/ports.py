"""Finding and opening the dealer's serial port, and saying in plain words why it cannot be."""

from __future__ import annotations

import errno
import os
import termios
from pathlib import Path

import serial

from table_controller.errors import DeviceError

BAUD = 115200
BY_ID = Path("/dev/serial/by-id")
OWN_NAME = Path("/dev/guandan-dealer")
"""What systemd/70-guandan-dealer.rules calls a board of the dealer's kind."""
AUTO = "auto"
_CONFIG = "Set [dealer] port in the table's configuration."


def stable_name(port: Path, by_id: Path = BY_ID) -> Path:
    """The name of a port that survives plugging in again: its link under by-id if it has one."""
    if by_id.is_dir():
        for link in sorted(by_id.iterdir()):
            if link.resolve() == port.resolve():
                return link
    return port


def find_port(port: str, by_id: Path = BY_ID, own_name: Path = OWN_NAME) -> Path:
    """The port named in the configuration; for ``auto`` the one udev knows as a dealer's, else the only USB serial.

    DeviceError in plain words.
    """
    if port != AUTO:
        path = Path(port)
        if not path.exists():
            raise DeviceError(
                f"There is no serial port {port}.", way_out=f"Plug the dealer in, or: {_CONFIG}", code="NO_PORT"
            )
        return stable_name(path, by_id)
    if own_name.exists():
        return stable_name(own_name, by_id)
    links = sorted(by_id.iterdir()) if by_id.is_dir() else []
    if not links:
        raise DeviceError("No USB serial port is plugged in.", way_out="Plug the dealer in.", code="NO_PORT")
    if len(links) > 1:
        names = ", ".join(link.name for link in links)
        raise DeviceError(f"Several serial ports are plugged in: {names}.", way_out=_CONFIG, code="SEVERAL_PORTS")
    return links[0]


def open_port(path: Path) -> serial.Serial:
    """The port, exclusive and non-blocking; DeviceError in plain words.

    On the usual boards a rising DTR resets the MCU, and Linux raises it on opening. HUPCL is taken off, so DTR stays
    up when we close and the next opening resets nothing; the first one after plugging in may, and is survived.
    """
    try:
        port = serial.Serial(str(path), BAUD, timeout=0, write_timeout=0, exclusive=True)
    except (serial.SerialException, OSError) as error:
        raise DeviceError(_why(path, error), way_out=_way_out(error), code="PORT") from error
    os.set_blocking(port.fileno(), False)
    attributes = termios.tcgetattr(port.fileno())
    attributes[2] &= ~termios.HUPCL
    attributes[6][termios.VMIN] = 1  # so that an empty read can only mean that the port is gone
    termios.tcsetattr(port.fileno(), termios.TCSANOW, attributes)
    return port


def _number(error: Exception) -> int | None:
    number = getattr(error, "errno", None)
    return number if isinstance(number, int) else None


def _why(path: Path, error: Exception) -> str:
    number = _number(error)
    if number == errno.EACCES:
        return f"No permission for the serial port {path}."
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return f"The serial port {path} has gone."
    if number in (errno.EBUSY, errno.EAGAIN):
        return f"The serial port {path} is in use by another program."
    return f"The serial port {path} cannot be opened: {error}."


def _way_out(error: Exception) -> str:
    if _number(error) == errno.EACCES:
        return "Add the user to the group dialout and log in again."
    if _number(error) in (errno.EBUSY, errno.EAGAIN):
        return "Close the other program (a serial monitor, a second controller)."
    return "Plug the dealer in."
