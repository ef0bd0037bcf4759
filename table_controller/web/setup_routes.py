"""What the set-up page does beside the camera's picture: the dealer's self-test, and a deck enrolled step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from aiohttp import web

from table_controller.errors import TableError

BETWEEN = ("standby", "deal_over", "game_over")
"""Phases in which nothing is under way."""
Problem = Callable[..., web.Response]
Told = dict[str, Any]


class Tester(Protocol):
    """The dealer as the page tests it."""

    def begin(self) -> None:
        """Begin a self-test, if none runs; raises TableError in words."""

    def told(self) -> Told:
        """``state`` (none, running, well, failed) and ``message``."""


class Enrolling(Protocol):
    """A deck's enrolment as the page guides it."""

    def begin(self, name: str, *, prompts: bool, replace: bool) -> None:
        """Ask for the first picture; raises TableError in words."""

    def cancel(self) -> None:
        """Give it up; nothing is learnt."""

    def use(self, name: str) -> None:
        """Read with an enrolled deck from now on, or with the shipped weights ("")."""

    def told(self) -> Told:
        """How it stands: see app/enrolment.py."""


@dataclass
class SetupRoutes:
    """``idle``: whether nothing is under way; ``own``: whether a request is this machine's own and no other site's."""

    idle: Callable[[], bool]
    own: Callable[[web.Request], bool]
    problem: Problem
    tester: Tester | None = None
    enrolling: Enrolling | None = None

    def add_to(self, router: web.UrlDispatcher) -> None:
        """The routes."""
        router.add_get("/api/selftest", self._selftest)
        router.add_post("/api/selftest", self._begin_selftest)
        router.add_get("/api/enrol", self._enrol)
        router.add_post("/api/enrol", self._change_enrol)

    async def _selftest(self, request: web.Request) -> web.Response:
        if self.tester is None:
            return self.problem(404, "This table has no dealer.")
        return web.json_response({"ok": True, **self.tester.told()})

    async def _begin_selftest(self, request: web.Request) -> web.Response:
        """Between deals, on this machine."""
        if not self.own(request):
            return self.problem(403, "Commands are taken from this machine only.")
        if self.tester is None:
            return self.problem(404, "This table has no dealer.")
        if not self.idle():
            return self.problem(409, "A deal is on: test the dealer between deals.", "PHASE")
        try:
            self.tester.begin()
        except TableError as error:
            return self.problem(409, error.line(), error.code)
        return await self._selftest(request)

    async def _enrol(self, request: web.Request) -> web.Response:
        if self.enrolling is None:
            return self.problem(404, "This table has no camera.")
        return web.json_response({"ok": True, **self.enrolling.told()})

    async def _change_enrol(self, request: web.Request) -> web.Response:
        """{"do": "begin", "name", "prompts", "replace"}, {"do": "cancel"} or {"do": "use", "name"}: between deals."""
        if not self.own(request):
            return self.problem(403, "Commands are taken from this machine only.")
        if self.enrolling is None:
            return self.problem(404, "This table has no camera.")
        try:
            asked = await request.json()
            what, name = asked["do"], asked.get("name", "")
            prompts, replace = asked.get("prompts", False), asked.get("replace", False)
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            return self.problem(400, "The command cannot be read.")
        plain = isinstance(name, str) and isinstance(prompts, bool) and isinstance(replace, bool)
        if what not in ("begin", "cancel", "use") or not plain:
            return self.problem(400, "'do' is begin, cancel or use; 'name' is text, 'prompts' and 'replace' yes or no.")
        if what != "cancel" and not self.idle():
            return self.problem(409, "A deal is on: enrol decks between deals.", "PHASE")
        try:
            if what == "begin":
                self.enrolling.begin(name, prompts=prompts, replace=replace)
            elif what == "use":
                self.enrolling.use(name)
            else:
                self.enrolling.cancel()
        except TableError as error:
            return self.problem(409, error.line(), error.code)
        return await self._enrol(request)
