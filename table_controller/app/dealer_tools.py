"""``table-controller dealer``: the dealing machine by hand, over its port or simulated; and the record of its deals."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from table_controller.config import load_config
from table_controller.dealer import commands, flash
from table_controller.dealer.audit import PROVES, PROVES_NOT, Audit, audit
from table_controller.dealer.console import Console, MachineWire, PortWire, Wire
from table_controller.dealer.messages import QUIET_MS, Status, StatusReply
from table_controller.dealer.monitor import Monitor
from table_controller.dealer.plan import HANDS
from table_controller.dealer.ports import AUTO, find_port, open_port
from table_controller.dealer.simulated import open_simulated
from table_controller.errors import EX_DATAERR, DeviceError, InputError, UsageError
from table_controller.runtime.clock import RealClock

SIMULATED_QUIET_MS = 100
POLL_MS = 1000
"""`monitor` asks for the state so often: a dealer that nobody asks says nothing."""
_HELP = {
    "status": "what it is, what it is doing, what its sensors say",
    "selftest": "sensors, chute and home flag, without dealing",
    "abort": "stop: the card on its way is brought to its exit",
    "clear": "the cause of a fault has been removed",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``dealer``."""
    what = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    audits = what.add_parser("audit", help="check published commitments against the revealed plans")
    audits.add_argument("file", type=Path, help="a journal, a deal's record, or messages of the feed, one a line")
    audits.add_argument("--json", action="store_true")
    for name, words in _HELP.items():
        parts = what.add_parser(name, help=words)
        _add_port(parts)
        if name == "status":
            parts.add_argument("--json", action="store_true", help="one JSON object")
    deal = what.add_parser("deal", help="draw a plan, say its hash, deal, reveal the plan")
    _add_port(deal)
    deal.add_argument("--hands", choices=sorted(HANDS), default="27", help="cards a hand, + cards to the bottom exit")
    deal.add_argument("--quotas", metavar="E,N,W,S,B", help="instead: cards to each exit, such as 10,10,10,10,3")
    deal.add_argument("--pack", default="A", help="which pack lies in the hopper (default A)")
    deal.add_argument("--record", type=Path, metavar="FILE", help="keep what `dealer audit` checks")
    settings = what.add_parser("settings", help="this machine's own figures, kept in it")
    _add_port(settings)
    settings.add_argument("--home-steps", type=int, metavar="N", help="steps from the home flag to exit E")
    settings.add_argument("--settle-ms", type=int, metavar="N", help="how long the chute settles")
    settings.add_argument("--serial", metavar="TEXT", help="the machine's number, 8 characters")
    burn = what.add_parser("flash", help="write the firmware; a wrong board or protocol is refused")
    _add_port(burn)
    burn.add_argument("--image", type=Path, default=Path("build/firmware/dealer.hex"), metavar="FILE")
    burn.add_argument("--programmer", default="bootloader", help="bootloader, or an ISP programmer that avrdude knows")
    burn.add_argument("--blank", action="store_true", help="the board has no firmware yet: nothing is asked of it")
    burn.add_argument("--check", action="store_true", help="only check image and board")
    monitor = what.add_parser("monitor", help="the line as text: a port, or a recorded byte stream")
    _add_port(monitor)
    monitor.add_argument("file", nargs="?", metavar="FILE", help="recorded bytes, - for standard input; else the port")
    monitor.add_argument("--record", type=Path, metavar="FILE", help="keep the bytes of both directions")
    monitor.add_argument("--seconds", type=int, metavar="N", help="end after so long (default: on and on)")


