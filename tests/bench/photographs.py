"""How well cards are read in rendered photographs of decks nobody trained on: ``make photographs``.

``python tests/bench/photographs.py [--count N] [--seed N] [--pictures DIR]``: another deck, table, size and layout for
each picture (photograph_scene.py), read as ``table-controller read`` does, scale not told. A corner counts when nine
tenths of it show. Every reading that is no card's is counted: chips, boxes, backs, grain. Needs one thread.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import cv2
from photograph_scene import Index, Photograph, photograph

from table_controller.sim.figures.report import Progress
from table_controller.vision.reader import Reader
from table_controller.vision.reading import IndexReading

SHOWN = 0.9
ROUND_BOX = 0.25


def _in(index: Index, reading: IndexReading) -> bool:
    x0, y0, x1, y1 = index.box
    dx, dy = ROUND_BOX * (x1 - x0), ROUND_BOX * (y1 - y0)
    return x0 - dx <= reading.centre[0] <= x1 + dx and y0 - dy <= reading.centre[1] <= y1 + dy


def score(picture: Photograph, readings: list[IndexReading]) -> tuple[Counter[str], list[str]]:
    """(counts, a line for each fault) of one picture. ``away``: sure readings where no index is, not at its edge."""
    counts: Counter[str] = Counter()
    faults, placed, cards = [], set(), {}
    for index in picture.indices:
        here = [i for i, reading in enumerate(readings) if _in(index, reading)]
        placed |= set(here)
        if index.shown < SHOWN:
            continue
        sure = [readings[i].card for i in here if not readings[i].doubtful]
        outcome = "right" if index.card in sure else "wrong" if sure else "missed"
        counts[outcome] += 1
        cards[index.number] = cards.get(index.number, False) or outcome == "right"
        if outcome != "right":
            faults.append(f"{picture.name}: {index.card} at {index.box} {outcome} {' '.join(sure)}")
    high, wide = picture.image.shape[:2]
    for i, reading in enumerate(readings):
        x0, y0, x1, y1 = reading.box
        if i not in placed and not reading.doubtful and x0 > 0 and y0 > 0 and x1 < wide and y1 < high:
            counts["away"] += 1
            faults.append(f"{picture.name}: {reading.card} read where none is, at {reading.box}")
    counts["cards"], counts["cards right"] = len(cards), sum(cards.values())
    return counts, faults


def main() -> int:
    """Print the figures and each fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pictures", type=Path, help="keep the pictures in which something was amiss there")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader, counts, faults = Reader.load(), Counter[str](), list[str]()
    progress = Progress(args.count, "photographs")
    for number in range(args.count):
        picture = photograph(args.seed * 100_000 + number)
        one, amiss = score(picture, reader.read_photo(picture.image))
        counts += one
        faults += amiss
        if amiss and args.pictures is not None:
            args.pictures.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(args.pictures / f"{picture.name}.jpg"), picture.image)
        progress.show(number + 1, f"{counts['right']} right {counts['wrong']} wrong {counts['missed']} missed")
    corners = max(1, counts["right"] + counts["wrong"] + counts["missed"])
    print(f"{args.count} photographs of unknown decks, seed {args.seed}, {reader.name}")
    print(f"corners {corners}: right {counts['right'] / corners:.4f}, wrong {counts['wrong'] / corners:.4f}")
    print(f"cards {counts['cards']}: right {counts['cards right'] / max(1, counts['cards']):.4f}")
    print(f"sure readings where no index is: {counts['away']}")
    print(*faults, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
