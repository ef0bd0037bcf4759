"""Card faces that packages ship, fetched by package name and rendered to straight pictures.

Nothing fetched here is committed: the faces live in the work folder, and only weights leave it. Licences are listed in
``models/MODEL_CARD.md``.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import FACES, RANKS, SUITS
from table_controller.vision.images import Image

CARD_MM = (63.0, 88.0)
FACE_PX_PER_MM = 5
FACE_PX = (int(CARD_MM[0] * FACE_PX_PER_MM), int(CARD_MM[1] * FACE_PX_PER_MM))
CORNER_MM = 3.2
BORDER_MM = 1.1

DEBIAN_PACKAGE = "gnome-cards-data"
SHEETS = (
    *("anglo", "anglo_bitmap", "anglo_modern", "anglo_poker", "atlasnye", "bellot", "dondorf", "gnomangelo"),
    *("gnomangelo_bitmap", "neoclassical", "orell", "paris", "plastic", "simplistic", "tigullio"),
)
"""The sheets with A J Q K indices (13 × 5 cells: clubs, diamonds, hearts, spades, then the jokers)."""
NPM_PACKAGES = {
    "svg-cards": "svg-cards@4.0.2",
    "letele": "@letele/playing-cards@0.1.0",
    "younestouati": "@younestouati/playing-cards-standard-deck@3.0.0",
}

# Turns the package's React components into SVG files: a createElement that prints markup.
_REACT_TO_SVG = r"""
const fs = require('fs'); const [source, folder] = process.argv.slice(1);
const exported = {};
const keep = /^(viewBox|preserveAspectRatio|gradientUnits|gradientTransform|patternUnits|clipPathUnits)$/;
const attribute = name => name === 'className' ? 'class' : name === 'xlinkHref' ? 'xlink:href'
  : keep.test(name) ? name : name.replace(/[A-Z]/g, c => '-' + c.toLowerCase());
const style = value => Object.entries(value).map(([k, v]) => attribute(k) + ':' + v).join(';');
const React = { createElement(tag, props, ...children) {
  const shown = Object.entries(props || {}).filter(([k, v]) => v !== undefined && k !== 'children');
  const text = shown.map(([k, v]) => `${attribute(k)}="${k === 'style' && typeof v === 'object' ? style(v) : v}"`);
  const inside = children.flat(9).filter(c => c !== null && c !== undefined && c !== false);
  return `<${tag} ${text.join(' ')}>${inside.join('')}</${tag}>`;
} };
const _extends = Object.assign;
let code = fs.readFileSync(source, 'utf8').replace(/^import .*$/mg, '');
code = code.replace(/export \{([\s\S]*?)\};?/m, (_, list) => list.split(',').map(part => part.trim().split(/\s+as\s+/))
  .filter(pair => pair.length === 2).map(([from, to]) => `exported['${to}'] = ${from};`).join('\n'));
eval(code);
for (const name of Object.keys(exported)) {
  const svg = exported[name]({}).replace('<svg ', '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ');
  fs.writeFileSync(`${folder}/${name}.svg`, svg);
}
"""


@dataclass(frozen=True)
class DeckArt:
    """One deck's straight faces; ``index_mm``: its upper left index, (x0, y0, x1, y1); ``paper``: its ground, BGR."""

    name: str
    faces: dict[str, Image]
    index_mm: tuple[float, float, float, float]
    paper: tuple[float, float, float]


def fetch(work: Path) -> Path:
    """The folder with the packages unpacked under ``work/art``, fetched once by package name.

    Its path is absolute: the programs that turn the faces into pictures run inside of it.
    """
    art = (work / "art").resolve()
    art.mkdir(parents=True, exist_ok=True)
    if not (art / "debian").exists():
        download_debian(DEBIAN_PACKAGE, art, "debian")
    for folder, package_name in NPM_PACKAGES.items():
        if not (art / folder).exists():
            before = set(art.glob("*.tgz"))
            _run(["npm", "pack", "--silent", package_name], art)
            archive = next(iter(set(art.glob("*.tgz")) - before))
            with tarfile.open(archive) as tar:
                tar.extractall(art / folder, filter="data")
    return art


def download_debian(package: str, art: Path, folder: str) -> None:
    """Fetches a Debian package by name and unpacks it into ``art/folder``, installing nothing."""
    _run(["apt-get", "download", package], art)
    _run(["dpkg-deb", "-x", next(art.glob(f"{package}_*.deb")).name, folder], art)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-300:]}")


