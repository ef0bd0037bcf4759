"""Fetches from the tables what the broker could not keep: events by their numbers, and pictures by their names."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from typing import Any
from urllib.parse import urlsplit

import aiohttp

log = logging.getLogger(__name__)
TIMEOUT = aiohttp.ClientTimeout(total=8)
LARGEST_ANSWER = 8 * 1024 * 1024


async def fetch(session: aiohttp.ClientSession, url: str, token: str = "", **query: str) -> bytes | int | None:
    """The body of an answer, the status of a refusal, or None where nobody answers."""
    if urlsplit(url).scheme not in ("http", "https"):
        return None
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        async with session.get(url, params=query, headers=headers, timeout=TIMEOUT, allow_redirects=False) as answer:
            if answer.status != 200:
                return answer.status
            body = b""
            async for part in answer.content.iter_chunked(65536):
                body += part
                if len(body) > LARGEST_ANSWER:
                    return 413
            return body
    except (aiohttp.ClientError, TimeoutError, ValueError, OSError):
        return None


async def missed_events(session: aiohttp.ClientSession, http: str, boot: str, after: int) -> list[Any] | None:
    """Events of a boot after a number, as its table kept them; None where it does not answer, [] where it has none."""
    body = await fetch(session, f"{http.rstrip('/')}/api/events", boot=boot, after=str(after))
    if not isinstance(body, bytes):
        return [] if body == 404 else None
    told = await asyncio.to_thread(_read, body)
    return told if isinstance(told, list) else None


def _read(body: bytes) -> Any:
    with contextlib.suppress(ValueError, RecursionError):
        told = json.loads(body)
        return told.get("events") if isinstance(told, dict) else None
    return None
