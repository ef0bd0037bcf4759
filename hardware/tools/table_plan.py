"""The table from above with its areas, and the tray that carries the mat."""

from __future__ import annotations

import math

from hardware.tools import data
from hardware.tools.sheet import Point, Sheet
from table_controller.cards import SEATS
from table_controller.drawings.words import SEAT_CHINESE
from table_controller.geometry import load_geometry, seat_rotation_deg, seat_to_mat

_K = 0.25
_MIDDLE = (150.0, 146.0)


def _at(x: float, y: float) -> Point:
    return _MIDDLE[0] + _K * x, _MIDDLE[1] + _K * y


def _seat_box(
    sheet: Sheet, seat: str, rect: tuple[float, float, float, float], fill: str, weight: float = 0.35
) -> None:
    u0, v0, u1, v1 = rect
    corners = [seat_to_mat(seat, u, v) for u, v in ((u0, v0), (u1, v0), (u1, v1), (u0, v1))]  # type: ignore[arg-type]
    sheet.path([_at(*corner) for corner in corners], closed=True, fill=fill, weight=weight)


def edge_areas() -> tuple[tuple[float, float, float, float], Point]:
    """The discard rectangle and the middle of the reserve circle, seat frame from the table's middle, mm."""
    g = load_geometry()
    width, depth = g.discard_mm
    low = g.table_side_mm / 2 - g.discard_edge_mm
    return (-width / 2, low - depth, width / 2, low), (width / 2 + g.reserve_diameter_mm / 2 + 5, low - depth / 2)


def plan() -> Sheet:
    """The table, 1 : 4."""
    sheet = Sheet("table-plan", "Table from above: areas, screen, camera, seats", "T1", "1 : 4")
    g, camera = load_geometry(), data.toml("hardware/camera.toml")
    half = g.table_side_mm / 2
    sheet.rect(*_at(-half, -half), _K * 2 * half, _K * 2 * half, weight=0.6, fill="#f6f2ea")
    mat = g.mat_side_mm / 2
    sheet.rect(*_at(-mat, -mat), _K * 2 * mat, _K * 2 * mat, weight=0.4, fill="#d9d4cd")
    read = (
        min(g.camera_mode_px)
        / data.optics("chosen").px_per_mm(data.toml("hardware/geometry.toml")["camera"]["height_mm"])
        / 2
    )
    sheet.rect(*_at(-read, -read), _K * 2 * read, _K * 2 * read, weight=0.25, dash=(2, 1.5), colour="#2060a0")
    discard, reserve = edge_areas()
    for seat in SEATS:
        _seat_box(sheet, seat, g.play_area, "#ffffff")
        x, y = _at(*seat_to_mat(seat, *g.prompt_centre))
        sheet.circle(x, y, _K * g.prompt_diameter_mm / 2, weight=0.35, fill="#ffffff")
        _seat_box(sheet, seat, discard, "#ffffff", 0.25)
        x, y = _at(*seat_to_mat(seat, *reserve))
        sheet.circle(x, y, _K * g.reserve_diameter_mm / 2, weight=0.25, fill="#ffffff")
        _seat_box(sheet, seat, (-290, half - 62, -180, half - 2), "#e0e0e0", 0.4)
        name = _at(*seat_to_mat(seat, 0, g.centre_side_mm / 2 - 28))
        sheet.text(*name, f"{SEAT_CHINESE[seat]} {seat}", 4.5, anchor="middle", turn=seat_rotation_deg(seat))
    for at in g.fiducials.values():
        size = _K * g.fiducial_mm
        x, y = _at(*at)
        sheet.rect(x - size / 2, y - size / 2, size, size, weight=0.1, fill="#222222")
    _screen(sheet, half, camera)
    _plan_dimensions(sheet, half, read)
    return sheet


def _screen(sheet: Sheet, half: float, camera: data.Toml) -> None:
    over = half + camera["screen"]["beyond_corner_mm"] / math.sqrt(2)
    sheet.line(*_at(-over, -over), *_at(over, over), weight=0.9, colour="#a05010", dash=(6, 1.5))
    for side in (-1, 1):
        x, y = _at(side * (over + 20), side * (over + 20))
        sheet.rect(x - 5, y - 5, 10, 10, weight=0.5, fill="#cccccc")
    sheet.circle(*_MIDDLE, 3.2, weight=0.5, fill="#ffffff")
    sheet.circle(*_MIDDLE, 1.4, weight=0.5, fill="#2060a0")


