"""The firmware's core, compiled for this machine under the sanitizers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from table_controller.dealer.bench import NO_AVR

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"


def test_core_under_the_sanitizers():
    if os.environ.get(NO_AVR) == "1":
        pytest.skip(f"{NO_AVR}=1 is set.")
    if shutil.which("gcc") is None or shutil.which("make") is None:
        pytest.fail("gcc and make are needed to test the firmware's core: apt-get install gcc make")
    done = subprocess.run(["make", "-s", "-C", FIRMWARE, "native-test"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"core: (\d+) checks passed", done.stdout)
    assert found is not None
    assert int(found[1]) > 50_000


def test_any_bytes_for_the_decoder():
    """100,000 inputs here, ten million in the soak."""
    if os.environ.get(NO_AVR) == "1":
        pytest.skip(f"{NO_AVR}=1 is set.")
    done = subprocess.run(["make", "-s", "-C", FIRMWARE, "fuzz"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"fuzz: 100000 inputs, \d+ frames accepted", done.stdout), done.stdout


def test_the_core_knows_no_hardware():
    """So that the same files run here and on the MCU."""
    for source in (FIRMWARE / "core").glob("*.[ch]"):
        includes = re.findall(r'#include [<"]([^>"]+)', source.read_text(encoding="utf-8"))
        assert not [name for name in includes if name.startswith(("avr/", "util/", "../hal"))], source
