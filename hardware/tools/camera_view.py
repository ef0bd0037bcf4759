"""Camera, screen, mast and light: across the screen and along it, and the seat's box of buttons."""

from __future__ import annotations

import math

from hardware.tools import data
from hardware.tools.sheet import Point, Sheet
from table_controller.geometry import load_geometry

_K = 0.1


def _height() -> float:
    return float(data.toml("hardware/geometry.toml")["camera"]["height_mm"])


class _View:
    """An elevation, 1 : 10; (0, 0) is the mat's middle, up is up."""

    def __init__(self, sheet: Sheet, x: float, y: float) -> None:
        self.sheet, self.x, self.y = sheet, x, y
        self.camera = data.toml("hardware/camera.toml")

    def at(self, x: float, up: float) -> Point:
        """A point of the sheet."""
        return self.x + _K * x, self.y - _K * up

    def box(self, x: float, up: float, width: float, height: float, fill: str = "#e8e8e8") -> None:
        """A rectangle, (x, up) its upper left corner."""
        self.sheet.rect(*self.at(x, up), _K * width, _K * height, weight=0.4, fill=fill)

    def table(self, half: float) -> None:
        """Table top, mat, floor line and legs."""
        height = self.camera["mast"]["table_height_mm"]
        self.box(-half, -5, 2 * half, 30, "#f3e3c3")
        mat = load_geometry().mat_side_mm / 2
        self.sheet.line(*self.at(-mat, 0), *self.at(mat, 0), weight=0.9)
        for x in (-half + 40, half - 80):
            self.box(x, -35, 40, height - 35, "#f3e3c3")
        self.sheet.line(*self.at(-half - 300, -height), *self.at(half + 300, -height), weight=0.6)

    def rays(self, half: float) -> None:
        """The camera and the edges of what it sees and of what it reads."""
        height = _height()
        for reach, colour in ((half, "#2060a0"), (data.areas_half_mm(), "#20a060")):
            for side in (-1, 1):
                self.sheet.line(*self.at(0, height), *self.at(side * reach, 0), weight=0.2, colour=colour)
        self.box(-25, height + 45, 50, 40, "#ffffff")
        self.sheet.circle(*self.at(0, height), 1.0, weight=0.3, fill="#2060a0")


def across() -> Sheet:
    """Both elevations on one sheet."""
    sheet = Sheet("camera-light", "Camera, screen and light", "C1", "1 : 10")
    camera, g = data.toml("hardware/camera.toml"), load_geometry()
    height, lens = _height(), data.optics("chosen")
    short = min(g.camera_mode_px) / lens.px_per_mm(height) / 2
    table = g.table_side_mm / 2
    _across_view(sheet, camera, short, table)
    _along_view(sheet, camera, short)
    worst = data.worst_px_per_mm(lens, height)
    notes = [
        f"Lens {height:g} above the mat: {lens.px_per_mm(height):.2f} px/mm, at worst {worst:.2f} (lens "
        f"{camera['margin']['height_mm']} too high, corners {camera['margin']['lens_loss']:.0%} less).",
        f"Blue: what the picture's short side sees, {2 * short:.0f}. Green: what is read, "
        f"{2 * data.areas_half_mm():g}.",
        f"The screen, {camera['screen']['thick_mm']:g} thick, hides a strip of {data.shadow_mm(height):.1f} along "
        "the diagonal.",
        f"Light: {data.lux():.0f} lx on the mat; a card at the edge mirrors a panel only when tilted by "
        f"{data.mirror_tilt_deg(height):.1f} degrees or more.",
    ]
    sheet.lines(20, 262, notes, 2.7, step=1.7)
    return sheet


