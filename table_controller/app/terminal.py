"""What is said to the person at the terminal."""

from __future__ import annotations

import errno
import logging
import sys

from table_controller.errors import EX_IOERR, EX_USAGE

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def say(text: str) -> None:
    """A line on standard error: a command's result alone goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def url_host(host: str) -> str:
    """A host as it stands in an address: one of IPv6 in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def worth_logging(record: logging.LogRecord) -> bool:
    """A filter of the web server's log: what a client sends that is no HTTP is refused, and no fault of ours.

    It stays as a line without a traceback where more is said (``-v``).
    """
    kind = record.exc_info[0] if record.exc_info else None
    if kind is None or kind.__module__ != "aiohttp.http_exceptions":
        return True
    who = record.args[0] if isinstance(record.args, tuple) and record.args else "?"
    record.levelno, record.levelname = logging.INFO, "INFO"
    record.msg, record.args = "Refused: a request from %s that is no HTTP, or too long.", (who,)
    record.exc_info = None
    return logging.getLogger().isEnabledFor(logging.INFO)


def of_the_system(error: Exception) -> tuple[str, int] | None:
    """What the machine has run into, rather than this program: a sentence with the way out, and an exit status."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        where = f" for {error.filename}" if error.filename else " for what it writes"
        return f"There is no room{where}: {error.strerror}. Free some space (df -h), then run it again.", EX_IOERR
    if isinstance(error, UnicodeEncodeError):
        what = ascii(error.object[error.start : error.end])
        return (
            f"The language settings of this terminal cannot write {what}. Set LC_ALL=C.UTF-8, run it again.",
            EX_USAGE,
        )
    return None
