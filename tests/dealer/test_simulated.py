"""The way to a simulated dealer: the real firmware where it can be built, else the emulator and one line of why."""

from __future__ import annotations

import subprocess

import pytest

from table_controller.dealer import bench, open_simulated
from table_controller.dealer.bench import NO_AVR, unavailable_reason


def test_knowingly_without_avr(monkeypatch):
    monkeypatch.setenv(NO_AVR, "1")
    machine, kind, reason = open_simulated(cards=4)
    assert (machine.kind, kind) == ("emulator", "emulator")
    assert NO_AVR in reason
    assert "\n" not in reason


def test_not_asked_for():
    assert open_simulated(prefer_avr=False)[1:] == ("emulator", "")


def test_missing_tools_are_named(monkeypatch):
    monkeypatch.delenv(NO_AVR, raising=False)
    monkeypatch.setattr(bench.shutil, "which", lambda tool: None if tool == "avr-gcc" else f"/usr/bin/{tool}")
    reason = open_simulated().reason
    assert "avr-gcc" in reason
    assert "apt-get install" in reason


def test_a_build_that_fails_is_told(monkeypatch, request):
    monkeypatch.setattr(bench, "unavailable_reason", lambda: "")
    monkeypatch.setattr("table_controller.dealer.simulated.unavailable_reason", lambda: "")
    failed = subprocess.CompletedProcess([], 2, "", "make: *** [Makefile:30: dealer.elf] Error 1\n")
    monkeypatch.setattr(bench.subprocess, "run", lambda *_, **__: failed)
    bench.build.cache_clear()
    request.addfinalizer(bench.build.cache_clear)
    simulated = open_simulated()
    assert simulated.kind == "emulator"
    assert "Error 1" in simulated.reason


@pytest.mark.avr
def test_the_real_firmware_is_preferred(bench):
    assert bench.kind == "avr"
    assert unavailable_reason() == ""
    machine, kind, reason = open_simulated(cards=4)
    machine.close()
    assert (kind, reason) == ("avr", "")
