"""The small commands: judge, replay, doctor, deck."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import json
import os
import shutil
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import serial.tools.list_ports

from table_controller.app.brokers import answers, broker_of, mosquitto_program
from table_controller.app.checks import secret_files
from table_controller.app.deck_choice import chosen_deck
from table_controller.app.health import LOW_DISK_MB, Health
from table_controller.app.terminal import url_host
from table_controller.cards import RANKS, over_conserved, parse_cards
from table_controller.config import Config, open_secrets, secret_of
from table_controller.dealer.bench import unavailable_reason
from table_controller.errors import (
    EX_DATAERR,
    CardError,
    ConfigError,
    DeviceError,
    TableError,
    UsageError,
)
from table_controller.feed.probe import why_not
from table_controller.games.guandan.hands import parse_reading, readings
from table_controller.games.guandan.judge import compare, judge
from table_controller.games.guandan.profile import Profile, load_profile
from table_controller.geometry import load_geometry
from table_controller.journal.kept import keep_journal
from table_controller.journal.program import program
from table_controller.journal.reader import Reading, Records, of_journal
from table_controller.journal.recover import diagnose
from table_controller.journal.replay import journal_hash, replay
from table_controller.journal.snapshot import claimed, snapshot_path
from table_controller.journal.writer import damaged, other_table
from table_controller.resources import resource
from table_controller.runtime.clock import RealClock
from table_controller.vision.enrol import command as deck_command
from table_controller.vision.enrol.opening import weights_name
from table_controller.vision.enrol.store import DeckStore, check_name
from table_controller.vision.sources import check_source

NAMES_ZH = {
    "single": "单张",
    "pair": "对子",
    "triple": "三同张",
    "fullhouse": "三带对",
    "straight": "顺子",
    "tube": "三连对",
    "plate": "三同连张",
    "bomb": "炸弹",
    "sf": "同花顺",
    "jokers": "四大天王",
}


def run_judge(cards: list[str], level: str, profile: str, against: list[str] | None, declared: str | None) -> int:
    """Print the readings of a play, and whether it beats another. Exit status 1 when it is no play or does not beat."""
    rank = level.upper().replace("10", "T")
    if len(rank) != 1 or rank not in RANKS:
        raise UsageError(f"'{level}' is not a level.", way_out="Levels are 2 to 10, J, Q, K and A.")
    level = rank
    rules = load_profile(profile)
    codes = _from_two_packs(cards)
    found = readings(codes, level, rules.policy)
    if declared is not None and parse_reading(declared, found) is None:
        known = ", ".join(reading.text() for reading in found) or "none"
        raise UsageError(f"'{declared}' is none of the readings.", way_out=f"Readings: {known}.")
    if not found:
        print(f"{' '.join(codes)} at level {level}: no legal play / 不成牌型")
        return 1
    placed = judge(codes, level, rules)
    for reading in found:
        laid = len(found) > 1 and reading == placed.reading and not placed.ambiguous and declared is None
        mark = " ← as laid / 按摆放" if laid else " ← as declared / 按说明" if reading.text() == declared else ""
        print(f"{reading.text():14} {NAMES_ZH[reading.type]}，{reading.size} 张 / {reading.size} cards{mark}")
    if len(found) > 1 and declared is None:
        print("More than one reading: it must be declared, or the wild laid in its place. / 需说明或按位置摆放")
    return 0 if not against else _against(codes, level, rules, against, declared)


def _from_two_packs(cards: list[str]) -> tuple[str, ...]:
    codes = parse_cards(cards)
    surplus = over_conserved(codes)
    if surplus:
        raise CardError(f"{' '.join(surplus)}: two packs hold only two of each card.", way_out="Correct the cards.")
    return codes


def _against(codes: tuple[str, ...], level: str, rules: Profile, against: list[str], declared: str | None) -> int:
    previous = _from_two_packs(against)
    if not readings(previous, level, rules.policy):
        raise CardError(f"{' '.join(previous)} is no legal play.", way_out="Name a play to beat.")
    wins = compare(previous, codes, level, rules, following_as=declared)
    verdict = ("beats", "压过") if wins else ("does not beat", "压不过")
    print(f"{' '.join(codes)} {verdict[0]} {' '.join(previous)} / {verdict[1]}")
    return 0 if wins else 1


def run_deck(args: argparse.Namespace) -> int:
    """``deck ACTION``: enrol, list, show, test, check, remove, export or import a deck of cards. Raises TableError."""
    with contextlib.closing(asyncio.new_event_loop()) as loop:
        return deck_command.run(args, RealClock(loop).now_ms)


def run_replay(path: Path, *, as_json: bool, keep: Path | None = None) -> int:
    """Replay a journal and say whether it reproduces the state. Exit status 65 when people would have seen another one.

    ``keep``: a folder of journals that every later version has to replay; this one is added (see journal/kept.py).
    """
    records = Records(path)
    result = replay(of_journal(records, path))
    reading = records.reading
    state = result.core.state
    report = {
        "journal": str(path),
        "records": reading.number,
        "events": result.events,
        "refused": result.refused,
        "damage": reading.damage or None,
        "written_by": result.writer or None,
        "program": program(),
        "reproduced": result.same,
        "first_difference": result.mismatch,
        "first_seen_difference": result.differs,
        "journal_hash": journal_hash(records),
        "state": state.digest(),
        "phase": state.phase,
        "deal": state.deal_number,
        "levels": state.levels,
    }
    if as_json:
        print(json.dumps(report, ensure_ascii=False))
    else:
        _say_replay(report, reading)
        print(result.words())
    whole = not reading.damage or reading.torn
    if keep is not None:
        print(f"kept as {keep_journal(path, records, result, keep)}", file=sys.stderr)
    return 0 if result.same and whole else EX_DATAERR


def _say_replay(report: dict[str, Any], reading: Reading) -> None:
    for key, value in report.items():
        words = " ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        print(f"{key:16} {'-' if words is None else words}")
    if reading.torn:
        print(f"The last record is cut off ({reading.damage}); all records before it were replayed.")
    elif reading.damage:
        print(f"The journal is DAMAGED: {reading.damage}. Only what comes before was replayed.")


def run_doctor(config: Config | None) -> int:
    """Look at everything a table needs and say in one line each what is there, what is not, and what to do.

    Raises ConfigError when ``camera.deck`` cannot be the name of a deck.
    """
    _check_deck_name(config)
    checks: list[tuple[str, Callable[[], str]]] = [
        ("python", lambda: sys.version.split()[0]),
        ("recogniser", lambda: _found(resource("models/index_detector.onnx"))),
        ("geometry", lambda: f"frame {load_geometry().frame_px}, {load_geometry().px_per_mm} px/mm"),
        ("camera", lambda: _camera(config)),
        ("deck", lambda: _deck(config)),
        ("serial ports", _ports),
        ("broker", lambda: _broker_words(config)),
        ("secrets", lambda: _secrets(config)),
        ("panel", _panel),
        ("firmware tools", lambda: unavailable_reason() or "avr-gcc and the AVR simulator are here"),
        ("disk", lambda: _state(config)),
        ("journal", lambda: _journal(config)),
        ("running table", lambda: _running(config)),
    ]
    failed = 0
    for name, check in checks:
        try:
            words, mark = check(), "ok"
        except TableError as error:
            words, mark = error.line(), "--"
            failed += 1
        print(f"{mark}  {name:15} {words}")
    return 0 if not failed else 1


def _found(path: Path) -> str:
    return f"{path.name}, {path.stat().st_size // 1024} KiB"


def _camera(config: Config | None) -> str:
    source = config.camera.source if config else "v4l2:0"
    check_source(source, load_geometry(), lambda: 0)
    return f"{source} opens"


def _check_deck_name(config: Config | None) -> None:
    if config is None or not config.camera.deck:
        return
    try:
        check_name(config.camera.deck)
    except UsageError as error:
        raise ConfigError(f"camera.deck: {error.message}", way_out=error.way_out) from error


def _deck(config: Config | None) -> str:
    chosen = chosen_deck(config) if config is not None else ""
    if config is None or not (config.camera.deck or chosen):
        return "none is named or chosen: any deck is read, by the shipped weights"
    folder, name = Path(config.state.directory) / deck_command.DECKS_FOLDER, config.camera.deck or chosen
    deck = DeckStore(folder).load(name)
    if deck.weights != weights_name():
        return (
            f"{name} in {folder} was learnt with other weights: it is learnt again at the next start (1 to 2 minutes)"
        )
    by = "chosen on the set-up page" if chosen else "named by camera.deck"
    return f"{name} in {folder}, {by}, learnt with the present weights"


def _ports() -> str:
    ports = [port.device for port in serial.tools.list_ports.comports()]
    return ", ".join(ports) or "none: the dealer is not plugged in (needed only with a machine)"


def _broker_words(config: Config | None) -> str:
    host, port = (config.feed.host, config.feed.port) if config else ("127.0.0.1", 1883)
    here = f"mosquitto is installed at {mosquitto_program()}" if mosquitto_program() else "mosquitto is not installed"
    if not host:
        return f"no feed is configured; {here}"
    if not answers(host, port):
        raise DeviceError(f"{host}:{port} does not answer; {here}.")
    problem = why_not(broker_of(config)) if config else ""
    if problem:
        raise DeviceError(f"{host}:{port}: {problem}.")
    return f"{host}:{port} answers{' and lets the table in' if config else ''}; {here}"


def _secrets(config: Config | None) -> str:
    """Whether the files of secrets can be read, and not by everybody; raises ConfigError."""
    named = {key: file for key, file in secret_files(config).items() if file} if config else {}
    for key, file in named.items():
        secret_of(file, key)
    for sentence in open_secrets(named):
        raise ConfigError(sentence)
    return ", ".join(named.values()) or "none are named"


def _state(config: Config | None) -> str:
    """How much room is left where the state is kept; raises DeviceError where there is too little, or no folder."""
    folder = Path(config.state.directory).absolute() if config else Path.cwd()
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise DeviceError(f"{there} is no folder: the table can keep nothing there.", way_out="Set state.directory.")
    free_mb = shutil.disk_usage(there).free // 2**20
    if free_mb < LOW_DISK_MB:
        raise DeviceError(f"Only {free_mb} MB are left at {there}.", way_out="Free some space.")
    mine = "" if os.access(there, os.W_OK | os.X_OK) else "; this user may not write there, its service must"
    return f"{folder}: {free_mb / 1024:.1f} GiB free{mine}"


def _journal(config: Config | None) -> str:
    """Whether the table's journal is whole and its own; raises TableError where a start would stop at it."""
    if config is None:
        return "a table.toml says where it is: --config"
    path = Path(config.state.directory).absolute() / "journal.jsonl"
    if not os.path.lexists(path) and claimed(snapshot_path(path)) is None:
        return f"{path} begins with the first start"
    found = diagnose(path)
    if not found.healthy:
        raise damaged(path, found.damage or f"{found.missing} records are gone from its end")
    if found.header.get("table", config.table.id) != config.table.id:
        raise other_table(path, str(found.header["table"]), config.table.id)
    return f"{path}: {found.records} records, whole"


def _running(config: Config | None) -> str:
    """How the adapters of the table are that runs by these settings, if one does."""
    host, port = (config.web.host, config.web.port) if config else ("127.0.0.1", 8080)
    try:
        with urllib.request.urlopen(f"http://{url_host(host)}:{port}/api/state", timeout=3) as answer:
            state = json.load(answer)
    except (OSError, ValueError):
        return f"none answers at {host}:{port}"
    found = state.get("health") or []
    if not found:
        return f"{state.get('table')}, {state.get('phase')}: all adapters are fresh / 各部件正常"
    lines = [Health(**one).line() for one in found]
    raise DeviceError("\n                     ".join([f"{state.get('table')}, {state.get('phase')}", *lines]))


def _panel() -> str:
    on_pi = Path("/dev/gpiochip0").exists() and os.access("/dev/gpiochip0", os.W_OK)
    lgpio = importlib.util.find_spec("lgpio") is not None
    if on_pi and lgpio:
        return "GPIO pins can be used"
    return "no GPIO pins here: the control page stands in for the panel"
