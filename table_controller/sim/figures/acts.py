"""What simulated people do in a trial: one script a difficulty, at a hurried pace."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from table_controller.cards import Seat, next_seat
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.figures.places import INDEX_STEP_MM, Places, flight, upside_down
from table_controller.sim.figures.pool import Pool
from table_controller.sim.figures.truth import Laid
from table_controller.sim.poses import Pose
from table_controller.sim.scene import LaidPlay, Scene
from table_controller.sim.script import Script, Stage

REACH_MS, LEAVE_MS = 300, 260
TURN_MS = (1500, 2500)
_FLIGHT_MS = 100
_ROOM_MM = 32.0
"""People leave so much free beside a cup or a phone (half a card is added)."""

DIFFICULTIES: dict[str, str] = {
    "tidy": "an even row",
    "careless": "an uneven row",
    "tight": "overlap down to the width of an index",
    "turned": "cards turned by up to 25 degrees",
    "upside_down": "cards upside down",
    "outside": "cards part outside the area",
    "over_earlier": "partly over the seat's earlier plays",
    "second_copy": "the second copy laid on the very place of the first",
    "two_seats": "two seats lay at once",
    "straightened": "straightened after the play",
    "pushed": "pushed aside after the play",
    "thrown": "thrown towards the centre",
    "cup": "a cup in or beside the area",
    "phone": "a phone in or beside the area",
    "turned_up": "a discard turned up by mistake",
    "held_fan": "a fan held over the area",
    "taken_back": "laid, taken back, and another play laid",
    "sleeve": "an arm over the area",
    "one_by_one": "laid card by card under a hand",
    "long": "more than ten cards",
}

RARE = {"second_copy": 25}
"""Happens in every so many-th scene only: no picture tells whether a card was nudged or its copy lies on it."""


class Acts:
    """The people of one trial. ``laid`` is what they really laid."""

    def __init__(self, clock: VirtualClock, scene: Scene, pool: Pool, rng: random.Random) -> None:
        self.laid: list[Laid] = []
        self.cleared: list[tuple[Seat, int]] = []
        self.stage = Stage(clock)
        self.on_laid: Callable[[Laid], None] = lambda _: None
        self._clock, self._scene, self._pool, self._rng = clock, scene, pool, rng
        self._places = Places(scene.geometry, rng)
        self._things: dict[Seat, list[tuple[int, Pose | None]]] = {}
        self.uncleared: set[Seat] = set()
        """Seats whose cards of the last trick still lie there."""
        self._busy: set[Seat] = set()

    def play(self, seat: Seat, difficulty: str) -> Script:
        """One whole turn of a seat. Who has not cleared the last trick does so first."""
        if seat in self.uncleared:
            yield from self.clear(seat)
        yield self._rng.randint(*TURN_MS) - REACH_MS - LEAVE_MS
        special: dict[str, Callable[[Seat], Script]] = {
            "two_seats": self._two_seats, "straightened": self._straightened, "pushed": self._pushed,
            "thrown": self._thrown, "cup": self._with_thing, "phone": self._with_thing,
            "turned_up": self._turned_up, "held_fan": self._held_fan, "taken_back": self._taken_back,
            "sleeve": self._sleeve, "one_by_one": self._one_by_one,
        }  # fmt: skip
        self._difficulty = difficulty
        yield from special.get(difficulty, self._plain)(seat)

    def clear_late(self, seat: Seat) -> Script:
        """The same some time after a trick, unless the seat itself has cleared and played on meanwhile."""
        if seat not in self.uncleared:
            return
        yield from self._reach(seat)
        if seat in self.uncleared:
            self._cards_leave(seat)
        yield from self._leave(seat)

    def clear(self, seat: Seat) -> Script:
        """A seat's cards, and what stands there, leave; the cards go face down to the discard pile."""
        yield from self._reach(seat)
        self._cards_leave(seat)
        yield from self._leave(seat)

    def _cards_leave(self, seat: Seat) -> None:
        had = bool(self._scene.plays(seat))
        self._scene.clear(seat)
        self._put_away(seat)
        self.uncleared.discard(seat)
        if had:
            self.cleared.append((seat, self._clock.now_ms()))

    def _put_away(self, seat: Seat) -> None:
        for key, _ in self._things.pop(seat, []):
            self._scene.remove(key)

    # --- hands --------------------------------------------------------------------------------------------------------

    def _reach(self, seat: Seat) -> Script:
        yield lambda: seat not in self._busy
        self._busy.add(seat)
        self._scene.hand(seat, "play")
        yield REACH_MS

    def _leave(self, seat: Seat) -> Script:
        yield LEAVE_MS
        self._scene.hand(seat, None)
        self._busy.discard(seat)

    def _taken(self, seat: Seat) -> list[list[Pose]]:
        """What lies or stands there."""
        beside = [
            [replace(pose, u_mm=pose.u_mm + du, turn_deg=0.0) for du in (-_ROOM_MM, _ROOM_MM)]
            for _, pose in self._things.get(seat, [])
            if pose is not None
        ]
        return [play.poses for play in self._scene.plays(seat)] + beside

    def _note(self, seat: Seat, cards: tuple[str, ...]) -> Laid:
        laid = Laid(seat, cards, self._clock.now_ms(), self._difficulty)
        self.laid.append(laid)
        self.on_laid(laid)
        return laid

    # --- plays --------------------------------------------------------------------------------------------------------

    def _cards_and_places(self, seat: Seat) -> tuple[tuple[str, ...], list[Pose]]:
        taken, kind = self._taken(seat), self._difficulty
        if kind == "long":
            cards = self._pool.draw_many()
            return cards, self._places.row(len(cards), taken, step_mm=(13.0, 20.0))
        if kind == "second_copy" and self._scene.plays(seat):
            return self._second_copy(seat)
        cards = self._pool.draw()
        count = len(cards)
        if kind == "tight":
            return cards, self._places.row(count, taken, step_mm=INDEX_STEP_MM)
        if kind == "turned":
            return cards, self._places.turned(count, taken)
        if kind == "outside":
            return cards, self._places.outside(count, taken)
        if kind == "over_earlier" and self._scene.plays(seat) and seat not in self._things:
            return cards, self._places.over(count, self._rng.choice(self._scene.plays(seat)).poses)
        laid = self._places.row(count, taken, tidy=0.0 if kind == "careless" else self._rng.uniform(0.5, 1.0))
        return cards, upside_down(laid, self._rng) if kind == "upside_down" else laid

    def _second_copy(self, seat: Seat) -> tuple[tuple[str, ...], list[Pose]]:
        """Begins with the second copy of an earlier play's last card, laid on the very place of the first."""
        earlier = self._scene.plays(seat)[-1]
        copy = self._pool.draw_copy(earlier.cards[-1:])
        cards = (*(copy or ()), *self._pool.draw(most=3))
        return cards, self._places.upon(earlier.poses[-1], len(cards))

    def _lay(self, seat: Seat) -> LaidPlay:
        cards, places = self._cards_and_places(seat)
        play = self._scene.lay(seat, cards, at=places)
        self._note(seat, cards)
        return play

    def _plain(self, seat: Seat) -> Script:
        yield from self._reach(seat)
        if self._difficulty == "long":  # needs all of the area
            self._put_away(seat)
        self._lay(seat)
        yield from self._leave(seat)

    def _two_seats(self, seat: Seat) -> Script:
        """The next seat lays at the same time, out of turn."""
        before = len(self.laid)
        self.stage.run(self._other_seat(next_seat(seat)))
        yield from self._plain(seat)
        yield lambda: len(self.laid) == before + 2 and not self._busy

    def _other_seat(self, seat: Seat) -> Script:
        if seat in self.uncleared:
            yield from self.clear(seat)
        yield self._rng.randint(0, 300)
        yield from self._plain(seat)

    def _straightened(self, seat: Seat) -> Script:
        yield from self._reach(seat)
        play = self._lay(seat)
        yield from self._leave(seat)
        yield self._rng.randint(200, 900)
        yield from self._reach(seat)
        self._scene.straighten(play)
        yield from self._leave(seat)

    def _pushed(self, seat: Seat) -> Script:
        yield from self._reach(seat)
        play = self._lay(seat)
        yield from self._leave(seat)
        yield self._rng.randint(200, 900)
        yield from self._reach(seat)
        half = self._scene.geometry.centre_side_mm / 2
        left, right = min(p.u_mm for p in play.poses) - 29, max(p.u_mm for p in play.poses) + 29
        du = self._rng.uniform(8, 45) * (1 if half - right > left + half else -1)
        self._scene.nudge(play, max(-half - left, min(half - right, du)), self._rng.uniform(-8, 8))
        yield from self._leave(seat)

    def _thrown(self, seat: Seat) -> Script:
        yield from self._reach(seat)
        cards, places = self._cards_and_places(seat)
        places = [replace(pose, v_mm=pose.v_mm - self._rng.uniform(2, 14)) for pose in places]
        play = self._scene.lay(seat, cards, at=flight(places, 0.0, self._rng))
        self._scene.hand(seat, None)
        for share in (0.4, 0.75):
            yield _FLIGHT_MS
            self._scene.place(play, flight(places, share, self._rng))
        yield _FLIGHT_MS
        self._scene.place(play, places)
        self._note(seat, cards)
        self._busy.discard(seat)
        yield LEAVE_MS

    def _with_thing(self, seat: Seat) -> Script:
        """A thing is put down at an end of the area; a moment later the play is laid."""
        yield from self._reach(seat)
        if not self._scene.plays(seat):
            side = self._rng.choice((-1, 1))
            pose = Pose(side * self._rng.uniform(140, 185), self._rng.uniform(205, 300), self._rng.uniform(-30, 30))
            self._things.setdefault(seat, []).append((self._scene.stand(seat, self._difficulty, pose), pose))
        yield from self._leave(seat)
        yield self._rng.randint(700, 1500)
        yield from self._reach(seat)
        cards = self._pool.draw(most=5)
        self._scene.lay(seat, cards, at=self._places.row(len(cards), self._taken(seat)))
        self._note(seat, cards)
        yield from self._leave(seat)

    def _turned_up(self, seat: Seat) -> Script:
        """A discard lies face up, near the area or at the frame's edge, while the play is laid."""
        pose = Pose(self._rng.uniform(-160, 100), self._rng.uniform(337, 370), self._rng.uniform(-40, 40))
        card = self._rng.choice(self._pool.cards)
        self._things.setdefault(seat, []).append((self._scene.lay_loose(seat, card, pose), None))
        yield from self._plain(seat)

    def _held_fan(self, seat: Seat) -> Script:
        held = self._rng.sample(self._pool.cards, min(8, len(self._pool.cards)))
        v_mm = self._rng.uniform(285, 330)
        self._scene.hold(seat, held, face_up=True, v_mm=v_mm, u_mm=self._rng.uniform(-60, 60))
        yield self._rng.randint(300, 900)
        yield from self._reach(seat)
        self._lay(seat)
        yield from self._leave(seat)
        yield self._rng.randint(200, 700)
        self._scene.hold(seat, [])

    def _taken_back(self, seat: Seat) -> Script:
        yield from self._reach(seat)
        play = self._lay(seat)
        yield from self._leave(seat)
        yield self._rng.randint(800, 1300)
        yield from self._reach(seat)
        self._scene.take_back(play)
        yield from self._leave(seat)
        yield self._rng.randint(500, 900)
        yield from self._plain(seat)

    def _sleeve(self, seat: Seat) -> Script:
        yield from self._reach(seat)
        self._lay(seat)
        self._scene.sleeve_over(seat, True)
        yield from self._leave(seat)
        yield self._rng.randint(300, 1200)
        self._scene.sleeve_over(seat, False)

    def _one_by_one(self, seat: Seat) -> Script:
        yield from self._reach(seat)
        cards, places = self._cards_and_places(seat)
        play = self._scene.lay(seat, cards[:1], at=places[:1])
        for count in range(2, len(cards) + 1):
            yield self._rng.randint(120, 260)
            self._scene.take_back(play)
            play = self._scene.lay(seat, cards[:count], at=places[:count])
        self._note(seat, cards)
        yield from self._leave(seat)
