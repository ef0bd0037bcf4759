"""The circuits: safety chain, the dealer's board, the Pi's board, and how the supplies are joined."""

from __future__ import annotations

from hardware.tools import data
from hardware.tools.sheet import Sheet

_WIRE = 0.4
_A4 = (297.0, 210.0)


class _Rungs:
    """Draws left to right along a rung."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def wire(self, x0: float, y: float, x1: float) -> None:
        """A wire along the rung."""
        self.sheet.line(x0, y, x1, y, weight=_WIRE)

    def down(self, x: float, y0: float, y1: float) -> None:
        """A wire across rungs."""
        self.sheet.line(x, y0, x, y1, weight=_WIRE)

    def dot(self, x: float, y: float) -> None:
        """A joint."""
        self.sheet.circle(x, y, 0.8, weight=0.1, fill="#000000")

    def contact(self, x: float, y: float, name: str, words: str, *, makes: bool) -> None:
        """A contact 12 mm long; a break contact touches its bar."""
        self.sheet.line(x + 2, y, x + 10, y - (4.5 if makes else -2), weight=_WIRE)
        if not makes:
            self.sheet.line(x + 10, y, x + 10, y + 3, weight=_WIRE)
        self.wire(x, y, x + 2)
        self.wire(x + 10, y, x + 12)
        self.sheet.text(x + 6, y - 7.5, name, 3, anchor="middle")
        self.sheet.text(x + 6, y + 6, words, 2.4, anchor="middle")

    def part(self, x: float, y: float, name: str, words: str, width: float = 14) -> None:
        """A box on the rung: coil, fuse, resistor."""
        self.sheet.rect(x, y - 3, width, 6, weight=_WIRE, fill="#ffffff")
        self.sheet.text(x + width / 2, y, name, 2.8, anchor="middle")
        self.sheet.text(x + width / 2, y + 6, words, 2.4, anchor="middle")

    def block(self, x: float, y: float, width: float, height: float, lines: list[str]) -> None:
        """A device with words in its middle."""
        self.sheet.rect(x, y, width, height, weight=0.5, fill="#f4f4f4")
        top = y + height / 2 - 2.2 * (len(lines) - 1)
        for number, line in enumerate(lines):
            self.sheet.text(x + width / 2, top + 4.4 * number, line, 2.8, anchor="middle")

    def ground(self, x: float, y: float) -> None:
        """The ground's sign, hanging at (x, y)."""
        for number, half in enumerate((3.0, 2.0, 1.0)):
            self.sheet.line(x - half, y + 1.1 * number, x + half, y + 1.1 * number, weight=0.35)


def safety() -> Sheet:
    """The chain that cuts the motors by hardware."""
    sheet = Sheet("safety-circuit", "Safety chain: emergency stop and lid", "E1", "none", size=_A4)
    r = _Rungs(sheet)
    r.down(24, 28, 150)
    sheet.text(24, 23, "+24 V of PS1", 3, anchor="middle")
    y = 45.0
    r.wire(24, y, 40)
    r.contact(40, y, "S1", "emergency stop", makes=False)
    r.wire(52, y, 68)
    r.contact(68, y, "S2", "lid", makes=False)
    r.wire(80, y, 100)
    r.contact(100, y, "S3", "reset", makes=True)
    r.wire(112, y, 140)
    r.part(140, y, "K1", "coil, 24 V", 18)
    r.wire(158, y, 172)
    r.ground(172, y)
    for x in (94.0, 118.0):
        r.dot(x, y)
        r.down(x, y, y + 22)
    r.wire(94, y + 22, 100)
    r.contact(100, y + 22, "K1 (1)", "holds itself", makes=True)
    r.wire(112, y + 22, 118)
    y = 100.0
    r.wire(24, y, 40)
    r.part(40, y, "F1", "5 A slow")
    r.wire(54, y, 70)
    r.contact(70, y, "K1 (2)", "", makes=True)
    r.wire(82, y, 92)
    r.contact(92, y, "K1 (3)", "two in a row", makes=True)
    r.wire(104, y, 140)
    r.block(140, y - 12, 54, 24, ["VMOT of U1 and U2,", "gate solenoid Y1", "(24 V motors)"])
    y = 136.0
    r.wire(24, y, 40)
    r.part(40, y, "U3", "24 V to 5 V")
    r.wire(54, y, 70)
    r.contact(70, y, "S1", "its second contact", makes=False)
    r.wire(82, y, 140)
    r.block(140, y - 8, 54, 16, ["SLEEP of U1 and U2", "(10 kilohm to GND)"])
    y = 168.0
    r.block(24, y - 8, 40, 16, ["PCB1, J7-1", "UNSAFE, pulled up"])
    r.wire(64, y, 92)
    r.contact(92, y, "K1 (4)", "dry, signal only", makes=True)
    r.wire(104, y, 125)
    r.ground(125, y)
    notes = [
        "Stop pressed or lid open: K1 falls, the motors and the",
        "gate lose 24 V through two contacts in a row,",
        "the drivers sleep, and UNSAFE goes high: the firmware",
        "latches SAFETY. No program takes part in the cut.",
        "",
        "Nothing moves when the stop is pulled out again:",
        "K1 needs S3, and the firmware needs the fault cleared.",
        "",
        "A broken wire anywhere in the chain is a stop.",
        "K1 has forcibly guided contacts; a welded one is found",
        "by the weekly check in safety.md.",
    ]
    sheet.lines(206, 34, notes, 2.7, step=1.7)
    return sheet


