"""A release the whole way: wheel, signature, SBOM and checksums made; the installer takes it, and nothing forged."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def key(path: Path) -> Path:
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)], check=True)
    return path


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(folder of the release, private key)."""
    folder = tmp_path_factory.mktemp("release")
    private = key(folder / "release.pem")
    environment = {**os.environ, "OUT": str(folder / "out"), "PYTHON": sys.executable}
    subprocess.run(["bash", str(ROOT / "systemd/release.sh"), str(private)], check=True, env=environment)
    return folder / "out", private


def install(root: Path, script: Path, wheel: Path) -> subprocess.CompletedProcess[str]:
    """The released installer, with a pip that does nothing: only what comes before it is looked at."""
    stub = root / "python3"
    stub.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        ' *venv*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python"; '
        'printf "#!/bin/sh\\necho 0\\n" > "$last/bin/table-controller"; chmod +x "$last/bin/table-controller";;\n'
        "esac\n"
    )
    stub.chmod(0o755)
    environment = {**os.environ, "ROOT": str(root), "PYTHON": str(stub)}
    return subprocess.run(
        ["bash", str(script), "install", str(wheel)], capture_output=True, text=True, check=False, env=environment
    )


def test_a_release_is_made_signed_listed_and_taken_by_its_installer(release: tuple[Path, Path], tmp_path: Path) -> None:
    out, private = release
    wheel = next(out.glob("*.whl"))
    checked = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=out, check=False)
    assert checked.returncode == 0
    listed = {part["name"].lower(): part for part in json.loads((out / "sbom.json").read_text())["components"]}
    assert {"numpy", "onnxruntime", "aiohttp", "paho-mqtt"} <= set(listed)
    etc = tmp_path / "etc/table-controller"
    etc.mkdir(parents=True)
    public = ["openssl", "pkey", "-in", str(private), "-pubout", "-out", str(etc / "release.pub")]
    subprocess.run(public, check=True)
    done = install(tmp_path, out / "install.sh", wheel)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is right" in done.stdout
    forged = tmp_path / wheel.name
    forged.write_bytes(wheel.read_bytes() + b"\0")
    forged.with_name(forged.name + ".sig").write_bytes(wheel.with_name(wheel.name + ".sig").read_bytes())
    refused = install(tmp_path, out / "install.sh", forged)
    assert refused.returncode == 69
    assert "is wrong" in refused.stderr


def test_a_key_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("nothing")
    for words, status in (((), 64), ((str(tmp_path / "key"),), 66)):
        done = subprocess.run(
            ["bash", str(ROOT / "systemd/release.sh"), *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == status
        assert "release: " in done.stderr


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:4])


def test_what_is_installed_is_within_the_bounds_that_are_written_down() -> None:
    """No database of advisories can be asked here: the bounds are what is kept."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    checked = 0
    for line in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        name, _, bound = re.match(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?\s*([>=]=)?([\d.]*)", line).groups()  # type: ignore[union-attr]
        try:
            found = version(name)
        except PackageNotFoundError:
            raise AssertionError(f"{name} is not installed") from None
        if bound:
            assert numbers(found) >= numbers(bound), line
            checked += 1
    assert checked >= 12
