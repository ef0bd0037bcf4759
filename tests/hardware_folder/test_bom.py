"""The bill of materials, the assembly steps and the power sums hold together."""

from __future__ import annotations

import re

import pytest

from hardware.tools.data import HARDWARE, SUPPLIES, bom, loads, rows

COLUMNS = ["ref", "qty", "description", "part_number", "substitute", "supplier_class", "price_class"]
COLUMNS += ["volts", "amps", "step"]
STEPS = {path.name[:2]: path for path in sorted((HARDWARE / "assembly").glob("[0-9][0-9]-*.md"))}
REFERENCE = re.compile(r"`((?:PS|PCB|SE|MP|TJ|[ABCDFHJKLMQRSTUXYW])\d+|W[ABC])`")


def test_columns_and_rows() -> None:
    table = rows("hardware/bom.csv")
    assert list(table[0]) == COLUMNS
    assert len({row["ref"] for row in table}) == len(table)
    for row in table:
        assert None not in row and None not in row.values(), row["ref"]
        assert int(row["qty"]) > 0, row["ref"]
        assert row["description"] and row["supplier_class"], row["ref"]
        assert row["price_class"] in "ABCD", row["ref"]


def test_every_part_is_used_in_its_step_and_no_other_is_named() -> None:
    assert list(STEPS) == [f"{number:02}" for number in range(1, 13)]
    named = {number: set(REFERENCE.findall(path.read_text(encoding="utf-8"))) for number, path in STEPS.items()}
    for ref, part in bom().items():
        assert ref in named[part["step"]], f"{ref} is not in step {part['step']}"
    for number, refs in named.items():
        assert refs <= set(bom()), number


def test_the_other_pages_name_parts_of_the_bom() -> None:
    for path in HARDWARE.glob("*.md"):
        assert set(REFERENCE.findall(path.read_text(encoding="utf-8"))) <= set(bom()), path.name


def test_the_readme_leads_to_every_step_and_says_what_was_never_built() -> None:
    text = (HARDWARE / "README.md").read_text(encoding="utf-8")
    for path in STEPS.values():
        assert f"](assembly/{path.name})" in text
    assert "Nothing in this folder was ever built or measured" in text
    assert "CERN-OHL-S-2.0" in text
    licence = (HARDWARE / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("CERN Open Hardware Licence Version 2 - Strongly Reciprocal")
    assert "8.6 This Licence shall not be enforceable" in licence


@pytest.mark.parametrize("supply", SUPPLIES)
def test_no_supply_is_loaded_beyond_80_percent(supply: str) -> None:
    assert 0 < loads(supply) <= 0.8 * SUPPLIES[supply]


def test_supplies_and_loads_are_those_of_the_bom() -> None:
    parts = bom()
    for name in ("PS1", "PS2"):
        assert float(parts[name]["amps"]) == SUPPLIES[name]
    assert "5 V, 2 A" in parts["U3"]["description"] and SUPPLIES["U3"] == 2
    assert "5 V, 5 A" in parts["U4"]["description"] and SUPPLIES["U4"] == 5
    for row in rows("hardware/power.csv"):
        assert row["supply"] in SUPPLIES and row["ref"] in parts
        assert 0 < float(row["duty"]) <= 1
    counted = {row["ref"]: int(row["qty"]) for row in rows("hardware/power.csv")}
    assert counted["H1"] == int(parts["H1"]["qty"]) and counted["L1"] == int(parts["L1"]["qty"])


def test_a_converter_is_counted_where_it_draws() -> None:
    """What U3 and U4 give comes out of PS1, with their losses."""
    for row in rows("hardware/power.csv"):
        if row["ref"] in ("U3", "U4"):
            given = loads(row["ref"]) * 5.1
            assert float(row["amps_each"]) * 24 * 0.8 >= given, row["ref"]


def test_every_eater_is_counted() -> None:
    """Motors, solenoid, lamps, sensors, boards: whatever draws from a supply stands in power.csv."""
    counted = {row["ref"] for row in rows("hardware/power.csv")}
    needed = {"M1", "M2", "Y1", "U1", "U3", "U4", "A1", "A2", "K1", "H1", "H2", "B1", "L1", "SE1", "SE4", "SE6"}
    assert needed <= counted


def test_fuses_carry_their_branches() -> None:
    amps: dict[str, float] = {}
    for row in rows("hardware/power.csv"):
        if row["supply"] == "PS1":
            rail = {"24 V motors": "F1", "24 V lamps": "F3"}.get(row["rail"], "F2" if row["ref"] == "U4" else "")
            amps[rail] = amps.get(rail, 0) + int(row["qty"]) * float(row["amps_each"])
    for fuse in ("F1", "F2", "F3"):
        assert amps[fuse] <= 0.8 * float(bom()[fuse]["amps"]), fuse
