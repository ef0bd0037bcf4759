"""The test jig: switches and lamps in place of the mechanism, for the dealer's board on a bench."""

from __future__ import annotations

from hardware.tools import data
from hardware.tools.sheet import Sheet


def inputs() -> list[str]:
    """The inputs of the dealer's board, one switch each."""
    return [name for name, pin in data.signals("mcu").items() if pin["dir"] == "in"]


def outputs() -> list[str]:
    """The outputs that leave the board, one lamp each."""
    return [name for name, pin in data.signals("mcu").items() if pin["dir"] == "out" and pin["wire"] != "none"]


def beams() -> list[str]:
    """The inputs that follow the emitter: the path's beam and the exits'."""
    return [name for name in inputs() if name == "BEAM" or name.startswith("EXIT_")]


def sheet() -> Sheet:
    """The jig's wiring."""
    drawing = Sheet("test-jig", "Test jig: switches and lamps in place of the machine", "G1", "none")
    pins = data.signals("mcu")
    rows = [["switch", "plug", "closed to", "means closed", "means open", "at rest"]]
    for name in inputs():
        active_low = pins[name]["active"] == "low"
        closed_to = "TJ3 (follows EMITTER)" if name in beams() else "GND"
        closed, opened = ("active", "not active") if active_low else ("not active", "active")
        if name in beams():
            closed, opened = "clear (lit)", "a card, or dark"
        rows.append([name, pins[name]["connector"], closed_to, closed, opened, rest(name)])
    drawing.table(20, 24, (34, 18, 46, 30, 34, 22), rows, 2.8)
    lamps = [["lamp", "plug", "lit when"]]
    for name in outputs():
        lamps.append(
            [name, pins[name]["connector"], "low (active)" if pins[name]["active"] == "low" else "high (active)"]
        )
    drawing.table(220, 24, (40, 22, 40), lamps, 2.8)
    x, y = 222.0, 106.0
    drawing.text(x, y - 8, "One beam's switch, and TJ3 for all of them:", 3)
    drawing.rect(x, y, 30, 12, weight=0.5, fill="#f4f4f4")
    drawing.text(x + 15, y + 6, "J3-2 BEAM", 2.8, anchor="middle")
    drawing.line(x + 30, y + 6, x + 44, y + 6)
    drawing.line(x + 44, y + 6, x + 54, y + 2)
    drawing.text(x + 49, y - 2, "TJ1", 2.8, anchor="middle")
    drawing.line(x + 54, y + 6, x + 78, y + 6)
    drawing.text(x + 66, y + 3, "all beams", 2.4, anchor="middle")
    drawing.rect(x + 78, y - 2, 34, 16, weight=0.5, fill="#f4f4f4")
    drawing.text(x + 95, y + 3.5, "TJ3 drain", 2.8, anchor="middle")
    drawing.text(x + 95, y + 8.5, "source: GND", 2.8, anchor="middle")
    drawing.line(x + 95, y + 14, x + 95, y + 26)
    drawing.line(x + 95, y + 26, x + 30, y + 26)
    drawing.rect(x, y + 20, 30, 12, weight=0.5, fill="#f4f4f4")
    drawing.text(x + 15, y + 26, "J3-1 EMITTER", 2.8, anchor="middle")
    drawing.text(x + 64, y + 23.5, "gate", 2.4, anchor="middle")
    notes = [
        "The jig's board carries the plugs J1 to J7 (TJ4): take the machine's plugs off and put the jig's on.",
        "Never both. No motor, no solenoid and no 24 V is on the jig: it takes its 5 V from the plugs.",
        "Lamps: each with 1 kilohm (TJ2), to GND for active high, to +5 V for active low.",
        "TJ5, the seat's plug, is for J11 to J14: an LED with 4.7 kilohm between ways 6 and 1, a button",
        "from each of the ways 2, 3 and 4 to way 5.",
        "How to use it, and what must happen: assembly/12-test-jig.md.",
    ]
    drawing.lines(20, 140, notes, 2.8, step=1.8)
    return drawing


def rest(name: str) -> str:
    """How a switch stands when nothing is the matter and a pack is in the hopper."""
    if name in beams() or name in ("HOPPER", "BACK", "UNSAFE"):
        return "closed"
    return "open"


def sheets() -> list[Sheet]:
    """The one sheet."""
    return [sheet()]
