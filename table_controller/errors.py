"""The one root error: a stable code, a plain-language message, a way out, and the exit status for the command line.

The codes are listed in ``docs/errors.md``; a test keeps the list complete.
"""

from __future__ import annotations

EX_USAGE = 64
EX_DATAERR = 65
EX_NOINPUT = 66
EX_UNAVAILABLE = 69
EX_SOFTWARE = 70
EX_IOERR = 74
EX_CONFIG = 78


class TableError(Exception):
    """An error a person can act on. ``code`` is stable; ``message`` names the thing; ``way_out`` says what to do."""

    code = "TABLE"
    exit_status = EX_SOFTWARE

    def __init__(self, message: str, *, way_out: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.way_out = way_out
        if code is not None:
            self.code = code

    def line(self) -> str:
        """One plain line for a terminal: message, then the way out."""
        return f"{self.message} {self.way_out}".strip()


class UsageError(TableError):
    """An option of the command line is not possible."""

    code = "USAGE"
    exit_status = EX_USAGE


class ConfigError(TableError):
    """A configuration file or key is wrong."""

    code = "CONFIG"
    exit_status = EX_CONFIG


class CardError(TableError):
    """A card code is not one of the 54."""

    code = "CARD"
    exit_status = EX_DATAERR


class InputError(TableError):
    """A file or picture cannot be used."""

    code = "INPUT"
    exit_status = EX_NOINPUT


class DeviceError(TableError):
    """A camera, serial port, broker or pin is missing or is not what was expected."""

    code = "DEVICE"
    exit_status = EX_UNAVAILABLE


class JournalError(TableError):
    """A journal cannot be read or written."""

    code = "JOURNAL"
    exit_status = EX_IOERR
