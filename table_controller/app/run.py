"""``run``: the main job on a real table, or on recorded material with ``camera = "folder:…"`` or ``"video:…"``."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import signal
from dataclasses import dataclass, field
from pathlib import Path

from table_controller.app.brokers import broker_of
from table_controller.app.checks import check_before, decks_folder, secret_files
from table_controller.app.deck_choice import usable_deck
from table_controller.app.enrolment import DeckEnrolment, offer_setup
from table_controller.app.health import Health, Signs, critical, health_of, troubles
from table_controller.app.reopen import Snapshots
from table_controller.app.restart import after_restart, carry_on
from table_controller.app.setup import CameraSetup
from table_controller.app.table import Table, add_feed, add_page, add_panel, any_seat, fresh_folder, open_table
from table_controller.app.terminal import say, url_host
from table_controller.cards import SEATS, Seat
from table_controller.config import Config, open_secrets, read_text, secret_of
from table_controller.dealer.driver import SerialLink
from table_controller.errors import DeviceError, TableError
from table_controller.feed.home_assistant import discovery, discovery_topic
from table_controller.games.guandan.profile import named_rules
from table_controller.runtime.clock import RealClock
from table_controller.runtime.measure import boot_id
from table_controller.runtime.memory import settled, sparing, tidy
from table_controller.runtime.notify import STALL_MS, Notifier
from table_controller.table.effects import Effect, WatchMode
from table_controller.table.events import DealRequested, DealtByHand, Event
from table_controller.vision.client import VisionClient
from table_controller.vision.corner_file import FILE
from table_controller.vision.sources import RECORDING_ENDED, CameraControls, is_recording

log = logging.getLogger(__name__)
CHECK_MS = 500
HEALTH_EVERY = 10
"""Health is published at every so many checks."""
TIDY_EVERY = 60
"""Memory is tidied at every so many checks."""
DEALER_ANSWERS_S = 10.0


@dataclass
class _Run:
    """What a running table owns beside the common parts."""

    config: Config
    table: Table
    clock: RealClock
    loop: asyncio.AbstractEventLoop
    vision: VisionClient | None = None
    dealer: SerialLink | None = None
    recorded: bool = False
    ended: bool = False
    said: set[tuple[str, Seat | None]] = field(default_factory=set)
    notifier: Notifier = field(default_factory=Notifier)
    heard_ms: int = -1
    """When the vision worker was last heard."""
    pins_problem: str = ""
    found: list[Health] = field(default_factory=list)
    """How the adapters were at the last look."""
    failed: set[str] = field(default_factory=set)
    """The adapters that were said to have failed, until they are fresh again."""
    stuck: tuple[str, ...] = ()
    """What only a restart cures, at the last look."""

    def post(self, event: Event) -> None:
        """Give an event to the table from any thread."""
        self.loop.call_soon_threadsafe(self.table.runtime.post, self._as_dealt(event))

    async def ask(self, event: Event) -> TableError | None:
        """Give a command of the page to the table; says why it was refused, or None."""
        return await self.table.runtime.ask(self._as_dealt(event))

    def _as_dealt(self, event: Event) -> Event:
        """Without a machine people deal; the first seat to lay cards leads where a recording is read."""
        if isinstance(event, DealRequested) and self.config.dealer.port == "none":
            return DealtByHand(event.at_ms, event.by, None if self.recorded else event.leader)
        return event

    def take(self, events: list[Event]) -> None:
        """Events from the camera's worker."""
        for event in events:
            self.table.runtime.post(event)

    def take_waiting(self) -> None:
        """What the camera's worker has sent."""
        if self.vision is not None:
            self.heard_ms = self.clock.now_ms()
            self.take(self.vision.receive())

    def say_hints(self, vision: VisionClient) -> None:
        """Each thing amiss with the camera's pictures once, in both languages, for whoever starts the table."""
        for hint in vision.hints:
            if (hint.code, hint.seat) not in self.said:
                self.said.add((hint.code, hint.seat))
                say(f"camera: {hint.en} / {hint.zh}")

    def perform(self, effect: Effect) -> None:
        """Hand effects to the dealer and the camera."""
        if self.dealer is not None:
            self.dealer.perform(effect)
        if self.vision is not None and isinstance(effect, WatchMode):
            self.vision.watch("play" if self.recorded else effect.mode)


