"""What is freed goes back to the system (glibc keeps what lies under something that is still used)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from table_controller.runtime import memory

BLOCK, BLOCKS = 20_000, 2000
WITHIN = f"""
from table_controller.runtime import memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

memory.sparing()
memory.settled()
blocks = [bytearray({BLOCK}) for _ in range({BLOCKS})]
blocks[:-1] = []
kept = resident()
memory.tidy()
print(kept - resident())
"""


def test_what_was_freed_goes_back() -> None:
    done = subprocess.run([sys.executable, "-c", WITHIN], capture_output=True, text=True, check=True)
    assert int(done.stdout) > BLOCK * BLOCKS / 2


def test_another_c_library_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: object())
    memory.sparing()
    memory.tidy()