def _rasterise(svg: Path, png: Path, size: tuple[int, int] | None = None) -> Image:
    """An SVG as a BGRA picture, through rsvg-convert, kept beside it."""
    if not png.exists():
        if shutil.which("rsvg-convert") is None:
            raise RuntimeError("rsvg-convert is missing: install the Debian package librsvg2-bin")
        way = ["-w", str(size[0]), "-h", str(size[1])] if size else ["-h", str(FACE_PX[1] * 2)]
        _run(["rsvg-convert", "-u", *way, str(svg), "-o", str(png)], png.parent)
    return _read(png)


def _read(png: Path) -> Image:
    image = cv2.imread(str(png), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise RuntimeError(f"{png} cannot be read")
    return np.asarray(image, np.uint8)


def _straight(picture: Image) -> Image:
    """A face in the common size, laid on white, still with its alpha."""
    if picture.shape[2] == 3:
        picture = np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])
    values = picture.astype(np.float32)
    alpha = values[..., 3:] / 255
    values[..., :3] = values[..., :3] * alpha + 255 * (1 - alpha)
    return np.asarray(cv2.resize(values.astype(np.uint8), FACE_PX, interpolation=cv2.INTER_AREA), np.uint8)


def _sheet_faces(art: Path, sheet: str) -> dict[str, Image]:
    packed = next((art / "debian").rglob(f"{sheet}.svgz"))
    svg, png = art / f"sheet_{sheet}.svg", art / f"sheet_{sheet}.png"
    svg.write_bytes(gzip.decompress(packed.read_bytes()))
    picture = _rasterise(svg, png, (4914, 2640))
    width, height = picture.shape[1] / 13, picture.shape[0] / 5

    def cell(row: int, column: int) -> Image:
        return _straight(
            picture[int(row * height) : int((row + 1) * height), int(column * width) : int((column + 1) * width)]
        )

    order = "A23456789TJQK"
    faces = {rank + suit: cell(r, c) for r, suit in enumerate("CDHS") for c, rank in enumerate(order)}
    if sheet != "dondorf":
        faces |= {"SJ": cell(4, 0), "BJ": cell(4, 1)}
    return faces


def _each_face(
    name_of: Callable[[str, str], str], jokers: dict[str, str], read: Callable[[str], Image]
) -> dict[str, Image]:
    faces = {rank + suit: _straight(read(name_of(rank, suit))) for rank in RANKS for suit in SUITS}
    return faces | {joker: _straight(read(name)) for joker, name in jokers.items()}


def _svg_cards(art: Path) -> dict[str, Image]:
    suits = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}
    ranks = {"A": "1", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
    folder = art / "svg-cards" / "package" / "png" / "2x"
    return _each_face(
        lambda rank, suit: f"{suits[suit]}_{ranks.get(rank, rank)}",
        {"SJ": "joker_black", "BJ": "joker_red"},
        lambda name: _read(folder / f"{name}.png"),
    )


def _letele(art: Path) -> dict[str, Image]:
    folder = art / "letele" / "svg"
    if not folder.exists():
        folder.mkdir()
        source = art / "letele" / "package" / "dist" / "index.esm.js"
        _run(["node", "-e", _REACT_TO_SVG, str(source), str(folder)], art)
    ranks = {"A": "a", "T": "10", "J": "j", "Q": "q", "K": "k"}
    return _each_face(
        lambda rank, suit: f"{suit}{ranks.get(rank, rank)}",
        {"SJ": "J1", "BJ": "J2"},
        lambda name: _rasterise(folder / f"{name}.svg", folder / f"{name}.png"),
    )


def _younestouati(art: Path) -> dict[str, Image]:
    folder = art / "younestouati" / "package" / "cards"
    ranks = {"A": "1", "T": "10", "J": "11", "Q": "12", "K": "13"}
    return _each_face(
        lambda rank, suit: f"{ranks.get(rank, rank)}{suit.lower()}",
        {},
        lambda name: _rasterise(folder / f"{name}.svg", folder / f"{name}.png"),
    )


def card_mask() -> Image:
    """The card's outline with rounded corners, 255 inside."""
    width, height = FACE_PX
    radius = int(CORNER_MM * FACE_PX_PER_MM)
    mask = np.zeros((height, width), np.uint8)
    cv2.rectangle(mask, (radius, 0), (width - radius - 1, height), 255, -1)
    cv2.rectangle(mask, (0, radius), (width, height - radius - 1), 255, -1)
    for x in (radius, width - radius - 1):
        for y in (radius, height - radius - 1):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return mask


def _without_border(face: Image, paper: NDArray[np.float64]) -> Image:
    """The face with its printed edge painted over and our own outline, so that all decks are cut alike."""
    mask = card_mask()
    margin = int(BORDER_MM * FACE_PX_PER_MM)
    inner = cv2.erode(
        cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(0,)), np.ones((2 * margin + 1,) * 2)
    )
    face = face.copy()
    face[inner[1:-1, 1:-1] == 0, :3] = paper
    face[..., 3] = mask
    return face


