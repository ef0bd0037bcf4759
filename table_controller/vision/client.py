"""The parent's side of the vision worker: frames in, events out; it restarts a worker that died or hangs.

Two ways of use. Virtual time: ``submit(frame, grab_ms)`` waits for the answer. Real time: the worker grabs its own
camera (or frames are handed in by ``offer``), what ``watched`` names becomes readable, ``receive()`` gives the events,
and ``check(now_ms)`` is called twice a second to notice a worker that hangs.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing as mp
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any, cast

import numpy as np

from table_controller.errors import DeviceError
from table_controller.geometry import load_geometry
from table_controller.table.events import CameraBack, CameraLost, Event
from table_controller.vision.corners import Corners
from table_controller.vision.enrol.live import Prompts
from table_controller.vision.enrol.teach import Collected
from table_controller.vision.hints import Hint
from table_controller.vision.images import Image
from table_controller.vision.lying import Lying
from table_controller.vision.sources import CameraControls
from table_controller.vision.worker import WorkerSettings, run_worker, slot_view

log = logging.getLogger(__name__)

_SLOTS = 3
_START_S = 60.0
_ANSWER_S = 30.0
_AGAIN_MS = 5_000
"""A worker that ends while it starts is tried again after so long."""
HANGS_MS = 2_000
ENROL_HANGS_MS = 10_000
"""Four rows of fourteen cards are looked at in one go."""


def _nobody(descriptor: int) -> None:
    """Nobody watches the pipe."""


class VisionClient:
    """Owns the worker process. Not for use from several threads."""

    def __init__(
        self,
        *,
        source: str | None = None,
        evidence_folder: Path | None = None,
        models_dir: Path | None = None,
        threads: int = 1,
        frame_px: tuple[int, int] | None = None,
        evidence_days: int = 30,
        evidence_mb: int = 500,
        corners_file: Path | None = None,
        controls: CameraControls | None = None,
        decks: Path | None = None,
        deck: str = "",
    ) -> None:
        self._frame_px = frame_px or load_geometry().frame_px
        try:
            self._memory = SharedMemory(create=True, size=_SLOTS * self._frame_px[0] * self._frame_px[1] * 3)
        except OSError as error:
            raise DeviceError(
                f"No shared memory for the camera's frames: {error.strerror}.", way_out="Mount /dev/shm, writable."
            ) from error
        self._settings = WorkerSettings(
            self._frame_px, self._memory.name, _SLOTS, source, evidence_folder, models_dir, threads
        )
        self._settings = replace(
            self._settings,
            evidence_days=evidence_days,
            evidence_mb=evidence_mb,
            corners_file=corners_file,
            controls=controls or CameraControls(),
            decks=decks,
            deck=deck,
        )
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._opened: Callable[[int], object] = _nobody
        self._closing: Callable[[int], object] = _nobody
        self._free = list(range(_SLOTS))
        self._heard_ms: int | None = None
        self._waiting = False
        self._down = False
        self._starting_ms: int | None = None
        self._lying = Lying()
        self.recogniser = ""
        self.pending = False
        self.lost = ""
        self.restarts = 0
        self.hints: tuple[Hint, ...] = ()
        """What is amiss with the camera's pictures, in words."""
        self.last_picture: bytes | None = None
        self.last_report: dict[str, Any] | None = None
        """What goes with the set-up picture: see setup.py."""
        self.enrolling: dict[str, Any] | None = None
        """How the enrolment stands that the worker guides (see enrol/live.py), while it does."""
        self.enrolled: tuple[Collected, Prompts] | None = None
        """What it brought, to be learnt."""

    # --- life -------------------------------------------------------------------------------------------------------

    def start(self) -> str:
        """Start the worker and wait until it is ready; returns the recogniser's name. Raises DeviceError."""
        ours = self._spawn()
        answer = self._await(ours, _START_S)
        if answer is None or answer[0] != "ready":
            self._kill()
            raise _start_error(answer)
        self.recogniser = str(answer[1])
        return self.recogniser

    def _spawn(self) -> Connection:
        """Start the process without waiting for it."""
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe()
        settings = replace(self._settings, lying=self._lying.cards, prompts=self._lying.prompts)
        process = context.Process(target=run_worker, args=(theirs, settings), name="vision", daemon=True)
        process.start()
        theirs.close()
        self.enrolling = None
        self._process, self._pipe, self._free = process, ours, list(range(_SLOTS))
        self._heard_ms, self._waiting = None, False
        self._opened(ours.fileno())
        return ours

    def close(self) -> None:
        """Stop the worker and free the shared memory."""
        self._tell("stop")
        if self._process is not None:
            self._process.join(2.0)
        self._kill()
        self._memory.close()
        with contextlib.suppress(FileNotFoundError):
            self._memory.unlink()

    def kill(self) -> None:
        """Kill the worker as a fault would; the next ``submit`` or ``check`` starts another."""
        if self._process is not None and self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _kill(self) -> None:
        if self._process is not None:
            if self._process.is_alive():
                self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None
        if self._pipe is not None:
            self._closing(self._pipe.fileno())
            self._pipe.close()
            self._pipe = None

    def _restart(self) -> None:
        self._kill()
        self.restarts += 1
        self.pending = True
        self.start()

    def _restart_aside(self, now_ms: int) -> None:
        """Start another without waiting: clocks and the dealer go on while it loads; ``check`` sees it ready."""
        self._kill()
        self.restarts += 1
        self.pending = True
        self._starting_ms = now_ms
        try:
            self._spawn()
        except OSError as error:  # no memory, no descriptors: ``check`` tries again
            log.error("The vision process cannot be started: %s.", error.strerror or error)

    @staticmethod
    def _await(pipe: Connection, seconds: float) -> tuple[object, ...] | None:
        try:
            return tuple(pipe.recv()) if pipe.poll(seconds) else None
        except (EOFError, OSError):
            return None

    # --- frames handed in -------------------------------------------------------------------------------------------

    def submit(self, frame: Image, grab_ms: int) -> list[Event]:
        """Show the worker a frame (BGR, frame_px) and wait for what it saw.

        A worker that died or hangs is replaced: the answer is then CameraLost, and CameraBack with the next frame.
        """
        if self._pipe is None:
            self.start()
        assert self._pipe is not None
        back: list[Event] = [CameraBack(grab_ms)] if self._down else []
        self._down = False
        np.copyto(slot_view(self._memory, self._frame_px, 0), frame)
        try:
            self._pipe.send(("frame", 0, grab_ms))
            answer = self._await(self._pipe, _ANSWER_S)
            while answer is not None and answer[0] != "seen":
                self._take(answer)
                answer = self._await(self._pipe, _ANSWER_S)
        except OSError:
            answer = None
        if answer is None:
            self._restart()
            self._down, self.lost = True, "The vision process failed and was started again."
            return [*back, CameraLost(grab_ms, self.lost)]
        return [*back, *self._take(answer)]

    def offer(self, frame: Image, grab_ms: int) -> bool:
        """Hand in a frame without waiting; False when the worker is behind and the frame was dropped."""
        if self._pipe is None or not self._free:
            return False
        slot = self._free.pop()
        np.copyto(slot_view(self._memory, self._frame_px, slot), frame)
        try:
            self._pipe.send(("frame", slot, grab_ms))
        except OSError:
            return False
        self._waiting = True
        return True

    # --- real time --------------------------------------------------------------------------------------------------

    def watched(self, opened: Callable[[int], object], closing: Callable[[int], object]) -> None:
        """``opened`` is called with the descriptor of the worker's pipe, now and for each later worker; ``closing``
        before it is closed: its number goes to whatever is opened next, which a loop that still watched would mix up.
        """
        self._opened, self._closing = opened, closing
        if self._pipe is not None:
            opened(self._pipe.fileno())

    def fileno(self) -> int:
        """The descriptor of the worker's pipe as it is now, to wait for; see ``watched`` for a loop."""
        if self._pipe is None:
            raise DeviceError("The vision process is not running.", way_out="Start it first.")
        return self._pipe.fileno()

    def receive(self) -> list[Event]:
        """All that has arrived from the worker, without waiting."""
        events: list[Event] = []
        while self._pipe is not None:
            try:
                if not self._pipe.poll(0):
                    break
                events += self._take(tuple(self._pipe.recv()))
            except (EOFError, OSError):
                self._closing(self._pipe.fileno())  # the end stays readable, and a loop would call for ever
                break
        return events

    def check(self, now_ms: int) -> list[Event]:
        """Notice within two seconds that the worker died or hangs, and start another: CameraLost, later CameraBack."""
        events = self.receive()
        alive = self._process is not None and self._process.is_alive()
        if self._starting_ms is not None:
            if now_ms - self._starting_ms >= (_START_S * 1000 if alive else _AGAIN_MS):
                self._restart_aside(now_ms)
            return events
        expecting = self._waiting or self._settings.source is not None
        if events or self._heard_ms is None or not expecting:
            self._heard_ms = now_ms
        if alive and now_ms - self._heard_ms < (HANGS_MS if self.enrolling is None else ENROL_HANGS_MS):
            if self._down and self.restarts:
                self._down, self.lost = False, ""
                events.append(CameraBack(now_ms))
            return events
        self._restart_aside(now_ms)
        self._down, self.lost = True, "The vision process failed and was started again."
        return [*events, CameraLost(now_ms, self.lost)]

    def request_picture(self) -> None:
        """Ask for the set-up picture; it arrives as ``last_picture`` with ``receive``, between deals only."""
        self._tell("picture")

    def align(self, corners: Corners | None) -> None:
        """Take the mat's pose from four clicked corners (see corners.py), or from its fiducials again."""
        self._tell("corners", corners)

    def enrol(self, *, prompts: bool) -> None:
        """Guide an operator through showing a deck, between deals; ``enrolling`` tells how it stands."""
        self.enrolled, self.enrolling = None, {}
        self._tell("enrol", prompts)

    def end_enrolment(self) -> None:
        """Give it up."""
        self.enrolling = None
        self._tell("enrol", None)

    def use_deck(self, decks: Path, name: str, now_ms: int) -> None:
        """Read with a deck of a folder, or with the shipped weights (""): another worker is started, between deals."""
        self._settings = replace(self._settings, decks=decks, deck=name)
        self._restart_aside(now_ms)

    # --- both -------------------------------------------------------------------------------------------------------

    def watch(self, mode: str) -> None:
        """``deal`` (nothing is read, no picture leaves), ``play`` or ``idle``."""
        if mode == "deal":
            self._lying.clear()
            self.last_picture = self.last_report = None
        if mode != "idle":
            self.enrolling = None
        self._settings = replace(self._settings, mode=mode)
        self._tell("watch", mode)

    def _tell(self, *message: object) -> None:
        """Say something to the worker; one that has died is noticed by ``check``."""
        if self._pipe is not None:
            with contextlib.suppress(OSError):
                self._pipe.send(message)

    def _take(self, answer: Sequence[object]) -> list[Event]:
        self._heard_ms = None
        if answer[0] == "ready":
            self.recogniser, self._starting_ms = str(answer[1]), None
            return []
        if answer[0] == "failed":
            self.lost = f"{answer[2]} {answer[3]}".strip()
            return []
        if answer[0] == "picture":
            self.last_picture = answer[1] if isinstance(answer[1], bytes) else None
            self.last_report = answer[2] if isinstance(answer[2], dict) else None
            return []
        if answer[0] == "enrol":
            if self.enrolling is not None:
                self.enrolling = answer[1] if isinstance(answer[1], dict) else None
            return []
        if answer[0] == "enrolled":
            self.enrolled, self.enrolling = (cast(Collected, answer[1]), cast(Prompts, answer[2])), None
            return []
        _, slot, events, pending, lost, hints = answer
        self._waiting = False
        if isinstance(slot, int) and slot >= 0 and slot not in self._free:
            self._free.append(slot)
        self.pending, self.lost = bool(pending), str(lost)
        assert isinstance(events, tuple)
        assert isinstance(hints, tuple)
        self.hints = hints
        for event in events:
            self._lying.note(event)
        return list(events)


def _start_error(answer: tuple[object, ...] | None) -> DeviceError:
    if answer is not None and answer[0] == "failed":
        return DeviceError(str(answer[2]), way_out=str(answer[3]), code=str(answer[1]))
    return DeviceError("The vision process does not start.", way_out="Run `table-controller doctor`.")