def run_table(config: Config, *, degraded: bool = False, leader: Seat | None = None, carry: Path | None = None) -> int:
    """Run until SIGTERM or Ctrl-C, or until a recording ends. Returns an exit status; raises TableError.

    ``carry``: a match that began at another table goes on here (``record --as carry``).
    """
    document = read_text(carry, "Write it with `table-controller record --as carry`.") if carry else ""
    for sentence in check_before(config, degraded=degraded):
        say(f"without: {sentence}")
    for sentence in open_secrets(secret_files(config)):
        say(sentence)
    return asyncio.run(_run(config, degraded=degraded, leader=leader, document=document))


def told_to_end() -> list[signal.Signals]:
    """The signals that end a table in order; SIGHUP is that of a terminal that was closed, but not under ``nohup``."""
    hung_up = [signal.SIGHUP] if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN else []
    return [signal.SIGINT, signal.SIGTERM, *hung_up]


async def _run(config: Config, *, degraded: bool, leader: Seat | None, document: str) -> int:
    sparing()
    loop = asyncio.get_running_loop()
    clock = RealClock(loop)
    folder = fresh_folder(Path(config.state.directory))
    profile, rules = named_rules(config.table.profile)
    notifier = Notifier()
    table = open_table(
        clock,
        folder / "journal.jsonl",
        table=config.table.id,
        venue=config.table.venue,
        profile=profile,
        rules=rules,
        officiating=config.table.officiating,
        draw_leader=(lambda: leader) if leader is not None else any_seat,
        tell=lambda part: notifier.starting(f"reading the journal: {part:.0%}"),
    )
    if table.recovered:
        say(table.recovered)
    run = _Run(config, table, clock, loop, recorded=is_recording(config.camera.source), notifier=notifier)
    consumer = asyncio.create_task(table.runtime.run(), name="consumer")
    stopping = asyncio.Event()
    for number in told_to_end():
        loop.add_signal_handler(number, stopping.set)
    try:
        await _open_adapters(run, folder, degraded=degraded)
        if document:
            await carry_on(table, run.ask, document)
        where = f"{url_host(config.web.host)}:{table.page.port if table.page else 0}"
        say(f"table {config.table.id} is ready: http://{where}/")
        run.notifier.ready(f"table {config.table.id}, {table.runtime.state.phase}")
        settled()
        await _work(run, stopping, consumer)
    finally:
        run.notifier.stopping()
        await _close(run, consumer)
    if run.recorded:
        _summary(run)
    return 0


async def _open_adapters(run: _Run, folder: Path, *, degraded: bool) -> None:
    """Start-up order: feed and page first (they show what fails), then panel, dealer, camera."""
    config, table = run.config, run.table
    table.runtime.add(perform=run.perform)
    boot = boot_id() if config.feed.host else ""
    table.runtime.add(committed=Snapshots(table.journal, run.clock, boot).committed)
    if config.feed.host:
        add_feed(
            table,
            broker_of(config),
            folder / "outbox.sqlite",
            boot=boot,
            simulated=False,
            ask=run.ask if config.feed.commands else None,
            http=config.web.url,
            evidence=folder / "evidence",
        )
        assert table.publisher is not None
        table.publisher.refresh()
        if config.feed.home_assistant:
            assert table.client is not None
            table.client.document(discovery_topic(table.topics), discovery(table.topics, config.web.url))
    add_page(table, run.ask, folder / "evidence", token=secret_of(config.web.token_file, "web.token_file"))
    assert table.page is not None
    table.page.setup = CameraSetup(lambda: run.vision, lambda ms: _pause(run, ms), folder / FILE)
    offer_setup(table.page.routes, config, run.clock.now_ms, lambda: run.vision, lambda: run.dealer)
    await table.page.start(config.web.host, config.web.port)
    table.begin()
    if config.panel.enabled:
        try:
            add_panel(table, run.post)
        except DeviceError as error:
            run.pins_problem = error.line()
            say(f"without: {error.line()}")
    if config.dealer.port != "none":
        await _open_dealer(run, degraded=degraded)
    after_restart(table, run.dealer, run.post, paused=not run.recorded)
    _open_camera(run, folder, degraded=degraded)


