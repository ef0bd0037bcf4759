"""The mat at true scale: on one large page for a print shop, or in A4 tiles to be glued."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import BinaryIO

from table_controller.cards import SEATS
from table_controller.drawings.page import Page
from table_controller.drawings.words import SEAT_CHINESE
from table_controller.geometry import Geometry, Point, seat_rotation_deg, seat_to_mat

_BLEED_MM = 5.0
_A4 = (210.0, 297.0)
_TILE_EDGE_MM = 10.0
_LINE_GREY = 0.85


def mat_pages(geometry: Geometry, target: Path | BinaryIO, *, tiles: bool) -> Page:
    """Draw the mat; returns the page, not saved yet."""
    if tiles:
        return _tiles(geometry, target)
    side = geometry.mat_side_mm + 2 * _BLEED_MM
    page = Page(target, side, side, "Mat 桌垫")
    _mat(page, geometry, (side / 2, side / 2))
    return page


def _tiles(geometry: Geometry, target: Path | BinaryIO) -> Page:
    page = Page(target, *_A4, "Mat in tiles 桌垫分页")
    width, height = _A4[0] - 2 * _TILE_EDGE_MM, _A4[1] - 2 * _TILE_EDGE_MM
    columns, rows = math.ceil(geometry.mat_side_mm / width), math.ceil(geometry.mat_side_mm / height)
    for row in range(rows):
        for column in range(columns):
            middle = (
                _TILE_EDGE_MM + geometry.mat_side_mm / 2 - column * width,
                _TILE_EDGE_MM + geometry.mat_side_mm / 2 - row * height,
            )
            _mat(page, geometry, middle)
            _tile_frame(page, row, column)
            if (row, column) != (rows - 1, columns - 1):
                page.next()
    return page


def _tile_frame(page: Page, row: int, column: int) -> None:
    """White edges to cut off, cut lines, and the tile's place."""
    e, w, h = _TILE_EDGE_MM, page.width_mm, page.height_mm
    for x, y, width, height in ((0, 0, w, e), (0, h - e, w, e), (0, 0, e, h), (w - e, 0, e, h)):
        page.fill(x, y, width, height, 1.0)
    for x0, y0, x1, y1 in ((e, 0, e, h), (w - e, 0, w - e, h), (0, e, w, e), (0, h - e, w, h - e)):
        page.line(x0, y0, x1, y1, width_mm=0.1, grey=0.5)
    page.text(w / 2, e / 2, f"第 {row + 1} 行 · 第 {column + 1} 列 / row {row + 1}, column {column + 1}", 4)


def _mat(page: Page, geometry: Geometry, middle: Point) -> None:
    side = geometry.mat_side_mm
    page.fill(middle[0] - side / 2, middle[1] - side / 2, side, side, geometry.mat_colour)
    for seat in SEATS:
        u0, v0, u1, v1 = geometry.play_area
        corners = [seat_to_mat(seat, u, v) for u, v in ((u0, v0), (u1, v0), (u1, v1), (u0, v1), (u0, v0))]
        for (xa, ya), (xb, yb) in itertools.pairwise(corners):
            page.line(middle[0] + xa, middle[1] + ya, middle[0] + xb, middle[1] + yb, width_mm=0.8, grey=_LINE_GREY)
        x, y = seat_to_mat(seat, *geometry.prompt_centre)
        page.circle(middle[0] + x, middle[1] + y, geometry.prompt_diameter_mm / 2)
        x, y = seat_to_mat(seat, 0, geometry.centre_side_mm / 2 - 20)
        turn = seat_rotation_deg(seat)
        page.text(middle[0] + x, middle[1] + y, f"{SEAT_CHINESE[seat]} {seat}", 16, grey=_LINE_GREY, turn_deg=turn)
    quiet = geometry.fiducial_mm * 1.3
    for marker, (x, y) in geometry.fiducials.items():
        page.fill(middle[0] + x - quiet / 2, middle[1] + y - quiet / 2, quiet, quiet, 1.0)
        half = geometry.fiducial_mm / 2
        page.marker(
            geometry.fiducial_dictionary, marker, middle[0] + x - half, middle[1] + y - half, geometry.fiducial_mm
        )