def _plan_dimensions(sheet: Sheet, half: float, read: float) -> None:
    g = load_geometry()
    centre, band = g.centre_side_mm / 2, g.play_band_mm
    discard, reserve = edge_areas()
    sheet.dim(_at(-half, half), _at(half, half), -10, f"table {2 * half:g} (850 to 1000)")
    sheet.dim(_at(half, -half), _at(half, half), 22, f"{2 * half:g}")
    left = _at(-half, 0)[0]
    for level, (low, high, words) in enumerate(
        (
            (-centre, centre, f"central square {2 * centre:g} (320 to 400)"),
            (-centre - band, centre + band, f"outside of the play areas {2 * (centre + band):g}"),
        )
    ):
        x = left - 6 - 8 * level
        a, b = (x, _at(0, high)[1]), (x, _at(0, low)[1])
        for end, at in ((a, high), (b, low)):
            sheet.line(*_at(-centre, at), end[0] - 1, end[1], weight=0.08)
        sheet.dim(a, b, 0.01, words, size=2.5)
    marks = [
        (_at(0, centre + band / 2), "play area 360 x 100"),
        (_at(*seat_to_mat("S", *g.prompt_centre)), "prompt circle, diameter 60, to the right of the play area"),
        (_at(*seat_to_mat("S", 0, (discard[1] + discard[3]) / 2)), "discard rectangle 120 x 80"),
        (_at(*seat_to_mat("S", *reserve)), "reserve circle, diameter 60, to its right"),
        (_at(*seat_to_mat("S", -235, half - 32)), "seat box T10: turn lamp, PASS, TD, READY"),
        (_at(60, 60), "camera A3, straight above the middle, in the plane of the screen"),
        (_at(read, -40), f"what the camera sees: {2 * read:.0f} square"),
        (_at(*max(g.fiducials.values(), key=lambda at: at[0] - at[1])), "fiducials, 30 x 30, eight of them"),
        (_at(-half - 55, -half - 55), "posts T6 at the ends of the screen"),
        (_at(-380, -380), "screen T5"),
    ]
    for number, (spot, words) in enumerate(marks, 1):
        sheet.balloon(spot[0], spot[1], str(number), radius=2.7)
        sheet.balloon(292, 52 + 10 * number, str(number), radius=2.7)
        sheet.text(297, 52 + 10 * number, words, 2.8)
    notes = [
        "The screen (brown) stands on the diagonal from NW to SE: N and E sit on one side, S and W on the other.",
        f"Discard rectangle: {g.discard_edge_mm:g} from the table's edge (30 to 50). Print its sheet with print marks.",
    ]
    sheet.lines(20, 281, notes, 2.5, step=1.6)
    sheet.dim(_at(30, half), _at(30, half - g.discard_edge_mm), 0.01, "", size=2.3)
    sheet.text(_at(38, 0)[0], _at(0, half - g.discard_edge_mm / 2)[1], f"{g.discard_edge_mm:g}", 2.3)


def tray() -> Sheet:
    """The board that carries the mat, 1 : 4."""
    sheet = Sheet("tray", "Tray: the board under the mat", "T2", "1 : 4")
    g = load_geometry()
    half, middle = g.mat_side_mm / 2, (115.0, 130.0)
    x0, y0, side = middle[0] - _K * half, middle[1] - _K * half, _K * 2 * half
    sheet.rect(x0, y0, side, side, weight=0.6, fill=g.mat_colour)
    for seat in SEATS:
        u0, v0, u1, v1 = g.play_area
        corners = [seat_to_mat(seat, u, v) for u, v in ((u0, v0), (u1, v0), (u1, v1), (u0, v1))]
        sheet.path([(middle[0] + _K * x, middle[1] + _K * y) for x, y in corners], closed=True, colour="#ffffff")
        x, y = seat_to_mat(seat, *g.prompt_centre)
        sheet.circle(middle[0] + _K * x, middle[1] + _K * y, _K * g.prompt_diameter_mm / 2, colour="#ffffff")
        x, y = seat_to_mat(seat, 0, g.centre_side_mm / 2 - 28)
        name = (middle[0] + _K * x, middle[1] + _K * y)
        sheet.text(
            *name, f"{SEAT_CHINESE[seat]} {seat}", 4.5, anchor="middle", turn=seat_rotation_deg(seat), colour="#ffffff"
        )
    for x, y in g.fiducials.values():
        size = _K * g.fiducial_mm
        sheet.rect(middle[0] + _K * x - size / 2, middle[1] + _K * y - size / 2, size, size, weight=0.1, fill="#222222")
    sheet.text(middle[0], middle[1] - 2, "place of the card case", 2.8, anchor="middle", colour="#ffffff")
    sheet.text(middle[0], middle[1] + 3, "牌套放置区", 2.8, anchor="middle", colour="#ffffff")
    sheet.dim((x0, y0 + side), (x0 + side, y0 + side), -10, f"{g.mat_side_mm:g}")
    sheet.dim((x0 + side, y0), (x0 + side, y0 + side), 12, f"{g.mat_side_mm:g}")
    _section(sheet)
    return sheet


def _section(sheet: Sheet) -> None:
    """The edge in section, 2 : 1, and what to heed."""
    g = load_geometry()
    x, y = 250.0, 60.0
    sheet.path(
        [(x, y), (x + 90, y), (x + 90, y + 10), (x + 6, y + 10), (x + 1.8, y + 8), (x, y + 5)],
        closed=True,
        weight=0.5,
        fill="#f3e3c3",
    )
    sheet.rect(x + 4, y - 1, 86, 1, weight=0.2, fill=g.mat_colour)
    sheet.rect(x + 20, y + 10, 60, 4, weight=0.35, fill="#bbbbbb")
    sheet.text(x, y - 12, "section of the edge, 2 : 1", 2.8)
    sheet.leader((x + 60, y - 0.5), (x + 96, y - 8), "T1 mat, glued flat", 2.6)
    sheet.leader((x + 70, y + 5), (x + 96, y + 5), "T2 plywood 5", 2.6)
    sheet.leader((x + 60, y + 12), (x + 96, y + 18), "felt 2", 2.6)
    notes = [
        "Colour: warm grey " + g.mat_colour + ", matt; never red, green or blue.",
        "Print the mat at 100 %: table-controller print mat --out mat.pdf",
        "The mat lies flat to 1 mm; its edge ends 2 mm inside the board's.",
        "The board slides below the screen through the window: no raised edge.",
        "Fiducials stay uncovered; a spare mat costs less than a scratched one.",
        "The four corners and both ends of every line are within 0.5 mm of the print.",
    ]
    sheet.lines(x, y + 50, notes, 2.8, step=1.8)


def sheets() -> list[Sheet]:
    """Both sheets."""
    return [plan(), tray()]
