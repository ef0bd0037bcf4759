"""The kiosk's unit: Chromium as its ExecStart says, shut in as the unit shuts it in, shows the table's scoreboard.

No screen is needed: an override takes ``cage`` away, which draws on one, and adds ``--headless=new`` and a port at
which the page can be asked. What the unit forbids is forbidden here by the same means (seccomp, no new privileges, no
capabilities, another user); mounts, devices and addresses are not.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import platform
import re
import shutil
import socket
import struct
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.systemd.test_stopped import running

UNIT = (Path(__file__).parents[2] / "systemd" / "table-controller-kiosk.service").read_text(encoding="utf-8")
PORT_FILE = "DevToolsActivePort"
PERMISSION, NO_SUCH_CALL, ALLOW = 0x00050001, 0x00050026, 0x7FFF0000
NAMESPACES = {"mnt": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000,
              "pid": 0x20000000, "net": 0x40000000, "time": 0x80}  # fmt: skip
NOBODY = 65534

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the filter is written for x86-64's system calls"),
]


def settings(name: str) -> list[str]:
    """Every value of a setting of the unit, in its order."""
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def numbers() -> dict[str, int]:
    """The system calls by name, as the C library's headers have them."""
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").read_text(encoding="ascii")
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", header)}


def members(name: str) -> set[str]:
    """A system call, or all of a set of systemd's."""
    if not name.startswith("@"):
        return {name}
    told = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
    lines = [line.strip() for line in told.stdout.splitlines()[1:]]
    return set().union(*(members(line) for line in lines if line and not line.startswith("#")))


def allowed() -> set[int]:
    """What SystemCallFilter lets through, and what systemd itself needs to start a program."""
    names = members("@default")
    for line in settings("SystemCallFilter"):
        group = set().union(*(members(word) for word in line.lstrip("~").split()))
        names = names - group if line.startswith("~") else names | group
    return {number for name, number in numbers().items() if name in names | {"execve"}}


def bpf(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, k)


def program() -> bytes:
    """The unit's SystemCallFilter, RestrictNamespaces, RestrictAddressFamilies as one filter."""
    load, equal, any_of, answer = 0x20, 0x15, 0x45, 0x06
    (kinds,), (families,) = settings("RestrictNamespaces"), settings("RestrictAddressFamilies")
    refused = sum(flag for name, flag in NAMESPACES.items() if name not in kinds.split())
    known = [getattr(socket, name) for name in families.split()]
    call = numbers()
    code = [bpf(load, 0)]
    for name in ("clone", "unshare"):
        code += [bpf(equal, call[name], 0, 4), bpf(load, 16), bpf(any_of, refused, 0, 1), bpf(answer, PERMISSION),
                 bpf(load, 0)]  # fmt: skip
    code += [bpf(equal, call["clone3"], 0, 1), bpf(answer, NO_SUCH_CALL)]
    code += [bpf(equal, call["socket"], 0, len(known) + 3), bpf(load, 16)]
    code += [bpf(equal, family, len(known) - at, 0) for at, family in enumerate(known)]
    code += [bpf(answer, PERMISSION), bpf(load, 0)]
    for number in sorted(allowed()):
        code += [bpf(equal, number, 0, 1), bpf(answer, ALLOW)]
    return b"".join([*code, bpf(answer, PERMISSION)])


FILTER = program() if Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").exists() else b""


def shut_in() -> None:
    """What systemd does before it starts the program; run in the child."""
    assert settings("NoNewPrivileges") == ["yes"]
    assert settings("CapabilityBoundingSet") == [""]
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    os.umask(0o077)
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(FILTER)
    prog = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(FILTER) // 8, ctypes.addressof(buffer)))
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, prog, 0, 0) == 0, ctypes.get_errno()


def command(runtime: Path, page: str) -> list[str]:
    """ExecStart with its specifiers filled in, and the override."""
    (line,) = settings("ExecStart")
    cage, chromium = line.replace("%t", str(runtime)).replace("${SCOREBOARD}", page).split(" -- ")
    assert Path(cage).name == "cage"
    first, *words = chromium.split()
    assert words[-1] == page
    return [first, "--headless=new", "--remote-debugging-port=0", "--disable-gpu", *words]


