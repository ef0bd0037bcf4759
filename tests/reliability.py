"""The table in docs/reliability.md, made from what was really run.

``python tests/reliability.py --junit build/test/results.xml --soak build/soak/results.jsonl`` takes in results (either
may be left out) and writes docs/reliability.json and the table; without options it only writes the table anew.
"""

from __future__ import annotations

import argparse
import json
import sys
import xml.etree.ElementTree as Xml
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reliability.md"
RESULTS = ROOT / "docs" / "reliability.json"
BEGIN, END = "<!-- made by tests/reliability.py -->", "<!-- end of the made part -->"


@dataclass(frozen=True)
class Row:
    """A fault; the tests of CI with their count in words; the long tests with the count wanted."""

    number: str
    fault: str
    tests: tuple[str, ...]
    count: str
    long: str = ""
    wanted: int = 0
    unit: str = ""


ROWS = (
    Row("R1", "state × event matrix", ("tests/core/test_matrix.py",), "all pairs"),
    Row(
        "R2",
        "stateful properties of the core: cards conserved, one clock, no secret",
        ("tests/property",),
        "examples × 50 steps",
        "tests/soak/test_long_columns.py",
        10_000,
        "examples",
    ),
    Row(
        "R3",
        "hand engine against brute force",
        ("tests/rules/test_engine_brute_force.py",),
        "500 hands, all levels",
        "tests/soak/test_long_columns.py",
        10_000,
        "hands",
    ),
    Row(
        "R4",
        "SIGKILL at a random instant of a live table",
        ("tests/journal/test_killed.py", "tests/dealer/test_killed.py"),
        "30, and 30 with the dealer",
        "tests/journal/test_killed.py",
        1000,
        "kills",
    ),
    Row(
        "R5",
        "journal cut at every byte; flipped bits",
        ("tests/journal/test_journal.py",),
        "every byte; 2,000 flips",
        "tests/soak/test_long_columns.py",
        100_000,
        "flips",
    ),
    Row(
        "R6",
        "writes and fsyncs that fail, a slow or full disk, unsynced bytes lost",
        ("tests/journal/test_disk.py", "tests/journal/test_journal.py", "tests/core/test_runtime.py"),
        "every call × 5 sessions × 2 calls; each event × 5",
    ),
    Row(
        "R7",
        "serial: random bytes, mutated frames, every split",
        ("tests/dealer/test_framing.py", "tests/firmware/test_native.py"),
        "10⁵; 10⁵; all",
        "tests/soak/test_dealer_soak.py",
        10_000_000,
        "inputs",
    ),
    Row(
        "R8",
        "link: drop, duplicate, reorder, delay, unplug at each step, MCU reset",
        (
            "tests/dealer/test_unruly.py",
            "tests/dealer/test_faults.py",
            "tests/dealer/test_session.py",
            "tests/dealer/test_serial.py",
        ),
        "20 each, and each fault of [the list](dealer-faults.md)",
        "tests/soak/test_link_soak.py",
        1000,
        "instants of each",
    ),
    Row("R9", "dealer faults in every state", ("tests/dealer/test_faults.py",), "all pairs, 440 runs"),
    Row(
        "R10",
        "broker restarted, black hole, wrong password, an old retained command",
        (
            "tests/feed/test_broker_troubles.py",
            "tests/feed/test_feed.py",
            "tests/feed/test_table_side.py",
            "tests/feed/test_refill.py",
            "tests/soak/test_real_processes.py",
        ),
        "20, and 2,000 events offline; killed in R18",
        "tests/soak/test_long_columns.py",
        1000,
        "troubles, 20,000 events offline",
    ),
    Row(
        "R11",
        "hostile MQTT and HTTP",
        ("tests/cli/test_hostile.py", "tests/feed/test_commands.py", "tests/web"),
        "10⁴ commands",
        "tests/soak/test_long_columns.py",
        100_000,
        "commands",
    ),
    Row(
        "R12",
        "camera unplugged, frozen, black, glare, blocked read, worker killed",
        ("tests/vision/test_worker.py", "tests/vision/test_sources.py", "tests/soak/test_real_processes.py"),
        "each; again in R18",
        "tests/soak/test_camera_troubles.py",
        1200,
        "troubles, 200 of each",
    ),
    Row("R13", "wall clock ±1 h, 1970, at each phase", ("tests/core/test_wall_clock.py",), "100 sessions"),
    Row(
        "R14",
        "buttons: bounce trains, stuck, a press at the limit",
        ("tests/panel/test_panel.py", "tests/core/test_deals.py"),
        "10³ trains",
        "tests/soak/test_long_columns.py",
        100_000,
        "trains",
    ),
    Row(
        "R15",
        "config: missing, wrong, out of range, unknown; cut file",
        ("tests/cli/test_config_matrix.py", "tests/cli/test_cli.py"),
        "every key × 6; every byte",
    ),
    Row(
        "R16",
        "loop stalled, adapter dead, SIGTERM at any time",
        ("tests/systemd/test_stopped.py", "tests/core/test_watchdog.py"),
        "10 stops",
        "tests/systemd/test_stopped.py",
        100,
        "stops",
    ),
    Row(
        "R17",
        "table-hours in virtual time",
        ("tests/soak/test_hours_soak.py",),
        "100 hours",
        "tests/soak/test_hours_soak.py",
        10_000,
        "table-hours",
    ),
    Row(
        "R18",
        "real processes, broker and firmware, faults",
        ("tests/soak/test_real_processes.py",),
        "a fault every 8 s for two minutes",
        "tests/soak/test_real_processes.py",
        60,
        "minutes, a fault every 30 s",
    ),
    Row(
        "R19",
        "shuffle statistics",
        ("tests/dealer/test_fairness.py",),
        "4,000 deals",
        "tests/soak/test_dealer_soak.py",
        4000,
        "deals",
    ),
    Row(
        "R20",
        "outputs searched for cards never shown",
        ("tests/property", "tests/soak/test_hours_soak.py", "tests/venue/test_secrecy.py"),
        "every published event; a hall's broker, pages, files and archive",
    ),
    Row("R21", "recorded journals replayed", ("tests/journal/test_kept.py",), "every one kept"),
)


