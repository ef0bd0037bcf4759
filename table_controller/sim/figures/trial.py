"""One trial: a rendered table by one seed, some twenty plays, every frame seen by the product's eye."""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass, field

from table_controller.cards import SEATS, Seat, next_seat
from table_controller.geometry import load_geometry
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.figures.acts import DIFFICULTIES, RARE, Acts
from table_controller.sim.figures.pool import Pool
from table_controller.sim.figures.truth import Laid, conserve, match
from table_controller.sim.light import Look
from table_controller.sim.scene import Picture, Scene
from table_controller.sim.script import Script
from table_controller.table.events import AreaCleared, CardsSeen, Event
from table_controller.vision.eye import Eye
from table_controller.vision.images import Image
from table_controller.vision.mat import MatPose
from table_controller.vision.seat_eye import CropReader, reading_window

_LEAST_POOL = 30
_TRICK = (3, 9)
_LATE_MS = (300, 2600)
_WON_MS = (1300, 2200)
_AFTER_MS = 900
_PX_PER_MM = 3.0
_PASS_SHARE = 0.12


@dataclass
class Result:
    """What came of one trial. ``pictures``: a seat's area as it looked some time after each play."""

    seed: int
    style: str
    laid: list[Laid] = field(default_factory=list)
    loose: list[CardsSeen] = field(default_factory=list)
    cleared: int = 0
    clearings_seen: int = 0
    pictures: dict[int, Image] = field(default_factory=dict)


class Trial:
    """Runs one seed."""

    def __init__(self, seed: int, style: str, reader: CropReader) -> None:
        self._rng = random.Random(seed)
        self._clock = VirtualClock()
        look = Look.random(self._rng)
        self._scene = Scene(random.Random(self._rng.getrandbits(32)), style=style, look=look)
        self._pool = Pool(random.Random(self._rng.getrandbits(32)))
        self._acts = Acts(self._clock, self._scene, self._pool, self._rng)
        self._eye = Eye(load_geometry(), reader)
        self._result = Result(seed, style)
        self._events: list[Event] = []
        self._frame: Picture | None = None
        self._over = False
        self._acts.on_laid = self._remember

    def run(self) -> Generator[None, None, Result]:
        """Go through it, a step a frame; returns what came of it."""
        self._frame_due()
        self._acts.stage.run(self._evening())
        while not self._over:
            self._clock.run_next()
            yield
        return self._result

    # --- frames -------------------------------------------------------------------------------------------------------

    def _frame_due(self) -> None:
        self._frame = self._scene.render()
        self._events += self._eye.see(self._frame, self._clock.now_ms())
        self._clock.call_at(self._clock.now_ms() + 100, self._frame_due)

    def _remember(self, laid: Laid) -> None:
        number = len(self._result.laid) + len(self._acts.laid) - 1
        self._clock.call_at(self._clock.now_ms() + _AFTER_MS, lambda: self._photograph(number, laid.seat))

    def _photograph(self, number: int, seat: Seat) -> None:
        assert self._frame is not None
        window = reading_window(load_geometry(), seat)
        pose = MatPose(self._scene.to_frame, 8, 0.0)
        self._result.pictures[number] = window.view(self._frame, pose, _PX_PER_MM)

    # --- the evening --------------------------------------------------------------------------------------------------

    def _evening(self) -> Script:
        yield 400
        due = [name for name in DIFFICULTIES if self._result.seed % RARE.get(name, 1) == 0]
        left = self._rng.sample(due, len(due))
        seat = self._rng.choice(SEATS)
        while left:
            count = self._rng.randint(*_TRICK)
            for difficulty in left[:count]:
                yield from self._acts.play(seat, difficulty)
                seat = next_seat(next_seat(seat)) if difficulty == "two_seats" else next_seat(seat)
                if self._rng.random() < _PASS_SHARE:
                    yield from self._pass(seat)
                    seat = next_seat(seat)
            left = left[count:]
            yield from self._trick_is_over(seat)
            if len(self._pool.cards) < _LEAST_POOL or not left:
                yield from self._deal_is_over()
        self._over = True

    def _pass(self, seat: Seat) -> Script:
        yield self._rng.randint(600, 1200)
        self._scene.hand(seat, "prompt")
        yield 300
        self._scene.lay_prompt(seat, "PASS")
        yield 260
        self._scene.hand(seat)

    def _trick_is_over(self, leader: Seat) -> Script:
        """Somebody passes; the leader clears before it plays, the others a little later, while play goes on."""
        yield self._rng.randint(*_WON_MS)
        self._acts.uncleared = {seat for seat in SEATS if self._scene.plays(seat)}
        for seat in SEATS:  # not in the set's own order, which differs from run to run
            if seat != leader and seat in self._acts.uncleared:
                self._acts.stage.run(self._late(seat))
        if leader in self._acts.uncleared:
            yield from self._acts.clear(leader)
        yield 250

    def _late(self, seat: Seat) -> Script:
        yield self._rng.randint(*_LATE_MS)
        yield from self._acts.clear_late(seat)

    def _deal_is_over(self) -> Script:
        yield 3600
        for seat in SEATS:
            if self._scene.plays(seat):
                yield from self._acts.clear(seat)
        yield 1500
        self._settle()
        self._eye.watch("deal")
        self._scene.sweep()
        yield 300
        self._eye.watch("play")
        self._pool.deal()
        yield 600

    def _settle(self) -> None:
        """Compare a deal's plays with what was seen of them."""
        laid = self._acts.laid
        seen = [event for event in self._events if isinstance(event, CardsSeen)]
        self._result.loose += match(laid, seen)
        conserve(laid, seen)
        self._result.laid += laid
        self._result.cleared += len(self._acts.cleared)
        self._result.clearings_seen += sum(isinstance(event, AreaCleared) for event in self._events)
        self._acts.laid, self._acts.cleared, self._events = [], [], []


def run_trial(seed: int, style: str, reader: CropReader) -> Result:
    """A whole trial at once."""
    steps = Trial(seed, style, reader).run()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result = end.value
            assert isinstance(result, Result)
            return result


__all__ = ["Result", "Trial", "run_trial"]
