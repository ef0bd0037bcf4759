"""The first start of a card: what cloud-init is told installs what a release holds, by the packages of the README."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
USER_DATA = (ROOT / "systemd" / "cloud-init" / "user-data").read_text(encoding="utf-8")
RELEASE = (ROOT / "systemd" / "release.sh").read_text(encoding="utf-8")


def test_it_is_a_cloud_config_in_plain_yaml() -> None:
    lines = USER_DATA.splitlines()
    assert lines[0] == "#cloud-config"
    assert "\t" not in USER_DATA
    tops = [line.split(":")[0] for line in lines if re.match(r"[a-z_]+:", line)]
    assert tops == sorted(set(tops), key=tops.index)
    assert {"hostname", "packages", "write_files", "runcmd"} <= set(tops)


def test_it_installs_what_the_readme_says() -> None:
    line = re.search(r"sudo apt install (.+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert line
    packages = USER_DATA.split("packages:\n")[1].split("write_files:")[0]
    named = re.findall(r"- (\S+)", packages)
    assert set(line.group(1).split()) <= set(named)


def test_it_takes_what_a_release_holds() -> None:
    assert "install.sh" in RELEASE
    assert "*.service" in RELEASE
    for word in ("install.sh install", "release.pub", "*.whl"):
        assert word in USER_DATA
    assert not re.search(r"password|secret|token", USER_DATA), "a card's boot partition can be read by anybody"
