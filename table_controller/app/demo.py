"""``demo`` and ``sim``: a whole simulated table, as fast as it goes or at human pace with its pages live."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2

from table_controller.app.brokers import RunningBroker, open_broker
from table_controller.app.enrolment import DealerTest, DeckEnrolment
from table_controller.app.listener import Listener
from table_controller.app.setup import CameraSetup
from table_controller.app.simulation import DemoOptions, Simulation, build
from table_controller.app.table import Table, add_feed, add_page, fresh_folder
from table_controller.app.terminal import say
from table_controller.errors import TableError, UsageError
from table_controller.feed.client import Broker
from table_controller.journal.reader import Records
from table_controller.journal.replay import journal_hash
from table_controller.runtime.clock import RealClock, VirtualClock
from table_controller.runtime.measure import wall_seconds
from table_controller.sim.scene import Picture
from table_controller.table.events import Event
from table_controller.vision.corner_file import FILE

log = logging.getLogger(__name__)
FRAME_MS = 100
LONGEST_DEAL_MS = 3_600_000
FEED_WAIT_S = 15.0


def run_demo(options: DemoOptions) -> int:
    """Play the deals and print the result as one JSON object on the last line. Returns an exit status."""
    started = wall_seconds()
    journal_path = _prepare(options)
    broker = open_broker(options.broker)
    if broker.note:
        say(broker.note)
    try:
        if options.fast:
            simulation, listener = _run_fast(options, journal_path, broker)
        else:
            simulation, listener = asyncio.run(_run_live(options, journal_path, broker))
        result = _result(simulation, listener, broker, started)
        listener.close()
    finally:
        broker.stop()
    print(json.dumps(result, ensure_ascii=False), flush=True)
    return 0


def _prepare(options: DemoOptions) -> Path:
    """Make the folders that were asked for, before anything is started; returns where the journal goes."""
    for folder in (options.evidence, options.record):
        if folder is not None:
            fresh_folder(folder)
    if options.journal is None:
        return Path(tempfile.mkdtemp(prefix="table-demo-")) / "journal.jsonl"
    if options.journal.exists():
        raise UsageError(f"{options.journal} exists already.", way_out="Name a new file for the journal.")
    if not options.journal.parent.is_dir():
        raise UsageError(f"There is no folder {options.journal.parent}.", way_out="Make it, or name another.")
    return options.journal


def _announce(simulation: Simulation, broker: Broker) -> None:
    if simulation.dealer.reason:
        say(f"The dealer's firmware is emulated in Python: {simulation.dealer.reason}")
    say(f"dealer {simulation.dealer.kind}, recogniser {simulation.vision.recogniser}")
    say(f"feed at {broker.host}:{broker.port}, topic {simulation.table.topics.event}")


def _follow(simulation: Simulation) -> None:
    """Say in words what the table publishes, so that a long run shows progress."""

    def committed(event: Event, state: Any, effects: Any) -> None:
        for effect in effects:
            data = dict(getattr(effect, "data", ()))
            kind = getattr(effect, "kind", "")
            if kind == "deal_over":
                places = " ".join(seat for seat in data["order"] if seat) or "not played out"
                say(f"deal {data['deal']} over: {places}, {data['winner']} +{data['rise']}")
            elif kind == "incident":
                say(f"incident {data['number']}: {data['kind']} {data['seat'] or ''}")
            elif kind in ("dealt", "tribute_paid", "tribute_resisted", "play_begins"):
                say(f"{kind} {' '.join(f'{k}={v}' for k, v in data.items())}")

    simulation.table.runtime.add(committed=committed)


def _connect(simulation: Simulation, broker: RunningBroker, boot: str) -> Listener:
    listener = Listener(broker.broker, simulation.table.topics)
    add_feed(simulation.table, broker.broker, None, boot=boot, simulated=True)
    simulation.table.begin()
    return listener


# --- virtual time -----------------------------------------------------------------------------------------------------


def _run_fast(options: DemoOptions, journal_path: Path, broker: RunningBroker) -> tuple[Simulation, Listener]:
    clock = VirtualClock(1000)
    simulation = build(options, clock, journal_path, lambda table: table.runtime.post)
    listener = _connect(simulation, broker, f"seed-{options.seed}")
    try:
        simulation.vision.start()
        _announce(simulation, broker.broker)
        _follow(simulation)
        simulation.pump_dealer()
        _fast_camera(simulation, clock)
        simulation.people.begin()
        limit_ms = LONGEST_DEAL_MS * (options.deals or 1_000_000)
        stopped = False
        try:
            while not simulation.people.finished and clock.now_ms() < limit_ms and clock.run_next():
                continue
        except KeyboardInterrupt:
            stopped = True
        if not simulation.people.finished and not stopped:
            raise TableError("The simulated deals did not end.", code="STUCK")
        _settle_feed(simulation, listener)
    finally:
        simulation.close()
    return simulation, listener


def _fast_camera(simulation: Simulation, clock: VirtualClock) -> None:
    """Ten frames a virtual second, but only those that show a change or that the eye waits for."""
    scene, vision = simulation.scene, simulation.vision
    clock.call_at(clock.now_ms() + FRAME_MS, lambda: _fast_camera(simulation, clock))
    if not simulation.watching() or not (scene.dirty or vision.pending):
        return
    frame = scene.render()
    simulation.frames += 1
    events = vision.submit(frame, clock.now_ms())
    if events and simulation.options.record is not None:
        _record(simulation, frame)
    for event in events:
        simulation.post(event)


def _record(simulation: Simulation, frame: Picture) -> None:
    """Keep a settled picture: a folder of these is a recording that ``run`` reads."""
    folder = simulation.options.record
    assert folder is not None
    cv2.imwrite(str(folder / f"{simulation.frames:06d}.jpg"), frame, [cv2.IMWRITE_JPEG_QUALITY, 93])


# --- real time --------------------------------------------------------------------------------------------------------


async def _run_live(options: DemoOptions, journal_path: Path, broker: RunningBroker) -> tuple[Simulation, Listener]:
    loop = asyncio.get_running_loop()
    clock = RealClock(loop)

    def post_to(table: Table) -> Callable[[Event], None]:
        def post(event: Event) -> None:
            loop.call_soon_threadsafe(table.runtime.post, event)

        return post

    simulation = build(options, clock, journal_path, post_to)
    listener = _connect(simulation, broker, f"seed-{options.seed}")
    consumer = asyncio.create_task(simulation.table.runtime.run(), name="consumer")
    stopping = asyncio.Event()
    with contextlib.suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopping.set)
    try:
        simulation.vision.start()
        _announce(simulation, broker.broker)
        _follow(simulation)
        await _open_page(simulation, options, clock)
        assert simulation.table.publisher is not None
        simulation.table.publisher.refresh()
        simulation.pump_dealer()
        camera = asyncio.create_task(_live_camera(simulation, clock), name="camera")
        simulation.vision.watched(
            lambda pipe: loop.add_reader(pipe, lambda: _take_events(simulation)), loop.remove_reader
        )
        simulation.people.begin()
        await _until_finished(simulation, stopping)
        camera.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await camera
        await asyncio.to_thread(_settle_feed, simulation, listener)
    finally:
        if simulation.table.page is not None:
            await simulation.table.page.stop()
        consumer.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await consumer
        simulation.close()
    return simulation, listener


async def _open_page(simulation: Simulation, options: DemoOptions, clock: RealClock) -> None:
    if options.headless:
        return
    add_page(simulation.table, simulation.table.runtime.ask, simulation.options.evidence)
    assert simulation.table.page is not None
    corners_file = Path(tempfile.mkdtemp(prefix="table-demo-")) / FILE  # for this demo only
    simulation.table.page.setup = CameraSetup(lambda: simulation.vision, lambda ms: _pause(clock, ms), corners_file)
    routes, link = simulation.table.page.routes, simulation.link
    routes.tester = DealerTest(lambda: link.link, lambda: link.self_test(clock.now_ms()))
    routes.enrolling = DeckEnrolment(lambda: simulation.vision, corners_file.parent / "decks", clock.now_ms)
    await simulation.table.page.start("127.0.0.1", options.port)
    port = simulation.table.page.port
    say(f"scoreboard http://127.0.0.1:{port}/   in English http://127.0.0.1:{port}/?lang=en")
    say(f"control    http://127.0.0.1:{port}/control   stop with Ctrl-C")


async def _pause(clock: RealClock, ms: int) -> None:
    waiting = asyncio.Event()
    clock.call_at(clock.now_ms() + ms, waiting.set)
    await waiting.wait()


async def _until_finished(simulation: Simulation, stopping: asyncio.Event) -> None:
    while not simulation.people.finished and not stopping.is_set():
        if simulation.people.stage.failure is not None:
            raise simulation.people.stage.failure
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), 0.2)


async def _live_camera(simulation: Simulation, clock: RealClock) -> None:
    """Ten frames a second: drawn in a thread of its own, so that neither loop nor clock waits for the drawing."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, thread_name_prefix="camera") as drawing:
        next_ms = clock.now_ms()
        while True:
            next_ms += FRAME_MS
            if simulation.watching():
                grab_ms = clock.now_ms()
                frame = await loop.run_in_executor(drawing, simulation.draw)
                simulation.frames += 1
                simulation.vision.offer(frame, grab_ms)
            await _pause(clock, max(next_ms - clock.now_ms(), 1))


