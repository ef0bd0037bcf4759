"""What went wrong with a deal, in words: a fault's message, its place and its way out."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.dealer import messages as m

_PLACES = {
    m.Place.FEEDER: "the feeder",
    m.Place.BEAM: "the path beam",
    m.Place.CHUTE: "the chute",
    m.Place.HOPPER: "the hopper",
    m.Place.LID: "the lid",
    m.Place.DRIVER: "a motor driver",
}

_AGAIN = "Collect every card, put the pack back and deal again."


def place_words(place: int) -> str:
    """``exit E``, ``tray N``, ``the feeder`` …; empty when there is none."""
    if m.Place.EXIT_E <= place <= m.Place.EXIT_B:
        return f"exit {m.EXIT_LETTERS[place - m.Place.EXIT_E]}"
    if m.Place.TRAY_E <= place <= m.Place.TRAY_B:
        return f"tray {m.EXIT_LETTERS[place - m.Place.TRAY_E]}"
    return next((words for number, words in _PLACES.items() if number == place), "")


@dataclass(frozen=True)
class Failure:
    """Why a deal stopped; ``void`` means that it must not go on."""

    code: str
    place: str
    message: str
    void: bool


def fault_failure(reply: m.StatusReply) -> Failure:
    """The latched fault of a STATUS in words, with what was dealt until then."""
    known = reply.fault in m.FAULT_WORDS
    code = m.Fault(reply.fault).name if known else f"FAULT_{reply.fault}"
    what, way_out = m.FAULT_WORDS.get(reply.fault, ("The dealer reports an unknown fault", "Update the controller."))
    if reply.is_void and "ollect every card" not in way_out:
        way_out = _AGAIN
    place = place_words(reply.place)
    where = f" ({place}, after {reply.index} of {reply.cards} cards)" if reply.cards else f" ({place})" if place else ""
    missing = reply.cards - reply.index
    more = f" {missing} cards are missing." if reply.fault == m.Fault.HOPPER_EMPTY and missing else ""
    return Failure(code, place, f"{what}{where}.{more} {way_out}", bool(reply.is_void))


STOPPED = Failure("STOPPED", "", "The dealer was stopped. Press Start to go on.", False)
MCU_RESET = Failure(
    "MCU_RESET",
    "",
    f"The dealer restarted during the deal. {_AGAIN}",
    True,
)
LOST_JOB = Failure(
    "LOST_JOB",
    "",
    f"The dealer no longer knows this deal. {_AGAIN}",
    True,
)
COUNT_DIFFERS = Failure(
    "COUNT",
    "",
    "The counts differ from the plan. Collect every card, count the pack, put it back and deal again.",
    True,
)
OFFLINE = Failure("OFFLINE", "", "The dealer is not connected. Plug it in, then press Start.", False)
BUSY = Failure("BUSY", "", "Another deal is still running. Stop it first.", False)


def refused_failure(command: m.Command, result: int) -> Failure:
    """The dealer would not carry out a command of a job."""
    name = m.Result(result).name if result in set(m.Result) else str(result)
    words = (
        f"The dealer refused {type(command).__name__} ({name}). Switch it off and on, collect the cards, deal again."
    )
    return Failure("REFUSED", "", words, True)
