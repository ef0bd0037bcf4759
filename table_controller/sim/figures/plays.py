"""``sim plays``: how many whole plays are read right in rendered scenes, by the seed of each scene."""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2

from table_controller.errors import UsageError
from table_controller.sim.deck_style import DRAWN, STYLES, style_named
from table_controller.sim.figures.acts import DIFFICULTIES
from table_controller.sim.figures.enrolled import enrolled_reader
from table_controller.sim.figures.report import Log, Progress, table
from table_controller.sim.figures.trial import Result, run_trial
from table_controller.sim.figures.truth import DOUBTFUL, MISSED, OUTCOMES, RIGHT, WRONG, Tally
from table_controller.vision.reader import Reader

UNSEEN = "unseen"
SCENES_A_SEED = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``sim plays``."""
    parser.add_argument("--count", type=int, default=200, metavar="N", help="how many plays (default 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="other seeds, other scenes (default 1)")
    parser.add_argument(
        "--deck-style",
        default=UNSEEN,
        metavar="NAME",
        help=f"{', '.join(sorted(STYLES))}, {DRAWN}NUMBER, or {UNSEEN}: another drawn deck for each scene (default)",
    )
    parser.add_argument(
        "--enrol", type=int, default=0, metavar="N", help="only N decks (of --deck-style), each enrolled first"
    )
    parser.add_argument(
        "--shipped", action="store_true", help="with --enrol: the same scenes and decks, read without enrolment"
    )
    parser.add_argument(
        "--scene", type=int, nargs="+", metavar="SEED", help="these scenes only, by the seeds printed for them"
    )
    parser.add_argument("--models", type=Path, metavar="DIR", help="other weights than the shipped ones")
    parser.add_argument("--log", type=Path, metavar="FILE", help="keep finished scenes there and go on from them")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="keep a picture of each play that was not right")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the figures; exit status 1 when a play was wrong and nobody was asked."""
    if args.count < 1:
        raise UsageError(f"--count {args.count} is not possible.", way_out="Name 1 or more.")
    if args.enrol < 0:
        raise UsageError(f"--enrol {args.enrol} is not possible.", way_out="Name 1 or more, or 0 for none.")
    if args.shipped and not args.enrol:
        raise UsageError("--shipped says how the decks of --enrol are read.", way_out="Add --enrol, or leave it out.")
    if args.deck_style != UNSEEN:
        style_named(args.deck_style)
    cv2.setNumThreads(1)
    readers = Readers(args.models, 0 if args.shipped else args.enrol)
    settings = {
        "figure": "plays",
        "seed": args.seed,
        "deck_style": args.deck_style,
        "enrolled": args.enrol,
        "reader": readers.name,
        **({"shipped": True} if args.shipped else {}),
    }
    log = Log(args.log, settings)
    entries = list(_entries(args, readers, log))
    counted = args.count if args.scene is None else sum(len(entry["plays"]) for entry in entries)
    report = {**settings, "scenes": len(entries), **_summary(entries, counted)}
    print(json.dumps(report, ensure_ascii=False) if args.json else _words(report))
    return 0 if not report["wrong_and_sure"] and not report["false_extra_plays"] else 1


def _entries(args: argparse.Namespace, readers: Readers, log: Log) -> Iterator[dict[str, Any]]:
    """Finished scenes, until there are enough plays; or those that were named."""
    count, number, named = 0, 0, args.scene
    progress = Progress(args.count, "plays")
    tally: Counter[str] = Counter()
    while number < len(named) if named else count < args.count:
        seed = named[number] if named else args.seed * SCENES_A_SEED + number
        if seed not in log.done:
            style = style_of(args.seed * 1000 + seed % args.enrol if args.enrol else seed, args.deck_style)
            result = run_trial(seed, style, readers.of(style))
            if args.pictures is not None:
                keep_pictures(result, args.pictures)
            log.add(entry_of(result))
        entry = log.done[seed]
        count, number = count + len(entry["plays"]), number + 1
        tally.update(play["outcome"] for play in entry["plays"])
        progress.show(min(count, args.count), " ".join(f"{tally[name]} {name}" for name in OUTCOMES))
        yield entry


class Readers:
    """The reader as it ships, or one for each deck, enrolled when its first scene comes."""

    def __init__(self, models: Path | None, enrol: int) -> None:
        self._models, self._enrol = models, enrol
        self._plain = Reader.load(models)
        self._decks: dict[str, Reader] = {}

    @property
    def name(self) -> str:
        """Which weights."""
        return self._plain.name

    def of(self, style: str) -> Reader:
        """The one for scenes with this deck."""
        if not self._enrol:
            return self._plain
        if style not in self._decks:
            self._decks[style] = enrolled_reader(style, self._models)
        return self._decks[style]