async def _open_dealer(run: _Run, *, degraded: bool) -> None:
    run.dealer = SerialLink(run.config.dealer.port, run.table.runtime.post, now_ms=run.clock.now_ms)
    run.dealer.start()
    for _ in range(int(DEALER_ANSWERS_S * 20)):
        state = run.table.runtime.state.dealer
        if run.dealer.online or state.message:
            break
        await _pause(run, 50)
    message = run.table.runtime.state.dealer.message
    if not run.dealer.online:
        words = message or f"The dealer on {run.config.dealer.port} does not answer."
        if not degraded:
            raise DeviceError(words)
        say(f"without: {words}")


def _open_camera(run: _Run, folder: Path, *, degraded: bool) -> None:
    evidence = folder / "evidence" if run.config.camera.evidence else None
    camera, deck = run.config.camera, usable_deck(run.config, degraded=degraded)
    enrolling = run.table.page.routes.enrolling if run.table.page is not None else None
    if isinstance(enrolling, DeckEnrolment):
        enrolling.reads_with = deck
    run.vision = VisionClient(
        source=camera.source,
        evidence_folder=evidence,
        evidence_days=camera.evidence_days,
        evidence_mb=camera.evidence_mb,
        corners_file=folder / FILE,
        controls=CameraControls(camera.exposure, camera.focus),
        decks=decks_folder(run.config),
        deck=deck,
    )
    try:
        name = run.vision.start()
    except TableError as error:
        if not degraded:
            raise
        say(f"without: {error.line()}")
        return
    run.vision.watched(lambda pipe: run.loop.add_reader(pipe, run.take_waiting), run.loop.remove_reader)
    say(f"recogniser {name}, camera {run.config.camera.source}")
    if run.recorded:
        run.vision.watch("play")
        run.post(DealRequested(run.clock.now_ms(), "recording"))


async def _work(run: _Run, stopping: asyncio.Event, consumer: asyncio.Task[None]) -> None:
    checks = 0
    while not stopping.is_set() and not run.ended:
        if consumer.done():
            raise TableError("The table's loop has ended.", way_out="Keep the journal and report it.", code="LOOP")
        _feed_watchdog(run, critical(_look_at_health(run), STALL_MS))
        if checks % HEALTH_EVERY == 0 and run.table.publisher is not None:
            run.table.publisher.health(_health(run))
        checks += 1
        if checks % TIDY_EVERY == 0:
            tidy()
        if run.vision is not None and run.vision.recogniser:
            run.take(run.vision.check(run.clock.now_ms()))
            run.say_hints(run.vision)
            run.ended = run.recorded and run.vision.lost == RECORDING_ENDED
        await _pause(run, CHECK_MS)


def _feed_watchdog(run: _Run, stuck: tuple[str, ...]) -> None:
    """systemd hears that all is well, or nothing: then it starts the table again."""
    if not stuck:
        run.notifier.alive(f"table {run.config.table.id}, {run.table.runtime.state.phase}")
    elif stuck != run.stuck:
        log.error("Stuck: %s. The watchdog is not fed until it goes on.", ", ".join(stuck))
    run.stuck = stuck


