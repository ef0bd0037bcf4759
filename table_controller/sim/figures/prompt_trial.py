"""One trial of prompt cards: circles, thumbs, stacks and taps by one seed, seen by the product's eye."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from table_controller.cards import FACES, SEATS, UNKNOWN, Seat
from table_controller.geometry import load_geometry
from table_controller.runtime.clock import VirtualClock
from table_controller.sim.light import Look
from table_controller.sim.plain_set import plain_kinds
from table_controller.sim.poses import Pose
from table_controller.sim.scene import Picture, Scene
from table_controller.sim.script import Script, Stage
from table_controller.table.events import (
    CardsSeen,
    Event,
    PromptCircleCleared,
    PromptLaid,
    PromptLifted,
    PromptTouched,
)
from table_controller.vision.eye import Eye
from table_controller.vision.mat import MatPose, prompt_window
from table_controller.vision.plain_prompts import PlainPrompts
from table_controller.vision.prompt_reader import PROMPT_PX_PER_MM
from table_controller.vision.seat_eye import CropReader

ACTS: dict[str, tuple[int, str]] = {
    "laid": (9, "a prompt card laid, in any rotation"),
    "thumb": (5, "laid and held, a thumb over half of it"),
    "lifted": (4, "the uppermost card picked up again"),
    "tapped": (2, "the uppermost card tapped"),
    "playing_card": (1, "a playing card laid into the circle, and taken away"),
    "astray": (1, "a prompt card laid into the play area, and taken away"),
}
"""What is done, how often (in parts), and in words."""
LAID = ("laid", "thumb")
_MOST_STACKED = 5
_GAP_MS = (500, 1000)


@dataclass
class Act:
    """One thing done at a seat, what should be seen of it, and what was."""

    kind: str
    seat: Seat
    card: str
    expected: list[tuple[str, str]]
    at_ms: int
    seen: list[tuple[str, str]] = field(default_factory=list)
    picture: Picture | None = None

    @property
    def right(self) -> bool:
        """Exactly what should be seen was seen; in the play area anything unknown may be."""
        if self.kind == "astray":
            return all(set(cards.split()) == {UNKNOWN} for name, cards in self.seen if name == "CardsSeen")
        return self.seen == self.expected

    @property
    def wrong(self) -> bool:
        """A card was read as another one, surely."""
        sure = [(name, kind) for name, kind in self.seen if name == "PromptLaid" and kind != UNKNOWN]
        return not self.right and (self.kind == "astray" or any(event not in self.expected for event in sure))


def learnt(design: str, seed: int = 77) -> PlainPrompts:
    """A plain set, learnt from one rendered picture of each card."""
    rng = random.Random(seed)
    scene = Scene(rng, plain_set=design)
    samples = []
    for kind in plain_kinds(scene.geometry):
        scene.lay_prompt("S", kind, turn_deg=rng.uniform(0, 360))
        window = prompt_window(scene.geometry, "S")
        samples.append((kind, window.view(scene.render(), MatPose(scene.to_frame, 8, 0.0), PROMPT_PX_PER_MM)))
        scene.clear_prompts("S")
    return PlainPrompts.learn(samples)


class PromptTrial:
    """Runs one seed: ``count`` prompt cards laid, and what else comes between."""

    def __init__(self, seed: int, reader: CropReader, design: str | None, plain: PlainPrompts | None) -> None:
        self._rng = random.Random(seed)
        self._clock = VirtualClock()
        look = Look.random(self._rng)
        self._scene = Scene(random.Random(self._rng.getrandbits(32)), look=look, plain_set=design)
        self._eye = Eye(load_geometry(), reader, None, plain)
        self._stage = Stage(self._clock)
        self._kinds = plain_kinds(self._scene.geometry)
        self._stacks: dict[Seat, list[str]] = {seat: [] for seat in SEATS}
        self._events: list[Event] = []
        self.acts: list[Act] = []
        self._over = False

    def run(self, count: int) -> list[Act]:
        """All acts, with what was seen of each."""
        self._stage.run(self._evening(count))
        while not self._over:
            self._events += self._eye.see(self._scene.render(), self._clock.now_ms())
            self._pass_100_ms()
        self._match()
        return self.acts

    def _pass_100_ms(self) -> None:
        end = self._clock.now_ms() + 100
        done: list[bool] = []
        self._clock.call_at(end, lambda: done.append(True))
        while not done:
            self._clock.run_next()

    def _evening(self, count: int) -> Script:
        yield 500
        turn = 0
        while sum(act.kind in LAID for act in self.acts) < count:
            seat = SEATS[turn % 4]
            turn += 1
            yield from self._act(seat)
            yield self._rng.randint(*_GAP_MS)
        yield 2500
        self._over = True

    def _act(self, seat: Seat) -> Script:
        kinds, parts = list(ACTS), [part for part, _ in ACTS.values()]
        kind = self._rng.choices(kinds, parts)[0]
        stack = self._stacks[seat]
        if kind in LAID and len(stack) >= _MOST_STACKED:
            yield from self._clear(seat)
            return
        doing: dict[str, Callable[[Seat], Script]] = {
            "laid": self._lay, "thumb": self._thumb, "lifted": self._lift, "tapped": self._tap,
            "playing_card": self._playing_card, "astray": self._astray,
        }  # fmt: skip
        yield from doing[kind if stack or kind not in ("lifted", "tapped") else "laid"](seat)

    def _note(self, kind: str, seat: Seat, card: str, expected: list[tuple[str, str]]) -> None:
        self.acts.append(Act(kind, seat, card, expected, self._clock.now_ms()))

    def _lay(self, seat: Seat, over: str = "prompt") -> Script:
        self._scene.hand(seat, "prompt")
        yield 300
        box, stack = self._scene.geometry.prompt_box, self._stacks[seat]
        left = [kind for kind in self._kinds if stack.count(kind) < box.count(kind)]
        card = self._rng.choices(left, [6 if kind == "PASS" else 1 for kind in left])[0]
        self._note("laid" if over == "prompt" else "thumb", seat, card, [("PromptLaid", card)])
        self._scene.lay_prompt(seat, card, turn_deg=self._rng.uniform(0, 360))
        self._stacks[seat].append(card)
        if over != "prompt":
            self._scene.hand(seat, over)
            yield self._rng.randint(400, 1200)
        else:
            yield 260
        self._scene.hand(seat)

    def _thumb(self, seat: Seat) -> Script:
        yield from self._lay(seat, "thumb")

    def _lift(self, seat: Seat) -> Script:
        self._scene.hand(seat, "prompt")
        yield 300
        card = self._stacks[seat].pop()
        self._note("lifted", seat, card, [("PromptLifted", card)] if self._stacks[seat] else _cleared(card))
        self._scene.lift_prompt(seat)
        yield 260
        self._scene.hand(seat)

    def _tap(self, seat: Seat) -> Script:
        card = self._stacks[seat][-1]
        self._note("tapped", seat, card, [("PromptTouched", card)])
        self._scene.hand(seat, "prompt")
        yield self._rng.randint(300, 700)
        self._scene.hand(seat)

    def _clear(self, seat: Seat) -> Script:
        """All cards of a circle are collected."""
        self._scene.hand(seat, "prompt")
        yield 300
        self._note("cleared", seat, "", [("PromptCircleCleared", "")])
        self._stacks[seat].clear()
        self._scene.clear_prompts(seat)
        yield 260
        self._scene.hand(seat)

    def _playing_card(self, seat: Seat) -> Script:
        self._scene.hand(seat, "prompt")
        yield 300
        u, v = self._scene.geometry.prompt_centre
        pose = Pose(u + self._rng.uniform(-6, 6), v + self._rng.uniform(-6, 6), self._rng.uniform(0, 360))
        taken = [("PromptLifted", UNKNOWN)] if self._stacks[seat] else _cleared(UNKNOWN)
        self._note("playing_card", seat, UNKNOWN, [("PromptLaid", UNKNOWN), *taken])
        key = self._scene.lay_loose(seat, self._rng.choice(FACES), pose)
        yield 260
        self._scene.hand(seat)
        yield 1200
        self._scene.hand(seat, "prompt")
        yield 300
        self._scene.remove(key)
        yield 260
        self._scene.hand(seat)

    def _astray(self, seat: Seat) -> Script:
        card = self._rng.choice(self._kinds)
        self._note("astray", seat, card, [])
        pose = Pose(self._rng.uniform(-140, 140), self._rng.uniform(205, 255), self._rng.uniform(0, 360))
        key = self._scene.lay_prompt_astray(seat, card, pose)
        yield 1200
        self._scene.remove(key)
        yield 300

    def _match(self) -> None:
        for seat in SEATS:
            own = [act for act in self.acts if act.seat == seat]
            for event, name, kind in _of_seat(self._events, seat):
                before = [act for act in own if act.at_ms <= event.at_ms + 60]
                if name == "CardsSeen":
                    before = [act for act in before if act.kind == "astray"] or before
                if before:
                    before[-1].seen.append((name, kind))


def _cleared(card: str) -> list[tuple[str, str]]:
    return [("PromptLifted", card), ("PromptCircleCleared", "")]


def _of_seat(events: list[Event], seat: Seat) -> Iterator[tuple[Event, str, str]]:
    """The seat's events of prompt cards and plays: (event, its name, what it shows)."""
    for event in events:
        if isinstance(event, CardsSeen) and event.seat == seat:
            yield event, "CardsSeen", " ".join(event.cards)
        elif isinstance(event, PromptLaid | PromptLifted | PromptTouched) and event.seat == seat:
            yield event, type(event).__name__, event.kind
        elif isinstance(event, PromptCircleCleared) and event.seat == seat:
            yield event, "PromptCircleCleared", ""


def count_acts(acts: list[Act]) -> Counter[tuple[str, bool]]:
    """How often each kind of act was seen as it was (True) or not."""
    return Counter((act.kind, act.right) for act in acts)
