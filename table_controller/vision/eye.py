"""The table's eye: frames in, events out. Pure of processes and of clocks: stamps come with the frames."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from table_controller.cards import SEATS, Seat, next_seat
from table_controller.geometry import Geometry
from table_controller.table.events import CardsSeen, Event
from table_controller.vision.corners import Clicked, CornerFinder, Corners
from table_controller.vision.evidence import EvidenceStore
from table_controller.vision.health import CameraHealth
from table_controller.vision.held import HeldCheck
from table_controller.vision.hints import Hint
from table_controller.vision.images import Image
from table_controller.vision.mat import MatFinder, MatPose, glimpse_of
from table_controller.vision.plain_prompts import PlainPrompts
from table_controller.vision.prompt_eye import PromptEye
from table_controller.vision.prompt_reader import PromptReader
from table_controller.vision.seat_eye import CropReader, SeatEye
from table_controller.vision.taps import TapWaiting
from table_controller.vision.watch import PictureReport, PictureWatch


class Eye:
    """Reads frames for one table. ``mode`` is ``deal`` (nothing is read), ``play`` or ``idle`` (as WatchMode)."""

    def __init__(
        self,
        geometry: Geometry,
        reader: CropReader,
        evidence: EvidenceStore | Path | None = None,
        plain: PlainPrompts | None = None,
        corners: Corners | Clicked | None = None,
    ) -> None:
        """``plain``: the venue's prompt cards without markers; ``corners``: of a mat without fiducials."""
        self._geometry = geometry
        self._reader = reader
        self._evidence = evidence if isinstance(evidence, EvidenceStore) else EvidenceStore(evidence)
        self._held = HeldCheck(geometry.camera_mm)
        self._finder: MatFinder | CornerFinder = MatFinder(geometry)
        self._prompt_reader = PromptReader(geometry, plain)
        self._health = CameraHealth()
        self._watch = PictureWatch(geometry)
        self._seen_ms = 0
        self.by_corners = False
        """Whether the pose comes from clicked corners."""
        self.align(corners)
        self.mode = "play"
        self.resting = False
        """Health and pose alone: an operator lays cards that are no play."""
        self._seats: list[SeatEye] = []
        self._prompts: list[PromptEye] = []
        self._taps = TapWaiting()
        self.forget()

    def forget(self) -> None:
        """Forget all that lies on the table: it is seen anew."""
        self._seats = [SeatEye(seat, self._geometry, self._reader, self._evidence) for seat in SEATS]
        for seat_eye in self._seats:
            seat_eye.held = self._held
        self._prompts = [PromptEye(seat, self._geometry, self._prompt_reader, self._evidence) for seat in SEATS]
        self._taps = TapWaiting()

    def align(self, corners: Corners | Clicked | None) -> None:
        """Take the mat's pose from clicked corners, or, when None, from its fiducials."""
        self.by_corners = corners is not None
        self._finder = MatFinder(self._geometry) if corners is None else CornerFinder(self._geometry, corners)
        self._health.by_corners = self.by_corners
        self._watch = PictureWatch(self._geometry)

    def recall(self, cards: dict[Seat, tuple[str, ...]], prompts: dict[Seat, tuple[int, ...]]) -> None:
        """After a restart: these cards and prompt cards are known to lie there, and are no news when seen."""
        for seat, seat_eye, prompt_eye in zip(SEATS, self._seats, self._prompts, strict=True):
            seat_eye.expect(cards.get(seat, ()))
            prompt_eye.expect(prompts.get(seat, ()))

    def watch(self, mode: str) -> None:
        """Change the mode; what lay on the table before a deal is forgotten."""
        if mode == "deal":
            self.forget()
        self.mode = mode

    @property
    def pending(self) -> bool:
        """Whether an area has changed and is not settled yet: more frames are needed."""
        waiting = [eye.pending for eye in self._seats] + [eye.pending for eye in self._prompts]
        return self.mode != "deal" and (any(waiting) or self._taps.pending)

    @property
    def lost(self) -> str:
        """Why the camera's picture is no use, or ""."""
        return self._health.lost

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What is amiss with the pictures, in words: nothing secret."""
        held = tuple(Hint("held", eye.seat) for eye in self._seats if eye.held_over)
        return (*self._watch.hints(self._seen_ms), *held)

    @property
    def report(self) -> PictureReport:
        """What the pictures were like when last measured."""
        return self._watch.report

    @property
    def pose(self) -> MatPose | None:
        """Where the mat was last found."""
        return self._finder.pose

    @property
    def finder(self) -> MatFinder | CornerFinder:
        """What finds the mat."""
        return self._finder

    @property
    def bare(self) -> bool:
        """Whether nothing lies in any area or circle."""
        return not self.pending and not any(e.cards for e in self._seats) and all(e.bare for e in self._prompts)

    @property
    def reference(self) -> Image | None:
        """By corners: what the table looked like when they were clicked, to be kept with them (see corners.py)."""
        return self._finder.reference if isinstance(self._finder, CornerFinder) else None

    @property
    def readings(self) -> int:
        """How many views have been read by the recogniser."""
        return sum(eye.readings for eye in self._seats)

    def cards(self, seat: Seat) -> tuple[str, ...]:
        """The cards accounted for in a seat's area."""
        return self._seats[SEATS.index(seat)].cards

    def _note_heaps(self) -> None:
        """A fan held over a prompt circle reaches over the areas beside it: its seat's right end, the next's left."""
        heaps = {seat for seat, eye in zip(SEATS, self._prompts, strict=True) if eye.heap}
        for eye in self._seats:
            right = {1} if eye.seat in heaps else set()
            left = {-1} if any(next_seat(seat) == eye.seat for seat in heaps) else set()
            eye.held_ends = right | left

    def see(self, frame: Image, grab_ms: int) -> list[Event]:
        """Take in a frame (BGR, frame_px) grabbed at ``grab_ms``; returns events in the order of their stamps."""
        usable = self._health.look(frame, grab_ms)
        self._seen_ms = grab_ms
        events: list[Event] = []
        if usable and self.mode != "deal":
            glimpse = glimpse_of(frame)
            pose = self._finder.find(frame, glimpse)
            self._health.mat(pose is not None, grab_ms)
            self._watch.look(frame, glimpse, pose, grab_ms)
            if pose is not None and not self.resting:
                prompts = [event for eye in self._prompts for event in eye.see(frame, glimpse, pose, grab_ms)]
                self._note_heaps()
                for seat_eye, circle in zip(self._seats, self._prompts, strict=True):
                    events += [
                        replace(event, circle=circle.as_it_lies(frame, pose, grab_ms))
                        if isinstance(event, CardsSeen)
                        else event
                        for event in seat_eye.see(frame, glimpse, pose, grab_ms)
                    ]
                events += prompts
                over = {eye.seat for eye in self._seats if eye.hand}
                changed = {eye.seat for eye in self._seats if eye.pending}
                events = self._taps.judge(events, over, changed, grab_ms)
        return [*self._health.events(grab_ms), *sorted(events, key=lambda event: event.at_ms)]