def _add_port(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", metavar="PORT", help="auto (default), or the serial port")
    parser.add_argument("--config", type=Path, metavar="FILE", help="the table.toml that names the port")
    parser.add_argument("--simulated", action="store_true", help="a simulated dealer in virtual time, 108 cards in it")


def run(args: argparse.Namespace) -> int:
    """Runs ``dealer``; exit status 65 when something does not hold."""
    if args.what == "audit":
        return _audit(args)
    if args.what == "monitor" and args.file:
        return _read_recording(args.file)
    if args.what == "flash":
        flash.check_image(flash.read_image(args.image))  # before anything is asked of the board
    with _wire(args) as wire:
        if args.what == "monitor":
            return _watch(args, wire)
        if args.what == "deal":
            return _deal(args, wire)
        return _command(args, wire)


def _quiet_ms(args: argparse.Namespace) -> int:
    return SIMULATED_QUIET_MS if args.simulated else QUIET_MS


def _command(args: argparse.Namespace, wire: Wire) -> int:
    console = Console(wire, os.urandom, quiet_ms=_quiet_ms(args))
    if args.what == "status":
        found = commands.status(console)
        print(json.dumps(found, ensure_ascii=False) if args.json else "\n".join(commands.status_lines(found)))
    elif args.what == "settings":
        print(commands.settings(console, args.home_steps, args.settle_ms, args.serial))
    elif args.what == "flash":
        return _flash(args, console)
    else:
        print({"selftest": commands.selftest, "abort": commands.abort, "clear": commands.clear}[args.what](console))
    return 0


def _flash(args: argparse.Namespace, console: Console) -> int:
    image = flash.read_image(args.image)
    if not args.blank:
        print(f"on the board: firmware {commands.check_flashable(console)}")
    print(f"the image: firmware {image.firmware}, protocol {image.protocol}, board {image.board}")
    if args.check or args.simulated:
        print("checked; nothing written")
        return 0
    command = flash.command_for(console.wire.name, args.image, args.programmer)
    if isinstance(console.wire, PortWire):
        console.wire.close()
    flash.run_avrdude(command)
    print("written; ask it: table-controller dealer status")
    return 0


def _deal(args: argparse.Namespace, wire: Wire) -> int:
    quotas = _quotas(args.quotas) if args.quotas else HANDS[args.hands]
    records = commands.deal(
        wire, quotas, lambda text: print(text, flush=True), os.urandom, pack=args.pack, quiet_ms=_quiet_ms(args)
    )
    if args.record:
        args.record.write_text(commands.record_lines(records), encoding="utf-8")
        print(f"record {args.record}; check it: table-controller dealer audit {args.record}")
    return 0


def _quotas(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if len(parts) != 5 or not all(part.isdigit() for part in parts) or not 0 < sum(map(int, parts)) <= 180:
        raise UsageError(f"--quotas {text} is not possible.", way_out="Five numbers E,N,W,S,B, together 1 to 180.")
    return tuple(map(int, parts))


@contextlib.contextmanager
def _wire(args: argparse.Namespace) -> Iterator[Wire]:
    """The port, or a simulated machine."""
    if args.simulated:
        simulated = open_simulated(cards=sum(_quotas(args.quotas)) if getattr(args, "quotas", None) else _cards(args))
        if simulated.reason:
            print(f"the emulator stands in for the firmware: {simulated.reason}", file=sys.stderr)
        try:
            yield MachineWire(simulated.machine)
        finally:
            simulated.machine.close()
        return
    wanted = args.port or (load_config(args.config).dealer.port if args.config else AUTO)
    if wanted == "none":
        raise DeviceError('This table deals by hand (dealer.port = "none").', way_out="Name a port: --port")
    port = open_port(find_port(wanted))
    loop = asyncio.new_event_loop()
    wire = PortWire(port, RealClock(loop).now_ms)
    try:
        yield wire
    finally:
        wire.close()
        loop.close()


def _cards(args: argparse.Namespace) -> int:
    return sum(HANDS[args.hands]) if args.what == "deal" else 108


# --- monitor ----------------------------------------------------------------------------------------------------------


def _read_recording(name: str) -> int:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {error.strerror}.", way_out="Check the name and the rights."
        ) from error
    monitor = Monitor()
    for line in (*monitor.feed(data), *monitor.rest()):
        print(line)
    print(f"{monitor.frames} frames, {monitor.bad} blocks that are none")
    return 0 if monitor.frames else EX_DATAERR


def _watch(args: argparse.Namespace, wire: Wire) -> int:
    monitor, recorded = Monitor(), bytearray()

    def heard(data: bytes) -> None:
        recorded.extend(data)
        for line in monitor.feed(data):
            print(f"{wire.now_ms() - began:8d} {line}", flush=True)

    began = wire.now_ms()
    console = Console(wire, os.urandom, quiet_ms=_quiet_ms(args), heard=heard)
    end = None if args.seconds is None else began + 1000 * args.seconds
    try:
        console.greet(any_version=True)
        while end is None or wire.now_ms() < end:
            console.ask(Status, StatusReply)
            console.wait(POLL_MS)
    except KeyboardInterrupt:
        pass
    finally:
        if args.record:
            args.record.write_bytes(bytes(recorded))
    return 0


# --- audit ------------------------------------------------------------------------------------------------------------


def as_text(found: Audit, file: Path) -> str:
    """The audit for people: a line a deal, then what it proves and what it does not, in both languages."""
    source = "a journal" if found.kind == "journal" else "messages of the feed"
    lines = [f"{file}: {source}, {len(found.deals)} deals"]
    if found.damage:
        lines.append(f"  the journal can be read only in part: {found.damage}")
    for deal in found.deals:
        mark = "ok" if deal.holds else "NOT OK"
        counts = " ".join(str(count) for count in deal.counts) or "-"
        lines.append(f"  job {deal.job}: {deal.outcome}, {deal.cards} cards, counted {counts}: {mark}")
        lines += [f"    {fault}" for fault in deal.faults]
    return "\n".join([*lines, "", *PROVES, *PROVES_NOT])


def _audit(args: argparse.Namespace) -> int:
    found = audit(args.file)
    if args.json:
        deals = [{**asdict(deal), "holds": deal.holds} for deal in found.deals]
        print(json.dumps({"kind": found.kind, "damage": found.damage, "deals": deals}, ensure_ascii=False))
    else:
        print(as_text(found, args.file))
    return 0 if not found.damage and all(deal.holds for deal in found.deals) else EX_DATAERR
