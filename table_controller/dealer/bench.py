"""The AVR bench from Python: the real firmware in libsimavr, in lock step over pipes.

The bench process does nothing by itself. Each request names the bytes sent and the milliseconds to run; the answer
brings the time reached and the bytes received. Both sides wait for each other, so a run is the same bit for bit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from table_controller.dealer import messages as m
from table_controller.dealer.machine import LINE_FAULTS, Line
from table_controller.errors import DeviceError

_ROOT = Path(__file__).resolve().parents[2]
NO_AVR = "TABLE_CONTROLLER_NO_AVR"
"""Set to 1, this environment variable says that the AVR tools are knowingly missing."""
_HEADER = Path("/usr/include/simavr/sim_avr.h")
_WAY_OUT = "Install them: apt-get install gcc-avr avr-libc libsimavr-dev libelf-dev gcc make"


def unavailable_reason() -> str:
    """Why the AVR bench cannot be built here, in one line; empty when it can."""
    if os.environ.get(NO_AVR) == "1":
        return f"{NO_AVR}=1 is set."
    if not (_ROOT / "firmware" / "Makefile").exists():
        return "The firmware's sources are not installed; the AVR bench runs from a checkout only."
    missing = [tool for tool in ("avr-gcc", "gcc", "make") if shutil.which(tool) is None]
    if not _HEADER.exists():
        missing.append("libsimavr-dev")
    return f"Missing: {', '.join(missing)}. {_WAY_OUT}" if missing else ""


@cache
def build() -> tuple[Path, Path]:
    """(bench program, firmware ELF), built by make when they are not current; DeviceError with make's last line."""
    reason = unavailable_reason()
    if reason:
        raise DeviceError(reason, way_out=_WAY_OUT, code="NO_AVR")
    command = ["make", "-s", "-C", str(_ROOT / "firmware"), "all", "bench"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
        raise DeviceError(f"The firmware could not be built: {last[0]}", way_out="Run: make -C firmware", code="NO_AVR")
    out = _ROOT / "build" / "firmware"
    return out / "bench", out / "dealer.elf"


@cache
def _state_address(elf: Path) -> int:
    """Where the firmware keeps its state: the first byte of app_dealer in the MCU's memory."""
    done = subprocess.run(["avr-nm", str(elf)], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    line = next(line for line in done.stdout.splitlines() if line.endswith(" app_dealer"))
    return int(line.split()[0], 16) & 0xFFFF


class Bench:
    """See dealer.machine.Machine. ``eeprom`` keeps the EEPROM in a file over several benches."""

    kind = "avr"

    def __init__(self, cards: int = 0, *, eeprom: Path | None = None, trace: Path | None = None) -> None:
        program, elf = build()
        self._elf = elf
        command = [str(program), str(elf), *([f"--eeprom={eeprom}"] if eeprom else [])]
        if trace:
            command.append(f"--trace={trace}")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.plugged = True
        self._outbox = b""
        self._to_mcu, self._to_host = Line(), Line()
        self.load(cards)

    def load(self, cards: int) -> None:
        """See Machine."""
        self._ask(f"L {cards}")

    def write(self, data: bytes) -> None:
        """See Machine."""
        if self.plugged:
            self._outbox += self._to_mcu.carry(data)

    def advance(self, ms: int) -> bytes:
        """See Machine."""
        data, self._outbox = self._outbox, b""
        answer = self._ask(f"R {ms} {data.hex()}")
        came = bytes.fromhex(answer.split(" ")[1])
        return self._to_host.carry(came) if self.plugged else b""

    def fault(self, name: str, **arguments: int | str) -> None:
        """See Machine."""
        if name in LINE_FAULTS:
            line = self._to_mcu if arguments.pop("direction", "to_host") == "to_mcu" else self._to_host
            line.fault(name, **arguments)  # type: ignore[arg-type]  # names and types are checked by Line.fault itself
            return
        if "sensor" in arguments:
            arguments["sensor"] = m.Input[str(arguments["sensor"])].bit_length() - 1
        words = [f"{key}={value}" for key, value in arguments.items()]
        self._ask(" ".join(["F", name, *words]))

    def delivered(self) -> dict[str, list[int]]:
        """See Machine."""
        trays = self._ask("D").split(" ")
        pairs = zip(m.EXIT_LETTERS, trays, strict=True)
        return {letter: [int(card) for card in tray.split(",") if card] for letter, tray in pairs}

    def cycles(self) -> int:
        """The MCU's cycle counter: equal in equal runs."""
        return int(self._ask("C"))

    def state(self) -> int:
        """See Machine."""
        return int(self._ask(f"M {_state_address(self._elf)}"))

    def released(self) -> list[int]:
        """See Machine."""
        return [int(count) for count in self._ask("G").split()]

    def interrupts_off(self) -> tuple[int, int, int]:
        """With ``trace``: the most CPU cycles in a row without interrupts, from which address, to which."""
        cycles, begin, end = self._ask("O").split()
        return int(cycles), int(begin, 16), int(end, 16)

    def reset(self) -> None:
        """See Machine."""
        self._ask("F reset")

    def unplug(self) -> None:
        """See Machine."""
        self.plugged = False
        self._outbox = b""

    def replug(self) -> None:
        """See Machine."""
        self.plugged = True

    def close(self) -> None:
        """See Machine."""
        self.plugged = False
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        self._process.wait(timeout=10)
        if self._process.stdout:
            self._process.stdout.close()

    def _ask(self, request: str) -> str:
        """One request line, one answer line: ``= …``, or ``! …`` for an error."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None or stdin.closed:
            raise DeviceError("The AVR bench is closed.", code="BENCH")
        try:
            stdin.write(request.encode() + b"\n")
            stdin.flush()
            answer = stdout.readline().decode()
        except BrokenPipeError:
            answer = ""
        if answer.startswith("!"):
            raise ValueError(answer[2:].strip())
        if not answer.startswith("= "):
            raise DeviceError(
                f"The AVR bench ended (status {self._process.poll()}).", way_out="Run: make -C firmware", code="BENCH"
            )
        return answer[2:].rstrip("\n")
