"""A PDF page at true scale, in millimetres, with the font that holds the Chinese it prints."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from table_controller.drawings.words import marker_cells
from table_controller.errors import InputError
from table_controller.resources import resource

FONT = "TableSans"
FONT_FILE = "table_controller/web/fonts/TableSans.ttf"


class Page:
    """A canvas in millimetres; y grows downwards, as on the mat. Every text printed is kept in ``texts``."""

    def __init__(self, target: Path | BinaryIO, width_mm: float, height_mm: float, title: str) -> None:
        if FONT not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(FONT, str(resource(FONT_FILE))))
        self._target = target
        self.width_mm, self.height_mm = width_mm, height_mm
        self._canvas = Canvas(
            str(target) if isinstance(target, Path) else target, pagesize=(width_mm * mm, height_mm * mm), invariant=1
        )
        self._canvas.setTitle(title)
        self._canvas.setAuthor("table-controller")
        self.texts: list[str] = []

    def _y(self, y_mm: float) -> float:
        return (self.height_mm - y_mm) * mm

    def line(self, x0: float, y0: float, x1: float, y1: float, *, width_mm: float = 0.3, grey: float = 0.0) -> None:
        """A straight line."""
        self._canvas.setStrokeGray(grey)
        self._canvas.setLineWidth(width_mm * mm)
        self._canvas.line(x0 * mm, self._y(y0), x1 * mm, self._y(y1))

    def circle(self, x: float, y: float, radius: float, *, width_mm: float = 0.8, grey: float = 0.85) -> None:
        """A circle's outline."""
        self._canvas.setStrokeGray(grey)
        self._canvas.setLineWidth(width_mm * mm)
        self._canvas.circle(x * mm, self._y(y), radius * mm)

    def fill(self, x: float, y: float, width: float, height: float, colour: str | float) -> None:
        """A filled rectangle, ``x, y`` its top left corner; ``colour`` is ``#rrggbb`` or a grey 0-1."""
        if isinstance(colour, str):
            self._canvas.setFillColor(colour)
        else:
            self._canvas.setFillGray(colour)
        self._canvas.rect(x * mm, self._y(y + height), width * mm, height * mm, stroke=0, fill=1)

    def text(self, x: float, y: float, text: str, size_mm: float, *, grey: float = 0.0, turn_deg: float = 0.0) -> None:
        """Text centred on (x, y); ``size_mm`` is the font's size; ``turn_deg`` is clockwise."""
        self.texts.append(text)
        self._canvas.saveState()
        self._canvas.translate(x * mm, self._y(y))
        self._canvas.rotate(-turn_deg)
        self._canvas.setFont(FONT, size_mm * mm)
        self._canvas.setFillGray(grey)
        self._canvas.drawCentredString(0, -0.36 * size_mm * mm, text)
        self._canvas.restoreState()

    def marker(self, dictionary: str, marker: int, x: float, y: float, side: float) -> None:
        """A marker, ``x, y`` its top left corner, black cells as one filled shape each."""
        cells = marker_cells(dictionary, marker)
        step = side / len(cells)
        for row, line in enumerate(cells):
            start = None
            for column, black in enumerate([*line, False]):
                if black and start is None:
                    start = column
                elif not black and start is not None:
                    # a hair wider, so that no white seam shows between rows
                    self.fill(x + start * step, y + row * step, (column - start) * step, step + 0.02, 0.0)
                    start = None

    def next(self) -> None:
        """Start another page of the same size."""
        self._canvas.showPage()

    def save(self) -> None:
        """Write the file; raises InputError where it cannot be written."""
        try:
            self._canvas.save()
        except OSError as error:
            raise InputError(
                f"{self._target}: the PDF cannot be written ({error.strerror}).", way_out="Name another place."
            ) from error
