"""Figures of this machine: each part of the product beside the plain way of doing the same, and their ratio.

``python tests/bench/run.py [NAME…]`` prints a line each and writes build/bench/figures.json. Recognition, gate and
judge are processor time of one thread, so that other work on the machine hardly shows; core is real time, because
waiting for the disk is its point, so the machine's load is written down with it; the dealer is its machine's own time.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from feed_bench import feed
from glance_bench import glance
from latency_bench import latency
from rest_bench import memory, rest, startup

from table_controller.cards import RANKS, SUITS, full_pack
from table_controller.dealer.machine import Machine
from table_controller.dealer.simulated import open_simulated
from table_controller.dealer.stepped import SteppedLink
from table_controller.games.guandan.hands import MAX_PLAY, readings, wild_of
from table_controller.games.guandan.judge import compare
from table_controller.games.guandan.plays import all_plays
from table_controller.games.guandan.profile import load_profile
from table_controller.geometry import load_geometry
from table_controller.journal.writer import JournalWriter
from table_controller.runtime.clock import VirtualClock
from table_controller.runtime.loop import TableRuntime
from table_controller.sim.event_table import EventTable
from table_controller.sim.figures.enrolment import enrol_rendered
from table_controller.sim.scene import Picture, Scene
from table_controller.table.core import TableCore
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealDone, DealFailed, DealPlanned, Event
from table_controller.vision.detect import CELL_PX, UNIT_PX
from table_controller.vision.gate_bench import FRAMES_A_MINUTE, measure_gate
from table_controller.vision.mat import GLIMPSE, MatFinder, play_window
from table_controller.vision.reader import INDEX_MM, Reader

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build" / "bench"
PX_PER_MM = 3.0
QUIET_FRAMES = 600
YOLO_GRID_PX = 8
ENROL_LIMIT_S = 180.0
Figures = dict[str, Any]


def median_ms(work: Callable[[], object], rounds: int) -> float:
    """The median processor time of ``work`` in milliseconds, after one round to warm up."""
    work()
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


def beside(
    product: float, plain: float, unit: str, what: str, against: str, *, rate: bool = False, **more: Any
) -> Figures:
    """One comparison; above 1 the product is better: plain / product for times, product / plain for rates."""
    ratio = product / plain if rate else plain / product
    rounded = {"product": round(product, 3), "plain": round(plain, 3), "ratio": round(ratio, 2)}
    return {**rounded, "unit": unit, "what": what, "against": against, **more}


def _played_table() -> tuple[Scene, Picture]:
    """A table in play: a row of six in each area, prompt cards in two circles."""
    scene = Scene(random.Random(5))
    pack = [card for card in full_pack() if card[0] in "3456789"]
    random.Random(5).shuffle(pack)
    for number, seat in enumerate(("E", "N", "W", "S")):
        scene.lay(seat, sorted(pack[number * 6 : number * 6 + 6]))  # type: ignore[arg-type]
    scene.lay_prompt("N", "PASS")
    scene.lay_prompt("W", "9")
    return scene, scene.render()


def recognition() -> Figures:
    """The whole mat read once, against ultralytics' yolo11n at the size that reads the same index; one thread each."""
    reader = Reader.load()
    _, frame = _played_table()
    picture = OUT / "mat.png"
    cv2.imwrite(str(picture), frame)
    ours = median_ms(lambda: reader.read_crop(frame, PX_PER_MM), 5)
    # its finest grid is 8 px where ours is 4: an index of 24 px to us is one of 48 px to it
    index_px = UNIT_PX * YOLO_GRID_PX / CELL_PX
    side_px = -(-round(max(frame.shape[:2]) * index_px / (INDEX_MM * PX_PER_MM)) // 32) * 32
    plain = _yolo_ms(picture, side_px)
    half = _yolo_ms(picture, -(-side_px // 2 // 32) * 32)
    return beside(
        ours, plain, "ms", f"the whole mat found and named, {len(reader.read_crop(frame, PX_PER_MM))} corners",
        f"yolo11n (54 classes, ultralytics predict) on the same frame at {side_px} px",
        yolo_at_half_the_size_ms=round(half, 1),
    )  # fmt: skip


def _yolo_ms(picture: Path, side_px: int) -> float:
    """Processor time of the baseline, in the training's environment; not a number where that is missing."""
    python = ROOT / ".venv-train" / "bin" / "python"
    if not python.exists():
        return math.nan
    command = [str(python), str(ROOT / "tests/bench/ultralytics_beside.py"), str(picture), str(side_px), "54", "3"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "YOLO_VERBOSE": "false"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout.split()[-1])


def area() -> Figures:
    """One changed play area read by the product's reader, against the whole frame read by the same reader."""
    reader = Reader.load()
    _, frame = _played_table()
    size = (frame.shape[1] // GLIMPSE, frame.shape[0] // GLIMPSE)
    glimpse = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
    pose = MatFinder(load_geometry()).find(frame, glimpse)
    assert pose is not None
    view = play_window(load_geometry(), "S").view(frame, pose, PX_PER_MM)
    area = median_ms(lambda: reader.read_crop(view, PX_PER_MM), 7)
    whole = median_ms(lambda: reader.read_crop(frame, PX_PER_MM), 3)
    counts = {name: len(reader.read_crop(image, PX_PER_MM)) for name, image in (("area", view), ("frame", frame))}
    return beside(
        area, whole, "ms", "one changed play area", "the whole frame, same reader, same frame", corners=counts
    )


def gate() -> Figures:
    """A quiet minute, ten frames a second: with the change gate, against reading the four areas in every frame."""
    scene, _ = _played_table()
    frames = [scene.render() for _ in range(10)]
    found = measure_gate(
        load_geometry(), Reader.load(), frames, lambda: time.process_time() * 1000, quiet=QUIET_FRAMES, always=6
    )
    return beside(
        found.quiet_minute_s, found.always_ms * FRAMES_A_MINUTE / 1000, "s", "a quiet minute with the gate",
        f"the four areas read in each of {FRAMES_A_MINUTE} frames (6 measured, scaled)", share=round(found.share, 4),
    )  # fmt: skip


def enrol() -> Figures:
    """Enrolling a drawn deck at the rendered table: looking and learning, against the three minutes it may take."""
    figure, deck = enrol_rendered(style="drawn-17", seed=1, scenes=2)
    return beside(
        figure.table_s + figure.learn_s, ENROL_LIMIT_S, "s",
        f"a deck enrolled from {figure.samples} corners, without the hands", "the three minutes it may take with them",
        looking=round(figure.table_s, 1), learning=round(figure.learn_s, 1),
        before=figure.before, after=figure.after, deck=deck.name,
    )  # fmt: skip


def _brute() -> Callable[[tuple[str, ...], str], set[tuple[str, str]]]:
    """The reference of the tests: every card tried for every wild."""
    spec = importlib.util.spec_from_file_location("brute", ROOT / "tests/rules/test_engine_brute_force.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[tuple[str, ...], str], set[tuple[str, str]]] = module.brute
    return found


def judge() -> Figures:
    """Readings and comparison of two ten-card plays with two wilds each, against the brute-force reference."""
    brute, profile, rng = _brute(), load_profile("default"), random.Random(7)
    pairs = []
    for _ in range(12):
        level = rng.choice(RANKS)
        ranks = rng.sample([rank for rank in RANKS if rank != level], 2)
        wild = [wild_of(level)] * 2
        pairs.append((level, *(tuple([rank + suit for suit in SUITS] * 2 + wild) for rank in ranks)))

    def ours() -> None:
        for level, one, other in pairs:
            assert readings(one, level)
            compare(one, other, level, profile)

    def plain() -> None:
        for level, one, other in pairs:
            assert brute(one, level)
            assert brute(other, level)

    return beside(
        median_ms(ours, 9) / len(pairs), median_ms(plain, 3) / len(pairs), "ms",
        "readings of a ten-card play and whether another beats it",
        "the reference's readings of both (it compares nothing)",
    )  # fmt: skip


def hand() -> Figures:
    """All plays of cards with both wilds, against reading every set of them by brute force; a whole hand's time."""
    brute, rng = _brute(), random.Random(11)
    small, whole = [], []
    for _ in range(3):
        level = rng.choice(RANKS)
        pack = [card for card in full_pack() if card != wild_of(level)]
        small.append((level, sorted([wild_of(level)] * 2 + rng.sample(pack, 9))))
        whole.append((level, sorted([wild_of(level)] * 2 + rng.sample(pack, 25))))

    def ours() -> None:
        for level, cards in small:
            all_plays(cards, level)

    def plain() -> None:
        for level, cards in small:
            for size in range(1, MAX_PLAY + 1):
                for chosen in set(combinations(cards, size)):
                    brute(chosen, level)

    hands_ms = [median_ms(lambda level=level, cards=cards: all_plays(cards, level), 3) for level, cards in whole]
    plays = [play for level, cards in whole for play in list(all_plays(cards, level))]
    slowest = max(median_ms(lambda play=play: readings(play, whole[0][0]), 3) for play in rng.sample(plays, 400))
    return beside(
        median_ms(ours, 5) / len(small), median_ms(plain, 1) / len(small), "ms",
        "all plays of eleven cards, both wilds among them", "the reference's readings of every set of them",
        whole_hand_ms=round(statistics.median(hands_ms), 1), slowest_reading_ms=round(slowest, 3),
        third_of_a_frame_ms=33.3,
    )  # fmt: skip


def _events(deals: int) -> list[Event]:
    table = EventTable(3)
    table.open()
    for _ in range(deals):
        table.play_deal()
        if table.core.state.phase == "game_over":
            break
    return table.events


def _per_second(events: list[Event], path: Path, *, sync: bool) -> float:
    path.unlink(missing_ok=True)
    runtime = TableRuntime(TableCore(), JournalWriter(path, sync=sync), VirtualClock(0))
    began = time.perf_counter()
    for event in events:
        runtime.post(event)
    return len(events) / (time.perf_counter() - began)


def core() -> Figures:
    """Events a second through core and journal: every record durable, against leaving that to the system."""
    events = _events(3)
    durable = _per_second(events, OUT / "durable.jsonl", sync=True)
    loose = _per_second(events, OUT / "loose.jsonl", sync=False)
    bare = TableCore()
    began = time.perf_counter()
    for event in events:
        bare.commit(bare.handle(event))
    alone = len(events) / (time.perf_counter() - began)
    return beside(
        durable, loose, "events/s", "every record durable before it is acted on", "the same journal without fdatasync",
        rate=True, core_alone=round(alone), events=len(events),
    )  # fmt: skip


def _deal_ms(machine: Machine) -> int:
    """Machine time of a whole deal of 108 cards, from RunDeal to DealDone."""
    log: list[Event] = []
    link = SteppedLink(machine, log.append, random_bytes=random.Random(1).randbytes)
    machine.load(108)
    now = 0
    while not link.online:
        now += 5
        link.step(now)
    link.perform(PlanDeal(1, "A", (27, 27, 27, 27, 0)), now)
    plan = next(event.plan for event in log if isinstance(event, DealPlanned))
    began = now
    link.perform(RunDeal(1, "A", plan), now)
    while not any(isinstance(event, DealDone | DealFailed) for event in log):
        now += 5
        link.step(now)
    assert isinstance(log[-1], DealDone), log[-1]
    link.close()
    return now - began


def _least_deal_s(cards: int) -> float:
    """As firmware/generate.py works it out from firmware/machine.toml."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "firmware/generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    sys.modules["generate"] = generate
    spec.loader.exec_module(generate)
    facts = {key.upper(): value for key, value in generate.load("firmware/machine.toml").items()}
    return float(generate.least_deal_s(facts, cards))


def dealer() -> Figures:
    """Machine time of a deal, against what the mechanism needs at least for 108 turns and the trays."""
    least_ms = 1000 * _least_deal_s(108)
    simulated = open_simulated()
    began = time.perf_counter()
    took_ms = _deal_ms(simulated.machine)
    wall_s = time.perf_counter() - began
    return beside(
        took_ms / 1000, least_ms / 1000, "s of machine time", f"108 cards dealt by the firmware ({simulated.kind})",
        "test, home, 108 turns and the open trays at the motors' limits (the machine's own minimum, never built)",
        longer_percent=round(100 * (took_ms / least_ms - 1), 2), wall_s=round(wall_s, 2),
    )  # fmt: skip


BENCHES: dict[str, Callable[[], Figures]] = {
    "recognition": recognition,
    "area": area,
    "gate": gate,
    "enrol": enrol,
    "judge": judge,
    "hand": hand,
    "core": core,
    "dealer": dealer,
    "feed": feed,
    "glance": glance,
    "latency": latency,
    "rest": rest,
    "memory": memory,
    "startup": startup,
}


def report(machine: dict[str, Any], results: dict[str, Figures]) -> None:
    """build/bench/report.txt as it was printed, and ratios.png: each bench's ratio, on a scale of tens."""
    kind = f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}"
    lines = [f"{kind}; ratio above 1: the product is better"]
    for name, found in results.items():
        limit = f"  (at most {found['limit']})" if "limit" in found else ""
        lines.append(f"{name:12} {found['product']:>10} {found['unit']}{limit}  {found['what']}")
        beside = f"{found['against']}   ratio {found['ratio']}   load {found['load']}"
        lines.append(f"{'':12} {found['plain']:>10} {found['unit']}  {beside}")
    (OUT / "report.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    drawn = {name: found["ratio"] for name, found in results.items() if found["ratio"] == found["ratio"]}
    figure, axis = pyplot.subplots(figsize=(9, 0.45 * len(drawn) + 1.5))
    colours = ["#1a7f37" if value >= 1 else "#b58900" for value in drawn.values()]
    axis.barh(list(drawn), list(drawn.values()), color=colours)
    axis.axvline(1, color="black", linewidth=1)
    axis.set_xscale("log")
    axis.invert_yaxis()
    axis.set_xlabel("ratio to the plain way (above 1: the product is better)")
    for place, value in enumerate(drawn.values()):
        axis.text(value, place, f" {value:g}", va="center")
    figure.tight_layout()
    figure.savefig(OUT / "ratios.png", dpi=90)


def main() -> int:
    """Run the named benches, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(BENCHES)} (default: all)")
    names = parser.parse_args().names or list(BENCHES)
    if unknown := set(names) - set(BENCHES):
        parser.error(f"no bench is called {', '.join(sorted(unknown))}")
    OUT.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    machine = {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    print(f"{machine['processor']}, {machine['cores']} cores, load {os.getloadavg()[0]:.1f}")
    print("ratio above 1: the product is better")
    results: dict[str, Figures] = {}
    for name in names:
        found = {**BENCHES[name](), "load": round(os.getloadavg()[0], 1)}
        results[name] = found
        print(f"{name:12} {found['product']:>10} {found['unit']}  {found['what']}")
        print(f"{'':12} {found['plain']:>10} {found['unit']}  {found['against']}   ratio {found['ratio']}", flush=True)
    report(machine, results)
    (OUT / "figures.json").write_text(json.dumps({"machine": machine, **results}, indent=1) + "\n", encoding="utf-8")
    print(f"written to {(OUT / 'figures.json').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
