"""The faces the training draws from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).parents[2]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>'
CONVERT = """#!/bin/sh
while [ "$1" != "-o" ]; do case "$1" in *.svg) test -s "$1" || exit 3;; esac; shift; done
cp "$0.png" "$2"
"""
ASK = """
from pathlib import Path
from models.train import art
folder = art.fetch(Path("work"))
(folder / "a.svg").write_text({svg!r})
print(art._rasterise(folder / "a.svg", folder / "a.png").shape)
"""


def test_faces_are_drawn_from_a_relative_work_folder(tmp_path: Path) -> None:
    """``make train`` names its work folder from where it is called; the converter runs inside of that folder."""
    for folder in ("debian", "svg-cards", "letele", "younestouati"):
        (tmp_path / "work/art" / folder).mkdir(parents=True)
    tool = tmp_path / "bin/rsvg-convert"
    tool.parent.mkdir()
    tool.write_text(CONVERT)
    tool.chmod(0o755)
    cv2.imwrite(f"{tool}.png", np.zeros((4, 4, 4), np.uint8))
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(svg=SVG)],
        cwd=tmp_path,
        env={"PATH": f"{tool.parent}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "(4, 4, 4)"), done.stderr
