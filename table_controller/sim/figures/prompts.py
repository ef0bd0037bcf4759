"""``sim prompts``: how many prompt cards are read right in rendered circles, ours and two plain sets."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2

from table_controller.errors import UsageError
from table_controller.sim.figures.plays import SCENES_A_SEED
from table_controller.sim.figures.prompt_trial import ACTS, LAID, Act, PromptTrial, learnt
from table_controller.sim.figures.report import Log, Progress, table
from table_controller.sim.plain_set import DESIGNS
from table_controller.vision.plain_prompts import PlainPrompts
from table_controller.vision.reader import Reader

OURS = "ours"
SETS = (OURS, *DESIGNS)
A_SCENE = 20
"""Prompt cards laid in one scene."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``sim prompts``."""
    parser.add_argument("--count", type=int, default=200, metavar="N", help="prompt cards laid (default 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="other seeds, other scenes (default 1)")
    parser.add_argument(
        "--set", dest="sets", choices=SETS, action="append", help="this set of prompt cards (default: each in turn)"
    )
    parser.add_argument("--scene", type=int, metavar="SEED", help="this one scene only, by the seed printed for it")
    parser.add_argument("--log", type=Path, metavar="FILE", help="keep finished scenes there and go on from them")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the figures; exit status 1 when a card was taken for another."""
    if args.count < 1:
        raise UsageError(f"--count {args.count} is not possible.", way_out="Name 1 or more.")
    sets = list(dict.fromkeys(args.sets or SETS))
    reader = Reader.load()
    cv2.setNumThreads(1)
    settings = {"figure": "prompts", "seed": args.seed, "sets": sets, "reader": reader.name}
    log = Log(args.log, {**settings, "cards_a_scene": min(A_SCENE, args.count)})
    report = {**settings, **_summary(list(_entries(args, sets, reader, log)))}
    print(json.dumps(report, ensure_ascii=False) if args.json else _words(report))
    return 0 if not report["taken_for_another"] else 1


def _entries(args: argparse.Namespace, sets: list[str], reader: Reader, log: Log) -> Iterator[dict[str, Any]]:
    progress = Progress(args.count, "prompt cards")
    plain: dict[str, PlainPrompts] = {}
    laid = number = 0
    while laid < args.count:
        seed = args.scene if args.scene is not None else args.seed * SCENES_A_SEED + number
        design = sets[seed % len(sets)]
        if seed not in log.done:
            if design != OURS and design not in plain:
                plain[design] = learnt(design)
            trial = PromptTrial(seed, reader, None if design == OURS else design, plain.get(design))
            acts = trial.run(min(A_SCENE, args.count - laid))
            log.add({"scene": seed, "set": design, "acts": [_act(act) for act in acts]})
        entry = log.done[seed]
        laid, number = laid + sum(act["kind"] in LAID for act in entry["acts"]), number + 1
        progress.show(laid, design)
        yield entry
        if args.scene is not None:
            return


def _act(act: Act) -> dict[str, Any]:
    return {
        "kind": act.kind, "seat": act.seat, "card": act.card, "right": act.right, "wrong": act.wrong,
        "seen": [" ".join(event) for event in act.seen],
    }  # fmt: skip


def _summary(entries: list[dict[str, Any]]) -> dict[str, Any]:
    rows: dict[str, dict[str, list[int]]] = {}
    faults = []
    for entry in entries:
        for act in entry["acts"]:
            counts = rows.setdefault(entry["set"], {}).setdefault(act["kind"], [0, 0])
            counts[0] += 1
            counts[1] += act["right"]
            if not act["right"]:
                faults.append({"scene": entry["scene"], "set": entry["set"], **act})
    laid = [counts for by_kind in rows.values() for kind, counts in by_kind.items() if kind in LAID]
    return {
        "laid": sum(count for count, _ in laid),
        "right": sum(right for _, right in laid),
        "taken_for_another": sum(fault["wrong"] for fault in faults),
        "by_set": rows,
        "faults": faults,
    }


def _words(report: dict[str, Any]) -> str:
    lines = [
        f"{report['laid']} prompt cards laid (seed {report['seed']}, {', '.join(report['sets'])})",
        f"  read right, once            {report['right']}",
        f"  a card taken for another    {report['taken_for_another']}",
        "",
    ]
    rows = [["set", "what was done", "times", "seen as it was"]]
    for name, by_kind in report["by_set"].items():
        for kind, (count, right) in by_kind.items():
            rows.append([name, ACTS[kind][1] if kind in ACTS else "all collected", str(count), str(right)])
    lines.append(table(rows))
    lines += [
        f"scene {fault['scene']} ({fault['set']}) {fault['seat']} {fault['kind']} {fault['card']}: "
        f"seen {'; '.join(fault['seen']) or 'nothing'}"
        for fault in report["faults"]
    ]
    return "\n".join(lines)
