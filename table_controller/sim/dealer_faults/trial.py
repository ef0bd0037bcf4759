"""One fault in one state on one machine: what came of it, and whether that was right."""

from __future__ import annotations

import re
from dataclasses import dataclass

from table_controller.dealer.machine import Machine
from table_controller.dealer.messages import FAULT_WORDS, State
from table_controller.dealer.messages import Fault as Latched
from table_controller.sim.dealer_faults.catalogue import RESTING, UNHARMED, Fault
from table_controller.sim.dealer_faults.rig import Rig
from table_controller.table.events import DealDone

TRIES = 6
"""So often a person presses Start at most until a mended deal is dealt."""


@dataclass(frozen=True)
class Found:
    """What a trial found: the outcome in the catalogue's words, and everything that was not as it must be."""

    outcome: str
    wrong: tuple[str, ...]


def without_fault(state: State) -> str:
    """What comes of a deal in this state when nothing happens."""
    return "STOPPED · goes on" if state == State.STOPPING else "dealt"


def try_fault(fault: Fault, state: State, machine: Machine) -> Found:
    """Runs it. Raises Stuck when it does not come to an end."""
    begin = dict(fault.begin)
    for _ in range(begin.pop("boots", 1) - 1):
        machine.advance(50)
        machine.reset()
    rig = Rig(machine, **begin)
    rig.reach(state)
    since = len(rig.log)
    rig.buzzed.clear()
    fault.strike(rig)
    _live(rig, state)
    outcome = _outcome(rig, since)
    wrong = _checks(rig, since, outcome)
    if fault.words and fault.words not in f"{rig.offline_words} {rig.core.state.dealer.firmware}":
        wrong.append(f"nothing was said of '{fault.words}'")
    fault.mend(rig)
    wrong += _to_the_end(rig, outcome)
    wanted = fault.expect[state]
    if outcome != (without_fault(state) if wanted == UNHARMED else wanted):
        wrong.append(f"{outcome}, expected {wanted}")
    return Found(UNHARMED if wanted == UNHARMED and outcome == without_fault(state) else outcome, tuple(wrong))


def _live(rig: Rig, state: State) -> None:
    if state in RESTING:
        before = rig.dealt
        rig.run(1500)
        if rig.dealt != before:
            raise AssertionError("cards moved although nobody pressed Start")
        rig.press_start()
    rig.until(lambda: not rig.busy)
    rig.run(200)


def _outcome(rig: Rig, since: int) -> str:
    failed = rig.failures(since)
    if failed:
        last = failed[-1]
        place = re.sub("^exit .$", "exit", last.place)
        return " · ".join(part for part in (last.code, place, "void" if last.void else "goes on") if part)
    if any(isinstance(event, DealDone) for event in rig.log[since:]):
        return "dealt"
    return f"refused {rig.refused[-1]}" if rig.refused else "nothing"


def _checks(rig: Rig, since: int, outcome: str) -> list[str]:
    """What must hold whatever the fault: counts, trays, lamp, buzzer, words."""
    wrong = []
    if rig.short_release():
        wrong.append(f"trays were opened with {rig.machine.released()} cards")
    if outcome == "dealt" and not rig.exact():
        wrong.append("a card is not where the plan sends it")
    failed = rig.failures(since)
    if not failed:
        return wrong
    last = failed[-1]
    held = [len(cards) for cards in rig.machine.delivered().values()]
    if any(counted > there for counted, there in zip(last.counts, held, strict=True)):
        wrong.append(f"counted {last.counts}, but {held} lie there")
    if rig.core.state.phase != "fault" or rig.lamps.get(None) != "fast" or "fault" not in rig.buzzed:
        wrong.append(f"phase {rig.core.state.phase}, table lamp {rig.lamps.get(None)}, buzzer {rig.buzzed}")
    if rig.core.state.dealer.message != last.message:
        wrong.append("the page does not show the words")
    zh, _, en = last.message.partition(" · ")
    if not re.search("[\u4e00-\u9fff].*。$", zh) or not en.endswith("."):
        wrong.append(f"not in both languages: {last.message}")
    if last.code in Latched.__members__:
        what, _, what_zh, _ = FAULT_WORDS[Latched[last.code]]
        if what not in en or what_zh not in zh:
            wrong.append(f"other words than the code's: {last.message}")
    return wrong


def _to_the_end(rig: Rig, outcome: str) -> list[str]:
    """The way out, as the words say it: mended by now, cards collected if the deal is void, Start."""
    done = outcome == "dealt"
    for _ in range(TRIES):
        if done:
            break
        if rig.core.state.phase == "fault" and rig.core.state.dealer.void:
            rig.collect()
        since = len(rig.log)
        rig.press_start()
        rig.until(lambda: not rig.busy)
        rig.run(100)
        done = any(isinstance(event, DealDone) for event in rig.log[since:])
    if not done:
        return [f"the way out leads nowhere: {rig.core.state.phase}, {rig.core.state.dealer.message}"]
    return [] if rig.exact() else ["after the way out a card is not where the plan sends it"]