def _across_view(sheet: Sheet, camera: data.Toml, short: float, table: float) -> None:
    view = _View(sheet, 118, 166)
    height, light, screen = _height(), camera["light"], camera["screen"]
    view.table(table)
    view.rays(short)
    view.box(
        -screen["thick_mm"] / 2,
        screen["above_mat_mm"] + screen["height_mm"],
        screen["thick_mm"],
        screen["height_mm"],
        "#a05010",
    )
    post = camera["mast"]["post_mm"]
    view.box(-post / 2, height + 90, post, post, "#cccccc")
    for side in (-1, 1):
        middle = (side * light["aside_mm"], light["height_mm"])
        tilt = math.atan2(light["aside_mm"], light["height_mm"])
        half = light["panel_mm"][1] / 2
        along = (half * math.cos(tilt), side * half * math.sin(tilt))
        ends = [(middle[0] - along[0], middle[1] + along[1]), (middle[0] + along[0], middle[1] - along[1])]
        sheet.path([view.at(*end) for end in ends], weight=1.4, colour="#d0a000")
        sheet.line(*view.at(*middle), *view.at(0, 0), weight=0.15, colour="#d0a000", dash=(2, 1.5))
        sheet.line(*view.at(0, height + 70), *view.at(middle[0], middle[1] + 40), weight=0.5, colour="#888888")
    sheet.text(view.x, 30, "seen along the screen", 3.2, anchor="middle")
    sheet.dim(view.at(-table - 330, -0.1), view.at(-table - 330, height), 0.01, f"lens {height:g}")
    for up in (0, height):
        sheet.line(*view.at(0 if up else -table, up), *view.at(-table - 350, up), weight=0.08)
    sheet.dim(
        view.at(0, light["height_mm"] + 320),
        view.at(light["aside_mm"], light["height_mm"] + 320),
        0.01,
        f"{light['aside_mm']:g}",
    )
    sheet.line(
        *view.at(light["aside_mm"], light["height_mm"] + 330),
        *view.at(light["aside_mm"], light["height_mm"]),
        weight=0.08,
    )
    sheet.dim(
        view.at(table + 480, 0),
        view.at(table + 480, light["height_mm"]),
        0.01,
        f"panel's middle {light['height_mm']:g}",
    )
    sheet.line(*view.at(table, 0), *view.at(table + 500, 0), weight=0.08)
    sheet.dim(
        view.at(table + 260, -camera["mast"]["table_height_mm"]),
        view.at(table + 260, 0),
        0.01,
        f"{camera['mast']['table_height_mm']:g}",
    )
    sheet.leader(
        view.at(light["aside_mm"] - 40, light["height_mm"] + 60),
        view.at(light["aside_mm"] - 260, light["height_mm"] + 180),
        "L1",
        2.6,
    )
    sheet.leader(view.at(0, 140), view.at(150, 320), "T5", 2.6)
    sheet.leader(view.at(0, height), view.at(160, height - 20), "A3", 2.6)


def _along_view(sheet: Sheet, camera: data.Toml, short: float) -> None:
    view = _View(sheet, 306, 166)
    height, screen, mast, g = _height(), camera["screen"], camera["mast"], load_geometry()
    corner = g.table_side_mm / math.sqrt(2)
    end = corner + screen["beyond_corner_mm"]
    view.table(corner)
    low = screen["above_mat_mm"]
    view.box(-end, low + screen["height_mm"], 2 * end, screen["height_mm"], "#f0dcc8")
    post = mast["post_mm"]
    for side in (-1, 1):
        view.box(
            side * (end + post / 2) - post / 2, height + 130, post, height + 130 + mast["table_height_mm"], "#cccccc"
        )
    view.box(-end - post, height + 90, 2 * (end + post), post, "#cccccc")
    view.rays(short * math.sqrt(2))
    view.box(120, height + 170, 150, 80, "#ffffff")
    sheet.text(*view.at(195, height + 130), "T12", 2.4, anchor="middle")
    window = screen["window_mm"] / 2
    view.box(-end, -45, 2 * end, 150, "#f0dcc8")
    sheet.rect(*view.at(-window, -45), _K * 2 * window, _K * 60, weight=0.3, fill="#ffffff")
    sheet.text(view.x, 30, "seen across the screen, along which camera and boom hang", 3.2, anchor="middle")
    base = view.at(0, low)[1]
    sheet.dim(
        view.at(-end, -330),
        view.at(end, -330),
        0.01,
        f"screen {2 * end:.0f} = diagonal + 2 x {screen['beyond_corner_mm']:g}",
    )
    sheet.dim(view.at(end + 110, low), view.at(end + 110, low + screen["height_mm"]), 0.01, "")
    sheet.text(view.at(end + 130, 0)[0], base - _K * screen["height_mm"] / 2, f"{screen['height_mm']:g}", 2.6)
    sheet.text(view.at(end + 130, 0)[0], base + 3.5, f"{low:g} free", 2.6)
    sheet.leader(view.at(-end - post / 2, 600), view.at(-end + 150, 660), "T6 post 40 x 40", 2.6)
    sheet.leader(view.at(-300, height + 70), view.at(-380, height + 190), "T7 boom", 2.6)
    sheet.leader(view.at(0, height + 30), view.at(-100, height - 90), "T8 plate, slot +-60", 2.6)
    sheet.leader(view.at(300, low + 80), view.at(340, 420), "T5 upper board", 2.6)
    sheet.leader(view.at(-470, -120), view.at(-430, -230), "lower board", 2.6)
    sheet.leader(view.at(-200, -70), view.at(-180, -230), f"window {screen['window_mm']:g} x 60 for the tray", 2.6)


