"""``table-controller recover``: what a damaged journal still tells, and going on from it."""

from __future__ import annotations

import argparse
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from table_controller.app.terminal import say
from table_controller.errors import EX_DATAERR, JournalError
from table_controller.journal.recover import diagnose, repair
from table_controller.journal.replay import replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("journal", type=Path, metavar="JOURNAL", help="a table's state/journal.jsonl")
    parser.add_argument(
        "--repair", action="store_true", help="set the damaged file aside and go on from its good records"
    )


def run(args: argparse.Namespace) -> int:
    """Explain, and with --repair mend. Exit status 65 while something acknowledged cannot be read."""
    found = diagnose(args.journal)
    for sentence in found.words():
        say(sentence)
    replayed = replay(found.contents.records)
    state = replayed.core.state
    say(f"Its good records lead to: phase {state.phase}, deal {state.deal_number}, levels {state.levels}.")
    if replayed.mismatch is not None:
        say(replayed.words())
    if found.healthy:
        return 0
    if not args.repair:
        say("Nothing was changed. `--repair` sets the damaged file aside and goes on from the good records.")
        return EX_DATAERR
    with _alone(args.journal):
        kept, later = repair(args.journal, found)
    say(f"The damaged file is kept as {kept.name}; {args.journal.name} ends with a record of this repair.")
    if later is not None:
        say(f"The records after the damage are in {later.name}: enter by hand what of them still matters.")
    return 0


@contextmanager
def _alone(journal: Path) -> Iterator[None]:
    """Nobody may write it meanwhile: a running table would go on in the file that is set aside."""
    with journal.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise JournalError(
                f"A controller is writing the journal {journal}.",
                way_out="Stop it first: systemctl stop table-controller.",
            ) from error
        yield
