"""The table's own web server: pages, the live state as server-sent events, and commands from this machine only."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import json
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from aiohttp import web

from table_controller.errors import DeviceError, TableError
from table_controller.table.commands import parse_command
from table_controller.table.events import Event
from table_controller.table.incidents import KINDS, NOTED
from table_controller.web.setup_routes import BETWEEN, SetupRoutes

STATIC = Path(str(files(__package__) / "static"))
FONTS = Path(str(files(__package__) / "fonts"))
KEEPALIVE_S = 5.0
MAX_BODY = 16 * 1024
PICTURE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,120}\.(jpg|png)")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data:",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class Setup(Protocol):
    """The camera's set-up as the page needs it."""

    async def look(self) -> tuple[bytes, dict[str, Any]] | None:
        """The set-up picture (JPEG) and what is known of it; None in a deal, or without a camera."""

    def align(self, corners: Any) -> None:
        """Take the mat's pose from four clicked corners, or from its fiducials when None; raises TableError."""


class Trial(Protocol):
    """The panel as the set-up page tries it out."""

    trial: set[str] | None

    @property
    def buttons(self) -> tuple[str, ...]:
        """Every button's name."""

    def try_out(self, wanted: bool) -> None:
        """Lamps blink and buttons are only noted, or no longer."""