def seat_box() -> Sheet:
    """The seat's box from above, at full size."""
    sheet = Sheet("seat-box", "Seat box: turn lamp and three buttons", "C2", "1 : 1", size=(297.0, 210.0))
    x, y, width, depth = 40.0, 50.0, 110.0, 60.0
    sheet.rect(x, y, width, depth, weight=0.6, fill="#f2f2f2")
    holes = [
        ("H1", 15.0, 22.0, "#ffffff", "轮到 TURN"),
        ("S4", 43.0, 16.0, "#ffffff", "过牌 PASS"),
        ("S4", 69.0, 16.0, "#ffe9a0", "裁判 TD"),
        ("S4", 95.0, 16.0, "#d8f0d8", "好了 READY"),
    ]
    for _, at, hole, fill, words in holes:
        sheet.circle(x + at, y + 26, hole / 2, weight=0.5, fill=fill)
        sheet.line(x + at, y + 8, x + at, y + 40, weight=0.1, dash=(3, 1, 1, 1))
        sheet.text(x + at, y + 47, words, 3.4, anchor="middle")
    sheet.line(x + 2, y + 26, x + width - 2, y + 26, weight=0.1, dash=(3, 1, 1, 1))
    edge = x
    for _, at, _, _, _ in holes:
        sheet.dim((edge, y), (x + at, y), 14, f"{x + at - edge:g}")
        edge = x + at
    sheet.dim((x, y), (x + width, y), 26, f"{width:g}")
    sheet.dim((x + width, y), (x + width, y + 26), 10, "26")
    sheet.dim((x + width, y), (x + width, y + depth), 22, f"{depth:g}")
    notes = [
        "Holes: 22.3 for the lamp H1, 16.2 for each button S4. Box T10, 30 high, lid upwards, screws from below.",
        "Colours: PASS white, TD yellow, READY green; none is red: red is kept for the emergency stop.",
        "The box stands at the player's left, flush with the table's edge, its face tilted by 10 degrees to the "
        "player.",
        "Buttons close to GND; their other ends and the lamp go to the socket at the back (6 ways).",
    ]
    sheet.lines(x - 12, y + 72, notes, 2.9, step=1.8)
    rows = [["way", "seat E (J11)", "seat N (J12)", "seat W (J13)", "seat S (J14)", "wire"]]
    pins = data.signals("pi")
    for way in range(1, 5):
        found = {
            name[-1]: (name, pin)
            for name, pin in pins.items()
            if pin["connector"].endswith(f"-{way}") and name[-2] == "_"
        }
        cells = [f"{found[seat][0]} GPIO {found[seat][1]['gpio']}" for seat in "ENWS"]
        rows.append([str(way), *cells, found["E"][1]["wire"]])
    for way, name, wire, _ in data.toml("hardware/wiring.toml")["cable"][7]["ways"]:
        rows.append([str(way), name, name, name, name, wire])
    sheet.table(x - 12, y + 95, (10, 40, 40, 40, 40, 22), rows, 2.6)
    return sheet


def sheets() -> list[Sheet]:
    """The sheets."""
    return [across(), seat_box()]
