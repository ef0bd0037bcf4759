"""A deck enrolled from the set-up page of a running table: guided by the camera's worker, learnt in another process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from table_controller.app.checks import decks_folder
from table_controller.app.deck_choice import chosen_deck, keep_choice
from table_controller.config import Config
from table_controller.dealer.driver import SerialLink
from table_controller.dealer.link import DealerLink
from table_controller.errors import DeviceError
from table_controller.vision.client import VisionClient
from table_controller.vision.enrol.learner import Learner, Lecture
from table_controller.vision.enrol.opening import current
from table_controller.vision.enrol.store import DeckStore, check_name
from table_controller.web.setup_routes import SetupRoutes

GONE = (
    "登记中断：开始发牌，或摄像头程序重新启动了。请在两副之间再登记一次。",
    "The enrolment broke off: a deal began, or the camera's program was started again. Enrol again between deals.",
)


@dataclass
class DeckEnrolment:
    """``state`` is none, showing (the worker guides), learning, done or failed. ``vision`` gives the worker."""

    vision: Callable[[], VisionClient | None]
    decks: Path
    now_ms: Callable[[], int]
    reads_with: str = ""
    """The deck that the table reads with."""
    named: str = ""
    """The deck that the configuration names: it holds again after a restart."""
    keep: Callable[[str], None] = lambda name: None
    """Keeps a choice for the next start."""
    state: str = "none"
    name: str = ""
    words: str = ""
    """What came of it."""
    replace: bool = False
    used: bool = False
    _learner: Learner | None = field(default=None, repr=False)

    def begin(self, name: str, *, prompts: bool, replace: bool) -> None:
        """Ask for the first picture; raises TableError in words."""
        vision = self._running()
        DeckStore(self.decks).check_free(check_name(name), replace)
        self.cancel()
        self.state, self.name, self.replace, self.words = "showing", name, replace, ""
        vision.enrol(prompts=prompts)

    def cancel(self) -> None:
        """Give it up; nothing is learnt."""
        vision = self.vision()
        if self.state == "showing" and vision is not None:
            vision.end_enrolment()
        if self._learner is not None:
            self._learner.stop()
            self._learner = None
        self.state = "none"

    def use(self, name: str) -> None:
        """Read with an enrolled deck from now on, or with the shipped weights; raises TableError."""
        vision = self._running()
        if name:
            current(DeckStore(self.decks), check_name(name))
        if not self.named:
            self.keep(name)
        vision.use_deck(self.decks, name, self.now_ms())
        self.reads_with, self.used = name, True

    def _running(self) -> VisionClient:
        vision = self.vision()
        if vision is None or not vision.recogniser:
            raise DeviceError("There is no camera.", way_out="Set camera.source.")
        return vision

    def told(self) -> dict[str, Any]:
        """``state``, ``name``, ``words``, ``decks``, ``reads_with``, ``used`` (changed here since the start), ``named``
        (by the configuration); while showing also what vision/enrol/live.py reports."""
        self._look()
        vision = self.vision()
        guided = vision.enrolling if vision is not None and self.state == "showing" else None
        return {
            "state": self.state,
            "name": self.name,
            "words": self.words,
            "decks": DeckStore(self.decks).names(),
            "reads_with": self.reads_with,
            "used": self.used,
            "named": self.named,
            **(guided or {}),
        }

    def _look(self) -> None:
        vision = self.vision()
        if self.state == "showing":
            if vision is not None and vision.enrolled is not None:
                collected, prompts = vision.enrolled
                vision.enrolled = None
                self._learner = Learner(Lecture(self.name, self.decks, self.replace, collected, prompts))
                self.state = "learning"
            elif vision is None or vision.enrolling is None:
                self.state, self.words = "failed", " · ".join(GONE)
        elif self.state == "learning" and self._learner is not None:
            self.state, self.words = self._learner.poll()
            if self.state != "learning":
                self._learner.stop()
                self._learner = None


@dataclass
class DealerTest:
    """The dealer's self-test. ``link`` gives the link, ``ask`` begins one and says whether it could."""

    link: Callable[[], DealerLink | None]
    ask: Callable[[], bool]

    def begin(self) -> None:
        """Begin a self-test, if none runs; raises DeviceError."""
        if not self.ask():
            raise DeviceError(
                "发牌机没有连接，或正在工作。 · The dealer is not connected, or it is at work.",
                way_out="Plug it in, and wait until it is at rest.",
            )

    def told(self) -> dict[str, Any]:
        """``state`` (none, running, well, failed) and ``message``."""
        link = self.link()
        test = link.test if link is not None else None
        return {"state": test.state if test else "none", "message": test.message if test else ""}


def offer_setup(
    routes: SetupRoutes,
    config: Config,
    now_ms: Callable[[], int],
    vision: Callable[[], VisionClient | None],
    dealer: Callable[[], SerialLink | None],
) -> None:
    """What the set-up page of a running table does beside the camera's picture."""
    routes.enrolling = DeckEnrolment(
        vision,
        decks_folder(config),
        now_ms,
        config.camera.deck or chosen_deck(config),
        config.camera.deck,
        lambda name: keep_choice(Path(config.state.directory), name),
    )

    def link() -> DealerLink | None:
        owner = dealer()
        return owner.link if owner is not None else None

    def ask() -> bool:
        owner = dealer()
        return owner is not None and owner.self_test()

    if config.dealer.port != "none":
        routes.tester = DealerTest(link, ask)
