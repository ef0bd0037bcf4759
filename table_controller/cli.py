"""The command line. Every error is one plain sentence and an exit status, never a traceback.

Each command imports its own modules when it is chosen: a table is ready sooner and holds nothing of the venue.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from table_controller import __version__
from table_controller.app.terminal import of_the_system, worth_logging
from table_controller.errors import EX_SOFTWARE, TableError, UsageError

Run = Callable[[argparse.Namespace], int]
Add = Callable[[argparse.ArgumentParser], Run]

EXAMPLE = """\
An example table.toml (every key has this default; an unknown key is an error):

  [table]
  id = "table-1"
  venue = "hall"
  profile = "default"          # default, national, huaian, or a file of your own
  officiating = "advise"       # or enforce: a violation at 30 s stops the turn

  [camera]
  source = "v4l2:0"            # v4l2:N, pi, folder:DIR or video:FILE

  [dealer]
  port = "auto"                # auto, /dev/serial/by-id/..., or none to deal by hand

  [feed]
  host = "127.0.0.1"           # "" for no feed
  port = 1883

  [web]
  host = "127.0.0.1"
  port = 8080

  [state]
  directory = "state"          # journal, evidence and outbox
"""


# --- running and simulating -------------------------------------------------------------------------------------------


def _run(parser: argparse.ArgumentParser) -> Run:
    parser.description = "Runs one table until Ctrl-C; with camera.source = folder:… or video:… reads a recording."
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table's table.toml")
    parser.add_argument("--degraded", action="store_true", help="start even if camera, dealer or broker is missing")
    parser.add_argument(
        "--carry", type=Path, metavar="FILE", help="go on with a match from another table (record --as carry)"
    )
    parser.add_argument("--leader", metavar="SEAT", help="who leads the first deal (E N W S) instead of a draw")
    return _run_table


def _run_table(args: argparse.Namespace) -> int:
    from table_controller.app.run import run_table
    from table_controller.cards import parse_seat
    from table_controller.config import load_config

    leader = parse_seat(args.leader.upper()) if args.leader else None
    return run_table(load_config(args.config), degraded=args.degraded, leader=leader, carry=args.carry)


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port (0 to 65535)")
    return int(text)


def _add_simulation_options(parser: argparse.ArgumentParser, *, deals: int) -> None:
    from table_controller.games.guandan.profile import profile_names
    from table_controller.sim.deck import STYLES

    parser.add_argument(
        "--deals", type=int, default=deals, metavar="N", help=f"how many deals (default {deals}; 0: on and on)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same deals, same journal hash")
    parser.add_argument("--style", choices=sorted(STYLES), default="classic", help="how the cards look")
    parser.add_argument("--profile", choices=profile_names(), default="default", help="the rules")
    parser.add_argument(
        "--broker", metavar="HOST:PORT", help="use this broker (or the one of the [demo] extra: builtin)"
    )
    parser.add_argument("--emulator", action="store_true", help="the dealer's Python emulator instead of the firmware")
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help="where to write the journal (default: a new folder)"
    )
    parser.add_argument("--evidence", type=Path, metavar="DIR", help="keep the pictures that plays were read from")


def _demo(parser: argparse.ArgumentParser) -> Run:
    parser.description = "Firmware, camera, recognition, clock, feed, pages, people. Ends with one JSON line."
    _add_simulation_options(parser, deals=0)
    parser.add_argument(
        "--fast", action="store_true", help="virtual time: as fast as it goes, no pages (default 2 deals)"
    )
    parser.add_argument("--headless", action="store_true", help="no pages")
    parser.add_argument("--hurried", action="store_true", help="players take 1.5-2.5 s a turn")
    parser.add_argument("--port", type=_port, default=8080, metavar="N", help="the page's port (default 8080)")
    return _run_demo


def _sim(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app.simulation import DEALER_FAULTS
    from table_controller.sim.figures import plays, prompts
    from table_controller.sim.mistakes import MISTAKES

    parser.description = "As `demo --fast`, with people who err and a dealer that fails."
    _add_simulation_options(parser, deals=1)
    words = "; ".join(f"{name}: {text}" for name, text in MISTAKES.items())
    parser.add_argument("--mistake", action="append", default=[], choices=sorted(MISTAKES), help=words)
    parser.add_argument(
        "--dealer-fault", action="append", default=[], choices=DEALER_FAULTS, help="what the dealer does wrong"
    )
    parser.add_argument("--record", type=Path, metavar="DIR", help="keep the camera's pictures of settled moments")
    figures = parser.add_subparsers(dest="figure", metavar="FIGURE", title="figures that anyone can repeat")
    plays.add_arguments(figures.add_parser("plays", help="how many plays are read right in rendered scenes"))
    prompts.add_arguments(figures.add_parser("prompts", help="how many prompt cards are read right, ours and plain"))
    return _run_sim


def _run_demo(args: argparse.Namespace) -> int:
    from table_controller.app.demo import run_demo
    from table_controller.app.simulation import DemoOptions

    deals = args.deals or (2 if args.fast else 0)
    more = {"deals": deals, "fast": args.fast, "headless": args.headless, "hurried": args.hurried, "port": args.port}
    return run_demo(DemoOptions(**{**_common(args), **more}))


def _run_sim(args: argparse.Namespace) -> int:
    from table_controller.app.demo import run_demo
    from table_controller.app.simulation import DemoOptions
    from table_controller.sim.figures import plays, prompts

    if args.figure == "plays":
        return plays.run(args)
    if args.figure == "prompts":
        return prompts.run(args)
    more = {
        "deals": args.deals or 1, "fast": True, "headless": True, "mistakes": frozenset(args.mistake),
        "dealer_faults": tuple(args.dealer_fault), "record": args.record,
    }  # fmt: skip
    return run_demo(DemoOptions(**{**_common(args), **more}))


def _common(args: argparse.Namespace) -> dict[str, object]:
    if args.deals < 0:
        raise UsageError(f"--deals {args.deals} is not possible.", way_out="Name 1 or more, or 0 for on and on.")
    names = ("seed", "style", "profile", "broker", "emulator", "journal", "evidence")
    return {name: getattr(args, name) for name in names}


# --- the small ones ---------------------------------------------------------------------------------------------------


def _judge(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app.tools import run_judge
    from table_controller.games.guandan.profile import profile_names

    parser.description = "Example: table-controller judge --level 7 5S 5D 6D 6C 7C 7H"
    parser.add_argument("cards", nargs="+", metavar="CARD", help="5S TH BJ …, as laid from left to right")
    parser.add_argument("--level", default="2", metavar="RANK", help="the level played (default 2)")
    parser.add_argument("--profile", choices=profile_names(), default="default", help="the rules")
    parser.add_argument("--against", nargs="+", metavar="CARD", help="the play to beat")
    parser.add_argument("--as", dest="declared", metavar="READING", help="as declared, such as straight:8")
    return lambda args: run_judge(args.cards, args.level, args.profile, args.against, args.declared)


def _replay(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app.tools import run_replay

    parser.add_argument("journal", type=Path, metavar="JOURNAL")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    words = "add it, packed, to a folder of journals that every later version must replay (tests/journal/kept)"
    parser.add_argument("--keep", type=Path, metavar="DIR", help=words)
    return lambda args: run_replay(args.journal, as_json=args.json, keep=args.keep)


def _doctor(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app.tools import run_doctor
    from table_controller.config import load_config

    parser.add_argument("--config", type=Path, metavar="FILE", help="check the parts that this table.toml names")
    return lambda args: run_doctor(load_config(args.config) if args.config else None)


def _deck(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app.tools import run_deck
    from table_controller.vision.enrol import command

    command.add_arguments(parser)
    return run_deck


def _read(parser: argparse.ArgumentParser) -> Run:
    from table_controller.vision import read_command

    read_command.add_arguments(parser)
    return read_command.run


def _camera(parser: argparse.ArgumentParser) -> Run:
    from table_controller.vision import camera_command

    camera_command.add_arguments(parser)
    return camera_command.run


def _print(parser: argparse.ArgumentParser) -> Run:
    from table_controller.drawings import print_command

    print_command.add_arguments(parser)
    return print_command.run


def _profile(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app import profiles

    profiles.add_arguments(parser)
    return profiles.run


def _dealer(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app import dealer_tools

    dealer_tools.add_arguments(parser)
    return dealer_tools.run


def _setup(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app import wizard

    wizard.add_arguments(parser)
    return wizard.run


def _support(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app import support

    support.add_arguments(parser)
    return support.run


def _recover(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app import recover

    recover.add_arguments(parser)
    return recover.run


def _record(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app import record

    record.add_arguments(parser)
    return record.run


# --- many tables ------------------------------------------------------------------------------------------------------


def _venue(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app import venue

    venue.add_arguments(parser)
    return venue.run


def _demo_venue(parser: argparse.ArgumentParser) -> Run:
    from table_controller.app import venue_demo

    venue_demo.add_arguments(parser)
    return venue_demo.run_venue_demo


COMMANDS: dict[str, tuple[str, Add]] = {
    "run": ("run a real table, or a recording of one", _run),
    "demo": ("a whole simulated table with its pages", _demo),
    "sim": ("simulated deals in virtual time, with mistakes and faults by name", _sim),
    "read": ("read the cards in photographs", _read),
    "deck": ("enrol a deck of cards, so that it is read better", _deck),
    "camera": ("what the camera sees of the mat; a mat's corners", _camera),
    "judge": ("what a play is, and whether it beats another", _judge),
    "profile": ("the rules: what a rule set settles, and how two differ", _profile),
    "dealer": ("the dealing machine by hand, and the record of its deals", _dealer),
    "venue": ("the service of a hall of tables: archive, delay, referees", _venue),
    "demo-venue": ("a broker, the venue's service and simulated tables, with some trouble", _demo_venue),
    "replay": ("replay a journal and check that it reproduces the state", _replay),
    "setup": ("ask for a table's settings and write its table.toml", _setup),
    "support": ("a bundle for whoever helps, without secrets", _support),
    "recover": ("explain and mend a damaged journal", _recover),
    "record": ("a match from its journal: JSON, CSV, forms to sign", _record),
    "doctor": ("what is there, what is missing, and what to do about it", _doctor),
    "print": ("the mat and the prompt cards as PDF at true scale", _print),
}


def _parser(chosen: str) -> argparse.ArgumentParser:
    """Every command by name; the arguments of the chosen one."""
    parser = argparse.ArgumentParser(
        prog="table-controller",
        description="Runs an automatic Guandan (掼蛋) table: dealer, camera, clock, rules, feed and pages.",
        epilog="Start with `table-controller demo`, then `table-controller doctor` on the Pi.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("-v", "--verbose", action="count", default=0, help="say more (-vv: everything)")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (words, add) in COMMANDS.items():
        command = commands.add_parser(name, help=words)
        if name == chosen:
            command.set_defaults(act=add(command))
    return parser


def _interrupt(number: int, frame: object) -> None:
    """SIGTERM, or its terminal closed, ends a command as Ctrl-C does: children are ended, nothing is left behind."""
    _told_to_stop.append(number)
    raise KeyboardInterrupt


_told_to_stop: list[int] = []
"""Signals that came: a module that was being imported then may have made another error of it."""


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns its exit status."""
    words = sys.argv[1:] if argv is None else argv
    chosen = next((word for word in words if not word.startswith("-")), "")
    args = _parser(chosen).parse_args(words)
    level = (logging.ERROR, logging.INFO, logging.DEBUG)[min(args.verbose, 2)]
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("transitions").setLevel(logging.WARNING)
    logging.getLogger("aiohttp.server").addFilter(worth_logging)
    with contextlib.suppress(ValueError):  # only the main thread may
        signal.signal(signal.SIGTERM, _interrupt)
        if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # ``nohup`` has it ignored
            signal.signal(signal.SIGHUP, _interrupt)
    try:
        act: Run = args.act
        return act(args)
    except TableError as error:
        print(f"table-controller: {error.line()}", file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:
        # The reader of our output went away (| head): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if _told_to_stop:
            return 130
        if args.verbose:
            raise
        if (told := of_the_system(error)) is not None:
            print(f"table-controller: {told[0]}", file=sys.stderr)
            return told[1]
        print(
            f"table-controller: an error of ours: {type(error).__name__}: {error}. Run again with -v.", file=sys.stderr
        )
        return EX_SOFTWARE


if __name__ == "__main__":
    sys.exit(main())
