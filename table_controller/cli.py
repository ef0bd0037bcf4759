"""The command line. Every error is one plain sentence and an exit status, never a traceback."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
from pathlib import Path

from table_controller import __version__
from table_controller.app import dealer_tools, profiles, record, recover, support, venue, venue_demo, wizard
from table_controller.app.demo import run_demo
from table_controller.app.run import run_table
from table_controller.app.simulation import DEALER_FAULTS, DemoOptions
from table_controller.app.tools import run_deck, run_doctor, run_judge, run_replay
from table_controller.cards import parse_seat
from table_controller.config import Config, load_config
from table_controller.drawings import print_command
from table_controller.errors import EX_SOFTWARE, TableError, UsageError
from table_controller.games.guandan.profile import profile_names
from table_controller.sim.deck import STYLES
from table_controller.sim.figures import plays, prompts
from table_controller.sim.mistakes import MISTAKES
from table_controller.vision import camera_command, read_command
from table_controller.vision.enrol import command as deck_command

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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="table-controller",
        description="Runs an automatic Guandan (掼蛋) table: dealer, camera, clock, rules, feed and pages.",
        epilog="Start with `table-controller demo`, then `table-controller doctor` on the Pi.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("-v", "--verbose", action="count", default=0, help="say more (-vv: everything)")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_run(commands)
    _add_demo(commands)
    _add_sim(commands)
    read = commands.add_parser("read", help="read the cards in photographs")
    read_command.add_arguments(read)
    deck = commands.add_parser("deck", help="enrol a deck of cards, so that it is read better")
    deck_command.add_arguments(deck)
    camera = commands.add_parser("camera", help="what the camera sees of the mat; a mat's corners")
    camera_command.add_arguments(camera)
    _add_judge(commands)
    profile = commands.add_parser("profile", help="the rules: what a rule set settles, and how two differ")
    profiles.add_arguments(profile)
    dealer = commands.add_parser("dealer", help="the dealing machine by hand, and the record of its deals")
    dealer_tools.add_arguments(dealer)
    venue.add_arguments(commands.add_parser("venue", help="the service of a hall of tables: archive, delay, referees"))
    venue_demo.add_arguments(
        commands.add_parser("demo-venue", help="a broker, the venue's service and simulated tables, with some trouble")
    )

    replay = commands.add_parser("replay", help="replay a journal and check that it reproduces the state")
    replay.add_argument("journal", type=Path, metavar="JOURNAL")
    replay.add_argument("--json", action="store_true", help="one JSON object")
    wizard.add_arguments(commands.add_parser("setup", help="ask for a table's settings and write its table.toml"))
    support.add_arguments(commands.add_parser("support", help="a bundle for whoever helps, without secrets"))
    recover.add_arguments(commands.add_parser("recover", help="explain and mend a damaged journal"))
    record.add_arguments(commands.add_parser("record", help="a match from its journal: JSON, CSV, forms to sign"))
    doctor = commands.add_parser("doctor", help="what is there, what is missing, and what to do about it")
    doctor.add_argument("--config", type=Path, metavar="FILE", help="check the parts that this table.toml names")
    printing = commands.add_parser("print", help="the mat and the prompt cards as PDF at true scale")
    print_command.add_arguments(printing)
    return parser


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser(
        "run",
        help="run a real table, or a recording of one",
        description="Runs one table until Ctrl-C; with camera.source = folder:… or video:… reads a recording.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table's table.toml")
    run.add_argument("--degraded", action="store_true", help="start even if camera, dealer or broker is missing")
    run.add_argument(
        "--carry", type=Path, metavar="FILE", help="go on with a match from another table (record --as carry)"
    )
    run.add_argument("--leader", metavar="SEAT", help="who leads the first deal (E N W S) instead of a draw")


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port (0 to 65535)")
    return int(text)


def _add_simulation_options(parser: argparse.ArgumentParser, *, deals: int) -> None:
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


def _add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    demo = commands.add_parser(
        "demo",
        help="a whole simulated table with its pages",
        description="Firmware, camera, recognition, clock, feed, pages, people. Ends with one JSON line.",
    )
    _add_simulation_options(demo, deals=0)
    demo.add_argument(
        "--fast", action="store_true", help="virtual time: as fast as it goes, no pages (default 2 deals)"
    )
    demo.add_argument("--headless", action="store_true", help="no pages")
    demo.add_argument("--hurried", action="store_true", help="players take 1.5-2.5 s a turn")
    demo.add_argument("--port", type=_port, default=8080, metavar="N", help="the page's port (default 8080)")


def _add_sim(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    sim = commands.add_parser(
        "sim",
        help="simulated deals in virtual time, with mistakes and faults by name",
        description="As `demo --fast`, with people who err and a dealer that fails.",
    )
    _add_simulation_options(sim, deals=1)
    words = "; ".join(f"{name}: {text}" for name, text in MISTAKES.items())
    sim.add_argument("--mistake", action="append", default=[], choices=sorted(MISTAKES), help=words)
    sim.add_argument(
        "--dealer-fault", action="append", default=[], choices=DEALER_FAULTS, help="what the dealer does wrong"
    )
    sim.add_argument("--record", type=Path, metavar="DIR", help="keep the camera's pictures of settled moments")
    figures = sim.add_subparsers(dest="figure", metavar="FIGURE", title="figures that anyone can repeat")
    plays.add_arguments(figures.add_parser("plays", help="how many plays are read right in rendered scenes"))
    prompts.add_arguments(figures.add_parser("prompts", help="how many prompt cards are read right, ours and plain"))


def _add_judge(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    judge = commands.add_parser(
        "judge",
        help="what a play is, and whether it beats another",
        description="Example: table-controller judge --level 7 5S 5D 6D 6C 7C 7H",
    )
    judge.add_argument("cards", nargs="+", metavar="CARD", help="5S TH BJ …, as laid from left to right")
    judge.add_argument("--level", default="2", metavar="RANK", help="the level played (default 2)")
    judge.add_argument("--profile", choices=profile_names(), default="default", help="the rules")
    judge.add_argument("--against", nargs="+", metavar="CARD", help="the play to beat")
    judge.add_argument("--as", dest="declared", metavar="READING", help="as declared, such as straight:8")


def _options(args: argparse.Namespace, **more: object) -> DemoOptions:
    if args.deals < 0:
        raise UsageError(f"--deals {args.deals} is not possible.", way_out="Name 1 or more, or 0 for on and on.")
    common = {
        name: getattr(args, name) for name in ("seed", "style", "profile", "broker", "emulator", "journal", "evidence")
    }
    values: dict[str, object] = {**common, **more}
    return DemoOptions(**values)  # type: ignore[arg-type]


def _demo(args: argparse.Namespace) -> int:
    deals = args.deals or (2 if args.fast else 0)
    return run_demo(
        _options(args, deals=deals, fast=args.fast, headless=args.headless, hurried=args.hurried, port=args.port)
    )


def _sim(args: argparse.Namespace) -> int:
    if args.figure == "plays":
        return plays.run(args)
    if args.figure == "prompts":
        return prompts.run(args)
    return run_demo(
        _options(
            args,
            deals=args.deals or 1,
            fast=True,
            headless=True,
            mistakes=frozenset(args.mistake),
            dealer_faults=tuple(args.dealer_fault),
            record=args.record,
        )
    )


def _dispatch(args: argparse.Namespace) -> int:
    if args.command == "run":
        leader = parse_seat(args.leader.upper()) if args.leader else None
        return run_table(load_config(args.config), degraded=args.degraded, leader=leader, carry=args.carry)
    if args.command == "judge":
        return run_judge(args.cards, args.level, args.profile, args.against, args.declared)
    if args.command == "replay":
        return run_replay(args.journal, as_json=args.json)
    if args.command == "doctor":
        config: Config | None = load_config(args.config) if args.config else None
        return run_doctor(config)
    if args.command == "read":
        return read_command.run(args)
    if args.command == "deck":
        return run_deck(args)
    if args.command == "setup":
        return wizard.run(args)
    if args.command == "support":
        return support.run(args)
    if args.command == "recover":
        return recover.run(args)
    if args.command == "record":
        return record.run(args)
    if args.command == "venue":
        return venue.run(args)
    if args.command == "demo-venue":
        return venue_demo.run_venue_demo(args)
    if args.command == "profile":
        return profiles.run(args)
    if args.command == "dealer":
        return dealer_tools.run(args)
    if args.command == "camera":
        return camera_command.run(args)
    if args.command == "print":
        return print_command.run(args)
    return _demo(args) if args.command == "demo" else _sim(args)


def _interrupt(number: int, frame: object) -> None:
    """SIGTERM ends a command as Ctrl-C does: children are ended, nothing is left behind."""
    raise KeyboardInterrupt


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns its exit status."""
    args = _parser().parse_args(argv)
    level = (logging.ERROR, logging.INFO, logging.DEBUG)[min(args.verbose, 2)]
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("transitions").setLevel(logging.WARNING)
    with contextlib.suppress(ValueError):  # only the main thread may
        signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _dispatch(args)
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
        if args.verbose:
            raise
        print(
            f"table-controller: an error of ours: {type(error).__name__}: {error}. Run again with -v.", file=sys.stderr
        )
        return EX_SOFTWARE


if __name__ == "__main__":
    sys.exit(main())
