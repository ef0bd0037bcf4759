"""The controller killed at a random instant of a deal while the dealer runs on, and what the next one makes of it."""

from __future__ import annotations

import random  # the instants of a simulated run
from dataclasses import dataclass

from table_controller.dealer.machine import Machine
from table_controller.dealer.messages import State
from table_controller.sim.dealer_faults.rig import CARDS, Rig
from table_controller.table.events import DealDone

DEAL_MS = 2600
"""From START to the released hands of a small deal, and a little more."""
AWAY_MS = 5000


@dataclass(frozen=True)
class Killed:
    """One trial: when, for how long, with a restart of the MCU meanwhile or not, its end, and what was wrong in it."""

    at_ms: int
    away_ms: int
    reset: bool
    end: str
    wrong: tuple[str, ...]


def kill_once(machine: Machine, seed: int) -> Killed:
    """Kills it once; every third time the MCU restarts meanwhile.

    A deal that the dealer does not know when the controller is back must be void, and no other. It may never have been
    loaded, or have been dealt and released before the MCU restarted: nobody can tell, so nothing is dealt on a guess.
    """
    rng = random.Random(seed)
    at_ms, away_ms, reset = rng.randrange(DEAL_MS), rng.randrange(AWAY_MS), rng.randrange(3) == 0
    machine.advance(50)
    machine.reset()
    rig = Rig(machine, seed=seed)
    rig.reach(State.IDLE)
    rig.press_start()
    rig.run(at_ms)
    done_before = rig.core.state.phase != "dealing"
    if reset:
        rig.machine.advance(away_ms // 2)
        machine.reset()
    known = rig.kill(away_ms) != State.IDLE
    rig.until(lambda: rig.online and not rig.busy)
    rig.run(3000)
    return Killed(at_ms, away_ms, reset, *_judge(rig, known=known, done_before=done_before))


def _judge(rig: Rig, *, known: bool, done_before: bool) -> tuple[str, tuple[str, ...]]:
    wrong = []
    done = [event for event in rig.log if isinstance(event, DealDone)]
    failed = rig.failures(0)
    if len(done) + len(failed) != 1:
        wrong.append(f"{len(done)} deals done, {len(failed)} failed: one end was due")
    if rig.dealt > CARDS or rig.short_release():
        wrong.append(f"{rig.dealt} cards fell, trays were opened with {rig.machine.released()}")
    end = "dealt" if done else "void" if failed and failed[-1].void else "stopped"
    wanted = "dealt" if known or done_before else "void"
    if end != wanted:
        wrong.append(f"{end} where {wanted} was right: {[event.code for event in failed]}")
    if done and not rig.exact():
        wrong.append("a card is not where the plan sends it, or was counted twice")
    moved = rig.dealt
    rig.run(3000)
    if rig.dealt != moved:
        wrong.append("cards moved after the deal's end")
    return end, tuple(wrong)
