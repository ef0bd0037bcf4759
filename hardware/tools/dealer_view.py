"""The dimensioned sketch of the dealing machine: from the side, from above, and the table of its sensors' places."""

from __future__ import annotations

import math

from hardware.tools import data
from hardware.tools.sheet import Point, Sheet

EXITS = "ENWSB"
_GREY = "#888888"
_PALE = "#dddddd"


def _along(radius: float, angle_deg: float, origin: Point) -> Point:
    """A point so far from the pivot in the direction of an exit."""
    turn = math.radians(angle_deg)
    return origin[0] + radius * math.cos(turn), origin[1] + radius * math.sin(turn)


def _strip(sheet: Sheet, ends: tuple[float, float], angle: float, offset: float, origin: Point) -> None:
    """A line parallel to an exit's middle line, ``offset`` beside it, between two distances from the pivot."""
    side = (-math.sin(math.radians(angle)) * offset, math.cos(math.radians(angle)) * offset)
    points = [_along(radius, angle, origin) for radius in ends]
    sheet.path([(x + side[0], y + side[1]) for x, y in points], weight=0.35)


def _pick(sheet: Sheet, x: float, y: float) -> None:
    """The pick roller: an arc of rubber, the rest cut flat."""
    feed = data.toml("hardware/mechanism.toml")["feed"]
    radius = data.pick_roller_mm() / 2
    half = feed["pick_arc_mm"] / radius / 2
    start = math.pi / 2 - half
    points = [
        (x + radius * math.cos(start + k * half / 12), y + radius * math.sin(start + k * half / 12)) for k in range(25)
    ]
    flat = [(x - 9, y - 6), (x + 9, y - 6)]
    sheet.path([*points, *flat], closed=True, weight=0.5, fill="#f2f2f2")
    sheet.path(points, weight=1.4)
    sheet.circle(x, y, 2.5, fill="#ffffff")


def _hopper(sheet: Sheet, x0: float, y: float) -> None:
    _, length = data.card_mm()
    thick = data.stack_mm(data.toml("hardware/mechanism.toml")["feed"]["hopper_cards"])
    sheet.rect(x0 - length, y, length, thick, weight=0.35, fill=_PALE)
    for number in range(1, 6):
        sheet.line(x0 - length, y + thick * number / 6, x0, y + thick * number / 6, weight=0.1, colour=_GREY)
    sheet.rect(x0 - length - 1, y + thick, length + 2, 3, weight=0.5, fill="#444444")
    sheet.path(
        [(x0 - length - 3, y - 6), (x0 - length - 3, y + thick + 16), (x0 + 3, y + thick + 16), (x0 + 3, y + 1.2)],
        weight=0.7,
    )
    for at in (0.25, 0.75):
        x = x0 - length * at
        zigzag = [(x + (2 if k % 2 else -2), y + thick + 3 + k * 1.6) for k in range(9)]
        sheet.path(zigzag, weight=0.35)
    sheet.text(
        x0 - length / 2,
        y + thick / 2,
        f"cards, face down (room for {data.toml('hardware/mechanism.toml')['feed']['hopper_cards']})",
        2.8,
        anchor="middle",
    )
    sheet.leader((x0 - length + 4, y + thick + 1.5), (x0 - length - 8, y + thick + 24), "", 2.6)
    sheet.text(x0 - length - 12, y + thick + 27, "MP3 platform, matt black, lifted by two springs", 2.6)


def _path(sheet: Sheet, x0: float, y: float) -> None:
    feed = data.toml("hardware/mechanism.toml")["feed"]
    half = feed["guide_gap_mm"] / 2
    pivot = data.fan().pivot_mm
    for side in (-half, half):
        sheet.line(x0 + 4, y + side, x0 + pivot - 1, y + side, weight=0.5)
    radius = data.transport_roller_mm() / 2
    for nip in feed["nips_mm"]:
        for up in (-1, 1):
            sheet.circle(x0 + nip, y + up * radius, radius, weight=0.5, fill="#f2f2f2" if up < 0 else "#ffffff")
            sheet.circle(x0 + nip, y + up * radius, 1.2, weight=0.25)
    sheet.rect(x0 - 2, y + 1.2, 5, 5, weight=0.35, fill="#bbbbbb")