def dealer_board() -> Sheet:
    """One channel of each kind on the dealer's board."""
    sheet = Sheet("dealer-board", "The dealer's board PCB1: one channel of each kind", "E2", "none", size=_A4)
    r = _Rungs(sheet)
    r.block(20, 24, 44, 142, ["A2", "ATmega2560", "5 V", "", "USB (W0)", "to the Pi"])
    y = 38.0
    for name, words in (
        ("FEED_STEP, FEED_DIR, FEED_EN", "U1: STEP, DIR, EN"),
        ("CHUTE_STEP, CHUTE_DIR, CHUTE_EN", "U2: STEP, DIR, EN"),
    ):
        r.wire(64, y, 140)
        sheet.text(66, y - 3, name, 2.6)
        r.block(140, y - 7, 50, 14, [words, "mode pins: see step 08"])
        y += 20
    r.wire(64, y, 140)
    sheet.text(66, y - 3, "DRIVER_FAULT", 2.6)
    r.block(140, y - 5, 50, 10, ["U1, U2: FLT, joined"])
    r.dot(110, y)
    r.part(103, y + 9, "R2", "10 kilohm to +5 V")
    r.down(110, y, y + 6)
    y = 110.0
    r.wire(64, y, 140)
    sheet.text(66, y - 3, "EMITTER", 2.6)
    r.block(140, y - 7, 50, 14, ["Q2 (R2 at its gate to GND)", "low side of the diodes"])
    r.wire(190, y, 202)
    r.block(202, y - 7, 40, 14, ["SE1, SE2: diodes,", "R1 each to +5 V"])
    y = 130.0
    r.wire(64, y, 202)
    sheet.text(66, y - 3, "BEAM, EXIT_E … EXIT_B, HOME", 2.6)
    r.part(150, y + 9, "R2", "10 kilohm to +5 V")
    r.down(157, y, y + 6)
    r.dot(157, y)
    r.block(202, y - 5, 40, 12, ["phototransistor", "to GND: lit = low"])
    y = 156.0
    r.wire(64, y, 140)
    sheet.text(66, y - 3, "GATE", 2.6)
    r.block(140, y - 5, 50, 10, ["Q1 (R2 at its gate to GND)"])
    r.wire(190, y, 202)
    r.block(202, y - 5, 40, 10, ["Y1 with D1, 24 V motors"])
    notes = [
        "HOPPER and TRAY: the same phototransistors in reflex sensors: a card = lit = low = active.",
        "BACK: the NPN output of SE6; supplied with 24 V, its output only pulls the 5 V pull-up down.",
        "HOME: lit through the flag's notch = low = active. SE3's diode is always on.",
        "C2 at each driver; current limits in step 08.",
    ]
    sheet.lines(20, 176, notes, 2.6, step=1.7)
    return sheet