def _paper(face: Image) -> NDArray[np.float64]:
    width, height = FACE_PX
    strip = face[int(0.42 * height) : int(0.58 * height), int(0.02 * width) + 6 : int(0.06 * width) + 6, :3]
    return np.asarray(np.median(strip.reshape(-1, 3), axis=0), np.float64)


def _index_box(faces: dict[str, Image]) -> tuple[float, float, float, float]:
    """Where the index stands on this deck's faces, measured on the cards from 2 to 9; mm."""
    width, height = FACE_PX
    boxes = []
    for name in (rank + suit for rank in "23456789" for suit in SUITS):
        face = faces[name][..., :3].astype(int)
        ink = (np.abs(face - _paper(faces[name])).sum(2) > 150).astype(np.uint8)[
            : int(0.36 * height), : int(0.25 * width)
        ]
        count, _, stats, _ = cv2.connectedComponentsWithStats(ink)
        parts = [
            (x, y, x + w, y + h)
            for x, y, w, h, area in stats[1:count]
            if area > 25
            and x + w / 2 < 0.17 * width
            and 6 < w < 0.2 * width
            and 10 < h < 0.2 * height
            and x + w < ink.shape[1] - 1
            and y + h < ink.shape[0] - 1
        ]
        if parts:
            low, high = np.min(parts, axis=0), np.max(parts, axis=0)
            boxes.append((low[0], low[1], high[2], high[3]))
    x0, y0, x1, y1 = np.array(boxes, float).T
    box = np.array([np.percentile(x0, 20), np.median(y0), np.percentile(x1, 80), np.median(y1)]) / FACE_PX_PER_MM
    return (float(box[0]), float(box[1]), float(box[2]), float(box[3]))


def _deck(name: str, faces: dict[str, Image]) -> DeckArt:
    box = _index_box(faces)
    cut = {card: _without_border(face, _paper(face)) for card, face in faces.items()}
    paper = _paper(cut["7S"])
    return DeckArt(name, cut, box, (float(paper[0]), float(paper[1]), float(paper[2])))


def load_decks(work: Path) -> list[DeckArt]:
    """All decks, fetched and rendered on the first call; later calls read one cached file."""
    cache = work / "decks.npz"
    if cache.exists():
        return _from_cache(cache)
    art = fetch(work)
    decks = [_deck(sheet, _sheet_faces(art, sheet)) for sheet in SHEETS]
    decks += [_deck("svg-cards", _svg_cards(art)), _deck("letele", _letele(art))]
    decks.append(_deck("younestouati", _younestouati(art)))
    arrays: dict[str, NDArray[np.generic]] = {}
    for deck in decks:
        present = [card for card in FACES if card in deck.faces]
        arrays[f"{deck.name}/names"] = np.array(present)
        arrays[f"{deck.name}/faces"] = np.stack([deck.faces[card] for card in present])
        arrays[f"{deck.name}/facts"] = np.array([*deck.index_mm, *deck.paper])
    np.savez(cache, **arrays)  # type: ignore[arg-type]
    return decks


def _from_cache(cache: Path) -> list[DeckArt]:
    decks = []
    with np.load(cache) as arrays:
        for name in sorted({key.split("/")[0] for key in arrays.files}):
            faces = dict(zip(arrays[f"{name}/names"].tolist(), arrays[f"{name}/faces"], strict=True))
            facts = [float(value) for value in arrays[f"{name}/facts"]]
            decks.append(DeckArt(name, faces, (facts[0], facts[1], facts[2], facts[3]), (facts[4], facts[5], facts[6])))
    return decks


def blank_deck() -> DeckArt:
    """White faces, for runs that fetch nothing: every deck is then drawn."""
    face = np.full((FACE_PX[1], FACE_PX[0], 4), 255, np.uint8)
    face[..., 3] = card_mask()
    return DeckArt("blank", dict.fromkeys(FACES, face), (3.0, 3.0, 9.0, 20.0), (255.0, 255.0, 255.0))


def contact_sheet(decks: list[DeckArt]) -> Image:
    """A picture to look at: eight faces' corners of each deck with the index box drawn."""
    rows = []
    for deck in decks:
        cells = []
        for card in ("AC", "TD", "8H", "KS", "QC", "7S", "SJ", "BJ"):
            face = deck.faces.get(card, deck.faces["2S"])[..., :3].copy()
            x0, y0, x1, y1 = (round(v * FACE_PX_PER_MM) for v in deck.index_mm)
            cv2.rectangle(face, (x0, y0), (x1, y1), (255, 0, 255), 1)
            cells.append(face[:150, :100])
        rows.append(np.hstack(cells))
    return np.vstack(rows)


__all__ = ["DeckArt", "blank_deck", "contact_sheet", "load_decks"]