def _fan(sheet: Sheet, origin: Point) -> None:
    fan, mechanism = data.fan(), data.toml("hardware/mechanism.toml")
    half = mechanism["feed"]["guide_gap_mm"] / 2
    start, length = mechanism["tray"]["start_mm"], mechanism["tray"]["inside_mm"][1]
    depth = data.stack_mm(mechanism["tray"]["cards_max"])
    mouth = fan.mouth_mm - fan.pivot_mm
    for side in (-half, half):
        _strip(sheet, (0, mouth), 0, side, origin)
    for angle in fan.angles_deg:
        if angle:
            sheet.path([origin, _along(mouth, angle, origin)], weight=0.18, colour=_GREY, dash=(1.5, 1))
    for letter, angle in zip(EXITS, fan.angles_deg, strict=True):
        for side in (-half, half):
            _strip(sheet, (fan.radius_mm - 1, start), angle, side, origin)
        corners = []
        for radius, side in (
            (start, -half),
            (start + length, -half),
            (start + length, depth - half),
            (start, depth - half),
        ):
            x, y = _along(radius, angle, origin)
            corners.append((x - math.sin(math.radians(angle)) * side, y + math.cos(math.radians(angle)) * side))
        sheet.path(corners, closed=True, weight=0.5, fill="#fbfbf4")
        middle = ((corners[0][0] + corners[2][0]) / 2, (corners[0][1] + corners[2][1]) / 2)
        sheet.text(*middle, f"tray {letter}", 3.2, anchor="middle", turn=angle)
        beam = _along(fan.radius_mm, angle, origin)
        sheet.circle(*beam, 0.9, weight=0.2, fill="#c00000")
        end = _along(start + length - 12, angle, origin)
        sheet.circle(end[0], end[1], 0.9, weight=0.2, fill="#c00000")
    sheet.circle(*origin, 1.4, weight=0.5, fill="#ffffff")


def side_view() -> Sheet:
    """The path from hopper to trays, at full size."""
    sheet = Sheet("dealer-side", "Dealer, the path from the side", "D1", "1 : 1")
    fan, mechanism, machine = data.fan(), data.toml("hardware/mechanism.toml"), data.toml("firmware/machine.toml")
    x0, y = 128.0, 118.0
    origin = (x0 + fan.pivot_mm, y)
    _hopper(sheet, x0, y)
    pick_x = x0 + mechanism["feed"]["pick_at_mm"]
    pick_y = y - data.pick_roller_mm() / 2
    _pick(sheet, pick_x, pick_y)
    _path(sheet, x0, y)
    _fan(sheet, origin)
    beam = x0 + machine["beam_at_um"] / 1000
    sheet.rect(beam - 3.15, y - 9, 6.3, 7.45, weight=0.35)
    sheet.rect(beam - 3.15, y + 1.55, 6.3, 7.45, weight=0.35)
    sheet.circle(beam, y, 0.9, weight=0.2, fill="#c00000")
    places = mechanism["places"]
    marks = {
        "BEAM": ((beam, y), (beam, y + 38)),
        "HOPPER": ((x0 - 78, y - 3), (x0 - 92, y - 22)),
        "BACK": ((x0 - 52, y - 3), (x0 - 66, y - 26)),
        "HOME": ((origin[0] + 4, y - 5), (origin[0] + 2, y - 44)),
    }
    for name, (at, balloon) in marks.items():
        top = 0
        if name in ("HOPPER", "BACK"):
            sheet.rect(at[0] - 4, at[1] - 9, 8, 8, weight=0.35, fill="#ffffff")
            top = 5
        sheet.line(at[0], at[1] - top, *balloon, weight=0.18)
        sheet.balloon(*balloon, str(places[name]["number"]))
    for index, (letter, angle) in enumerate(zip(EXITS, fan.angles_deg, strict=True)):
        at = _along(fan.radius_mm, angle, origin)
        balloon = (
            (origin[0] + 28 + 9 * index, y - 62 + 4 * index)
            if index < 3
            else (origin[0] + 16 + 9 * index, y + 78 - 6 * index)
        )
        sheet.line(*at, *balloon, weight=0.13, colour="#c00000")
        sheet.balloon(*balloon, str(places[f"EXIT_{letter}"]["number"]))
        tray = _along(mechanism["tray"]["start_mm"] + mechanism["tray"]["inside_mm"][1] - 12, angle, origin)
        out = _along(mechanism["tray"]["start_mm"] + mechanism["tray"]["inside_mm"][1] + 7, angle, origin)
        sheet.line(*tray, *out, weight=0.13, colour="#c00000")
        sheet.balloon(*out, str(places[f"TRAY_{letter}"]["number"]))
    _side_dimensions(sheet, x0, y)
    return sheet


