"""What is generated from protocol.toml, machine.toml and pins.toml is what is committed."""

from __future__ import annotations

import importlib.util
import struct
import tomllib
from pathlib import Path

import pytest

from table_controller.dealer import messages as m
from table_controller.panel.pins_gen import PINS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("firmware_generate", ROOT / "firmware" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_regenerated_equals_committed(generate):
    for path, text in generate.outputs().items():
        assert path.read_text(encoding="utf-8") == text, f"{path} is stale: run make -C firmware generate"


def test_check_names_a_stale_file(generate, monkeypatch, capsys):
    stale = ROOT / "firmware" / "core" / "protocol_gen.h"
    monkeypatch.setattr(generate, "outputs", lambda: {stale: "something else"})
    assert generate.main(["--check"]) == 1
    assert "protocol_gen.h" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("side", "name", "key", "value"),
    [
        ("pi", "BUZZER", "gpio", 5),
        ("pi", "BUZZER", "gpio", 14),
        ("mcu", "BEAM", "pin", "PC1"),
        ("mcu", "BEAM", "pin", "PE0"),
    ],
)
def test_a_pin_used_twice_or_reserved_is_refused(generate, side, name, key, value):
    pins = generate.load("hardware/pins.toml")
    pins[side][name][key] = value
    with pytest.raises(SystemExit, match=name):
        generate.check_pins(pins)


def test_geometry_crc_follows_the_card(generate):
    protocol, machine = generate.load("firmware/protocol.toml"), generate.load("firmware/machine.toml")
    geometry = generate.load("hardware/geometry.toml")
    before = generate.constants(protocol, machine, geometry)["GEOMETRY_CRC"]
    assert before == m.GEOMETRY_CRC
    geometry["card"]["height_mm"] = 98
    assert generate.constants(protocol, machine, geometry)["GEOMETRY_CRC"] != before


def test_pins_of_the_pi():
    pins = tomllib.loads((ROOT / "hardware" / "pins.toml").read_text(encoding="utf-8"))
    assert set(PINS) == set(pins["pi"])
    seats = {f"{what}_{seat}" for what in ("LAMP", "PASS", "TD", "READY") for seat in "ENWS"}
    assert seats | {"LAMP_TABLE", "BUZZER", "START", "STOP"} == set(PINS)
    assert len({pin.gpio for pin in PINS.values()}) == len(PINS)
    assert all(2 <= pin.gpio <= 27 for pin in PINS.values())


@pytest.mark.parametrize("kind", [*m.COMMANDS.values(), *m.ANSWERS.values()], ids=lambda kind: kind.__name__)
def test_every_message_packs_and_unpacks(kind):
    size = struct.calcsize(kind.FORMAT)
    message = kind.unpack(bytes(range(1, size + 1)))
    assert message.pack() == bytes(range(1, size + 1))
    assert len(message.pack()) <= m.MAX_PAYLOAD


def test_every_fault_has_words_and_a_way_out():
    assert set(m.FAULT_WORDS) == set(m.Fault) - {m.Fault.NONE}
    for message, way_out, message_zh, way_out_zh in m.FAULT_WORDS.values():
        assert message
        assert message_zh
        assert way_out.endswith(".")
        assert way_out_zh.endswith("。")
