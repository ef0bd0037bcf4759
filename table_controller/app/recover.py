"""``table-controller recover``: what a damaged journal still tells, and going on from it."""

from __future__ import annotations

import argparse
import fcntl
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
    for sentence in found.words():
        say(sentence)
    if found.records:
        _say_state(journal, "Its good records lead to")
    if found.healthy:
        return 0
    if found.plays_on:
        say(
            f"The table starts all the same, from its snapshot of record {found.plays_on} behind the damage: nothing "
            "of its state is lost, only the record cannot be replayed. It is not mended, as that would go back."
        )
        snapshot = shlex.join(["rm", str(snapshot_path(journal).absolute())])
        say(f"To go back before the damage all the same: {snapshot}, then --repair.")
        return EX_DATAERR
    if not args.repair:
        onward = "goes on from its good records" if found.records else "begins anew"
        say(f"Nothing was changed. `--repair` keeps the damaged file beside it and {onward}.")
        return EX_DATAERR
    with _alone(journal):
        _say_repaired(journal, repair(journal, found))
    return 0


def _say_state(journal: Path, words: str) -> None:
    replayed = replay(Records(journal))
    state = replayed.core.state
    say(f"{words}: phase {state.phase}, deal {state.deal_number}, levels {state.levels}.")
    if replayed.mismatch is not None:
        say(replayed.words())


def _say_repaired(journal: Path, done: Repaired) -> None:
    kept = f"The damaged file is kept as {done.kept.name}; " if done.kept is not None else ""
    say(f"{kept}{journal.name} ends with a record of this repair.")
    if done.applied:
        say("What was damaged changed nothing: every record after it was applied and leads to the state that it names.")
    if done.later is not None:
        say(f"The records after the damage are in {done.later.name}: enter by hand what of them still matters.")
    _say_state(journal, "The table goes on with")
    say("A table that systemd runs: systemctl reset-failed table-controller; systemctl start table-controller.")


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
