"""The web server: who asks is found out first, then the route's roles, then its handler; pages lie beside it."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from table_controller.errors import DeviceError, TableError
from table_controller.venue.api import acting, directing, entering, openapi, reading, streams
from table_controller.venue.api.route import LARGEST_BODY, SERVICE, Call, Problem, Route, answer
from table_controller.venue.service import Service

log = logging.getLogger(__name__)
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
Next = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def _document(call: Call) -> web.StreamResponse:
    """This API as OpenAPI."""
    return answer(openapi.document(ROUTES))


async def _health(call: Call) -> web.StreamResponse:
    """Whether the service answers."""
    return answer({"ok": True})


ROUTES: tuple[Route, ...] = (
    *entering.ROUTES,
    *reading.ROUTES,
    *streams.ROUTES,
    *acting.ROUTES,
    *directing.ROUTES,
    Route("GET", "/api/openapi.json", _document, "this API as OpenAPI", None),
    Route("GET", "/healthz", _health, "whether the service answers", None),
)


@dataclass(frozen=True)
class Pages:
    """Pages that are served beside the API: path to file, and folders of what they load."""

    files: dict[str, Path] = field(default_factory=dict)
    folders: dict[str, Path] = field(default_factory=dict)


def _handler(route: Route) -> Next:
    async def handle(request: web.Request) -> web.StreamResponse:
        service = request.app[SERVICE]
        token = entering.token_of(request)
        person = await asyncio.to_thread(service.people.who, token) if token else None
        if route.roles is not None:
            if person is None:
                raise Problem(401, "Log in first.", code="LOGIN")
            if person.role not in route.roles:
                raise Problem(403, f"The role '{person.role}' may not do this.", code="ROLE")
        if route.changes and request.headers.get("X-Table-Controller") != "1":
            raise Problem(403, "The header X-Table-Controller: 1 is missing.", code="ROLE")
        return await route.handler(Call(request, service, person))

    return handle


@web.middleware
async def _answers(request: web.Request, handler: Next) -> web.StreamResponse:
    """Every refusal as JSON, and the headers of every answer."""
    try:
        response = await handler(request)
    except Problem as error:
        response = _refusal(error.status, error.line(), error.code)
    except TableError as error:
        response = _refusal(400, error.line(), error.code)
    except web.HTTPException as error:
        response = _refusal(error.status, error.reason, "HTTP") if request.path.startswith("/api") else error
    except (ConnectionError, asyncio.CancelledError):
        raise
    except Exception:
        log.exception("An error of ours at %s", request.path)
        response = _refusal(500, "An error of ours; the service's log has it.", "DEFECT")
    if not response.prepared:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
    return response


def _refusal(status: int, problem: str, code: str) -> web.Response:
    return answer({"ok": False, "problem": problem, "code": code}, status)


def _file(path: Path) -> Next:
    async def serve(request: web.Request) -> web.StreamResponse:
        if not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path)

    return serve


def application(service: Service, pages: Pages) -> web.Application:
    """The aiohttp application."""
    app = web.Application(client_max_size=LARGEST_BODY, middlewares=[_answers])
    app[SERVICE] = service
    for route in ROUTES:
        app.router.add_route(route.method, route.path, _handler(route))
    for where, path in pages.files.items():
        app.router.add_get(where, _file(path))
    for where, folder in pages.folders.items():
        app.router.add_static(where, folder)
    return app


class VenueWeb:
    """Listens for one service."""

    def __init__(self, service: Service, pages: Pages) -> None:
        self._service = service
        self._runner = web.AppRunner(application(service, pages), access_log=None, shutdown_timeout=1)
        self.port = 0

    async def start(self) -> None:
        """Listen; raises DeviceError when the port is taken or the certificate cannot be read."""
        told = self._service.config.web
        await self._runner.setup()
        try:
            secure = _tls(Path(told.tls_certificate), Path(told.tls_key)) if told.tls_certificate else None
            await web.TCPSite(self._runner, told.host, told.port, ssl_context=secure).start()
        except OSError as error:
            await self._runner.cleanup()
            words = f"The pages cannot listen on {told.host}:{told.port}: {error.strerror or error}."
            raise DeviceError(words, way_out="Set web.host, web.port, or the certificate.") from error
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening; streams end by themselves."""
        self._service.hall.close()
        await self._runner.cleanup()


def _tls(certificate: Path, key: Path) -> ssl.SSLContext:
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.load_cert_chain(certificate, key)
    return made
