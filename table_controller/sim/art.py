"""Flat artwork of the mat and of prompt cards, as pictures in millimetre scale, for the rendered scene."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from table_controller.cards import SEATS, Seat
from table_controller.drawings.words import SEAT_CHINESE, SEAT_LINE_MM, marker_cells, prompt_lines
from table_controller.geometry import Geometry, seat_to_mat
from table_controller.resources import resource

Picture = NDArray[np.uint8]
_LINE = (206, 200, 190)


def _font(size_px: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(resource("table_controller/web/fonts/TableSans.ttf")), round(size_px))


def marker_picture(geometry: Geometry, marker: int, side_px: int) -> Image.Image:
    """A fiducial or prompt marker, black on white, without its quiet zone."""
    cells = np.where(marker_cells(geometry.fiducial_dictionary, marker), 22, 244).astype(np.uint8)
    return Image.fromarray(cells).resize((side_px, side_px), Image.Resampling.NEAREST)


def prompt_picture(geometry: Geometry, marker: int, px_per_mm: float) -> Picture:
    """A prompt card as RGBA: a marker in each corner, the word and its Chinese in the middle."""
    prompt = geometry.prompt_of_marker(marker)
    if prompt is None:
        raise ValueError(f"marker {marker} is no prompt card")
    width, height = (round(side * px_per_mm) for side in geometry.prompt_card_mm)
    card = Image.new("RGB", (width, height), (246, 244, 236))
    side, inset = round(geometry.prompt_marker_mm * px_per_mm), round(2 * px_per_mm)
    square = marker_picture(geometry, marker, side)
    for x in (inset, width - inset - side):
        for y in (inset, height - inset - side):
            card.paste(square.convert("RGB"), (x, y))
    on = ImageDraw.Draw(card)
    large, small = prompt_lines(prompt[1])
    whose = f"{SEAT_CHINESE[prompt[0]]} {prompt[0]}"
    on.text((width / 2, SEAT_LINE_MM * px_per_mm), whose, font=_font(4 * px_per_mm), fill=(20, 20, 24), anchor="mm")
    on.text((width / 2, height / 2 - 2.2 * px_per_mm), large, font=_font(9 * px_per_mm), fill=(20, 20, 24), anchor="mm")
    on.text(
        (width / 2, height / 2 + 5.0 * px_per_mm), small, font=_font(4.6 * px_per_mm), fill=(20, 20, 24), anchor="mm"
    )
    card.putalpha(255)
    return np.asarray(card, dtype=np.uint8)


def mat_picture(geometry: Geometry, side_mm: float, px_per_mm: float) -> Picture:
    """The table top with the mat on it, RGB, ``side_mm`` wide, the mat's centre in the middle, N on top."""
    size = round(side_mm * px_per_mm)
    grain = np.random.default_rng(11)
    table = np.full((size, size, 3), (92, 66, 46), dtype=np.float32)
    rows = np.repeat(grain.normal(0, 5, (size, 1, 1)), 3, axis=2) + grain.normal(0, 3, (size, size, 1))
    top = Image.fromarray(np.clip(table + rows, 0, 255).astype(np.uint8))
    half, k = geometry.mat_side_mm / 2, px_per_mm
    colour = tuple(int(geometry.mat_colour[i : i + 2], 16) for i in (1, 3, 5))
    felt = np.clip(np.array(colour) + grain.normal(0, 5, (round(2 * half * k), round(2 * half * k), 1)), 0, 255)
    corner = round(size / 2 - half * k)
    top.paste(Image.fromarray(felt.astype(np.uint8)), (corner, corner))
    _draw_areas(top, geometry, k)
    for marker, (x, y) in geometry.fiducials.items():
        side = round(geometry.fiducial_mm * k)
        quiet = round(side * 1.3)
        square = Image.new("RGB", (quiet, quiet), (244, 244, 240))
        square.paste(marker_picture(geometry, marker, side).convert("RGB"), ((quiet - side) // 2, (quiet - side) // 2))
        top.paste(square, (round(size / 2 + x * k - quiet / 2), round(size / 2 + y * k - quiet / 2)))
    return np.asarray(top, dtype=np.uint8)


def _draw_areas(top: Image.Image, geometry: Geometry, k: float) -> None:
    on, middle = ImageDraw.Draw(top), top.width / 2
    for seat in SEATS:
        u0, v0, u1, v1 = geometry.play_area
        corners = [seat_to_mat(seat, u, v) for u, v in ((u0, v0), (u1, v0), (u1, v1), (u0, v1), (u0, v0))]
        on.line([(middle + x * k, middle + y * k) for x, y in corners], fill=_LINE, width=round(0.8 * k), joint="curve")
        x, y = seat_to_mat(seat, *geometry.prompt_centre)
        r = geometry.prompt_diameter_mm / 2
        on.ellipse([middle + (x - r) * k, middle + (y - r) * k, middle + (x + r) * k, middle + (y + r) * k],
                   outline=_LINE, width=round(0.8 * k))  # fmt: skip
        _seat_name(top, seat, geometry, k)
    # the machine's lid in the middle
    lid = 118 * k
    on.ellipse(
        [middle - lid, middle - lid, middle + lid, middle + lid],
        fill=(70, 72, 76),
        outline=(50, 52, 56),
        width=round(2 * k),
    )
    on.ellipse(
        [middle - 40 * k, middle - 40 * k, middle + 40 * k, middle + 40 * k], outline=(92, 94, 98), width=round(1.2 * k)
    )


def _seat_name(top: Image.Image, seat: Seat, geometry: Geometry, k: float) -> None:
    label = Image.new("L", (round(60 * k), round(24 * k)), 0)
    ImageDraw.Draw(label).text(
        (label.width / 2, label.height / 2), f"{SEAT_CHINESE[seat]} {seat}", font=_font(16 * k), fill=255, anchor="mm"
    )
    turned = label.rotate({"S": 0, "E": 90, "N": 180, "W": -90}[seat], expand=True)
    x, y = seat_to_mat(seat, 0, geometry.centre_side_mm / 2 - 20)
    at = (round(top.width / 2 + x * k - turned.width / 2), round(top.width / 2 + y * k - turned.height / 2))
    top.paste(_LINE, (at[0], at[1], at[0] + turned.width, at[1] + turned.height), turned)
