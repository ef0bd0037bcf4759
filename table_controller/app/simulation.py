"""A simulated table wired up: the product's parts, and people, a scene and a dealer in place of the real ones."""

from __future__ import annotations

import random  # noqa: TID251 - the seeds of a simulated run
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpiozero.pins.mock import MockFactory

from table_controller.app.table import Table, add_panel, open_table
from table_controller.cards import SEATS, Seat
from table_controller.dealer.simulated import Simulated, open_simulated
from table_controller.dealer.stepped import SteppedLink
from table_controller.games.guandan.profile import load_profile
from table_controller.panel.pins_gen import PINS
from table_controller.runtime.clock import Clock
from table_controller.sim.pace import HUMAN, HURRIED
from table_controller.sim.players import People
from table_controller.sim.referee import Referee
from table_controller.sim.scene import Picture, Scene
from table_controller.table.effects import Effect, PlanDeal, RunDeal, StopDealer, WatchMode
from table_controller.table.events import DealerCleared, Event
from table_controller.vision.client import VisionClient

PRESS_MS = 60
DEALER_FAULTS = ("jam", "double_feed", "hopper_empty", "leftover", "lid", "driver", "reset", "bad_back")
"""What ``--dealer-fault`` can make the machine do."""


@dataclass(frozen=True)
class DemoOptions:
    """What the ``demo`` and ``sim`` commands take."""

    deals: int = 2
    seed: int = 1
    fast: bool = False
    headless: bool = False
    hurried: bool = False
    style: str = "classic"
    profile: str = "default"
    broker: str | None = None
    emulator: bool = False
    port: int = 8080
    journal: Path | None = None
    evidence: Path | None = None
    mistakes: frozenset[str] = frozenset()
    dealer_faults: tuple[str, ...] = ()
    record: Path | None = None


@dataclass
class Simulation:
    """One simulated table. ``post`` is how its adapters give events to the table."""

    options: DemoOptions
    clock: Clock
    table: Table
    post: Callable[[Event], None]
    dealer: Simulated
    link: SteppedLink
    scene: Scene
    people: People
    vision: VisionClient
    factory: MockFactory
    started_ms: int
    frames: int = 0
    closed: bool = False

    def press(self, name: str) -> None:
        """Push a button of the panel through its (mock) pin, or clear the dealer's fault."""
        if name == "CLEAR":
            self.post(DealerCleared(self.clock.now_ms()))
            return
        pin = self.factory.pin(PINS[name].gpio)
        pin.drive_low()
        self.clock.call_at(self.clock.now_ms() + PRESS_MS, pin.drive_high)

    def pump_dealer(self) -> None:
        """Let the machine live until now, and come back when it next has something to do."""
        if self.closed:
            return
        self.link.step(self.clock.now_ms())
        due = self.link.next_deadline_ms
        now = self.clock.now_ms()
        self.clock.call_at(now + 500 if due is None else max(due, now + self.pump_ms), self.pump_dealer)

    @property
    def pump_ms(self) -> int:
        """How often the machine is pumped at most: each step in virtual time, 50 times a second in real time."""
        return 1 if self.options.fast else 20

    def perform(self, effect: Effect) -> None:
        """Hand effects to the dealer and to the camera's worker."""
        if isinstance(effect, PlanDeal | RunDeal | StopDealer):
            self.link.perform(effect, self.clock.now_ms())
        elif isinstance(effect, WatchMode):
            self.vision.watch(effect.mode)

    def draw(self) -> Picture:
        """The camera's next frame (safe to call from the drawing thread)."""
        with self.people.stage.lock:
            return self.scene.render()

    def watching(self) -> bool:
        """Whether pictures are read now (not while cards are dealt)."""
        return self.table.runtime.state.phase != "dealing"

    def close(self) -> None:
        """End children and release pins."""
        self.closed = True
        self.vision.close()
        self.link.close()
        self.table.close()
        self.factory.reset()


def build(
    options: DemoOptions, clock: Clock, journal_path: Path, post_to: Callable[[Table], Callable[[Event], None]]
) -> Simulation:
    """Wire everything; ``post_to`` makes the adapters' ``post`` for a table (thread-safe in real time)."""
    rng = random.Random(options.seed)
    leaders = random.Random(rng.getrandbits(32))

    def draw_leader() -> Seat:
        return leaders.choice(SEATS)

    table = open_table(
        clock,
        journal_path,
        table="demo",
        venue="simulated",
        profile=options.profile,
        seed=options.seed,
        sync=not options.fast,
        draw_leader=draw_leader,
    )
    post = post_to(table)
    dealer = open_simulated(prefer_avr=not options.emulator)
    plans = random.Random(rng.getrandbits(32))
    link = SteppedLink(dealer.machine, post, now_ms=clock.now_ms(), random_bytes=plans.randbytes)
    scene = Scene(random.Random(rng.getrandbits(32)), style=options.style)
    factory = MockFactory()
    vision = VisionClient(evidence_folder=options.evidence)
    pace = HURRIED if options.fast or options.hurried else HUMAN
    holder: list[Simulation] = []
    people = People(
        clock,
        scene,
        dealer.machine,
        lambda name: holder[0].press(name),  # noqa: PLW0108 - made below
        lambda: table.runtime.state,
        load_profile(options.profile),
        seed=rng.getrandbits(32),
        pace=pace,
        deals=options.deals,
        mistakes=options.mistakes,
        dealer_faults=options.dealer_faults,
    )
    made = Simulation(options, clock, table, post, dealer, link, scene, people, vision, factory, clock.now_ms())
    holder.append(made)
    add_panel(table, post, factory)
    table.runtime.add(perform=made.perform)
    referee = Referee(clock, people, post, lambda: table.runtime.state)
    table.runtime.add(perform=referee.perform)
    referee.watch()
    return made
