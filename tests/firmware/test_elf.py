"""The real ELF: which of its lines run, for how long nothing can interrupt it, and how large it is."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from table_controller.dealer import messages as m
from table_controller.dealer.bench import NO_AVR, Bench, build, unavailable_reason
from table_controller.dealer.framing import Decoder, Frame, encode
from table_controller.dealer.messages import State
from table_controller.sim.dealer_faults.catalogue import FAULTS
from table_controller.sim.dealer_faults.trial import try_fault

pytestmark = pytest.mark.avr
FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
LEAST_COVERED = 0.95
MOST_US_WITHOUT_INTERRUPTS = 150
"""The receiver holds two bytes (174 us at 115200 baud) while nobody reads it."""
MOST_FLASH, MOST_RAM = 24 * 1024, 4 * 1024
"""Bytes, of 256 KiB and 8 KiB: half of the RAM stays for the stack."""
CYCLES_A_US = 16
TRIALS = [
    ("1", State.DEALING), ("2", State.IDLE), ("12a", State.DEALING), ("12b", State.DEALING), ("12c", State.DEALING),
    ("12d", State.DEALING), ("13", State.DEALING), ("14", State.IDLE), ("15a", State.DEALING), ("18", State.TESTING),
    ("19", State.DEALING), ("20", State.IDLE), ("20", State.DEALING), ("22", State.IDLE), ("23", State.DEALING),
    ("25c", State.IDLE), ("26", State.DEALING), ("16", State.STOPPING),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    reason = unavailable_reason()
    if reason.startswith(NO_AVR):
        pytest.skip(reason)
    if reason:
        pytest.fail(f"{reason} Or set {NO_AVR}=1 to test without the real firmware.")


def lines_of(elf: Path) -> dict[tuple[str, int], set[int]]:
    """(source, line) of our own files -> word addresses of its instructions."""
    text = subprocess.run(["avr-objdump", "-d", "-l", elf], capture_output=True, text=True, check=True).stdout
    found: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    at: tuple[str, int] | None = None
    for line in text.splitlines():
        if place := re.match(r"^(?:.*/)?((?:core|hal_avr)/[\w.]+):(\d+)(?: .*)?$", line):
            at = (place[1], int(place[2]))
        elif re.match(r"^\S*:\d+(?: .*)?$", line) or re.match(r"^[0-9a-f]{8} <", line):
            at = None
        elif at and (code := re.match(r"^ +([0-9a-f]+):\t", line)):
            found[at].add(int(code[1], 16) // 2)
    return dict(found)


def _commands(bench: Bench) -> None:
    """What no deal needs: refusals, settings, commands of another session, wrong sizes."""
    asked = [
        m.Stop(9), m.Hello(9, m.PROTOCOL_VERSION + 1, m.GEOMETRY_CRC), m.Selftest(9),
        m.Hello(8, m.PROTOCOL_VERSION, m.GEOMETRY_CRC), m.Settings(8),
        m.SetSettings(8, m.CHUTE_HOME_STEPS + 1, 7, b"no. 7"), m.SetSettings(8, 99, 7, b""),
        m.PlanChunk(8, 5, 0, b"\0\1"), m.PlanChunk(8, 5, 2, b"\7"), m.PlanChunk(8, 5, 7, b"\1"),
        m.PlanChunk(8, 5, 2, b"\1" * 180), m.PlanCommit(8, 5, 3, bytes(5), 0, b""), m.Start(8, 5, b""),
        m.Release(8, 5), m.ClearFault(8), m.EventsFrom(8, 60000), m.EventsFrom(8, 500), m.Selftest(8), m.Selftest(8),
        m.Stop(8), m.Status(8),
    ]  # fmt: skip
    bench.advance(50)
    for sequence, command in enumerate(asked, start=1):
        bench.write(encode(Frame(sequence, command.TYPE, command.pack())))
        bench.write(encode(Frame(sequence, command.TYPE, command.pack())))  # again: from the cache
        bench.advance(60)
    for kind in (*m.COMMANDS, 0x55):
        sequence += 1
        bench.write(encode(Frame(sequence, kind, (8).to_bytes(4, "little") + bytes(1))))
        bench.write(encode(Frame(sequence, kind, b"\1")))
        bench.advance(60)
    bench.write(b"\0" + b"\1" * 300 + b"\0" + b"\5\1\0" + b"\xff\1\0")
    bench.advance(100)


def _slow_host(bench: Bench) -> None:
    """Answers faster than the line takes them, a silent host in the middle of a test, a chute that finds no home."""
    hello = m.Hello(8, m.PROTOCOL_VERSION, m.GEOMETRY_CRC)
    bench.write(encode(Frame(1, hello.TYPE, hello.pack())))
    bench.advance(100)
    for sensor, active in (("HOME", 0), ("HOME", 1), ("BACK", 1)):
        bench.fault("sensor_stuck", sensor=sensor, active=active)
        for command in (m.Selftest(8), m.ClearFault(8)):
            bench.write(encode(Frame(bench.cycles() // 10_000_000 + 2, command.TYPE, command.pack())))
            bench.advance(1300)
        bench.fault("clear")
    bench.write(b"".join(encode(Frame(20_000 + at, m.EventsFrom.TYPE, m.EventsFrom(8, 0).pack())) for at in range(12)))
    assert Decoder().feed(bench.advance(1000))


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[tuple[int, int, int]]]:
    """(which words of the flash were executed in all runs together, the longest time without interrupts of each)."""
    folder = tmp_path_factory.mktemp("trace")
    rows = {fault.number: fault for fault in FAULTS}
    runs = [lambda bench, n=number, s=state: try_fault(rows[n], s, bench) for number, state in TRIALS]
    executed, longest = bytearray(1 << 17), []
    image = folder / "eeprom.bin"
    for number, run in enumerate([_commands, _slow_host, *runs]):
        path = folder / f"{number}.bin"
        bench = Bench(eeprom=image if number < 2 else None, trace=path)
        try:
            run(bench)
            longest.append(bench.interrupts_off())
        finally:
            bench.close()
        executed = bytearray(a | b for a, b in zip(executed, path.read_bytes(), strict=True))
    return bytes(executed), longest


def test_nearly_every_line_of_the_firmware_has_run(traced, capsys):
    executed, _ = traced
    lines = lines_of(build()[1])
    ran = {place for place, words in lines.items() if any(executed[word] for word in words)}
    share = len(ran) / len(lines)
    missed = sorted(f"{file}:{line}" for file, line in set(lines) - ran)
    with capsys.disabled():
        print(f"\nfirmware: {len(ran)} of {len(lines)} lines of the ELF ran, {share:.1%}; not: {' '.join(missed)}")
    assert len(lines) > 300
    assert share >= LEAST_COVERED


def test_interrupts_are_never_off_for_long(traced, capsys):
    _, longest = traced
    cycles, begin, end = max(longest)
    with capsys.disabled():
        print(f"\nfirmware: interrupts off for {cycles / CYCLES_A_US:.0f} us at most ({begin:#x} to {end:#x})")
    assert 1 < cycles / CYCLES_A_US < MOST_US_WITHOUT_INTERRUPTS


def test_it_is_small_enough(capsys):
    done = subprocess.run(["avr-size", build()[1]], capture_output=True, text=True, check=True).stdout
    text, data, bss = (int(word) for word in done.splitlines()[1].split()[:3])
    with capsys.disabled():
        print(f"\nfirmware: {text + data} bytes of flash, {data + bss} bytes of RAM before the stack")
    assert text + data <= MOST_FLASH
    assert data + bss <= MOST_RAM