def _signs(run: _Run) -> Signs:
    """What is known of the adapters now."""
    config, table, vision, client = run.config, run.table, run.vision, run.table.client
    state = table.runtime.state.dealer
    running = vision is not None and bool(vision.recogniser)
    due_ms = run.dealer.next_deadline_ms if run.dealer is not None else None
    heard = None if not running else -1 if run.heard_ms < 0 else run.clock.now_ms() - run.heard_ms
    return Signs(
        camera_heard_ms=heard,
        camera_lost=(vision.lost if vision is not None else "") or table.runtime.state.camera_lost,
        recorded=run.recorded,
        dealer_link=run.dealer.link.state if run.dealer is not None else None,
        dealer_fault=state.fault,
        dealer_message=state.message,
        broker_online=client.online if client is not None else None,
        broker_problem=client.problem if client is not None else "",
        broker_refused=client is not None and client.refused,
        waiting=len(table.outbox) if table.outbox is not None else 0,
        pins=(table.panel is not None) if config.panel.enabled else None,
        pins_problem=run.pins_problem,
        journal_fault=table.runtime.fault,
        journal_waiting_ms=table.runtime.waiting_ms(),
        free_mb=shutil.disk_usage(table.journal_path.parent).free // 2**20,
        dealer_overdue_ms=max(0, run.clock.now_ms() - due_ms) if due_ms is not None else 0,
        feed_silent_ms=client.silent_ms() if client is not None else 0,
        outbox_problem=table.outbox.problem if table.outbox is not None else "",
    )


def _look_at_health(run: _Run) -> Signs:
    """Page and panel hear of what has changed."""
    signs = _signs(run)
    run.found = health_of(signs)
    found = troubles(run.found)
    _say_failed(run)
    if found != run.table.troubles:
        run.table.troubles = found
        if run.table.page is not None:
            run.table.page.changed()
    if run.table.panel is not None:
        run.table.panel.attention(any(one.state == "failed" for one in run.found))
    return signs


def _say_failed(run: _Run) -> None:
    """Each adapter that fails, and that is well again, once: for whoever reads the terminal or the system's log."""
    for one in run.found:
        if one.state == "failed" and one.name not in run.failed:
            run.failed.add(one.name)
            say(one.line())
        elif one.state in ("fresh", "off") and one.name in run.failed:
            run.failed.discard(one.name)
            say(one.line())


def _health(run: _Run) -> dict[str, object]:
    """How the adapters are, in plain words where one is not well."""
    client, outbox, vision = run.table.client, run.table.outbox, run.vision
    return {
        "recogniser": vision.recogniser if vision is not None else "",
        "camera": vision.lost if vision is not None else "no camera",
        "camera_hints": [hint.document() for hint in vision.hints] if vision is not None else [],
        "vision_restarts": vision.restarts if vision is not None else 0,
        "dealer": run.dealer.link.state if run.dealer is not None else "none",
        "broker_connects": client.connects if client is not None else 0,
        "outbox": len(outbox) if outbox is not None else 0,
        "controller_fault": run.table.runtime.fault,
        "adapters": [one.document() for one in run.found],
    }


async def _pause(run: _Run, ms: int) -> None:
    waiting = asyncio.Event()
    run.clock.call_at(run.clock.now_ms() + ms, waiting.set)
    await waiting.wait()


async def _close(run: _Run, consumer: asyncio.Task[None]) -> None:
    if run.table.page is not None:
        await run.table.page.stop()
    if run.dealer is not None:
        run.dealer.close()
    if run.vision is not None:
        run.vision.close()
    consumer.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await consumer
    run.table.close()


def _summary(run: _Run) -> None:
    """What was read of a recording, a line a play."""
    state = run.table.runtime.state
    for action in state.actions:
        words = " ".join(action.cards) or "PASS"
        doubt = "  doubtful" if action.is_doubtful else ""
        print(f"{action.number:3} {action.seat}  {words:32} {action.reading}{doubt}")
    for incident in state.incidents:
        print(f"incident {incident.number}: {incident.kind} {incident.seat or ''} {incident.detail}".rstrip())
    left = {seat: state.deal.counts[seat] for seat in SEATS} if state.deal else {}
    print(
        f"plays {sum(bool(a.cards) for a in state.actions)}, passes {sum(not a.cards for a in state.actions)}, {left}"
    )
