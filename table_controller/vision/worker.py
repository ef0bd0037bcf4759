"""The vision worker: a child process that grabs, reads and tracks, and that can be killed when a driver hangs.

It talks over one pipe; frames handed in lie in shared memory. In a deal no picture and no reading leaves it.

Parent to child: ("frame", slot, shape, grab_ms) · ("watch", mode) · ("picture",) · ("stop",) · ("enrol", with prompt
cards or not, or None)
Child to parent: ("ready", recogniser) · ("failed", code, message, way_out) · ("seen", slot, events, pending, lost,
hints) · ("picture", jpeg or None, report or None) · ("enrol", report or None) · ("enrolled", what is to be learnt)
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from table_controller.cards import Seat
from table_controller.errors import InputError, TableError
from table_controller.geometry import load_geometry
from table_controller.runtime.clock import RealClock
from table_controller.table.events import CameraBack, CameraLost, Event
from table_controller.vision.corner_file import save_reference, stored_corners
from table_controller.vision.enrol.live import LiveEnrolment
from table_controller.vision.enrol.opening import load_deck
from table_controller.vision.evidence import EvidenceStore
from table_controller.vision.eye import Eye
from table_controller.vision.images import Image
from table_controller.vision.reader import Reader
from table_controller.vision.setup import setup_picture, setup_report
from table_controller.vision.sources import RECORDING_ENDED, CameraControls, Grab, Source, is_recording, open_source

NO_FRAME_MS = 1_200
ALIVE_MS = 500
_LOOKS = 10
"""So many frames tell whether the table is bare again after an enrolment."""


@dataclass(frozen=True)
class WorkerSettings:
    """All a worker needs to start. ``lying`` and ``prompts`` are what the table knows to lie there already."""

    frame_px: tuple[int, int]
    shared: str
    slots: int
    source: str | None = None
    evidence_folder: Path | None = None
    models_dir: Path | None = None
    threads: int = 1
    mode: str = "play"
    lying: tuple[tuple[Seat, tuple[str, ...]], ...] = ()
    prompts: tuple[tuple[Seat, tuple[int, ...]], ...] = ()
    evidence_days: int = 30
    evidence_mb: int = 500
    corners_file: Path | None = None
    controls: CameraControls = field(default_factory=CameraControls)
    decks: Path | None = None
    deck: str = ""


def slot_view(memory: SharedMemory, frame_px: tuple[int, int], slot: int) -> Image:
    """A slot of the shared memory as a frame."""
    width, height = frame_px
    size = width * height * 3
    return np.ndarray((height, width, 3), dtype=np.uint8, buffer=memory.buf, offset=slot * size)


def make_eye(settings: WorkerSettings) -> tuple[Eye, str]:
    """The eye and its recogniser's name; raises InputError when the models are missing."""
    cv2.setNumThreads(settings.threads)
    deck, plain = None, None
    if settings.deck and settings.decks is not None:
        deck, plain = load_deck(settings.decks, settings.deck, settings.models_dir)
    reader = Reader.load(settings.models_dir, settings.threads, deck)
    corners = stored_corners(settings.corners_file)
    eye = Eye(load_geometry(), reader, _evidence(settings), plain, corners)
    eye.watch(settings.mode)
    eye.recall(dict(settings.lying), dict(settings.prompts))
    return eye, reader.name


def _evidence(settings: WorkerSettings) -> EvidenceStore:
    return EvidenceStore(settings.evidence_folder, days=settings.evidence_days, most_mb=settings.evidence_mb)


class _Grabber(threading.Thread):
    """Reads a source in a thread of its own, because a driver may block.

    Of a camera only the newest frame is kept; a recording waits until its frame was taken.
    """

    def __init__(self, name: str, clock: RealClock, controls: CameraControls) -> None:
        super().__init__(name="grab", daemon=True)
        self._source_name = name
        self._controls = controls
        self._clock = clock
        self._lock = threading.Lock()
        self._frame: Grab | None = None
        self._stopping = threading.Event()
        self._taken = threading.Event()
        self._recording = is_recording(name)
        self.failure = ""
        self.ended = False

    def take(self) -> Grab | None:
        """The newest frame not taken yet."""
        with self._lock:
            frame, self._frame = self._frame, None
        if frame is not None:
            self._taken.set()
        return frame

    def stop(self) -> None:
        """End after the present read."""
        self._stopping.set()

    def run(self) -> None:
        """Open, read, and open again after a failure."""
        while not self._stopping.is_set() and not self.ended:
            try:
                source = open_source(self._source_name, load_geometry(), self._clock.now_ms, self._controls)
            except TableError as error:
                self.failure = error.line()
                self._stopping.wait(1.0)
                continue
            self._read_all(source)
            source.close()

    def _read_all(self, source: Source) -> None:
        while not self._stopping.is_set():
            try:
                frame = source.read()
            except TableError as error:
                self.failure = error.line()
                return
            if frame is None:
                self.ended = True
                return
            self.failure = ""
            self._taken.clear()
            with self._lock:
                self._frame = frame
            while self._recording and not self._taken.wait(0.5) and not self._stopping.is_set():
                continue


