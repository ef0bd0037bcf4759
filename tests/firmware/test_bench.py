"""What only the real firmware in the AVR simulator can show: boot record, watchdog, flood, and equal runs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller.dealer import messages as m
from table_controller.dealer.bench import NO_AVR, Bench, unavailable_reason
from table_controller.dealer.framing import Decoder, Frame, encode
from table_controller.dealer.stepped import SteppedLink
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealDone, DealerOnline, DealFailed

pytestmark = pytest.mark.avr
QUOTAS = (5, 5, 5, 5, 0)


@pytest.fixture(autouse=True)
def tools() -> None:
    reason = unavailable_reason()
    if reason.startswith(NO_AVR):
        pytest.skip(reason)
    if reason:
        pytest.fail(f"{reason} Or set {NO_AVR}=1 to test without the real firmware.")


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench(20)
    yield made
    made.close()


def ask(bench: Bench, command: m.Command, sequence: int = 1, wait_ms: int = 60) -> m.Answer:
    """One command by hand; the answer to it."""
    bench.write(encode(Frame(sequence, command.TYPE, command.pack())))
    frames = [frame for frame in Decoder().feed(bench.advance(wait_ms)) if frame.sequence == sequence]
    assert frames, "no answer"
    return m.ANSWERS[frames[-1].type].unpack(frames[-1].payload)


def hello(bench: Bench, session: int = 9, sequence: int = 1) -> m.HelloReply:
    answer = ask(bench, m.Hello(session, m.PROTOCOL_VERSION, m.GEOMETRY_CRC), sequence)
    assert isinstance(answer, m.HelloReply)
    return answer


def begin(link: SteppedLink, log: list) -> None:
    """Plans and starts a deal of 20 cards."""
    link.perform(PlanDeal(1, "A", QUOTAS), 3000)
    link.perform(RunDeal(1, "A", log[-1].plan), 3000)


def deal(bench: Bench, until_ms: int = 30_000) -> tuple[list, bytes, int]:
    """A deal, all bytes the MCU sent, and its cycles."""
    log: list = []
    came = bytearray()
    plain = bench.advance

    def advance(ms: int) -> bytes:
        data = plain(ms)
        came.extend(data)
        return data

    bench.advance = advance  # type: ignore[method-assign]
    link = SteppedLink(bench, log.append, random_bytes=random.Random(1).randbytes)
    link.step(3000)
    begin(link, log)
    link.step(until_ms)
    return log, bytes(came), bench.cycles()


def test_equal_runs_bit_for_bit():
    runs = []
    for _ in range(2):
        bench = Bench(20)
        runs.append(deal(bench, 12_000))
        bench.close()
    assert isinstance(runs[0][0][-1], DealDone)
    assert len(runs[0][1]) > 1000
    assert runs[0] == runs[1]


def test_power_on_and_reset_are_told_apart(bench):
    bench.advance(50)
    first = hello(bench)
    assert (first.boot, first.cause) == (1, m.Cause.POWER_ON)
    assert first.device.rstrip(b"\0").decode() == m.DEVICE_NAME
    bench.reset()
    bench.advance(50)
    assert (hello(bench).boot, hello(bench, sequence=2).cause) == (2, m.Cause.EXTERNAL)


def test_boot_number_outlives_the_power(tmp_path: Path):
    image = tmp_path / "eeprom.bin"
    for boot in (1, 2, 3):
        bench = Bench(eeprom=image)
        bench.advance(50)
        assert hello(bench).boot == boot
        bench.close()


@pytest.mark.parametrize("damage", [slice(0, 18), slice(18, 36)])
def test_one_damaged_copy_of_the_boot_record_costs_nothing_twice(tmp_path: Path, damage: slice):
    """With either copy cut, the number never falls below the surviving copy's."""
    image = tmp_path / "eeprom.bin"
    for _ in range(4):
        bench = Bench(eeprom=image)
        bench.advance(50)
        last = hello(bench).boot
        bench.close()
    data = bytearray(image.read_bytes())
    data[damage] = b"\x12" * 18
    image.write_bytes(bytes(data))
    bench = Bench(eeprom=image)
    bench.advance(50)
    answer = hello(bench)
    bench.close()
    assert last <= answer.boot <= last + 1
    assert not answer.cause & 0x80


def test_damaged_boot_record_is_told(tmp_path: Path):
    image = tmp_path / "eeprom.bin"
    image.write_bytes(b"\x12" * 4096)
    bench = Bench(eeprom=image)
    bench.advance(50)
    answer = hello(bench)
    bench.close()
    assert answer.boot == 1
    assert answer.cause == m.Cause.POWER_ON | 0x80


def test_watchdog_restarts_a_hung_mcu(bench):
    log: list = []
    link = SteppedLink(bench, log.append, random_bytes=random.Random(1).randbytes)
    link.step(3000)
    begin(link, log)
    link.step(5000)
    bench.fault("hang")
    link.step(10_000)
    failed = next(event for event in log if isinstance(event, DealFailed))
    assert (failed.code, failed.void) == ("MCU_RESET", True)
    assert [event.boot for event in log if isinstance(event, DealerOnline)] == [1, 2]
    answer = hello(bench, session=77)
    assert answer.cause == m.Cause.WATCHDOG


def test_flood_is_survived_and_counted(bench):
    bench.advance(50)
    hello(bench)
    rng = random.Random(2)
    for _ in range(40):
        bench.write(bytes(rng.choice((0, rng.randrange(256))) for _ in range(400)))
        bench.advance(20)
    bench.advance(1000)
    status = ask(bench, m.Status(9), 2)
    assert isinstance(status, m.StatusReply)
    assert status.bad_frames > 50
    assert status.boot == 1
    assert status.state == m.State.IDLE


def test_silent_until_spoken_to(bench):
    assert bench.advance(3000) == b""


def test_plan_chunk_out_of_order_does_not_start(bench):
    bench.advance(50)
    hello(bench)
    steps = [
        (m.PlanChunk(9, 5, 3, b"\1\2"), m.Result.BAD_PLAN),
        (m.PlanChunk(9, 5, 0, b"\0\1\2"), m.Result.OK),
        (m.PlanCommit(9, 5, 3, bytes([1, 1, 1, 0, 0]), 0x1234, b"A"), m.Result.BAD_PLAN),
        (m.Start(9, 5, b"A"), m.Result.BAD_PLAN),
    ]
    for sequence, (command, result) in enumerate(steps, start=2):
        answer = ask(bench, command, sequence)
        assert isinstance(answer, m.Ack)
        assert answer.result == result
