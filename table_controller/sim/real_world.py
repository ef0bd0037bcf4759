"""The world round a real table process: people, cards, camera and dealer, outside of it.

The process is ``table-controller run`` as it is installed. It sees frames that this world draws (``frames:FILE``),
talks to the firmware over a pseudo terminal, and is told buttons over its page; what it decided is read from its
journal. The world outlives the process, so that it may be killed and started again.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import aiohttp

from table_controller.dealer.machine import Machine
from table_controller.games.guandan.profile import load_profile
from table_controller.journal.record import decode
from table_controller.runtime.clock import RealClock
from table_controller.sim.pace import HURRIED, Pace
from table_controller.sim.players import People
from table_controller.sim.referee import Referee
from table_controller.sim.scene import Scene
from table_controller.table.codec import from_data
from table_controller.table.core import TableCore
from table_controller.table.effects import Effect
from table_controller.table.events import Event, IncidentUpdated, PlayCorrected, PlayEntered, ResumeRequested, Resync
from table_controller.table.state import TableState
from table_controller.vision.frames_file import FrameFile

FRAME_MS = 100
CABLE_MS = 10
FOLLOW_MS = 50
TELL_TRIES = 100
"""How often a person presses again while the table does not answer, every 200 ms."""


class JournalFollower:
    """Reads a journal as it grows and keeps the state that it leads to."""

    def __init__(self, path: Path, effects: Callable[[Effect], None]) -> None:
        self.core = TableCore()
        self.records = 0
        self.mismatch: int | None = None
        self._path, self._effects, self._at = path, effects, 0

    @property
    def state(self) -> TableState:
        """As the journal tells it."""
        return self.core.state

    def follow(self) -> None:
        """Take in the whole records that have come since."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                data = file.read()
        except FileNotFoundError:
            return
        for line in data.splitlines(keepends=True):
            record = decode(line)
            if record is None:
                return
            self._at += len(line)
            self.records += 1
            if record.get("kind") == "event":
                self._handle(record)

    def _handle(self, record: dict[str, Any]) -> None:
        outcome = self.core.handle(from_data(record["event"]))
        self.core.commit(outcome)
        if self.core.state.digest()[:16] != record["state"] and self.mismatch is None:
            self.mismatch = int(record["n"])
        for effect in outcome.effects:
            self._effects(effect)


class Cable:
    """The dealer's USB cable: a pseudo terminal with a name that stays, which may be pulled."""

    def __init__(self, machine: Machine, name: Path) -> None:
        self._machine, self._name = machine, name
        self._master = self._slave = -1
        self.plug()

    def plug(self) -> None:
        """Put it in."""
        self._master, self._slave = os.openpty()
        os.set_blocking(self._master, False)
        self._name.unlink(missing_ok=True)
        self._name.symlink_to(os.ttyname(self._slave))
        self._machine.replug()

    def pull(self) -> None:
        """Pull it out; the dealer keeps its power."""
        self._name.unlink(missing_ok=True)
        self._machine.unplug()
        for descriptor in (self._slave, self._master):
            os.close(descriptor)
        self._master = -1

    def carry(self, ms: int) -> None:
        """Let the machine live for ``ms`` and carry the bytes of both ways."""
        if self._master >= 0:
            with contextlib.suppress(BlockingIOError, OSError):
                self._machine.write(os.read(self._master, 4096))
        came = self._machine.advance(ms)
        if came and self._master >= 0:
            with contextlib.suppress(BlockingIOError, OSError):
                os.write(self._master, came)

    def close(self) -> None:
        """Pull it, if it is in."""
        if self._master >= 0:
            self.pull()


class Camera:
    """Draws ten frames a second into a file, in a thread of its own; it may freeze, or go away."""

    def __init__(self, scene: Scene, people: People, file: Path) -> None:
        self._scene, self._people = scene, people
        self._file = FrameFile(file, scene.geometry.frame_px)
        self._drawing = ThreadPoolExecutor(1, thread_name_prefix="camera")
        self._last: Any = None
        self.fault = ""
        """``frozen``: the same picture again and again; ``gone``: none."""

    async def frame(self, stamp_ms: int) -> None:
        """Hand over the next frame."""
        if self.fault != "gone":
            await asyncio.get_running_loop().run_in_executor(self._drawing, self._draw, stamp_ms)

    def _draw(self, stamp_ms: int) -> None:
        if self.fault != "frozen" or self._last is None:
            with self._people.stage.lock:
                self._last = self._scene.render()
        self._file.write(self._last, stamp_ms)

    def close(self) -> None:
        """End the thread."""
        self._drawing.shutdown()
        self._file.close()


