"""A simulated dealer of each kind with a link on it, and a clock that the test pushes."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from table_controller.dealer.bench import NO_AVR, Bench, build, unavailable_reason
from table_controller.dealer.emulator import Emulator
from table_controller.dealer.machine import Machine
from table_controller.dealer.plan import counts_of
from table_controller.dealer.stepped import SteppedLink
from table_controller.table.effects import PlanDeal, RunDeal, StopDealer
from table_controller.table.events import DealDone, DealerOnline, DealFailed, DealPlanned, Event

E = TypeVar("E", bound=Event)
QUOTAS = (27, 27, 27, 27, 0)


class Dealing:
    """A link on a machine; ``log`` holds every event posted."""

    def __init__(self, machine: Machine, seed: int = 1, now_ms: int = 0) -> None:
        self.machine = machine
        self.log: list[Event] = []
        self.now_ms = now_ms
        self.link = SteppedLink(machine, self.log.append, now_ms=now_ms, random_bytes=random.Random(seed).randbytes)

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.log if isinstance(event, kind)]

    def run(self, ms: int) -> None:
        self.now_ms += ms
        self.link.step(self.now_ms)

    def until(self, done: Callable[[], object], limit_ms: int = 90_000) -> None:
        end = self.now_ms + limit_ms
        while not done():
            assert self.now_ms < end, f"not within {limit_ms} ms; the last events: {self.log[-3:]}"
            self.run(5)

    def until_dealt(self, cards: int) -> None:
        self.until(lambda: sum(map(len, self.machine.delivered().values())) >= cards)

    def online(self) -> None:
        before = len(self.all(DealerOnline))
        self.until(lambda: len(self.all(DealerOnline)) > before or self.link.online)

    def plan(self, job: int = 1, quotas: tuple[int, ...] = QUOTAS) -> str:
        self.link.perform(PlanDeal(job, "A", quotas), self.now_ms)
        return self.all(DealPlanned)[-1].plan

    def start(self, plan: str, job: int = 1) -> None:
        self.link.perform(RunDeal(job, "A", plan), self.now_ms)

    def stop(self) -> None:
        self.link.perform(StopDealer(), self.now_ms)

    def finish(self) -> DealDone | DealFailed:
        self.until(lambda: not self.link.busy)
        last = [event for event in self.log if isinstance(event, DealDone | DealFailed)][-1]
        self.run(50)  # nothing more may follow
        return last

    def deal(
        self, cards: int = 108, quotas: tuple[int, ...] = QUOTAS, job: int = 1
    ) -> tuple[str, DealDone | DealFailed]:
        self.machine.load(cards)
        self.online()
        plan = self.plan(job, quotas)
        self.start(plan, job)
        return plan, self.finish()

    def assert_exact(self, plan: str, end: DealDone | DealFailed) -> None:
        assert isinstance(end, DealDone), end
        assert end.counts == counts_of(plan)
        assert self.machine.delivered() == by_exit(plan)


def by_exit(plan: str) -> dict[str, list[int]]:
    return {letter: [index for index, at in enumerate(plan) if at == letter] for letter in "ENWSB"}


def open_bench(eeprom: Path | None = None) -> Bench:
    """The real firmware. Its absence is a failure, unless it is declared."""
    reason = unavailable_reason()
    if reason and reason.startswith(NO_AVR):
        pytest.skip(reason)
    if reason:
        pytest.fail(f"{reason} Or set {NO_AVR}=1 to test without the real firmware.")
    return Bench(eeprom=eeprom)


@pytest.fixture(params=["emulator", pytest.param("avr", marks=pytest.mark.avr)])
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    made: Machine = Emulator() if request.param == "emulator" else open_bench()
    yield made
    made.close()


@pytest.fixture(params=["emulator", pytest.param("avr", marks=pytest.mark.avr)])
def make_machine(request: pytest.FixtureRequest) -> Callable[[], Machine]:
    """For tests that need many machines, one after the other; they close each."""
    return Emulator if request.param == "emulator" else open_bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = open_bench()
    yield made
    made.close()


@pytest.fixture
def pty_bench(bench: Bench) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """(path of the pty, process) of the real firmware in real time."""
    program, elf = build()
    process = subprocess.Popen(
        [program, elf, "--pty"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    path = process.stdout.readline().removeprefix("= ").strip()
    process.stdin.write("L 12\n")
    assert process.stdout.readline() == "= ok\n"
    yield path, process
    process.stdin.close()
    process.wait(timeout=10)
    process.stdout.close()


@pytest.fixture
def dealing(machine: Machine) -> Dealing:
    return Dealing(machine)


@pytest.fixture
def new_dealing() -> type[Dealing]:
    return Dealing


@pytest.fixture
def make_bench() -> Callable[..., Bench]:
    return open_bench
