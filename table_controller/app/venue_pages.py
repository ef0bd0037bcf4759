"""Which pages the venue's service serves beside its API: all of them lie in the wheel."""

from __future__ import annotations

from table_controller.venue.api.server import Pages
from table_controller.web.server import FONTS, STATIC

NAMES = {
    "/": "referee.html",
    "/login": "login.html",
    "/referee": "referee.html",
    "/director": "director.html",
    "/overlay/{table}": "overlay.html",
    "/scoreboard": "wall.html",
    "/table/{table}": "table.html",
}


def venue_pages() -> Pages:
    """Paths, and the folders of what the pages load."""
    files = {where: STATIC / name for where, name in NAMES.items()}
    return Pages(files, {"/static": STATIC, "/fonts": FONTS})