class World:
    """People and things round one process. ``folder``: the frames' file and the dealer's port; ``url``: the page."""

    def __init__(
        self,
        machine: Machine,
        folder: Path,
        journal: Path,
        url: str,
        *,
        seed: int,
        deals: int = 0,
        pace: Pace = HURRIED,
    ) -> None:
        """Make it inside a running loop, then run ``live``."""
        rng = random.Random(seed)
        self.clock = RealClock(asyncio.get_running_loop())
        self.machine, self.url = machine, url
        self.cable = Cable(machine, folder / "dealer")
        scene = Scene(random.Random(rng.getrandbits(32)))
        self.follower = JournalFollower(journal, self._effect)
        self.people = People(
            self.clock, scene, machine, self._press, lambda: self.follower.state, load_profile("default"),
            seed=rng.getrandbits(32), pace=pace, deals=deals,
        )  # fmt: skip
        self.camera = Camera(scene, self.people, folder / "frames")
        self._referee = Referee(self.clock, self.people, self._say, lambda: self.follower.state)
        self._told: set[asyncio.Task[None]] = set()
        self._closed = False

    def _effect(self, effect: Effect) -> None:
        self._referee.perform(effect)

    def _press(self, name: str) -> None:
        """A button by its signal name, on the page."""
        kind, _, seat = name.partition("_")
        names = {"START": "start", "STOP": "stop", "CLEAR": "clear_fault", "PASS": "pass", "TD": "td", "READY": "ready"}
        self._tell({"do": names[kind], "by": "people", **({"seat": seat} if seat else {})})

    def _say(self, event: Event) -> None:
        """What the referee does, as a command of the page."""
        self._tell(_command(event))

    def _tell(self, command: dict[str, Any]) -> None:
        if self._closed:
            return
        task = asyncio.get_running_loop().create_task(self._post(command))
        self._told.add(task)
        task.add_done_callback(self._told.discard)

    async def _post(self, command: dict[str, Any]) -> None:
        """Press, and press again while nobody answers (the process may be starting)."""
        for _ in range(TELL_TRIES):
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                timeout = aiohttp.ClientTimeout(total=5)
                async with (
                    aiohttp.ClientSession(timeout=timeout, headers={"X-Table-Controller": "1"}) as session,
                    session.post(f"{self.url}/api/command", json=command) as answer,
                ):
                    await answer.read()
                    return
            await self.pause(200)

    def resume(self) -> None:
        """The referee lets a table go on that came back paused."""
        if self.follower.state.phase == "paused":
            self._tell({"do": "resume", "by": "simulated referee"})

    def play_games_of(self, deals: int) -> None:
        """A game is so many deals (计副), before anybody sits down."""
        self._tell({"do": "match", "system": "计副", "deals": deals, "by": "simulated referee"})

    async def pause(self, ms: int) -> None:
        """Wait."""
        waiting = asyncio.Event()
        self.clock.call_at(self.clock.now_ms() + ms, waiting.set)
        await waiting.wait()

    async def live(self) -> None:
        """Camera, cable and journal, until cancelled."""
        self._carried_ms = self.clock.now_ms()
        acts = ((FRAME_MS, self._film), (CABLE_MS, self._carry), (FOLLOW_MS, self._follow))
        parts = [self._each(ms, act) for ms, act in acts]
        try:
            await asyncio.gather(*parts)
        finally:
            self._closed = True
            for task in self._told:
                task.cancel()
            await asyncio.gather(*self._told, return_exceptions=True)
            self.cable.close()
            self.camera.close()

    def begin(self) -> None:
        """The people sit down, and a referee watches."""
        self.people.begin()
        self._referee.watch()

    async def _each(self, ms: int, act: Callable[[], Any]) -> None:
        due_ms = self.clock.now_ms()
        while True:
            done = act()
            if done is not None:
                await done
            due_ms = max(due_ms + ms, self.clock.now_ms())
            await self.pause(max(1, due_ms - self.clock.now_ms()))

    def _film(self) -> Any:
        return self.camera.frame(self.clock.now_ms())

    def _carry(self) -> None:
        now_ms = self.clock.now_ms()
        self.cable.carry(now_ms - self._carried_ms)
        self._carried_ms = now_ms

    def _follow(self) -> None:
        if self.people.stage.failure is not None:
            raise self.people.stage.failure
        self.follower.follow()


def _command(event: Event) -> dict[str, Any]:
    """An event of the simulated referee as what his console would send."""
    if isinstance(event, PlayCorrected):
        return {"do": "correct", "play": event.play, "cards": list(event.cards), "by": event.by, "reason": event.reason}
    if isinstance(event, IncidentUpdated):
        return {"do": "incident", "number": event.incident, "status": event.status, "by": event.by}
    if isinstance(event, Resync):
        counts = dict(zip("ENWS", event.counts, strict=True))
        last = {"last_seat": event.last_seat, "last_cards": list(event.last_cards)} if event.last_seat else {}
        return {"do": "resync", "turn": event.turn, "counts": counts, "by": event.by, **last}
    if isinstance(event, PlayEntered):
        return {"do": "play", "seat": event.seat, "cards": list(event.cards), "by": event.by}
    assert isinstance(event, ResumeRequested), event
    return {"do": "resume", "by": event.by}
