"""``table-controller recover``: what a damaged journal still tells, and going on from it."""

from __future__ import annotations

import argparse
import fcntl
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from table_controller.app import recover_words as words
from table_controller.app.terminal import say
from table_controller.errors import EX_DATAERR, JournalError
from table_controller.journal.reader import Records
from table_controller.journal.recover import Repaired, diagnose, repair
from table_controller.journal.replay import replay
from table_controller.journal.snapshot import snapshot_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("journal", type=Path, metavar="JOURNAL", help="a table's state/journal.jsonl")
    parser.add_argument(
        "--repair", action="store_true", help="set the damaged file aside and go on from its good records"
    )


def run(args: argparse.Namespace) -> int:
    """Explain, and with --repair mend. Exit status 65 while something acknowledged cannot be read."""
    journal: Path = args.journal
    found = diagnose(journal)
    words.findings(found)
    if found.records:
        _say_state(journal, "Its good records lead to", "完好的记录得到")
    if found.healthy:
        return 0
    if found.plays_on:
        words.plays_on(found.plays_on, shlex.join(["rm", str(snapshot_path(journal).absolute())]))
        return EX_DATAERR
    if not args.repair:
        words.nothing_changed(found)
        return EX_DATAERR
    with _alone(journal):
        _say_repaired(journal, repair(journal, found))
    return 0


def _say_state(journal: Path, en: str, zh: str) -> None:
    replayed = replay(Records(journal))
    state = replayed.core.state
    words.stands(en, zh, state.phase, state.deal_number, state.levels)
    if replayed.mismatch is not None:
        say(replayed.words())


def _say_repaired(journal: Path, done: Repaired) -> None:
    words.repaired(done, journal.name)
    _say_state(journal, "The table goes on with", "牌桌从这里继续")
    words.start_again()


@contextmanager
def _alone(journal: Path) -> Iterator[None]:
    """Nobody may write it meanwhile: a running table would go on in the file that is set aside."""
    if not journal.exists():
        yield
        return
    with journal.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise JournalError(
                f"A controller is writing the journal {journal}.",
                way_out="Stop it first: systemctl stop table-controller.",
            ) from error
        yield
