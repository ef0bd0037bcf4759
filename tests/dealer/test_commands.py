"""`table-controller dealer`: every command, on simulated machines and over a real pseudo-terminal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from table_controller.cli import main
from table_controller.dealer import commands
from table_controller.dealer import messages as m
from table_controller.dealer.console import Console, MachineWire
from table_controller.dealer.emulator import Emulator
from table_controller.dealer.framing import crc16
from table_controller.dealer.ports import find_port
from table_controller.errors import DeviceError, InputError
from table_controller.sim.dealer_faults.around import Around

ROOT = Path(__file__).resolve().parents[2]


SESSIONS = random.Random(3)
"""Each conversation has a number of its own, as in a real run."""


def console(machine) -> Console:
    return Console(MachineWire(machine), SESSIONS.randbytes, quiet_ms=50)


@pytest.fixture
def started(machine):
    """(machine, console) with a deal of 20 cards under way."""
    machine.load(20)
    asked = console(machine)
    asked.greet()
    exits = bytes(index % 4 for index in range(20))
    asked.ask(lambda s: m.PlanChunk(s, 5, 0, exits), m.Ack)
    asked.ask(lambda s: m.PlanCommit(s, 5, 20, bytes([5, 5, 5, 5, 0]), crc16(exits), b"A"), m.Ack)
    asked.ask(lambda s: m.Start(s, 5, b"A"), m.Ack)
    asked.wait(900)
    return machine, asked


def test_status_says_what_there_is(machine):
    machine.load(4)
    found = commands.status(console(machine))
    assert (found["state"], found["protocol"], found["fault"]) == ("IDLE", m.PROTOCOL_VERSION, "")
    assert {"HOPPER", "BACK"} <= set(found["inputs"])
    assert "state IDLE" in "\n".join(commands.status_lines(found))


def test_selftest_and_its_faults(machine):
    machine.load(4)
    assert "nothing wrong" in commands.selftest(console(machine))
    machine.fault("sensor_stuck", sensor="EXIT_W", active=1)
    with pytest.raises(DeviceError, match="exit W") as caught:
        commands.selftest(console(machine))
    assert "传感器" in caught.value.message
    machine.fault("clear")
    assert "Cleared" in commands.clear(console(machine))
    assert "no fault" in commands.clear(console(machine))


def test_abort_stops_a_deal_and_keeps_its_counts(started):
    machine, _ = started
    said = commands.abort(console(machine))
    dealt = sum(map(len, machine.delivered().values()))
    assert 0 < dealt < 20
    assert f"{dealt} of 20 cards" in said
    machine.advance(3000)
    assert sum(map(len, machine.delivered().values())) == dealt


def test_clear_names_what_keeps_the_fault(started):
    machine, asked = started
    machine.fault("lid", open=1)
    asked.wait(100)
    with pytest.raises(DeviceError, match="The lid is open"):
        commands.clear(console(machine))
    machine.fault("lid", open=0)
    assert "void" in commands.clear(console(machine))


def test_settings_are_kept_over_a_restart(machine):
    assert "'no. 7'" in commands.settings(console(machine), 8, None, "no. 7")
    machine.advance(100)
    machine.reset()
    machine.advance(100)
    found = commands.status(console(machine))
    assert found["settings"] == {"home_steps": 8, "settle_ms": m.CHUTE_SETTLE_MS, "serial": "no. 7"}
    assert not found["defaults"]
    with pytest.raises(InputError, match="out of range"):
        commands.settings(console(machine), 1, None, None)


def test_lost_settings_are_told(machine):
    machine.advance(50)
    machine.fault("eeprom")
    machine.reset()
    machine.advance(50)
    found = commands.status(console(machine))
    assert found["defaults"]
    assert "设置已丢失" in "\n".join(commands.status_lines(found))


def test_nobody_another_device_another_version():
    machine = Around(Emulator())
    machine.unplug()
    with pytest.raises(DeviceError, match="does not answer"):
        commands.status(console(machine))
    machine.replug()
    machine.device = b"gps-mouse"
    with pytest.raises(DeviceError, match="gps-mouse"):
        commands.status(console(machine))
    machine.device, machine.protocol = b"", 9
    with pytest.raises(DeviceError, match="protocol 9"):
        commands.status(console(machine))
    assert "no deal" in commands.abort(console(machine))  # stopping is never refused
    machine.protocol = 0
    machine.fault("noise", direction="to_host", data="2447504741" * 9)
    machine.fault("corrupt_rate", direction="to_host", per_mille=1000)
    with pytest.raises(DeviceError, match="is not a dealer's"):
        commands.status(console(machine))


def test_a_restart_and_a_refusal_in_the_middle(machine):
    asked = console(machine)
    asked.greet()
    with pytest.raises(DeviceError, match="refused Release") as refused:
        asked.ask(lambda s: m.Release(s, 3), m.Ack)
    assert refused.value.code == "REFUSED_COMMAND"
    machine.reset()
    with pytest.raises(DeviceError, match="restarted"):
        asked.status()


def test_a_deal_by_hand_and_its_record(tmp_path, capsys):
    record = tmp_path / "deal.jsonl"
    assert main(["dealer", "deal", "--simulated", "--quotas", "3,3,3,3,1", "--record", str(record)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("commitment ")
    assert "dealt 3 3 3 3 1" in said
    assert main(["dealer", "audit", str(record)]) == 0
    assert "job 1: dealt, 13 cards, counted 3 3 3 3 1: ok" in capsys.readouterr().out
    lines = record.read_text().splitlines()
    reveal = json.loads(lines[1])
    reveal["data"]["plan"] = reveal["data"]["plan"][::-1].replace("E", "x").replace("N", "E").replace("x", "N")
    record.write_text("\n".join([lines[0], json.dumps(reveal)]))
    assert main(["dealer", "audit", str(record)]) == 65
    assert "NOT OK" in capsys.readouterr().out


@pytest.mark.parametrize("quotas", ["1,2,3", "0,0,0,0,0", "50,50,50,50,0", "a,1,1,1,1"])
def test_quotas_that_cannot_be(quotas, capsys):
    assert main(["dealer", "deal", "--simulated", "--quotas", quotas]) == 64
    assert "--quotas" in capsys.readouterr().err


def test_a_deal_that_fails_says_why():
    machine = Emulator(10)
    with pytest.raises(DeviceError, match="10 cards are missing"):
        commands.deal(MachineWire(machine), (5, 5, 5, 5, 0), lambda _: None, random.Random(1).randbytes, quiet_ms=50)
    machine.unplug()
    with pytest.raises(DeviceError, match="does not answer"):
        commands.deal(MachineWire(machine), (5, 5, 5, 5, 0), lambda _: None, random.Random(1).randbytes, quiet_ms=50)


@pytest.mark.parametrize("what", ["status", "selftest", "abort", "clear", "settings"])
def test_every_command_on_the_command_line(what, capsys):
    assert main(["dealer", what, "--simulated"]) == 0
    assert capsys.readouterr().out


def test_status_as_json(capsys):
    assert main(["dealer", "status", "--simulated", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "IDLE"


def test_no_port_in_plain_words(tmp_path, capsys):
    assert main(["dealer", "status", "--port", str(tmp_path / "ttyNONE")]) == 69
    assert "There is no serial port" in capsys.readouterr().err
    config = tmp_path / "table.toml"
    config.write_text('[dealer]\nport = "none"\n')
    assert main(["dealer", "status", "--config", str(config)]) == 69
    assert "deals by hand" in capsys.readouterr().err


@pytest.mark.avr
def test_over_a_port_in_real_time(pty_bench, capsys, tmp_path):
    """The commands as a technician runs them, on a pseudo-terminal with the real firmware behind it."""
    path, process = pty_bench
    record = tmp_path / "line.bin"
    assert main(["dealer", "status", "--port", path]) == 0
    assert "state IDLE" in capsys.readouterr().out
    assert main(["dealer", "deal", "--port", path, "--quotas", "3,3,3,3,0"]) == 0
    assert "dealt 3 3 3 3 0" in capsys.readouterr().out
    assert main(["dealer", "monitor", "--port", path, "--seconds", "3", "--record", str(record)]) == 0
    assert "state=RELEASED" in capsys.readouterr().out
    assert main(["dealer", "monitor", str(record)]) == 0
    assert "HelloReply" in capsys.readouterr().out
    process.stdin.write("F sensor_stuck sensor=0 active=1\n")
    assert process.stdout.readline() == "= ok\n"
    assert main(["dealer", "selftest", "--port", path]) == 69
    assert "the path beam" in capsys.readouterr().err


def test_the_name_that_udev_gives_is_taken_first(tmp_path):
    own = tmp_path / "guandan-dealer"
    for name, target in (("usb-GPS-if00", "/dev/zero"), ("usb-Arduino_Mega-if00", "/dev/null")):
        (tmp_path / name).symlink_to(target)
    with pytest.raises(DeviceError, match="Several"):
        find_port("auto", tmp_path, own)
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    (by_id / "usb-Arduino_Mega-if00").symlink_to("/dev/null")
    (by_id / "usb-GPS-if00").symlink_to("/dev/zero")
    own.symlink_to("/dev/null")
    assert find_port("auto", by_id, own) == by_id / "usb-Arduino_Mega-if00"


def test_the_udev_rules_name_what_the_program_looks_for():
    rules = (ROOT / "systemd" / "70-guandan-dealer.rules").read_text(encoding="utf-8")
    assert 'SYMLINK+="guandan-dealer"' in rules
    assert 'GROUP="dialout"' in rules
    assert "ID_MM_DEVICE_IGNORE" in rules
    jumps = {word.split('"')[1] for word in rules.split() if word.startswith("GOTO=")}
    assert jumps == {word.split('"')[1] for word in rules.split() if word.startswith("LABEL=")}