def pi_board() -> Sheet:
    """One channel of each kind on the Pi's board."""
    sheet = Sheet("pi-board", "The Pi's board PCB2: one channel of each kind", "E3", "none", size=_A4)
    r = _Rungs(sheet)
    pins = data.signals("pi")
    lamps = [f"{name} {pin['gpio']}" for name, pin in pins.items() if pin["dir"] == "out"]
    buttons = [f"{name} {pin['gpio']}" for name, pin in pins.items() if pin["dir"] == "in"]
    r.block(20, 24, 46, 106, ["A1", "Raspberry Pi", "3.3 V", "", "pull-ups inside,", "set by the program"])
    y = 44.0
    r.wire(66, y, 140)
    sheet.text(68, y - 3, "LAMP_x, BUZZER (3.3 V, out)", 2.6)
    r.dot(118, y)
    r.down(118, y, y + 8)
    r.part(111, y + 11, "R3", "4.7 kilohm to GND")
    r.block(140, y - 9, 40, 18, ["U5 ULN2803A", "COM to +24 V"])
    r.wire(180, y, 200)
    r.block(200, y - 9, 50, 18, ["lamp H1, H2, buzzer B1", "other end: +24 V by F3"])
    y = 96.0
    r.wire(66, y, 90)
    sheet.text(68, y - 3, "button (in)", 2.6)
    r.dot(84, y)
    r.down(84, y, y + 8)
    r.part(77, y + 11, "C1", "100 nF to GND")
    r.part(100, y, "R4", "1 kilohm")
    r.wire(90, y, 100)
    r.wire(114, y, 150)
    sheet.text(134, y - 3, "4 m of cable", 2.6, anchor="middle")
    r.contact(150, y, "S4, S5, S6", "closes to GND", makes=True)
    r.wire(162, y, 176)
    r.ground(176, y)
    rows = [["out", "GPIO", "plug", "in", "GPIO", "plug", "in", "GPIO", "plug"]]
    split = (len(buttons) + 1) // 2
    for index in range(max(len(lamps), split)):
        row = []
        for column in (lamps, buttons[:split], buttons[split:]):
            name = column[index].split()[0] if index < len(column) else ""
            row += [name, str(pins[name]["gpio"]) if name else "", pins[name]["connector"] if name else ""]
        rows.append(row)
    sheet.table(20, 140, (28, 12, 14, 24, 12, 14, 24, 12, 14), rows, 2.5)
    notes = [
        "No 24 V and no 5 V signal reaches a GPIO:",
        "U5 stands between, and buttons only close to GND.",
        "R3 keeps lamps dark while the Pi starts",
        "(some GPIOs are pulled up then).",
        "GPIO 2 and 3 stay free for a clock module,",
        "0 and 1 for identification, 14 and 15 for the console.",
        "GND of PCB2 and of PS1 are joined here, at one point.",
    ]
    sheet.lines(182, 130, notes, 2.6, step=1.6)
    return sheet


def overview() -> Sheet:
    """Supplies and what hangs on them."""
    sheet = Sheet("overview", "Supplies and connections", "E0", "none", size=_A4)
    r = _Rungs(sheet)
    r.block(18, 44, 34, 84, ["X1", "230 V socket", "strip, RCD"])
    r.wire(52, 62, 66)
    r.wire(52, 119, 66)
    r.block(66, 46, 40, 32, ["PS1", "24 V 9.2 A", "closed supply"])
    r.block(66, 108, 40, 22, ["PS2", "24 V 2.5 A", "closed supply"])
    r.wire(106, 119, 130)
    r.block(130, 112, 44, 14, ["L1, both panels"])
    r.wire(106, 62, 118)
    r.down(118, 30, 94)
    r.dot(118, 62)
    for y, words, then in (
        (30, ["F1, K1 (safety chain)"], ["U1, U2, M1, M2,", "Y1"]),
        (46, ["U3: 5 V 2 A"], ["A2, SE1 to SE5,", "driver logic"]),
        (62, ["F2, U4: 5.1 V 5 A"], ["A1, A3, A6, A7"]),
        (78, ["F3: lamps, buzzer"], ["U5, H1, H2, B1"]),
        (94, ["back sensor"], ["SE6"]),
    ):
        r.wire(118, y, 130)
        r.block(130, y - 6, 44, 12, words)
        r.wire(174, y, 186)
        r.block(186, y - 6.5, 42, 13, then)
    r.down(240, 46, 62)
    r.wire(228, 46, 240)
    r.wire(228, 62, 240)
    sheet.text(243, 52, "W0: USB, the only", 2.6)
    sheet.text(243, 56.5, "link of Pi and dealer", 2.6)
    rows = [["supply", "gives, A", "loads, A", "used"]]
    for name, gives in data.SUPPLIES.items():
        rows.append([name, f"{gives:g}", f"{data.loads(name):.2f}", f"{data.loads(name) / gives:.0%}"])
    sheet.table(18, 150, (22, 22, 22, 18), rows, 2.6)
    sheet.text(18, 178, "All loads at once, from power.csv; a test holds every supply to 80 %.", 2.6)
    sheet.text(18, 136, "230 V ends in the closed supplies: no mains", 2.6)
    sheet.text(18, 141, "wire is opened or joined by the builder.", 2.6)
    return sheet


def sheets() -> list[Sheet]:
    """The four sheets."""
    return [overview(), safety(), dealer_board(), pi_board()]