def _side_dimensions(sheet: Sheet, x0: float, y: float) -> None:
    fan, mechanism, machine = data.fan(), data.toml("hardware/mechanism.toml"), data.toml("firmware/machine.toml")
    feed, tray = mechanism["feed"], mechanism["tray"]
    base = y + 96
    ways = [
        ("nip 1", feed["nips_mm"][0]),
        ("path beam", machine["beam_at_um"] / 1000),
        ("nip 2", feed["nips_mm"][1]),
        ("pivot, chute's entry", fan.pivot_mm),
        ("exits' beams", fan.exit_mm),
    ]
    sheet.line(x0, y - 3, x0, base + 2, weight=0.13, dash=(4, 1, 1, 1))
    sheet.text(x0 - 2, base - 4, "0: the cards' leading edge at rest", 2.6, anchor="end")
    # the farthest first: no line then runs through the words of another
    for number, (name, at) in enumerate(reversed(ways)):
        level = base + 6 * number
        sheet.line(x0, level, x0 + at, level, weight=0.18)
        sheet.line(x0 + at, y + 11, x0 + at, level + 1.5, weight=0.1, colour=_GREY)
        sheet.arrow((x0 + at, level), (1, 0))
        sheet.text(x0 + at + 2, level, f"{at:g}  {name}", 2.6)
    _, length = data.card_mm()
    sheet.dim((x0 - length, y - 40), (x0, y - 40), 26, f"card {length:g}")
    radius = data.pick_roller_mm() / 2
    pick = (x0 + feed["pick_at_mm"], y - radius)
    sheet.dim((pick[0], y - 2 * radius - 1), (x0, y - 2 * radius - 1), -6, f"{-feed['pick_at_mm']:g}")
    notes = [
        f"MP4 pick roller: diameter {data.pick_roller_mm():.1f}, rubber on {feed['pick_arc_mm']:g} of its rim, one "
        f"turn a card = {data.pitch_mm():g};",
        f"belt M1 : roller {feed['pick_teeth'][0]} : {feed['pick_teeth'][1]} teeth. MP5 retard pad: gap "
        f"{feed['card_gap_mm']:g}.",
        f"MP6 transport rollers: diameter {data.transport_roller_mm():.2f}, belt M1 : rollers "
        f"{feed['transport_teeth'][0]} : {feed['transport_teeth'][1]} teeth.",
        f"MP7 chute: belt M2 : chute {mechanism['chute']['teeth'][0]} : {mechanism['chute']['teeth'][1]} teeth, "
        f"{fan.pitch_deg:.2f} degrees = {machine['chute_steps']} half steps between exits;",
        f"exits {fan.spacing_mm:.2f} apart at their beams, gap {feed['guide_gap_mm']:g}, walls "
        f"{fan.spacing_mm - feed['guide_gap_mm']:.2f}; tightest bend of a card R {fan.bend_mm:.0f}.",
        f"Trays: {tray['inside_mm'][0]} wide, {tray['inside_mm'][1]} long, from {tray['start_mm']} behind the pivot, "
        f"{data.stack_mm(tray['cards_max']):.1f} deep (54 cards).",
        f"The whole path is mounted running down by {mechanism['path']['slope_deg']:g} degrees: exit E is then about "
        "level.",
        "Red dots: beams. Numbers: see sheet D2.",
    ]
    sheet.lines(218, y + 112, notes, 2.5, step=1.75)
    turn = math.radians(mechanism["path"]["slope_deg"])
    sheet.line(28, 24, 28 + 14 * math.sin(turn), 24 + 14 * math.cos(turn), weight=0.5)
    sheet.arrow((28 + 14 * math.sin(turn), 24 + 14 * math.cos(turn)), (math.sin(turn), math.cos(turn)))
    sheet.text(38, 30, "down (gravity)", 2.6)


def plan_view() -> Sheet:
    """From above the path's plane, at half size, with the table of places and the machine's outline."""
    sheet = Sheet("dealer-plan", "Dealer from above, and where everything sits", "D2", "1 : 2")
    view = _Plan(sheet, (80.0, 70.0))
    view.frame()
    view.parts()
    view.sensors()
    rows = [["no.", "signal", "BOM", "pin", "plug", "place"]]
    pins = data.signals("mcu")
    places = data.toml("hardware/mechanism.toml")["places"]
    for name, place in sorted(places.items(), key=lambda item: (item[1]["number"], item[0])):
        pin = pins[name]
        rows.append([str(place["number"]), name, place["ref"], pin["pin"], pin["connector"], place["at"]])
    sheet.table(20, 132, (10, 30, 12, 12, 18, 130), rows, 2.5)
    _outline(sheet)
    notes = [
        "The lid covers hopper, rollers and chute; S2 opens when it is lifted.",
        "The trays are open to the front. Their floors are hinged at the back; the gate's latch bar",
        "(MP11) lets all five tilt, and the packets slide on to the pick-up lip (MP12), one bay a seat,",
        "bay B for the cards that go to no seat.",
        "Motors and belts are behind the frame, under covers (MP13).",
        "Not designed: slides that would carry each packet on to its seat.",
    ]
    sheet.lines(244, 140, notes, 2.8, step=1.8)
    return sheet


