"""The units: what they may not do, and that the product works under it."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "systemd").glob("*.service"))
MOST_EXPOSED = 2.0
CLI = Path(sys.executable).with_name("table-controller")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_every_unit_is_shut_in(unit: Path) -> None:
    assert shutil.which("systemd-analyze"), "the package systemd is missing: .ci/setup installs it"
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    level = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert level, done.stdout
    assert float(level.group(1)) <= MOST_EXPOSED
    assert "Unknown" not in done.stderr


MATCH = re.compile(r'(SUBSYSTEM|KERNEL|ATTRS\{\w+\})(==|!=)"[^"]+"')
ACT = re.compile(r'(SYMLINK\+=|GROUP=|MODE=|ENV\{\w+\}=|GOTO=|LABEL=)"([^"]+)"')


def test_udev_understands_every_rule() -> None:
    """Of udev's grammar what these rules use; a rule that udev cannot read it leaves out in silence."""
    lines = (ROOT / "systemd" / "70-guandan-dealer.rules").read_text(encoding="utf-8").splitlines()
    rules = [(number, line) for number, line in enumerate(lines) if line and not line.startswith("#")]
    assert len(rules) >= 5
    labels, jumps = dict[str, int](), list[tuple[int, str]]()
    for number, line in rules:
        for word in line.split(", "):
            assert MATCH.fullmatch(word) or ACT.fullmatch(word), f"line {number + 1}: {word}"
        for key, value in ACT.findall(line):
            if key == "LABEL=":
                assert value not in labels, line
                labels[value] = number
            elif key == "GOTO=":
                jumps.append((number, value))
    assert all(labels.get(label, -1) > number for number, label in jumps), "udev jumps forward only"
    assert set(labels) == {label for _, label in jumps}


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_understands_every_line_of_a_unit(unit: Path) -> None:
    """An unknown key, a wrong section, a value that cannot be: systemd would leave them out with a line in its log."""
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, check=False, text=True
    )
    ours = [line for line in done.stderr.splitlines() if unit.name in line and "not executable" not in line]
    assert ours == []


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_what_a_unit_starts_is_a_command_of_the_program(unit: Path) -> None:
    start = re.search(r"^ExecStart=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    assert start
    words = start.group(1).split()
    if not words[0].endswith("/table-controller"):
        return
    options = [word for word in words[1:] if not word.startswith("/")]
    done = subprocess.run(
        [str(CLI), *options[: options.index("--config")], "--help"], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "--config" in done.stdout


def deny_write_and_execute() -> None:
    """What MemoryDenyWriteExecute does: a seccomp filter against memory that is written and executed."""

    def bpf(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("HBBI", code, yes, no, k)

    load, equal, any_of, answer = 0x20, 0x15, 0x45, 0x06
    refuse, allow = 0x00050001, 0x7FFF0000  # EPERM
    program = b"".join([
        bpf(load, 0),  # the system call's number
        bpf(equal, 9, 0, 4),  # mmap
        bpf(load, 32),  # its protection
        bpf(any_of, 2, 0, 6),  # written …
        bpf(any_of, 4, 4, 5),  # … and executed
        bpf(answer, allow),
        bpf(equal, 10, 0, 3),  # mprotect
        bpf(load, 32),
        bpf(any_of, 4, 0, 1),  # to be executed
        bpf(answer, refuse),
        bpf(answer, allow),
    ])  # fmt: skip
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(program)
    address = ctypes.addressof(buffer)
    prog = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, address))
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # NoNewPrivileges
    assert libc.prctl(22, 2, prog, 0, 0) == 0, ctypes.get_errno()


CHILD = """
import mmap, sys
sys.path.insert(0, {folder!r})
from test_units import deny_write_and_execute
deny_write_and_execute()
try:
    mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)
except PermissionError:
    print("shut in", flush=True)
from table_controller.cli import main
sys.exit(main(["read", {picture!r}]))
"""


def test_the_recogniser_works_where_no_memory_may_be_written_and_executed() -> None:
    picture = ROOT / "docs" / "pictures" / "camera-frame.jpg"
    code = CHILD.format(folder=str(Path(__file__).parent), picture=str(picture))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("shut in"), "the filter did not hold"
    assert len(done.stdout.splitlines()) > 3


def test_settings_and_passwords_are_read_by_the_services_and_by_nobody_else(tmp_path: Path) -> None:
    """systemd's own tools on a tree: whatever root wrote there, with whatever rights."""
    etc = tmp_path / "etc"
    settings = etc / "table-controller"
    (settings / "broker").mkdir(parents=True)
    for name, mode in (("table.toml", 0o640), ("password", 0o600), ("token", 0o644)):
        (settings / name).write_text("x")
        (settings / name).chmod(mode)
    for tool, file in (("systemd-sysusers", "sysusers.conf"), ("systemd-tmpfiles", "tmpfiles.conf")):
        words = [
            tool,
            f"--root={tmp_path}",
            *(["--create"] if "tmpfiles" in tool else []),
            str(ROOT / "systemd" / file),
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or os.geteuid() != 0, done.stderr
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    group = next(line for line in (etc / "group").read_text().splitlines() if line.startswith("table-controller:"))
    gid = int(group.split(":")[2])
    for name in ("table.toml", "password", "token"):
        assert (settings / name).stat().st_gid == gid
        assert (settings / name).stat().st_mode & 0o777 == 0o640, name
    assert (settings.stat().st_mode & 0o777, (settings / "broker").stat().st_mode & 0o777) == (0o750, 0o750)
    assert (tmp_path / "var/lib/table-controller").stat().st_gid == gid
