"""A built wheel holds all that the product needs, and works without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

NEEDED = {
    "_data/models/index_detector.onnx",
    "_data/models/index_classifier.onnx",
    "_data/models/classes.txt",
    "_data/hardware/geometry.toml",
    "_data/hardware/pins.toml",
    *(f"web/static/{page}.html" for page in ("control", "director", "login", "overlay", "referee", "scoreboard")),
    *(f"web/static/{page}.html" for page in ("seat", "setup", "table", "wall")),
    *(f"web/static/{name}" for name in ("style.css", "venue.css", "overlay.css", "grid.js", "queue.js", "api.js")),
    "web/fonts/TableSans.ttf",
    "web/fonts/TableSans.woff2",
    "sim/fonts/Century.otf",
    "games/guandan/profiles/base.toml",
    "games/guandan/profiles/national.toml",
    "venue/store/migrations/env.py",
    "venue/store/migrations/versions/0001_the_archive_as_it_began.py",
}


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout with what pip finds by itself."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return next(folder.glob("table_controller-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel in it; its dependencies are this environment's."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install", "--quiet", "--no-deps"]
    done = subprocess.run([*pip, str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    # Only packages: the .pth files there, which lead to the checkout, are not followed from a .pth file.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    command = [str(program / "table-controller"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=program, env=environment)


def test_the_wheel_holds_what_the_product_needs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"table_controller/{name}" for name in NEEDED} - names == set()
    assert [name for name in names if name.startswith("table_controller/_data/models/train")] == []
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_program_comes_from_the_wheel(installed: Path) -> None:
    code = "import table_controller; print(table_controller.__file__)"
    shown = subprocess.run(
        [str(installed / "python"), "-c", code], capture_output=True, text=True, check=True, cwd=installed
    )
    assert shown.stdout.startswith(str(installed.parent))


def test_judge_works_from_the_wheel(installed: Path) -> None:
    done = run(installed, "judge", "--level", "7", "5S", "5D", "6D", "6C", "7C", "7H")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tube" in done.stdout


def test_read_explains_itself_from_the_wheel(installed: Path) -> None:
    done = run(installed, "read", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "PHOTO" in done.stdout


def test_the_mat_is_printed_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    done = run(installed, "print", "mat", "--out", str(tmp_path / "mat.pdf"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "mat.pdf").read_bytes().startswith(b"%PDF")
