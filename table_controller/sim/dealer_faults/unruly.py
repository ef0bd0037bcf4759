"""A line that loses, repeats, swaps or delays frames for a while, a cable pulled, an MCU reset, at random instants of a
deal: whatever happens, the deal is dealt exactly once, or a person is asked."""

from __future__ import annotations

import random  # the instants of a simulated run
from dataclasses import dataclass

from table_controller.dealer.framing import Decoder, encode
from table_controller.dealer.machine import Machine
from table_controller.dealer.messages import State
from table_controller.sim.dealer_faults.around import Around
from table_controller.sim.dealer_faults.killed import DEAL_MS
from table_controller.sim.dealer_faults.rig import CARDS, Rig
from table_controller.table.events import DealDone

KINDS = ("drop", "duplicate", "reorder", "delay", "unplug", "reset")
LONG_MS = (400, 1500, 12_000)
"""A line is unruly, or unplugged, for at most one of these."""
SHARES = (0.1, 0.3, 0.6, 0.95)
"""Of the frames that are lost, repeated or late: one of these in each trial."""
TRIES = 6


class Unruly(Around):
    """A machine whose line misbehaves from ``begin`` on for some time, in both directions."""

    def __init__(self, inner: Machine, rng: random.Random) -> None:
        super().__init__(inner)
        self._rng, self._wrong, self._now_ms, self._until_ms = rng, "", 0, 0
        self._there, self._back = Decoder(), Decoder()
        self._ways: dict[str, list[tuple[int, bytes]]] = {"there": [], "back": []}
        self._last_ms = {"there": 0, "back": 0}
        self._share = rng.choice(SHARES)
        self.hit = 0
        """Frames that something was done to."""

    def begin(self, wrong: str, ms: int) -> None:
        """For ``ms`` from now: frames are hit by one of the first four of ``KINDS``."""
        self._wrong, self._until_ms = wrong, self._now_ms + ms

    def write(self, data: bytes) -> None:
        """See Machine."""
        for frame in self._there.feed(data):
            self._send("there", encode(frame))
        self._arrive_there()

    def advance(self, ms: int) -> bytes:
        """See Machine."""
        self._now_ms += ms
        self._arrive_there()
        for frame in self._back.feed(self.inner.advance(ms)):
            self._send("back", encode(frame))
        return b"".join(self._due("back"))

    def _arrive_there(self) -> None:
        for data in self._due("there"):
            self.inner.write(data)

    def _send(self, way: str, data: bytes) -> None:
        hit = self._now_ms < self._until_ms and self._rng.random() < self._share
        self.hit += hit
        late_ms = self._rng.randrange(1, 400) if hit and self._wrong in ("reorder", "delay") else 0
        if hit and self._wrong == "drop":
            return
        due_ms = self._now_ms + late_ms
        if self._wrong == "delay":  # what follows a late frame waits behind it
            due_ms = self._last_ms[way] = max(due_ms, self._last_ms[way])
        self._ways[way].append((due_ms, data))
        if hit and self._wrong == "duplicate":
            self._ways[way].append((due_ms + self._rng.randrange(400), data))

    def _due(self, way: str) -> list[bytes]:
        waiting = sorted(self._ways[way], key=lambda one: one[0])
        self._ways[way] = [one for one in waiting if one[0] > self._now_ms]
        return [data for due_ms, data in waiting if due_ms <= self._now_ms]


@dataclass(frozen=True)
class Struck:
    """One trial: what struck, when, for how long, how many frames; ``dealt`` or a person ``asked``; what was wrong."""

    kind: str
    at_ms: int
    long_ms: int
    hit: int
    end: str
    wrong: tuple[str, ...]


def strike_once(machine: Machine, kind: str, seed: int) -> Struck:
    """One of ``KINDS`` at a random instant of a small deal, and the way out until the deal is dealt."""
    rng = random.Random(f"{kind} {seed}")
    at_ms, long_ms = rng.randrange(DEAL_MS), rng.randrange(50, rng.choice(LONG_MS))
    machine.advance(50)
    machine.reset()
    line = Unruly(machine, rng)
    rig = Rig(line, seed=seed)
    rig.reach(State.IDLE)
    rig.press_start()
    rig.run(at_ms)
    if kind == "reset":
        machine.reset()
    elif kind == "unplug":
        rig.machine.unplug()
        rig.run(long_ms)
        rig.machine.replug()
    else:
        line.begin(kind, long_ms)
    rig.until(lambda: not rig.busy)
    rig.run(500)
    ends = [event for event in rig.log if isinstance(event, DealDone)]
    asked = rig.failures(0)
    wrong = [] if len(ends) + len(asked) == 1 else [f"{len(ends)} deals done, {len(asked)} failed: one end was due"]
    if asked and (rig.core.state.phase != "fault" or not rig.core.state.dealer.message):
        wrong.append("nobody was asked")
    end = "dealt" if ends else "asked"
    return Struck(kind, at_ms, long_ms, line.hit, end, (*wrong, *_finish(rig, done=bool(ends))))


def _finish(rig: Rig, *, done: bool) -> list[str]:
    """The way out as the words say it; then every card lies where the plan says, once, and nothing moves any more."""
    for _ in range(TRIES):
        if done:
            break
        if rig.core.state.dealer.void:
            rig.collect()
        since = len(rig.log)
        rig.press_start()
        rig.until(lambda: not rig.busy)
        rig.run(100)
        done = any(isinstance(event, DealDone) for event in rig.log[since:])
    wrong = [] if done else [f"the way out leads nowhere: {rig.core.state.dealer.message}"]
    moved = rig.dealt
    rig.run(2000)
    if rig.dealt != moved or rig.dealt > CARDS:
        wrong.append(f"{rig.dealt} cards fell, {moved} of them before the end")
    if done and not rig.exact():
        wrong.append("a card is not where the plan sends it, or trays were opened too early")
    return wrong
