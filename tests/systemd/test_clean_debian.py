"""The README on a clean Debian 12: installed, a deal played, upgraded, back again, removed. Needs root and debootstrap.

The root is made by debootstrap from the source that apt is configured with, and entered by chroot: there is no systemd
in it, so units are put in place but not started. ``CLEAN_DEBIAN`` names a root made before, which is copied instead.
Where root or debootstrap is missing ``make soak`` says so, keeps it as not tried for the table in docs/reliability.md,
and runs everything else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests import parts

REPO = Path(__file__).parents[2]
SOURCE = "/usr/src/table-controller"
RUN = "/opt/table-controller/current/bin/table-controller"
ON_THE_PI_ONLY = ("python3-picamera2", "python3-lgpio")

ROW = "clean Debian"

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(0),
    pytest.mark.runs("table_controller/**/*.py systemd/* ./pyproject.toml ./README.md"),
]


def lacking(user: int, debootstrap: str | None, made: str | None) -> str:
    """What this machine lacks for a clean root; empty: nothing."""
    needs = ["root, for chroot"] if user != 0 else []
    if not debootstrap and not made:
        needs.append("the package debootstrap")
    return f"it needs {' and '.join(needs)}" if needs else ""


def packages() -> list[str]:
    """What the README has installed first, without what only Raspberry Pi OS has."""
    line = re.search(r"sudo apt install (.+)", (REPO / "README.md").read_text(encoding="utf-8"))
    assert line
    return [name for name in line.group(1).split() if name not in ON_THE_PI_ONLY]


def mirror() -> str:
    """Where apt gets bookworm from, as it is configured here."""
    told = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT) $(CREATED_BY)"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    found = [line.split()[0] for line in told.splitlines() if line.split()[1:] == ["bookworm", "main", "Packages"]]
    assert found, "apt knows no Debian 12 here"
    return found[0]


class Debian:
    """A root that is entered by chroot, with this machine's names and certificates."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if made := os.environ.get("CLEAN_DEBIAN"):
            subprocess.run(["cp", "-a", f"{made}/.", str(root)], check=True)
        else:
            wanted = ",".join([*packages(), "openssl", "ca-certificates"])
            command = ["debootstrap", "--variant=minbase", f"--include={wanted}", "bookworm", str(root), mirror()]
            subprocess.run(command, check=True, capture_output=True)
        for file in ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt"):
            shutil.copy(file, f"{root}{file}")
        (root / "dev/shm").mkdir(exist_ok=True)
        self.mounted = subprocess.run(["mount", "-t", "proc", "proc", str(root / "proc")], check=False).returncode == 0
        self.checkout("0.1.0")

    def checkout(self, version: str) -> None:
        """The sources as a release of this version."""
        place = self.root / SOURCE.lstrip("/")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPO, capture_output=True, check=True).stdout
        pack = subprocess.run(
            ["tar", "-C", str(REPO), "--ignore-failed-read", "--null", "-T", "-", "-c"], input=listed,
            capture_output=True, check=True,
        )  # fmt: skip
        subprocess.run(["tar", "-C", str(place), "-x"], input=pack.stdout, check=True)
        for name, line in (
            ("pyproject.toml", 'version = "{}"'),
            ("table_controller/__init__.py", '__version__ = "{}"'),
        ):
            path = place / name
            path.write_text(path.read_text(encoding="utf-8").replace(line.format("0.1.0"), line.format(version)))

    def run(self, *words: str, status: int = 0) -> str:
        """A command inside."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "PIP_NO_CACHE_DIR": "1",
            "PIP_CERT": "/etc/ssl/certs/ca-certificates.crt", "PIP_DEFAULT_TIMEOUT": "180",
        }  # fmt: skip
        done = subprocess.run(
            ["chroot", str(self.root), *words], capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == status, f"{words}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
        return done.stdout + done.stderr

    def a_deal(self) -> dict[str, Any]:
        """One simulated deal, with its own broker."""
        words = ("demo", "--fast", "--deals", "1", "--seed", "7", "--headless", "--emulator")
        result: dict[str, Any] = json.loads(
            next(line for line in self.run(RUN, *words).splitlines() if line[:1] == "{")
        )
        return result

    def close(self) -> None:
        """Let go of it."""
        if self.mounted:
            subprocess.run(["umount", str(self.root / "proc")], check=False)
        shutil.rmtree(self.root, ignore_errors=True)


@pytest.fixture
def debian(request: pytest.FixtureRequest, tmp_path: Path, part_once: Any) -> Iterator[Debian]:
    if missing := lacking(os.geteuid(), shutil.which("debootstrap"), os.environ.get("CLEAN_DEBIAN")):
        today = datetime.now(UTC).isoformat(timespec="seconds")
        parts.keep({"row": ROW, "test": request.node.nodeid, "count": 0, "date": today, "program": "",
                    "not_tried": missing})  # fmt: skip
        pytest.skip(f"NOT TRIED, the clean Debian 12: {missing}")
    (tmp_path / "root").mkdir()
    made = Debian(tmp_path / "root")
    yield made
    made.close()


def test_installed_by_the_readme_played_upgraded_rolled_back_and_removed(debian: Debian, part_once: Any) -> None:
    began = time.monotonic()
    assert debian.run("dpkg", "-s", "mosquitto")
    install = f"{SOURCE}/systemd/install.sh"
    debian.run("bash", install, "install")
    assert debian.run(RUN, "--version").strip() == "0.1.0"
    first = debian.a_deal()
    assert (first["deals"], first["misreads"], first["feed_lost"], first["broker"]) == (1, 0, 0, "mosquitto")
    debian.checkout("0.1.1")
    debian.run("bash", install, "upgrade")
    assert debian.run(RUN, "--version").strip() == "0.1.1"
    assert debian.a_deal()["journal_hash"] == first["journal_hash"]
    debian.run("bash", install, "rollback")
    assert debian.run(RUN, "--version").strip() == "0.1.0"
    debian.run("bash", install, "uninstall")
    assert not (debian.root / "opt/table-controller").exists()
    assert not (debian.root / "etc/systemd/system/table-controller.service").exists()
    assert (debian.root / "etc/table-controller/table.toml").exists(), "settings are kept"
    debian.run("bash", install, "uninstall", "--purge")
    assert not (debian.root / "etc/table-controller").exists()
    part_once(ROW, 1, without_debootstrap_s=round(time.monotonic() - began))
