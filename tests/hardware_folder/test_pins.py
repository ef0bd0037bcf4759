"""pins.toml against the boards, the wiring and the firmware."""

from __future__ import annotations

from hardware.tools import harness
from hardware.tools.data import bom, signals, toml
from hardware.tools.dealer_view import sheets as dealer_sheets
from hardware.tools.jig import inputs, outputs
from hardware.tools.jig import sheet as jig_sheet
from table_controller.cards import SEATS

NOT_ON_THE_HEADER = {0, 1}
I2C, SERIAL_CONSOLE, SPI = {2, 3}, {14, 15}, {7, 8, 9, 10, 11}


def test_no_pin_is_used_twice_or_reserved() -> None:
    pins = toml("hardware/pins.toml")
    for side, key in (("pi", "gpio"), ("mcu", "pin")):
        used = [pin[key] for pin in pins[side].values()]
        assert len(set(used)) == len(used)
        assert set(used) & set(pins["reserved"][side]) == set()


def test_what_the_pi_needs_itself_is_reserved() -> None:
    """A clock module (I2C), the identification EEPROM and the console; SPI is given up, and step 03 says so."""
    assert set(toml("hardware/pins.toml")["reserved"]["pi"]) >= NOT_ON_THE_HEADER | I2C | SERIAL_CONSOLE
    used = {pin["gpio"] for pin in signals("pi").values()}
    assert used <= set(range(2, 28))
    step = (harness.data.HARDWARE / "assembly/03-pi.md").read_text(encoding="utf-8")
    assert ("Leave SPI" in step) == bool(used & SPI)


def test_no_way_of_a_plug_is_used_twice() -> None:
    ways = [pin["connector"] for side in ("mcu", "pi") for pin in signals(side).values() if pin["wire"] != "none"]
    assert len(set(ways)) == len(ways)
    cables = {cable.plug: cable for cable in harness.cables()}
    assert {way.partition("-")[0] for way in ways} == set(cables)
    in_harness = {way.name for cable in harness.cables() for way in cable.ways if way.pin}
    wired = {name for side in ("mcu", "pi") for name, pin in signals(side).items() if pin["wire"] != "none"}
    assert in_harness == wired


def test_every_signal_is_complete() -> None:
    for side in ("mcu", "pi"):
        for name, pin in signals(side).items():
            assert pin["dir"] in ("in", "out"), name
            assert pin["active"] in ("low", "high"), name
            assert (pin.get("pull") == "up") == (pin["dir"] == "in"), name


def test_no_foreign_voltage_meets_the_pi() -> None:
    """A Pi's pin has 3.3 V; its wire stays there, or a driver of the BOM stands between."""
    interface = toml("hardware/wiring.toml")["interface"]
    assert set(interface.values()) <= set(bom())
    for name, pin in signals("pi").items():
        assert pin["volts"] == 3.3, name
        assert (pin["dir"] == "out") == (name in interface), name
    assert all(pin["volts"] == 5 for pin in signals("mcu").values())
    shared = {pin["connector"].partition("-")[0] for pin in signals("mcu").values()}
    assert shared.isdisjoint(pin["connector"].partition("-")[0] for pin in signals("pi").values())


def test_a_lamp_and_three_buttons_a_seat() -> None:
    pins = signals("pi")
    for seat in SEATS:
        names = {name for name in pins if name.endswith(f"_{seat}")}
        assert names == {f"{what}_{seat}" for what in ("LAMP", "PASS", "TD", "READY")}
        plugs = {pins[name]["connector"].partition("-")[0] for name in names}
        assert len(plugs) == 1
        assert [pins[name]["dir"] for name in sorted(names)] == ["out", "in", "in", "in"]
    assert int(bom()["S4"]["qty"]) == 3 * len(SEATS)
    assert int(bom()["H1"]["qty"]) == len(SEATS)
    buttons = [pin for pin in pins.values() if pin["dir"] == "in"]
    assert int(bom()["R4"]["qty"]) == int(bom()["C1"]["qty"]) == len(buttons)
    assert int(bom()["R3"]["qty"]) == len(pins) - len(buttons)


def test_every_sensor_the_firmware_reads_is_in_the_sketch() -> None:
    places = toml("hardware/mechanism.toml")["places"]
    read = {name for name, pin in signals("mcu").items() if pin["dir"] == "in"}
    assert read == set(toml("firmware/protocol.toml")["input"])
    assert set(places) == set(signals("mcu"))
    side, plan = dealer_sheets()
    for name, place in places.items():
        assert place["ref"] in bom(), name
        row = [name, place["ref"], signals("mcu")[name]["pin"], place["at"]]
        assert set(row) <= set(plan.texts), name
    drawn = {*side.texts, *plan.texts[: plan.texts.index("no.")]}
    inside = {name for name in read if places[name]["ref"].startswith("SE")}
    assert {str(places[name]["number"]) for name in inside} <= drawn
    numbers = {places[name]["number"] for name in inside}
    assert len(numbers) == len(inside)


def test_the_sensors_of_the_bom_are_those_of_the_machine() -> None:
    places = toml("hardware/mechanism.toml")["places"]
    wanted: dict[str, int] = {}
    for place in places.values():
        if place["ref"].startswith("SE"):
            wanted[place["ref"]] = wanted.get(place["ref"], 0) + 1
    assert wanted == {ref: int(part["qty"]) for ref, part in bom().items() if ref.startswith("SE")}
    diodes = sum(count for ref, count in wanted.items() if ref != "SE6")
    assert int(bom()["R1"]["qty"]) == diodes


def test_the_jig_has_a_switch_and_a_lamp_for_everything() -> None:
    assert int(bom()["TJ1"]["qty"]) == len(inputs())
    assert int(bom()["TJ2"]["qty"]) >= len(outputs())
    assert {*inputs(), *outputs()} <= set(jig_sheet().texts)
    assert len(inputs()) + len(outputs()) == len(signals("mcu")) - 1  # the board's own LED