def style_of(seed: int, deck_style: str) -> str:
    """The deck of a scene: ``deck_style``, or a drawn deck of its own."""
    return deck_style if deck_style != UNSEEN else f"{DRAWN}{random.Random(f'deck {seed}').randrange(1, 10**6)}"


def entry_of(result: Result) -> dict[str, Any]:
    """A finished scene as plain data."""
    plays = [
        {
            "difficulty": play.difficulty,
            "outcome": play.outcome,
            "false_extra": play.false_extra,
            "hidden_wrong": play.hidden_wrong,
            "seat": play.seat,
            "laid": " ".join(play.cards),
            "seen": ["/".join([" ".join(e.cards), *map(str, e.doubtful)]) for e in play.seen],
        }
        for play in result.laid
    ]
    loose = [f"{event.seat} {' '.join(event.cards)}" for event in result.loose]
    cleared = [result.clearings_seen, result.cleared]
    return {"scene": result.seed, "style": result.style, "plays": plays, "loose": loose, "cleared": cleared}


def keep_pictures(result: Result, folder: Path) -> None:
    """The area of each play that was not right."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, play in enumerate(result.laid):
        if (play.outcome != RIGHT or play.false_extra) and number in result.pictures:
            name = f"{result.seed}-{number:02d}-{play.difficulty}-{play.outcome}.png"
            cv2.imwrite(str(folder / name), result.pictures[number])


def _summary(entries: list[dict[str, Any]], count: int) -> dict[str, Any]:
    tally, faults, counted = Tally(), [], 0
    for entry in entries:
        for play in entry["plays"]:
            if counted >= count:
                break
            counted += 1
            tally.add(play["difficulty"], play["outcome"], play["false_extra"], play["hidden_wrong"])
            if play["outcome"] != RIGHT or play["false_extra"]:
                faults.append({"scene": entry["scene"], "style": entry["style"], **play})
    loose = [f"{entry['scene']}: {words}" for entry in entries for words in entry["loose"]]
    total = tally.total
    return {
        "plays": counted,
        "right": total[RIGHT],
        "doubtful": total[DOUBTFUL],
        "wrong_and_sure": total[WRONG],
        "missed": total[MISSED],
        "false_extra_plays": tally.false_extra + len(loose),
        "wrong_beside_doubtful": tally.hidden_wrong,
        "areas_cleared": [sum(entry["cleared"][i] for entry in entries) for i in (0, 1)],
        "by_difficulty": {name: dict(tally.outcomes[name]) for name in DIFFICULTIES if name in tally.outcomes},
        "faults": faults,
        "of_no_play": loose,
    }


def _words(report: dict[str, Any]) -> str:
    share = 100 * report["right"] / max(1, report["plays"])
    lines = [
        f"{report['plays']} plays in {report['scenes']} scenes (seed {report['seed']}, deck {report['deck_style']}, "
        f"{report['enrolled'] or 'none'} enrolled, {report['reader']}{', shipped' if 'shipped' in report else ''})",
        f"  entirely right and in order  {report['right']} ({share:.2f} %)",
        f"  doubtful, a human is asked   {report['doubtful']}"
        f" (in {report['wrong_beside_doubtful']} a card not marked is wrong)",
        f"  wrong and sure               {report['wrong_and_sure']}",
        f"  missed                       {report['missed']}",
        f"  false extra plays            {report['false_extra_plays']}",
        f"  areas cleared, seen          {report['areas_cleared'][0]} of {report['areas_cleared'][1]}",
        "",
    ]
    rows = [["difficulty", "plays", *OUTCOMES, ""]]
    for name, counts in report["by_difficulty"].items():
        numbers = [str(counts.get(outcome, 0)) for outcome in OUTCOMES]
        rows.append([name, str(sum(counts.values())), *numbers, ""])
    lines.append(table(rows))
    for fault in report["faults"]:
        seen = "; ".join(fault["seen"]) or "nothing"
        lines.append(
            f"scene {fault['scene']} ({fault['style']}) {fault['seat']} {fault['difficulty']}, {fault['outcome']}: "
            f"laid {fault['laid']}, seen {seen}"
        )
    lines += [f"scene {words} (no such play)" for words in report["of_no_play"]]
    return "\n".join(lines)
