"""The line as text: recorded bytes of both directions, and whatever else may be in them."""

from __future__ import annotations

import random
import struct

import pytest

from table_controller.cli import main
from table_controller.dealer import messages as m
from table_controller.dealer.framing import Frame, encode
from table_controller.dealer.monitor import Monitor, describe


def read(data: bytes) -> list[str]:
    monitor = Monitor()
    return [*monitor.feed(data), *monitor.rest()]


def test_frames_of_both_directions_with_the_names_of_their_numbers():
    status = m.StatusReply(9, 2, 0x84, m.State.FAULT, 0, 0xABC, 20, 7, bytes([2, 2, 2, 1, 0]), 1, 6, 0, 0x1800, 9, 1, 0)
    frames = [Frame(7, m.Start.TYPE, m.Start(9, 0xABC, b"A").pack()), Frame(7, m.StatusReply.TYPE, status.pack())]
    lines = read(b"".join(encode(frame) for frame in frames))
    assert lines[0] == "> Start #7 session=00000009 job=00000abc pack_id='A'"
    for words in ("cause=WATCHDOG+DEFAULTS", "state=FAULT", "counts=2/2/2/1/0", "fault=JAM", "place=the_feeder"):
        assert words in lines[1]
    assert "inputs=HOPPER|HOME" in lines[1]


@pytest.mark.parametrize("kind", [*m.COMMANDS.values(), *m.ANSWERS.values()], ids=lambda kind: kind.__name__)
def test_every_message_has_its_line(kind):
    line = describe(Frame(1, kind.TYPE, bytes(range(1, 200))[: struct.calcsize(kind.FORMAT)]))
    assert kind.__name__ in line
    assert "wrong size" not in line


def test_what_is_none_is_shown_and_counted():
    good = encode(Frame(1, m.Status.TYPE, m.Status(9).pack()))
    lines = read(
        b"\x55\x66\0" + good + bytes(m.STOP_ZEROS) + encode(Frame(2, 0x55, b"\1")) + encode(Frame(3, 1, b"\1")) + b"\3"
    )
    assert lines == [
        "? no frame: 55 66",
        "> Status #1 session=00000009",
        "> STOP's own path: 8 zeros",
        "> type 0x55 #2: unknown, 01",
        "> Hello #3: wrong size, 01",
        "? not ended: 03",
    ]


def test_any_bytes_never_raise():
    rng = random.Random(4)
    monitor = Monitor()
    for _ in range(300):
        kind = rng.choice([*m.COMMANDS, *m.ANSWERS, rng.randrange(256)])
        data = rng.randbytes(40) + encode(Frame(rng.randrange(65536), kind, rng.randbytes(rng.randrange(60))))
        assert all(line and "\n" not in line for line in monitor.feed(data))
    assert monitor.frames >= 290


def test_a_recording_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "line.bin"
    file.write_bytes(encode(Frame(1, m.Status.TYPE, m.Status(9).pack())) + b"\x55\0")
    assert main(["dealer", "monitor", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 frames, 1 blocks that are none"
    file.write_bytes(b"hello")
    assert main(["dealer", "monitor", str(file)]) == 65
    assert main(["dealer", "monitor", str(tmp_path / "gone")]) == 66