def _take_events(simulation: Simulation) -> None:
    for event in simulation.vision.receive():
        simulation.post(event)


# --- the result -------------------------------------------------------------------------------------------------------


def _settle_feed(simulation: Simulation, listener: Listener) -> None:
    publisher = simulation.table.publisher
    assert publisher is not None
    listener.wait_for(publisher.events_sent, FEED_WAIT_S)


def _result(simulation: Simulation, listener: Listener, broker: RunningBroker, started: float) -> dict[str, Any]:
    truth, table = simulation.people.truth, simulation.table
    publisher = table.publisher
    assert publisher is not None
    for line in truth.misreads:
        say(f"misread: {line}")
    return {
        "deals": truth.deals,
        "plays": truth.plays,
        "passes": truth.passes,
        "reports": truth.reports,
        "misreads": len(truth.misreads),
        "doubtful": truth.doubtful,
        "incidents": len(table.runtime.state.incidents),
        "dealer": simulation.dealer.kind,
        "recogniser": simulation.vision.recogniser,
        "broker": broker.kind,
        "feed_events": publisher.events_sent,
        "feed_lost": publisher.events_sent - len(listener.numbers),
        "journal": str(table.journal_path),
        "journal_hash": journal_hash(Records(table.journal_path)),
        "virtual_s": round((simulation.clock.now_ms() - simulation.started_ms) / 1000, 1),
        "wall_s": round(wall_seconds() - started, 1),
    }