ALSO = (
    ("tests/soak/test_virtual_soak.py", "clean deals in virtual time under three profiles: no incident", "deals"),
    ("tests/soak/test_camera_soak.py", "deals through rendered camera and recogniser: nobody is accused", "deals"),
    ("tests/soak/test_dealer_soak.py::test_killed", "the controller killed while a simulated dealer deals", "kills"),
    ("tests/soak/test_venue_soak.py", "a thousand tables on one service: nothing lost, memory flat", "seconds"),
    ("tests/systemd/test_install.py", "this checkout installed, upgraded, rolled back, removed", "times"),
    ("tests/systemd/test_clean_debian.py", "the same by the README on a clean Debian 12, with a deal", "times"),
)
"""Long tests beside the rows: where (the beginning of a test's name), what, and what is counted."""


def module_of(path: str) -> str:
    """A path as junit names it."""
    return path.removesuffix(".py").replace("/", ".")


def from_junit(file: Path) -> dict[str, dict[str, Any]]:
    """By row: how many of its tests passed and failed, and when."""
    cases = Xml.parse(file).getroot().iter("testsuite")
    found: dict[str, dict[str, Any]] = {}
    for suite in cases:
        date = suite.get("timestamp", "")[:10]
        for case in suite.iter("testcase"):
            bad = case.find("failure") is not None or case.find("error") is not None
            skipped = case.find("skipped") is not None
            for row in ROWS:
                names = [module_of(path) for path in row.tests]
                where = case.get("classname", "")
                if any(where == name or where.startswith(f"{name}.") for name in names):
                    line = found.setdefault(row.number, {"date": date, "passed": 0, "failed": 0})
                    line["failed" if bad else "passed"] += 0 if skipped else 1
    return found


def from_soak(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By row: the count of all parts of its long tests that passed, and the last date; other long tests count other
    things (deals, plays) and stand in no row."""
    found: dict[str, dict[str, Any]] = {}
    long = {row.number: row.long for row in ROWS if row.long}
    for line in {(one["row"], one["test"]): one for one in lines}.values():
        if not line["test"].startswith(long.get(line["row"], "")):
            continue
        told = found.setdefault(line["row"], {"count": 0, "date": ""})
        told["count"] += line["count"]
        told["date"] = max(told["date"], line["date"][:10])
    return found


def also_from_soak(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By the beginning in ``ALSO``: the count of all parts, the last date, and why one was not tried, if it was not."""
    found: dict[str, dict[str, Any]] = {}
    for line in {one["test"]: one for one in lines}.values():
        for begin in (place for place, *_ in ALSO if line["test"].startswith(place)):
            told = found.setdefault(begin, {"count": 0, "date": ""})
            told["count"] += line["count"]
            told["date"] = max(told["date"], line["date"][:10])
            if "not_tried" in line:
                told["not_tried"] = line["not_tried"]
    return found


def also(results: dict[str, Any]) -> str:
    """What else ``make soak`` runs, as Markdown."""
    lines = ["| also at length | test | result |", "|---|---|---|"]
    for begin, what, unit in ALSO:
        told = results.get("also", {}).get(begin)
        said = "not yet run" if told is None else f"{told['count']:,} {unit} passed, {told['date']}"
        if told is not None and "not_tried" in told:
            said = f"**NOT TRIED**, {told['date']}: {told['not_tried']}"
        lines.append(f"| {what} | `{begin.split('::')[0]}` | {said} |")
    return "\n".join(lines)


def table(results: dict[str, Any]) -> str:
    """The table as Markdown."""
    lines = ["| # | fault | tests | in CI | result | at length (`make soak`) |", "|---|---|---|---|---|---|"]
    for row in ROWS:
        ci, long = results["ci"].get(row.number), results["long"].get(row.number)
        said = (
            "not run" if ci is None else f"{ci['passed']} passed" if not ci["failed"] else f"**{ci['failed']} FAILED**"
        )
        result = said if ci is None else f"{said}, {ci['date']}"
        at_length = ""
        if row.long:
            done = f"{long['count']:,} passed, {long['date']}" if long else "not yet run"
            at_length = f"{done} (of {row.wanted:,} {row.unit}; `{row.long}`)"
        tests = ", ".join(f"`{path}`" for path in row.tests)
        lines.append(f"| {row.number} | {row.fault} | {tests} | {row.count} | {result} | {at_length} |")
    return "\n".join(lines)


def page(text: str, results: dict[str, Any]) -> str:
    """The page with its table made anew."""
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{table(results)}\n\n{also(results)}\n{END}{rest.split(END)[1]}"


def main() -> int:
    """Take in results and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--junit", type=Path, metavar="FILE")
    parser.add_argument("--soak", type=Path, nargs="+", default=[], metavar="FILE")
    args = parser.parse_args()
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"ci": {}, "long": {}}
    if args.junit:
        results["ci"] |= from_junit(args.junit)
    lines = [json.loads(line) for file in args.soak for line in file.read_text().splitlines()]
    results["long"] |= from_soak(lines)
    results["also"] = results.get("also", {}) | also_from_soak(lines)
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