class _Plan:
    """The view from above: x along the path, across to the front."""

    scale = 0.5

    def __init__(self, sheet: Sheet, origin: Point) -> None:
        self.sheet, self.origin = sheet, origin
        self.mechanism = data.toml("hardware/mechanism.toml")
        self.fan = data.fan()
        self.width, self.length = data.card_mm()
        self.inside = self.mechanism["frame"]["inside_width_mm"]
        self.board = self.mechanism["frame"]["board_mm"]
        self.tray_at = self.fan.pivot_mm + self.mechanism["tray"]["start_mm"]
        self.tray = self.mechanism["tray"]["inside_mm"]
        self.ends = (-self.length - 10, self.tray_at + self.tray[1] + 4)

    def at(self, x: float, across: float) -> Point:
        """A point of the sheet; the front is up."""
        return self.origin[0] + self.scale * x, self.origin[1] - self.scale * across

    def box(self, x: float, across: float, length: float, width: float, words: str = "", fill: str = "#f2f2f2") -> None:
        """A rectangle from (x, across) along the path and towards the back, with words in its middle."""
        left, top = self.at(x, across)
        self.sheet.rect(left, top, self.scale * length, self.scale * width, weight=0.4, fill=fill)
        for number, line in enumerate(words.split("|") if words else []):
            self.sheet.text(
                left + self.scale * length / 2, top + self.scale * width / 2 + 4 * number, line, 2.6, anchor="middle"
            )

    def frame(self) -> None:
        """Both sides of the frame; the front one ends before the trays."""
        half = self.inside / 2
        self.box(self.ends[0], half + self.board, self.tray_at - 10 - self.ends[0], self.board, fill="#e8e8e8")
        self.box(self.ends[0], -half, self.ends[1] - self.ends[0], self.board, fill="#e8e8e8")
        left, right = self.at(self.ends[0], 0)[0], self.at(self.ends[1], 0)[0]
        low = self.origin[1] + 50
        self.sheet.dim((left, low), (right, low), 0.01, f"{self.ends[1] - self.ends[0]:g}")
        self.sheet.dim(self.at(self.ends[1] + 14, -half), self.at(self.ends[1] + 14, half), 0.01, f"{self.inside:g}")
        tray = self.tray[0] / 2
        self.sheet.dim(
            self.at(self.ends[1] + 32, -tray), self.at(self.ends[1] + 32, tray), 0.01, f"tray {self.tray[0]:g}"
        )
        card = self.width / 2
        self.sheet.dim(self.at(self.ends[0] - 8, -card), self.at(self.ends[0] - 8, card), 0.01, f"card {self.width:g}")

    def parts(self) -> None:
        """Pack, rollers, chute, exits, trays, motors, solenoid, lip."""
        half, card = self.inside / 2, self.width / 2
        self.box(-self.length, card, self.length, self.width, fill=_PALE)
        self.sheet.text(*self.at(-70, -20), "pack", 2.6, anchor="middle")
        pick = self.mechanism["feed"]["pick_at_mm"]
        self.box(pick - 10, 12, 20, 24)
        radius = data.transport_roller_mm() / 2
        for nip in self.mechanism["feed"]["nips_mm"]:
            self.box(nip - radius, card - 6, 2 * radius, self.width - 12)
        self.box(self.fan.pivot_mm, card + 1, self.fan.mouth_mm - self.fan.pivot_mm, self.width + 2, fill="none")
        self.box(self.fan.exit_mm - 1, card + 1, 8, self.width + 2, fill="#e8e8e8")
        self.box(self.tray_at, self.tray[0] / 2, self.tray[1], self.tray[0], "five trays|above each other", "#fbfbf4")
        self.box(self.tray_at, half + 57, self.tray[1], 50, "MP12 pick-up lip|(front)", "#ffffff")
        self.box(-51, -half - self.board, 42, 42, "M1 feed")
        self.box(self.fan.pivot_mm - 10, -half - self.board, 42, 42, "M2 chute")
        self.box(self.tray_at + 20, -half - self.board, 40, 28, "Y1 gate")

    def sensors(self) -> None:
        """The sensors that are seen from above, with their numbers."""
        places = self.mechanism["places"]
        beam = data.toml("firmware/machine.toml")["beam_at_um"] / 1000
        front = self.inside / 2 + 30
        marks = {
            "BEAM": ((beam, self.width / 2 - 2), (beam - 6, front)),
            "HOME": ((self.fan.pivot_mm + 6, self.inside / 2 - 4), (self.fan.pivot_mm + 12, front)),
            "HOPPER": ((-78, 6), (-84, front)),
            "BACK": ((-52, 20), (-52, front)),
        }
        for index, letter in enumerate(EXITS):
            marks[f"EXIT_{letter}"] = (
                (self.fan.exit_mm + 3, 24 - 12 * index),
                (self.fan.exit_mm + 34, 28 - 14 * index),
            )
        for name, (spot, to) in marks.items():
            self.sheet.circle(*self.at(*spot), 1.0, weight=0.2, fill="#c00000")
            self.sheet.line(*self.at(*spot), *self.at(*to), weight=0.13, colour="#c00000")
            self.sheet.balloon(*self.at(*to), str(places[name]["number"]), radius=2.7)


