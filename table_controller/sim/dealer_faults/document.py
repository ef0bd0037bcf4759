"""docs/dealer-faults.md, from the catalogue: the tests run every cell of it on both machines."""

from __future__ import annotations

from collections.abc import Iterator

from table_controller.dealer.messages import State
from table_controller.sim.dealer_faults.catalogue import FAULTS, UNHARMED, Fault

HEAD = """\
# The dealer's faults

Every fault, in every state of the firmware in which it can strike, on both simulated dealers: the **real firmware**
(the ELF for the ATmega2560 in libsimavr, in lock step) and the Python **emulator**. Written by
`python -m table_controller.sim.dealer_faults`; `tests/dealer/test_faults.py` runs every cell on both and compares
this page. A whole table takes part: the core with its lamp and words, the link, and a person who takes the way out.

In each cell stands the one right outcome, and both dealers reach it:

* `CODE · place · void`: the deal stops, nothing is released, the table's lamp flashes fast, the buzzer sounds, the page
  shows the code's words in Chinese and English; every card is collected and a new deal drawn.
* `CODE · place · goes on`: the same, but once the cause is gone Start continues with the very next card.
* `refused CODE`: Start is refused, nothing moves.
* *unharmed*: the deal ends as if nothing had happened (in STOPPING: it stops as it was told to).

After every outcome the way out was taken, and the deal that followed was exact: each card once, where the plan sends
it. In the states in which nothing moves a person presses Start after the fault. The words of a code are in
[the protocol](protocol.md#messages-faults-numbers) and in [the errors](errors.md#the-dealers-faults).

"""
GROUPS = (
    (State.IDLE, State.PLANNED, State.TESTING, State.DEALING, State.STOPPING),
    (State.STOPPED, State.COUNTED, State.RELEASING, State.RELEASED, State.FAULT),
)


def _cell(fault: Fault, state: State, notes: list[str]) -> str:
    if state in fault.expect:
        outcome = fault.expect[state]
        return "*unharmed*" if outcome == UNHARMED else outcome
    reason = fault.cannot[state]
    if reason not in notes:
        notes.append(reason)
    return f"– ({notes.index(reason) + 1})"


def render() -> str:
    """The page."""
    notes: list[str] = []
    tables = ["\n".join(_table(group, notes)) for group in GROUPS]
    reasons = [f"{number}. {reason}" for number, reason in enumerate(notes, 1)]
    cells = sum(len(fault.expect) for fault in FAULTS)
    count = f"{len(FAULTS)} rows, {cells} pairs that can occur, each run on both dealers: {2 * cells} runs.\n\n"
    return HEAD + count + "\n\n".join(tables) + "\n\n## Pairs that cannot occur\n\n" + "\n".join(reasons) + "\n"


def _table(group: tuple[State, ...], notes: list[str]) -> Iterator[str]:
    yield "| fault | " + " | ".join(state.name for state in group) + " |"
    yield "|---" * (len(group) + 1) + "|"
    for fault in FAULTS:
        cells = " | ".join(_cell(fault, state, notes) for state in group)
        yield f"| {fault.number} {fault.title} | {cells} |"