class Worker:
    """The child's side: serves the pipe and, where it has a source of its own, the camera."""

    def __init__(self, pipe: Connection, settings: WorkerSettings) -> None:
        self._pipe = pipe
        self._settings = settings
        self._clock = RealClock(asyncio.new_event_loop())
        self._memory = SharedMemory(settings.shared)
        self._eye, self.recogniser = make_eye(settings)
        self._grabber = _Grabber(settings.source, self._clock, settings.controls) if settings.source else None
        self._latest: Image | None = None
        self._frame_ms = self._clock.now_ms()
        self._alive_ms = 0
        self._lost = ""
        self._reference: Image | None = None
        self._live: LiveEnrolment | None = None
        self._put_away = -1

    def serve(self) -> None:
        """Until told to stop or the parent is gone."""
        self._pipe.send(("ready", self.recogniser))
        if self._grabber is not None:
            self._grabber.start()
        while self._listen(0.01 if self._grabber is not None else 1.0):
            if self._grabber is not None:
                self._watch_camera(self._grabber)
        if self._grabber is not None:
            self._grabber.stop()

    def _listen(self, wait_s: float) -> bool:
        if not self._pipe.poll(wait_s):
            return True
        message = self._pipe.recv()
        if message[0] == "frame":
            _, slot, grab_ms = message
            self._latest = slot_view(self._memory, self._settings.frame_px, slot)
            self._tell(slot, self._see(self._latest, grab_ms))
        elif message[0] == "watch":
            self._end_enrolment()
            self._put_away = -1
            self._eye.watch(message[1])
        elif message[0] == "enrol":
            self._enrol(message[1])
        elif message[0] == "picture":
            self._pipe.send(("picture", *self._picture()))
        elif message[0] == "corners":
            self._eye.align(message[1])
            self._reference = None
        return bool(message[0] != "stop")

    def _see(self, frame: Image, grab_ms: int) -> list[Event]:
        """What the eye sees; what corners are found by is kept for the next start as soon as it is known."""
        events = self._eye.see(frame, grab_ms)
        if self._live is not None:
            self._show(self._live, frame, grab_ms)
        if self._put_away >= 0:
            events = self._without_enrolled(events)
        reference, file = self._eye.reference, self._settings.corners_file
        if reference is not None and reference is not self._reference and file is not None and file.exists():
            self._reference = reference
            with contextlib.suppress(InputError):  # a full disk costs the next start's memory, never the game
                save_reference(file, reference)
        return events

    # --- enrolment, between deals -----------------------------------------------------------------------------------

    def _enrol(self, prompts: bool | None) -> None:
        """Begin one, or (None) give it up."""
        self._end_enrolment()
        if prompts is None or self._eye.mode != "idle":
            self._pipe.send(("enrol", None))
            return
        models, finder = self._settings.models_dir, self._eye.finder
        self._live = LiveEnrolment(load_geometry(), finder, models, prompts=prompts)
        self._eye.resting = True
        self._pipe.send(("enrol", self._live.report()))

    def _show(self, live: LiveEnrolment, frame: Image, grab_ms: int) -> None:
        if live.see(frame, grab_ms):
            self._pipe.send(("enrol", live.report()))
        if live.done:
            self._pipe.send(("enrolled", *live.result))
            self._end_enrolment()

    def _end_enrolment(self) -> None:
        if self._live is not None:
            self._live, self._eye.resting, self._put_away = None, False, 0
            self._eye.forget()

    def _without_enrolled(self, events: list[Event]) -> list[Event]:
        """What was laid to be enrolled is no news, until it is put away; the camera's own news is."""
        self._put_away += 1
        if self._put_away > _LOOKS and self._eye.bare:
            self._put_away = -1
        return [event for event in events if isinstance(event, CameraLost | CameraBack)]

    def _tell(self, slot: int, events: list[Event]) -> None:
        self._alive_ms = self._clock.now_ms()
        self._pipe.send(("seen", slot, tuple(events), self._eye.pending, self._lost or self._eye.lost, self._eye.hints))

    def _watch_camera(self, grabber: _Grabber) -> None:
        frame = grabber.take()
        now_ms = self._clock.now_ms()
        if frame is not None:
            self._latest, self._frame_ms = frame[0], now_ms
            back: list[Event] = [CameraBack(frame[1])] if self._lost else []
            self._lost = ""
            events = [*back, *self._see(*frame)]
            if events or now_ms - self._alive_ms >= ALIVE_MS:
                self._tell(-1, events)
            return
        silent = now_ms - self._frame_ms >= NO_FRAME_MS
        if silent and not self._lost:
            if grabber.ended:
                self._lost = RECORDING_ENDED
                self._tell(-1, [])
                return
            self._lost = grabber.failure or "The camera gives no picture."
            self._tell(-1, [CameraLost(now_ms, self._lost)])
        elif now_ms - self._alive_ms >= ALIVE_MS:
            self._tell(-1, [])

    def _picture(self) -> tuple[bytes | None, dict[str, Any] | None]:
        """The set-up picture and what is known of it: between deals only."""
        if self._eye.mode != "idle" or self._latest is None:
            return None, None
        marks = self._live.marks if self._live is not None else ()
        small = setup_picture(self._latest, self._eye.pose, load_geometry(), marks=marks)
        packed = np.asarray(cv2.imencode(".jpg", small)[1]).tobytes()
        return bytes(packed), setup_report(self._eye, self._latest, small, load_geometry())


def run_worker(pipe: Connection, settings: WorkerSettings) -> None:
    """The child's main; Ctrl-C is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        worker = Worker(pipe, settings)
    except TableError as error:
        failed: tuple[Any, ...] = ("failed", error.code, error.message, error.way_out)
        pipe.send(failed)
        return
    try:
        worker.serve()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
