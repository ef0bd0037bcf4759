"""The faults: how each strikes, how a person mends it, and its one right outcome in each state of the firmware.

An outcome reads ``CODE · place · void`` (or ``goes on``), ``refused CODE``, or UNHARMED: the same as without the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from table_controller.dealer.messages import State
from table_controller.sim.dealer_faults.rig import CARDS, Rig
from table_controller.table.events import AreaCleared, PromptCircleCleared, PromptLaid

UNHARMED = "unharmed"
RESTING = (State.IDLE, State.STOPPED, State.RELEASED, State.FAULT)
"""Nothing happens by itself: after the fault a person presses Start."""
BEFORE = (State.IDLE, State.PLANNED, State.TESTING)
AFTER = (State.COUNTED, State.RELEASING)
UNTIL_COUNTED = tuple(state for state in State if state not in AFTER)
MOVING = (State.TESTING, State.DEALING, State.STOPPING, State.RELEASING)
ALL = tuple(State)
VOID_RESET = "MCU_RESET · void"

CUT = "2100ff550102030000030a00" * 3
"""Bytes of frames that were cut and glued."""

Act = Callable[[Rig], None]


def nothing(rig: Rig) -> None:
    """Nothing is to be done."""


@dataclass(frozen=True)
class Fault:
    """A row of the table. A state in neither ``expect`` nor ``cannot`` is a mistake that a test finds."""

    number: str
    title: str
    strike: Act
    expect: Mapping[State, str]
    cannot: Mapping[State, str] = field(default_factory=dict)
    mend: Act = nothing
    words: str = ""
    """What the words to the operator must hold besides those of the code."""
    begin: Mapping[str, int] = field(default_factory=dict)
    """How the rig is set up before the session opens."""


def everywhere(outcome: str, *states: State) -> dict[State, str]:
    """The same outcome in these states, or in all."""
    return dict.fromkeys(states or ALL, outcome)


def _fault(name: str, **arguments: int | str) -> Act:
    return lambda rig: rig.machine.fault(name, **arguments)


def _both_ways(name: str, **arguments: int | str) -> Act:
    def strike(rig: Rig) -> None:
        for direction in ("to_host", "to_mcu"):
            rig.machine.fault(name, direction=direction, **arguments)

    return strike


def _lose_answers(rig: Rig) -> None:
    for kind in (0x80, 0x82):
        rig.machine.fault("drop_frame", direction="to_host", type=kind, count=2)


def _repeat_answers(rig: Rig) -> None:
    for kind in (0x80, 0x82, 0xC0):
        rig.machine.fault("repeat_frame", direction="to_host", type=kind, count=50)


def _split(rig: Rig) -> None:
    rig.machine.split = True


def _unplug(rig: Rig) -> None:
    rig.machine.unplug()
    rig.run(50)


def _plug(rig: Rig) -> None:
    rig.machine.device, rig.machine.protocol = b"", 0
    if rig.machine.plugged:
        rig.machine.unplug()
        rig.run(50)
    rig.machine.replug()
    rig.until(lambda: rig.online)


def _blink(rig: Rig) -> None:
    rig.machine.unplug()
    rig.run(700)
    rig.machine.replug()


def _noisy_blink(rig: Rig) -> None:
    _blink(rig)
    rig.machine.fault("noise", direction="to_host", data="1459300d0a626f6f74" + "00ff" * 12)


def _another_device(rig: Rig) -> None:
    _unplug(rig)
    rig.machine.device = b"gps-mouse"
    rig.machine.replug()


def _another_version(rig: Rig) -> None:
    _unplug(rig)
    rig.machine.protocol = 99
    rig.machine.replug()


def _forget_and_restart(rig: Rig) -> None:
    rig.machine.fault("eeprom")
    rig.machine.reset()


def _killed(rig: Rig) -> None:
    rig.kill(3000)


def _restarted(rig: Rig) -> None:
    rig.kill(500)


def _lay_cards(rig: Rig) -> None:
    rig.core.state.areas["W"] = 2  # of the deal before: the camera has not seen them go


def _lay_prompt(rig: Rig) -> None:
    rig.tell(PromptLaid(1, "N", "PASS"))


def _after_counting(what: str) -> dict[State, str]:
    return dict.fromkeys(AFTER, f"every card has been counted: {what}")


def _no_card_moves(*moves: State) -> dict[State, str]:
    return {state: "no card is on its way" for state in ALL if state not in moves}


_OFFLINE = (
    everywhere("OFFLINE · goes on", *(set(ALL) - set(RESTING)))
    | everywhere("refused DEALER", State.IDLE, State.RELEASED)
    | everywhere("OFFLINE · goes on", State.STOPPED, State.FAULT)
)
_RESET = (
    everywhere(VOID_RESET)
    | everywhere(UNHARMED, State.IDLE, State.RELEASED)
    | everywhere("LOST_JOB · void", State.STOPPED, State.FAULT)
)
_SAFETY = everywhere("SAFETY · the lid · goes on") | everywhere(
    "SAFETY · the lid · void", State.DEALING, State.STOPPING
)
_DRIVER = everywhere("DRIVER · a motor driver · goes on") | everywhere(
    "DRIVER · a motor driver · void", State.DEALING, State.STOPPING
)
_BEAM = (
    everywhere("SENSOR · the path beam · goes on")
    | everywhere("JAM · the path beam · void", State.DEALING, State.STOPPING)
    | everywhere(UNHARMED, *AFTER)
)
_UNDER_WAY: dict[State, str] = {
    state: "Start was pressed before, and refused if so; now the cards are on their way or in hand"
    for state in ALL
    if state not in (State.IDLE, State.RELEASED)
}

FAULTS: tuple[Fault, ...] = (
    Fault("1", "the MCU restarts", lambda rig: rig.machine.reset(), _RESET),
    Fault("2", "answers are lost", _lose_answers, everywhere(UNHARMED)),
    Fault("3", "answers come twice or late", _repeat_answers, everywhere(UNHARMED)),
    Fault("4", "a byte is corrupted, both ways", _both_ways("corrupt", after=5), everywhere(UNHARMED)),
    Fault("5", "glued and cut frames, both ways", _both_ways("noise", data=CUT), everywhere(UNHARMED)),
    Fault("6", "a write arrives in two halves", _split, everywhere(UNHARMED)),
    Fault("7", "the USB cable is pulled", _unplug, _OFFLINE, mend=_plug, words="unplugged"),
    Fault("8", "pulled and plugged in again", _blink, everywhere(UNHARMED)),
    Fault("9", "another device on the port", _another_device, _OFFLINE, mend=_plug, words="gps-mouse"),
    Fault("10", "bootloader noise after plugging in", _noisy_blink, everywhere(UNHARMED)),
    Fault("11", "another protocol version", _another_version, _OFFLINE, mend=_plug, words="make -C firmware flash"),
    Fault(
        "12a", "a card jams in the feeder", _fault("jam", place="feeder", index=4),
        {State.DEALING: "JAM · the feeder · goes on"},
        _no_card_moves(State.DEALING) | {State.STOPPING: "the card on its way has left the feeder, no other is picked"},
        mend=_fault("clear"),
    ),
    Fault(
        "12b", "a card jams at the path beam", _fault("jam", place="beam", index=3),
        everywhere("JAM · the path beam · void", State.DEALING, State.STOPPING),
        _no_card_moves(State.DEALING, State.STOPPING), mend=_fault("clear"),
    ),
    Fault(
        "12c", "a card jams at an exit", _fault("jam", place="exit", index=3),
        everywhere("JAM · exit · void", State.DEALING, State.STOPPING),
        _no_card_moves(State.DEALING, State.STOPPING), mend=_fault("clear"),
    ),
    Fault(
        "12d", "one pick fails, the next succeeds", _fault("jam", place="feeder", index=4, times=1),
        {State.DEALING: UNHARMED},
        _no_card_moves(State.DEALING) | {State.STOPPING: "the card on its way has left the feeder, no other is picked"},
    ),
    Fault(
        "13", "two cards are fed at once", _fault("double_feed", index=4),
        {State.DEALING: "DOUBLE_FEED · the path beam · void"},
        _no_card_moves(State.DEALING) | {State.STOPPING: "the card on its way has left the feeder, no other is picked"},
    ),
    Fault(
        "14", "too few cards in the hopper", _fault("hopper_empty", left=1),
        everywhere("HOPPER_EMPTY · the hopper · void", *UNTIL_COUNTED) | {State.STOPPING: UNHARMED},
        _after_counting("the hopper is empty as it must be"),
    ),
    Fault(
        "15a", "too many cards in the hopper", _fault("leftover", count=1),
        everywhere("LEFTOVER · the hopper · void", *UNTIL_COUNTED) | {State.STOPPING: UNHARMED},
        _after_counting("what is put into the hopper now belongs to the next deal"),
    ),
    Fault(
        "15b", "an exit's count is off the plan", nothing, {},
        dict.fromkeys(
            ALL, "needs a wrong number in the MCU's memory, which no card or sensor can make: tested in the core alone"
        ),
    ),
    Fault(
        "16", "the controller is killed, back after 3 s", _killed,
        {state: UNHARMED for state in ALL if state not in (State.IDLE, State.RELEASED)},
        dict.fromkeys((State.IDLE, State.RELEASED), "no deal is under way: fault 17"),
    ),
    Fault(
        "17", "the controller restarts between deals", _restarted,
        everywhere(UNHARMED, State.IDLE, State.RELEASED),
        {state: "a deal is under way: fault 16" for state in ALL if state not in (State.IDLE, State.RELEASED)},
    ),
    Fault(
        "18", "the lid is opened or the emergency stop pressed", _fault("lid", open=1),
        _SAFETY, mend=_fault("lid", open=0),
    ),
    Fault(
        "19", "a flood of 3,000 bytes", _fault("noise", direction="to_mcu", data="5a00" * 1500), everywhere(UNHARMED)
    ),
    Fault(
        "20", "the path beam's sensor sticks", _fault("sensor_stuck", sensor="BEAM", active=1),
        _BEAM, mend=_fault("clear"),
    ),
    Fault(
        "21", "sequence numbers and milliseconds wrap", nothing, {State.IDLE: UNHARMED},
        {
            state: "the counters are set when the session opens, and wrap on the way through the later states"
            for state in ALL
            if state != State.IDLE
        },
        begin={"start_ms": 2**32 - 1500, "first_sequence": 0xFFF9},
    ),
    Fault(
        "22", "the EEPROM is lost, the MCU restarts", _forget_and_restart,
        _RESET, begin={"boots": 2}, words="defaults",
    ),
    Fault(
        "23", "a motor driver's fault or too low a voltage", _fault("driver", active=1),
        _DRIVER, mend=_fault("driver", active=0),
    ),
    Fault("24", "the plan's chunks arrive again", lambda rig: rig.machine.replay_chunks(), everywhere(UNHARMED)),
    Fault(
        "25a", "cards in a play area", _lay_cards, everywhere("refused AREA", State.IDLE, State.RELEASED), _UNDER_WAY,
        mend=lambda rig: rig.tell(AreaCleared(1, "W")),
    ),
    Fault(
        "25b", "prompt or report cards not collected", _lay_prompt,
        everywhere("refused PROMPT", State.IDLE, State.RELEASED), _UNDER_WAY,
        mend=lambda rig: rig.tell(PromptCircleCleared(1, "N")),
    ),
    Fault(
        "25c", "a tray not cleared", _fault("sensor_stuck", sensor="TRAY_N", active=1),
        everywhere("TRAY · tray N · goes on", *BEFORE, State.RELEASED),
        {state: "cards of this deal lie in the trays" for state in ALL if state not in (*BEFORE, State.RELEASED)},
        mend=_fault("clear"),
    ),
    Fault(
        "26", "a card lies face up or has a foreign back", _fault("bad_back", index=5),
        everywhere("BACK · the hopper · goes on", *UNTIL_COUNTED) | {State.STOPPING: UNHARMED},
        _after_counting("the hopper is empty"), mend=_fault("clear"),
    ),
)  # fmt: skip
assert CARDS > 6, "fault 26 needs a sixth card"
