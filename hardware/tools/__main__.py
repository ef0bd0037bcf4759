"""``python -m hardware.tools`` writes every generated file of this folder; ``--check`` only names those that differ."""

from __future__ import annotations

import base64
import io
import re
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

from hardware.tools import camera_view, circuits, dealer_view, harness, jig, operator_card, pages, table_plan
from hardware.tools.data import HARDWARE, ROOT
from hardware.tools.sheet import Sheet, pdf
from table_controller.drawings.marks_pdf import mark_pages
from table_controller.drawings.mat_pdf import mat_pages
from table_controller.drawings.page import Page
from table_controller.drawings.prompts_pdf import prompt_pages
from table_controller.geometry import load_geometry


def drawings() -> list[Sheet]:
    """Every sheet of drawings/, in the order of drawings/all.pdf."""
    return [
        *table_plan.sheets(),
        *camera_view.sheets(),
        *dealer_view.sheets(),
        *circuits.sheets(),
        *jig.sheets(),
        *operator_card.sheets(),
    ]


def texts() -> dict[Path, str]:
    """The generated text files and what they hold."""
    out = {HARDWARE / "drawings" / f"{sheet.name}.svg": sheet.svg() for sheet in drawings()}
    for cable, sheet in zip(harness.cables(), harness.sheets(), strict=True):
        out[HARDWARE / "harness" / f"{cable.name}.yml"] = harness.yml(cable)
        out[HARDWARE / "harness" / f"{cable.name}.svg"] = sheet.svg()
    out[HARDWARE / "harness" / "wiring.md"] = harness.wiring_table()
    out[HARDWARE / "throughput.md"] = pages.throughput_page()
    out[HARDWARE / "camera.md"] = pages.camera_page()
    return out


def _printed(draw: Callable[[Path], Page]) -> bytes:
    """What ``print`` would write, without a file."""
    target = io.BytesIO()
    page = draw(target)  # type: ignore[arg-type]  # the canvas takes an open file as well
    page.save()
    return target.getvalue()


def pdfs() -> dict[Path, bytes]:
    """The generated PDFs and what they hold."""
    geometry = load_geometry()
    return {
        HARDWARE / "drawings" / "all.pdf": pdf(drawings()),
        HARDWARE / "harness" / "harness.pdf": pdf(harness.sheets()),
        HARDWARE / "drawings" / "mat.pdf": _printed(lambda target: mat_pages(geometry, target, tiles=False)),
        HARDWARE / "drawings" / "prompts.pdf": _printed(lambda target: prompt_pages(geometry, target)),
        HARDWARE / "drawings" / "marks.pdf": _printed(lambda target: mark_pages(geometry, target)),
    }


def strokes(data: bytes) -> list[bytes]:
    """What a PDF draws: its page streams, unpacked; fonts and the order of objects depend on the library's version."""
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, re.S):
        body = stream.strip()
        try:
            packed = base64.a85decode(b"<~" + body, adobe=True) if body.endswith(b"~>") else body
            text = zlib.decompress(packed)
        except (ValueError, zlib.error):
            continue
        # a font's file holds zeros, its table of codes says begincmap; what is left are pages
        if b"\x00" not in text and b"begincmap" not in text:
            found.append(re.sub(rb"/F\d+(\+\d+)?", b"/F", text))
    return found


def stale() -> list[Path]:
    """The generated files that are missing or differ from what is committed."""
    out = [path for path, text in texts().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path, data in pdfs().items():
        if not path.exists() or strokes(path.read_bytes()) != strokes(data):
            out.append(path)
    return out


def main(arguments: list[str]) -> int:
    """Write what differs, or with ``--check`` name it and return 1."""
    differing = stale()
    if "--check" not in arguments:
        written, printed = texts(), pdfs()
        for path in differing:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path in written:
                path.write_text(written[path], encoding="utf-8")
            else:
                path.write_bytes(printed[path])
    if differing:
        verb = "differs" if "--check" in arguments else "written"
        print(f"{verb}: " + ", ".join(str(path.relative_to(ROOT)) for path in differing))
    return 1 if differing and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