def _outline(sheet: Sheet) -> None:
    """The machine as it stands, 1 : 5, its path running down."""
    mechanism, fan = data.toml("hardware/mechanism.toml"), data.fan()
    slope = mechanism["path"]["slope_deg"]
    k, origin = 0.2, (300.0, 60.0)

    def at(x: float, down: float) -> Point:
        turn = math.radians(slope)
        return (
            origin[0] + k * (x * math.cos(turn) - down * math.sin(turn)),
            origin[1] + k * (x * math.sin(turn) + down * math.cos(turn)),
        )

    floor = origin[1] + 58
    for x, down in ((-60, 80), (150, 86)):
        top = at(x, down)
        sheet.rect(top[0] - 2, top[1], 4, floor - top[1], weight=0.4, fill="#e8e8e8")
    plate = [(-104, -14), (44, -14), (246, -112), (262, 0), (246, 122), (120, 96), (44, 84), (-104, 84)]
    sheet.path([at(*corner) for corner in plate], closed=True, weight=0.5, fill="#f4f4f4")
    _, length = data.card_mm()
    thick = data.stack_mm(mechanism["feed"]["hopper_cards"])
    sheet.path(
        [at(-length, 0), at(0, 0), at(0, thick + 40), at(-length, thick + 40)], closed=True, weight=0.35, fill=_PALE
    )
    sheet.path([at(-length - 6, 40), at(-length - 6, -66), at(70, -66), at(70, -8)], weight=0.7)
    sheet.leader(at(-30, -66), (origin[0] + 2, origin[1] - 30), "MP2 lid, with S2 at its hinge", 2.6)
    sheet.line(*at(0, 0), *at(fan.pivot_mm, 0), weight=0.5)
    start, tray_length = mechanism["tray"]["start_mm"], mechanism["tray"]["inside_mm"][1]
    for letter, angle in zip(EXITS, fan.angles_deg, strict=True):
        ends = []
        for radius, side in ((start, -2), (start + tray_length, -2), (start + tray_length, 17), (start, 17)):
            turn = math.radians(angle)
            x = fan.pivot_mm + radius * math.cos(turn) - side * math.sin(turn)
            ends.append(at(x, radius * math.sin(turn) + side * math.cos(turn)))
        sheet.path(ends, closed=True, weight=0.35, fill="#fbfbf4")
        middle = ((ends[0][0] + ends[2][0]) / 2, (ends[0][1] + ends[2][1]) / 2)
        sheet.text(*middle, letter, 2.6, anchor="middle")
        sheet.line(*at(fan.pivot_mm, 0), *ends[0], weight=0.18, colour=_GREY)
    sheet.rect(origin[0] - 26, floor, 96, 2, weight=0.5, fill="#e8e8e8")
    stop = at(-80, 66)
    sheet.circle(*stop, 3.2, weight=0.5, fill="#d0d0d0")
    sheet.leader(stop, (stop[0] - 12, stop[1] + 14), "S1", 2.6)
    sheet.text(origin[0] - 26, floor + 6, "outline from the front, 1 : 5", 2.6)


def sheets() -> list[Sheet]:
    """Both sheets."""
    return [side_view(), plan_view()]
