"""The figures of court cards and jokers: plain two-headed drawings in flat colours."""

from __future__ import annotations

from PIL import Image, ImageDraw

Colour = tuple[int, int, int]
_SKIN: Colour = (238, 205, 174)
_GOLD: Colour = (226, 178, 46)
_BLUE: Colour = (36, 66, 140)
_CRIMSON: Colour = (186, 32, 40)
_INK: Colour = (26, 24, 28)
_GREY: Colour = (120, 120, 122)


def draw_court(
    face: Image.Image, k: float, card: str, sign: Image.Image, colour: Colour, *, frame: bool = True
) -> None:
    """Draw J, Q or K two-headed inside a frame, the suit's ``sign`` beside each head. ``k`` is px per mm."""
    left, top, right, bottom = 12.5 * k, 8 * k, face.width - 12.5 * k, face.height - 8 * k
    width, height = round(right - left), round((bottom - top) / 2)
    half = Image.new("RGB", (width, height), (248, 244, 232))
    _bust(ImageDraw.Draw(half), k, card[0], width, height, red=card[1] in "HD")
    small = sign.resize((round(7.5 * k), round(7.5 * k)))
    half.paste(
        colour, (round(1.2 * k), round(1.2 * k), round(1.2 * k) + small.width, round(1.2 * k) + small.height), small
    )
    face.paste(half, (round(left), round(top)))
    face.paste(half.transpose(Image.Transpose.ROTATE_180), (round(left), round(top) + height))
    if frame:
        ImageDraw.Draw(face).rectangle((left, top, right, top + 2 * height), outline=_BLUE, width=round(0.4 * k))


def _bust(on: ImageDraw.ImageDraw, k: float, rank: str, width: int, height: int, *, red: bool) -> None:
    middle, head, robe = width / 2 + 2 * k, 15 * k, _CRIMSON if red else _BLUE
    trim = _BLUE if red else _CRIMSON
    on.polygon(
        [
            (0, height),
            (2 * k, height - 9 * k),
            (middle - 6 * k, 21 * k),
            (middle + 6 * k, 21 * k),
            (width - 1 * k, height - 9 * k),
            (width, height),
        ],
        fill=robe,
    )
    for i in range(-2, 3):
        on.polygon(
            [
                (middle + i * 5 * k - 1 * k, height),
                (middle + i * 2.4 * k, 22 * k),
                (middle + i * 5 * k + 1 * k, height),
            ],
            fill=_GOLD if i % 2 else trim,
        )
    on.polygon([(middle - 7 * k, 21 * k), (middle + 7 * k, 21 * k), (middle, 29 * k)], fill=_GOLD, outline=_INK)
    hair = _INK if rank == "J" else _GOLD if rank == "Q" else _GREY
    wide = 6.6 if rank == "Q" else 5.6
    on.ellipse((middle - wide * k, head - 6.5 * k, middle + wide * k, head + 7.5 * k), fill=hair)
    on.ellipse((middle - 4.1 * k, head - 5 * k, middle + 4.1 * k, head + 5.6 * k), fill=_SKIN, outline=_INK)
    for side in (-1, 1):
        on.ellipse(
            (middle + side * 1.8 * k - 0.6 * k, head - 1 * k, middle + side * 1.8 * k + 0.6 * k, head), fill=_INK
        )
    on.arc(
        (middle - 1.6 * k, head + 1.4 * k, middle + 1.6 * k, head + 3.4 * k),
        20,
        160,
        fill=_CRIMSON,
        width=round(0.5 * k),
    )
    if rank == "K":
        on.polygon(
            [(middle - 3.4 * k, head + 3.6 * k), (middle + 3.4 * k, head + 3.6 * k), (middle, head + 10 * k)],
            fill=_GREY,
        )
    _crown(on, k, rank, (middle, head - 4.6 * k), trim)


def _crown(on: ImageDraw.ImageDraw, k: float, rank: str, at: tuple[float, float], trim: Colour) -> None:
    x, y = at
    if rank == "J":
        on.pieslice((x - 6 * k, y - 5 * k, x + 6 * k, y + 5 * k), 180, 360, fill=trim, outline=_INK)
        on.line((x + 4 * k, y - 1 * k, x + 9 * k, y - 7 * k), fill=_GOLD, width=round(1.2 * k))
        return
    tall = 6.5 * k if rank == "K" else 4.5 * k
    points = [(x - 6 * k, y + 1 * k)]
    for i in range(5):
        points += [(x + (i - 2) * 3 * k - 1.4 * k, y - tall * 0.35), (x + (i - 2) * 3 * k, y - tall)]
    points += [(x + 6 * k, y + 1 * k)]
    on.polygon(points, fill=_GOLD, outline=_INK)
    for i in range(5):
        cx, cy = x + (i - 2) * 3 * k, y - tall
        on.ellipse((cx - 0.8 * k, cy - 0.8 * k, cx + 0.8 * k, cy + 0.8 * k), fill=trim)


def draw_jester(face: Image.Image, k: float, *, coloured: bool) -> None:
    """Draw a jester in the middle of the card: in colours (大王) or in greys (小王). ``k`` is px per mm."""
    on = ImageDraw.Draw(face)
    one, two, skin = (_CRIMSON, _GOLD, _SKIN) if coloured else (_INK, _GREY, (226, 224, 220))
    x, y = face.width / 2 + 2 * k, 34 * k
    for side, shade in ((-1, one), (1, two)):
        on.polygon(
            [
                (x, y - 4 * k),
                (x + side * 4 * k, y - 13 * k),
                (x + side * 15 * k, y - 10 * k),
                (x + side * 13 * k, y - 1 * k),
                (x + side * 7 * k, y - 5 * k),
                (x + side * 7 * k, y + 3 * k),
            ],
            fill=shade,
        )
        on.ellipse((x + side * 13 * k - 1.8 * k, y - 2 * k, x + side * 13 * k + 1.8 * k, y + 1.6 * k), fill=two)
        on.polygon(
            [(x, y + 11 * k), (x + side * 9 * k, y + 13 * k), (x + side * 12 * k, y + 34 * k), (x, y + 38 * k)],
            fill=shade,
        )
        on.polygon(
            [
                (x, y + 38 * k),
                (x + side * 12 * k, y + 34 * k),
                (x + side * 9 * k, y + 44 * k),
                (x + side * 3 * k, y + 42 * k),
            ],
            fill=two if shade == one else one,
        )
    on.ellipse((x - 6 * k, y - 5 * k, x + 6 * k, y + 9 * k), fill=skin, outline=_INK, width=round(0.3 * k))
    for i in range(-3, 4):
        on.polygon(
            [(x + i * 3 * k - 1.6 * k, y + 9 * k), (x + i * 3 * k + 1.6 * k, y + 9 * k), (x + i * 4 * k, y + 16 * k)],
            fill=two if i % 2 else one,
        )
    for side in (-1, 1):
        on.ellipse((x + side * 2.4 * k - 0.8 * k, y, x + side * 2.4 * k + 0.8 * k, y + 1.6 * k), fill=_INK)
    on.arc((x - 3.4 * k, y + 1 * k, x + 3.4 * k, y + 6.4 * k), 15, 165, fill=one, width=round(0.7 * k))
