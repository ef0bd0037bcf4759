"""Asks a table for events that the relay missed; blocking, for a thread of its own."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import quote, urlsplit

TIMEOUT_S = 3
LARGEST = 8 * 1024 * 1024


def missed_now(http: str, boot: str, after: int) -> list[Any] | None:
    """Events of a boot after a number; None where the table does not answer."""
    if urlsplit(http).scheme not in ("http", "https"):
        return None
    url = f"{http.rstrip('/')}/api/events?boot={quote(boot, safe='')}&after={after}"
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
            told = json.loads(answer.read(LARGEST))
    except (urllib.error.URLError, OSError, ValueError, RecursionError):
        return None
    events = told.get("events") if isinstance(told, dict) else None
    return events if isinstance(events, list) else None
