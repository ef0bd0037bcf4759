"""Learns a deck in a process of its own, at low priority, while the table goes on; it keeps the deck itself."""

from __future__ import annotations

import multiprocessing as mp
import os
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import cv2

from table_controller.errors import TableError
from table_controller.vision.classify import IndexClassifier
from table_controller.vision.enrol.live import Prompts
from table_controller.vision.enrol.opening import weights_name
from table_controller.vision.enrol.report import summary
from table_controller.vision.enrol.session import learn_collected
from table_controller.vision.enrol.store import DeckStore
from table_controller.vision.enrol.teach import Collected
from table_controller.vision.reader import weight_files

NICE = 10
ENDED = "学习中途结束：内存够吗？ · Learning ended before its time. Is there memory enough?"
_END_S = 5.0


@dataclass(frozen=True)
class Lecture:
    """What is to be learnt, and where the deck is kept."""

    name: str
    decks: Path
    replace: bool
    collected: Collected
    prompts: Prompts
    models_dir: Path | None = None


def learn_and_keep(pipe: Connection, lecture: Lecture) -> None:
    """Tells ("share", words) as it goes on, then ("done", what the deck is like) or ("failed", words)."""
    try:
        DeckStore(lecture.decks).check_free(lecture.name, lecture.replace)
        classifier = IndexClassifier(weight_files(lecture.models_dir)[1])
        weights = weights_name(lecture.models_dir)
        deck = learn_collected(
            lecture.name,
            lecture.collected,
            lecture.prompts,
            classifier,
            weights,
            lambda words: pipe.send(("share", words)),
        )
        DeckStore(lecture.decks).save(deck, replace=lecture.replace)
    except TableError as error:
        pipe.send(("failed", error.line()))
        return
    pipe.send(("done", summary(deck)))


def _main(pipe: Connection, lecture: Lecture) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICE)
    cv2.setNumThreads(1)
    learn_and_keep(pipe, lecture)


class Learner:
    """The parent's side: ``poll`` says how it stands, ``stop`` gives it up."""

    def __init__(self, lecture: Lecture) -> None:
        context = mp.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_main, args=(theirs, lecture), name="learner", daemon=True)
        self._process.start()
        theirs.close()
        self.share = ""

    def poll(self) -> tuple[str, str]:
        """("learning", how far), ("done", what came of it) or ("failed", why)."""
        try:
            while self._pipe.poll(0):
                kind, words = self._pipe.recv()
                if kind != "share":
                    self._process.join(_END_S)
                    return str(kind), str(words)
                self.share = str(words)
        except (EOFError, OSError):
            return "failed", ENDED
        return "learning", self.share

    def stop(self) -> None:
        """Give it up: no deck is written by halves."""
        if self._process.is_alive():
            self._process.kill()
        self._process.join(_END_S)
        self._pipe.close()
