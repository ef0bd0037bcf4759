"""The installer on a tree of its own: install, upgrade, roll back, refuse what is broken or not signed, remove."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "systemd" / "install.sh"


def package(folder: Path, version: str, *, starts: bool = True) -> Path:
    """A stand-in for the program: a wheel with the same command that says its version, made by hand."""
    name = f"table_controller-{version}"
    body = f"def main():\n    print({version!r})\n    return {0 if starts else 3}\n"
    info = f"{name}.dist-info"
    files = {
        "table_controller_stub.py": body,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: table-controller\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\ntable-controller = table_controller_stub:main\n",
    }
    import zipfile

    path = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
        record = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
        wheel.writestr(f"{info}/RECORD", record)
    return path


class Tree:
    """A root of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.root.mkdir()

    def run(self, *words: object, status: int = 0) -> str:
        environment = {**os.environ, "ROOT": str(self.root), "PYTHON": sys.executable}
        done = subprocess.run(
            ["bash", str(SCRIPT), *map(str, words)],
            capture_output=True,
            check=False,
            text=True,
            env=environment,
            timeout=120,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def version(self) -> str:
        command = self.root / "opt/table-controller/current/bin/table-controller"
        return subprocess.run([str(command)], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_install_upgrade_roll_back_and_remove(tree: Tree, tmp_path: Path) -> None:
    tree.run("install", "--venue", package(tmp_path, "1.0"))
    settings = tree.root / "etc/table-controller/table.toml"
    assert (tree.version(), settings.exists()) == ("1.0", True)
    assert (tree.root / "etc/systemd/system/table-controller-venue.service").exists()
    assert not (tree.root / "etc/systemd/system/table-controller-kiosk.service").exists()
    settings.write_text('[table]\nid = "mine"\n', encoding="utf-8")
    unit = tree.root / "etc/systemd/system/table-controller-venue.service"
    unit.write_text("as an older version had it\n", encoding="utf-8")
    tree.run("upgrade", package(tmp_path, "2.0"))
    assert unit.read_bytes() == (SCRIPT.parent / unit.name).read_bytes(), "chosen once, it is kept up to date"
    assert not (tree.root / "etc/systemd/system/table-controller-kiosk.service").exists()
    assert (tree.version(), settings.read_text(encoding="utf-8")) == ("2.0", '[table]\nid = "mine"\n')
    tree.run("rollback")
    assert tree.version() == "1.0"
    tree.run("rollback")
    assert tree.version() == "2.0"
    state = tree.root / "var/lib/table-controller"
    state.mkdir(parents=True)
    tree.run("uninstall")
    assert not (tree.root / "opt/table-controller").exists()
    assert settings.exists()
    tree.run("uninstall", "--purge")
    assert not settings.exists()
    assert not state.exists()


def test_running_it_twice_is_safe(tree: Tree, tmp_path: Path) -> None:
    wheel = package(tmp_path, "1.0")
    for _ in range(3):
        tree.run("install", wheel)
    assert tree.version() == "1.0"
    assert len(list((tree.root / "opt/table-controller/versions").iterdir())) == 2, "the running one and the one before"


def test_a_version_that_does_not_start_changes_nothing(tree: Tree, tmp_path: Path) -> None:
    tree.run("install", package(tmp_path, "1.0"))
    said = tree.run("upgrade", package(tmp_path, "2.0", starts=False), status=69)
    assert "what ran before still runs" in said
    assert tree.version() == "1.0"
    assert tree.run("rollback", status=69).endswith("there is no version before this one\n")
    tree.run("install", tmp_path / "none.whl", status=66)


def test_a_release_must_carry_the_right_signature(tree: Tree, tmp_path: Path) -> None:
    keys = [tmp_path / "ours.pem", tmp_path / "other.pem"]
    for key in keys:
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key)], check=True)
    etc = tree.root / "etc/table-controller"
    etc.mkdir(parents=True)
    public = ["openssl", "pkey", "-in", str(keys[0]), "-pubout", "-out", str(etc / "release.pub")]
    subprocess.run(public, check=True)
    wheel = package(tmp_path, "1.0")
    assert "not signed" in tree.run("install", wheel, status=69)

    def sign(key: Path) -> None:
        signature = ["-in", str(wheel), "-out", f"{wheel}.sig"]
        subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", str(key), *signature], check=True)

    sign(keys[1])
    assert "is wrong" in tree.run("install", wheel, status=69)
    assert not (tree.root / "opt/table-controller/current").exists()
    sign(keys[0])
    whole = wheel.read_bytes()
    for tampered in (whole + b"\0", whole[:-1], bytes([whole[0] ^ 1]) + whole[1:], b""):
        wheel.write_bytes(tampered)
        assert "is wrong" in tree.run("install", wheel, status=69)
    wheel.write_bytes(whole)
    signature = Path(f"{wheel}.sig").read_bytes()
    for tampered in (b"", signature[:-1], bytes(64)):
        Path(f"{wheel}.sig").write_bytes(tampered)
        assert "is wrong" in tree.run("install", wheel, status=69)
    assert not (tree.root / "opt/table-controller/current").exists()
    Path(f"{wheel}.sig").write_bytes(signature)
    tree.run("install", wheel)
    assert tree.version() == "1.0"


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.runs("table_controller/**/*.py systemd/* ./pyproject.toml")
def test_the_real_program_is_installed_from_this_checkout(tree: Tree, part_once: Any) -> None:
    """With all its packages, as a venue would: install, judge a play, upgrade, roll back, uninstall."""
    environment = {**os.environ, "ROOT": str(tree.root), "PYTHON": sys.executable}
    command = tree.root / "opt/table-controller/current/bin/table-controller"
    for act in ("install", "upgrade", "rollback"):
        subprocess.run(["bash", str(SCRIPT), act], check=True, env=environment, timeout=900)
        said = subprocess.run([str(command), "judge", "5S", "5D"], capture_output=True, text=True, check=True).stdout
        assert "pair:5" in said
    subprocess.run(["bash", str(SCRIPT), "uninstall"], check=True, env=environment, timeout=60)
    assert not command.exists()
    part_once("installer", 1)