async def said(devtools: str) -> str:
    """The words on the page, once there are some."""
    async with aiohttp.ClientSession() as session, session.ws_connect(devtools) as page:
        for number in range(100):
            asked: dict[str, Any] = {"expression": "document.title + '|' + document.body.innerText"}
            await page.send_json({"id": number, "method": "Runtime.evaluate", "params": asked})
            answer = str((await page.receive_json())["result"]["result"].get("value", ""))  # none before it has loaded
            if len(answer) > 40:
                return answer
            await asyncio.sleep(0.2)
    return ""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """A table that runs; the address of its scoreboard."""
    with running(tmp_path) as table:
        assert table.stderr is not None
        found = next(found for line in table.stderr if (found := re.search(r" is ready: (http://\S+)", line)))
        yield found.group(1)
        table.terminate()
        table.wait(20)


def test_the_scoreboard_is_shown_by_what_the_unit_starts(page: str, tmp_path: Path) -> None:
    assert shutil.which("chromium"), "the package chromium is missing: .ci/setup installs it"
    assert FILTER, "the package libc6-dev is missing: .ci/setup installs it"
    runtime = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    own = runtime / settings("RuntimeDirectory")[0]
    own.mkdir()
    if os.geteuid() == 0:
        os.chown(runtime, NOBODY, NOBODY)
        os.chown(own, NOBODY, NOBODY)
    environment = {"HOME": str(own), "XDG_RUNTIME_DIR": str(own), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    log = (tmp_path / "chromium.log").open("wb")
    browser = subprocess.Popen(
        command(runtime, page), env=environment, stdout=log, stderr=log, cwd="/", start_new_session=True,
        preexec_fn=shut_in,  # noqa: PLW1509 - no other thread of the tests holds a lock here
    )  # fmt: skip
    try:
        port_file = own / "profile" / PORT_FILE
        end = time.monotonic() + 60
        while not (port_file.exists() and port_file.read_text().strip()):
            assert browser.poll() is None, (tmp_path / "chromium.log").read_text()[-2000:]
            assert time.monotonic() < end, (tmp_path / "chromium.log").read_text()[-2000:]
            time.sleep(0.2)
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=20) as answer:
            shown = next(one for one in json.load(answer) if one["type"] == "page")
        assert shown["url"] == page
        words = asyncio.run(said(shown["webSocketDebuggerUrl"]))
        assert words.startswith("掼蛋记分牌"), "in Chinese, and in English beside it until the page knows the language"
        assert "最近出牌" in words, "the page has asked the table"
        status = Path(f"/proc/{browser.pid}/status").read_text()
        assert "NoNewPrivs:\t1" in status
        assert "Seccomp:\t2" in status
        assert "--no-sandbox" not in Path(f"/proc/{browser.pid}/cmdline").read_text()
    finally:
        os.killpg(browser.pid, 9)
        browser.wait()
        log.close()
        shutil.rmtree(runtime, ignore_errors=True)


def test_what_the_unit_forbids_is_forbidden_here() -> None:
    """The filter holds: no namespace but three, no other kind of socket, no restart of the machine."""
    code = (
        "import ctypes, os, socket, sys; sys.path.insert(0, sys.argv[1]); "
        "from tests.systemd.test_kiosk import shut_in; shut_in(); libc = ctypes.CDLL(None, use_errno=True)\n"
        "def no(call): return call < 0 and ctypes.get_errno() in (1, 38)\n"
        "print([no(libc.unshare(0x4000000)), no(libc.unshare(0x20000)), no(libc.socket(16, 3, 0)), "
        "no(libc.reboot(0)), no(libc.swapoff(b'/')), socket.socket().fileno() < 0, libc.getppid() < 1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parents[2])], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[True, True, True, True, True, False, False]"
