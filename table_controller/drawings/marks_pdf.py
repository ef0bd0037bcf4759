"""The marks at the table's edge at true scale, a page a seat: discard rectangle and, to its right, reserve circle."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from table_controller.cards import SEATS, Seat
from table_controller.drawings.page import Page
from table_controller.drawings.words import SEAT_CHINESE
from table_controller.geometry import Geometry

_A4_ACROSS = (297.0, 210.0)
RESERVE_GAP_MM = 5.0
"""Between the discard rectangle and the reserve circle."""


def mark_pages(geometry: Geometry, target: Path | BinaryIO) -> Page:
    """Draw the four sheets; returns the page, not saved yet."""
    page = Page(target, *_A4_ACROSS, "Marks at the table's edge 桌边标记")
    for number, seat in enumerate(SEATS):
        if number:
            page.next()
        _sheet(page, geometry, seat)
    return page


def _sheet(page: Page, geometry: Geometry, seat: Seat) -> None:
    width, depth = geometry.discard_mm
    circle = geometry.reserve_diameter_mm
    left = (_A4_ACROSS[0] - width - RESERVE_GAP_MM - circle) / 2
    edge = _A4_ACROSS[1] - 30
    top = edge - geometry.discard_edge_mm - depth
    middle = top + depth / 2
    for x0, y0, x1, y1 in (
        (left, top, left + width, top),
        (left + width, top, left + width, top + depth),
        (left + width, top + depth, left, top + depth),
        (left, top + depth, left, top),
    ):
        page.line(x0, y0, x1, y1, width_mm=0.8, grey=0.3)
    page.text(left + width / 2, middle - 4, "弃牌区", 9, grey=0.3)
    page.text(left + width / 2, middle + 8, "discard", 6, grey=0.3)
    x = left + width + RESERVE_GAP_MM + circle / 2
    page.circle(x, middle, circle / 2, grey=0.3)
    page.text(x, middle - 3, "提示卡预备区", 6, grey=0.3)
    page.text(x, middle + 5, "reserve", 5, grey=0.3)
    page.line(left - 20, edge, left + width + RESERVE_GAP_MM + circle + 20, edge, width_mm=0.2, grey=0.5)
    page.text(left + width / 2, edge + 5, "桌边 table's edge：沿此线裁切 cut here", 4, grey=0.3)
    page.line(left + width / 2, edge - 6, left + width / 2, edge, width_mm=0.2, grey=0.5)
    page.text(left + width / 2, edge - 10, "桌边正中 middle of the edge", 3.5, grey=0.3)
    page.text(_A4_ACROSS[0] / 2, 20, f"{SEAT_CHINESE[seat]} {seat} · 桌边标记 marks at the table's edge · 100 %", 5)