@dataclass
class Page:
    """Serves one table. ``snapshot`` gives the public state; ``ask`` takes a command and says why not, or None."""

    snapshot: Callable[[], dict[str, Any]]
    ask: Callable[[Event], Awaitable[TableError | None]]
    now_ms: Callable[[], int]
    draw_leader: Callable[[], str]
    evidence: Path | None = None
    setup: Setup | None = None
    panel: Trial | None = None
    missed: Callable[[str, int], dict[str, Any]] | None = None
    """Published events of a boot after a number, for readers of the feed that missed some."""
    past: Callable[[int], dict[str, Any] | None] | None = None
    """A finished deal of this game by its number, for whoever corrects it."""
    token: str = ""
    """The word with which the venue's service fetches pictures; empty: nobody may but this machine."""
    _shown: bytes = b""
    _listeners: set[asyncio.Event] = field(default_factory=set)
    _runner: web.AppRunner | None = None
    _closed: bool = False
    port: int = 0
    routes: SetupRoutes = field(init=False)
    """Self-test and enrolment, for the set-up page."""

    def __post_init__(self) -> None:
        self.routes = SetupRoutes(lambda: self.snapshot().get("phase") in BETWEEN, _own_command, _problem)

    def changed(self) -> None:
        """Tell every open page that there is a new state (from the loop's thread)."""
        for listener in self._listeners:
            listener.set()

    def application(self) -> web.Application:
        """The aiohttp application."""
        app = web.Application(client_max_size=MAX_BODY, middlewares=[_headers])
        app.router.add_get("/", _file(STATIC / "scoreboard.html"))
        app.router.add_get("/control", _file(STATIC / "control.html"))
        app.router.add_get("/setup", _file(STATIC / "setup.html"))
        app.router.add_get("/seat", _file(STATIC / "seat.html"))
        app.router.add_get("/api/setup", self._setup)
        app.router.add_get("/api/setup.jpg", self._setup_picture)
        app.router.add_post("/api/setup", self._align)
        app.router.add_get("/api/panel", self._panel)
        app.router.add_post("/api/panel", self._try_panel)
        app.router.add_get("/api/state", self._state)
        app.router.add_get("/api/deals/{number}", self._deal)
        app.router.add_get("/api/kinds", self._kinds)
        app.router.add_get("/api/events", self._events)
        app.router.add_post("/api/command", self._command)
        app.router.add_get("/api/evidence/{name}", self._evidence)
        self.routes.add_to(app.router)
        app.router.add_static("/static", STATIC)
        app.router.add_static("/fonts", FONTS)
        return app

    async def start(self, host: str, port: int) -> None:
        """Listen; raises DeviceError when the port is taken."""
        self._closed = False
        self._runner = web.AppRunner(self.application(), access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            raise DeviceError(
                f"The page cannot listen on {host}:{port}: {error.strerror}.",
                way_out="Set web.host and web.port to others.",
            ) from error
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening; streams end by themselves."""
        if self._runner is not None:
            self._closed = True
            self.changed()
            await self._runner.cleanup()

    async def _state(self, request: web.Request) -> web.Response:
        return web.json_response(self.snapshot())

    async def _deal(self, request: web.Request) -> web.Response:
        """The plays of a finished deal: all of them lay on the table."""
        number = request.match_info["number"]
        known = number.isascii() and number.isdigit() and len(number) < 6
        found = self.past(int(number)) if self.past is not None and known else None
        return web.json_response(found) if found else _problem(404, "There is no record of this deal.")

    async def _kinds(self, request: web.Request) -> web.Response:
        """What a human may note, in both languages."""
        return web.json_response([{"name": n, "zh": KINDS[n].zh, "en": KINDS[n].en} for n in NOTED])

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """The state as it changes; with ``after`` the published events that a reader of the feed missed."""
        if "after" in request.query:
            return await self._missed(request)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **HEADERS})
        await response.prepare(request)
        listener = asyncio.Event()
        listener.set()
        self._listeners.add(listener)
        try:
            while not self._closed:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(listener.wait(), KEEPALIVE_S)
                listener.clear()
                text = json.dumps(self.snapshot(), ensure_ascii=False, separators=(",", ":"))
                await response.write(f"data: {text}\n\n".encode())
        except ConnectionError:
            pass  # the reader went
        finally:
            self._listeners.discard(listener)
        return response

    async def _missed(self, request: web.Request) -> web.Response:
        after = request.query["after"]
        if not after.isascii() or not after.isdigit() or len(after) > 12:
            return _problem(400, "'after' must be the number of the last event that you have.")
        if self.missed is None:
            return _problem(404, "This table has no feed.")
        return web.json_response(await asyncio.to_thread(self.missed, request.query.get("boot", ""), int(after)))

    async def _panel(self, request: web.Request) -> web.Response:
        """Whether lamps and buttons are tried now, and which buttons were pressed. A deal that begins ends it."""
        if self.panel is None:
            return _problem(404, "This table has no panel.")
        if self.panel.trial is not None and self.snapshot().get("phase") not in BETWEEN:
            self.panel.try_out(False)
        pressed = sorted(self.panel.trial or ())
        told = {"ok": True, "trying": self.panel.trial is not None, "pressed": pressed, "all": self.panel.buttons}
        return web.json_response(told)

    async def _try_panel(self, request: web.Request) -> web.Response:
        """{"try": true or false}, again every few seconds: between deals, on this machine."""
        if not _own_command(request):
            return _problem(403, "Commands are taken from this machine only.")
        if self.panel is None:
            return _problem(404, "This table has no panel.")
        try:
            wanted = (await request.json())["try"]
        except (ValueError, RecursionError, KeyError, TypeError):
            return _problem(400, "The command cannot be read.")
        if not isinstance(wanted, bool):
            return _problem(400, "'try' must be true or false.")
        if wanted and self.snapshot().get("phase") not in BETWEEN:
            return _problem(409, "A deal is on: try lamps and buttons between deals.")
        self.panel.try_out(wanted)
        return await self._panel(request)

    async def _setup(self, request: web.Request) -> web.Response:
        """What is known of the camera between deals; its picture is then to be had at setup.jpg, by this machine."""
        if not _from_here(request):
            return _problem(403, "The camera's picture is shown on this machine only.")
        looked = await self.setup.look() if self.setup is not None else None
        self._shown = looked[0] if looked is not None else b""
        if looked is None:
            return _problem(409, "There is no picture: a deal is on, or the camera gives none.")
        return web.json_response({"ok": True, **looked[1]})

    async def _setup_picture(self, request: web.Request) -> web.Response:
        if not _from_here(request) or not self._shown:
            return _problem(404, "There is no such picture.")
        return web.Response(body=self._shown, content_type="image/jpeg", headers={"Cache-Control": "no-store"})

    async def _align(self, request: web.Request) -> web.Response:
        """Corners clicked: {"corners": [[x, y], …]}, or null for the fiducials."""
        if not _own_command(request):
            return _problem(403, "Commands are taken from this machine only.")
        if self.setup is None:
            return _problem(409, "This table has no camera.")
        try:
            data = await request.json()
            self.setup.align(data["corners"])
        except (ValueError, RecursionError, KeyError, TypeError):
            return _problem(400, "The command cannot be read.")
        except TableError as error:
            return _problem(400, error.line())
        return web.json_response({"ok": True})

    async def _command(self, request: web.Request) -> web.Response:
        """A command: from this machine only, and never from another site's page (it cannot set the header)."""
        if not _own_command(request):
            return _problem(403, "Commands are taken from this machine only.")
        try:
            event = parse_command(await request.json(), self.now_ms(), self.draw_leader)
        except web.HTTPRequestEntityTooLarge:
            return _problem(413, f"A command has at most {MAX_BODY} bytes.")
        except (ValueError, RecursionError) as error:
            return _problem(400, f"The command cannot be read: {error}.")
        except TableError as error:
            return _problem(400, error.line(), error.code)
        refusal = await self.ask(event)
        if refusal is not None:
            return _problem(409, refusal.line(), refusal.code)
        return web.json_response({"ok": True})

    async def _evidence(self, request: web.Request) -> web.StreamResponse:
        """The picture of a play that the page shows, to this machine; any kept one to the venue's service."""
        venue = bool(self.token) and hmac.compare_digest(
            request.headers.get("Authorization", "").encode(), f"Bearer {self.token}".encode()
        )
        if not venue and not _from_here(request):
            return _problem(403, "Pictures of plays are shown on this machine only.")
        name, state = request.match_info["name"], self.snapshot()
        shown = {play["evidence"] for play in (*state["questions"], *state["asked"], *state["recent"])}
        known = PICTURE.fullmatch(name) is not None if venue else name in shown
        path = self.evidence / name if self.evidence and known else None
        if path is None or not path.is_file():
            return _problem(404, "There is no such picture.")
        return web.FileResponse(path, headers={"Cache-Control": "no-store"})


def _from_here(request: web.Request) -> bool:
    """From this machine, under a name of its own: another site's name may be made to lead here (DNS rebinding)."""
    peer = request.remote or ""
    return bool(peer) and ipaddress.ip_address(peer).is_loopback and _own_name(request.host)


def _own_name(host: str) -> bool:
    """Whether a Host header names this machine itself: by an address, as localhost, or by its own name."""
    name = re.sub(r":\d+$", "", host).removesuffix(".").lower()
    here = socket.gethostname().lower()
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(name[1:-1] if name.startswith("[") and name.endswith("]") else name))
    return name in ("localhost", here, f"{here.partition('.')[0]}.local")


def _own_command(request: web.Request) -> bool:
    """From this machine, and never from another site's page (it cannot set the header)."""
    return _from_here(request) and request.headers.get("X-Table-Controller") == "1"


def _problem(status: int, words: str, code: str = "") -> web.Response:
    """``code`` is one of docs/errors.md, for a page that has words of its own for it."""
    return web.json_response({"ok": False, "problem": words, "code": code}, status=status)


def _file(path: Path) -> Callable[[web.Request], Any]:
    async def serve(request: web.Request) -> web.FileResponse:
        return web.FileResponse(path)

    return serve


@web.middleware
async def _headers(request: web.Request, handler: Callable[[web.Request], Any]) -> web.StreamResponse:
    response: web.StreamResponse = await handler(request)
    if not response.prepared:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
    return response
