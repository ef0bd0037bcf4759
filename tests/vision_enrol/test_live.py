"""A deck enrolled in the worker of a running table: guided between deals, no news of what is laid, then learnt."""

from __future__ import annotations

import multiprocessing as mp
import random
import select
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from table_controller.app.enrolment import DeckEnrolment
from table_controller.errors import DeviceError, InputError, UsageError
from table_controller.geometry import load_geometry
from table_controller.sim.figures.enrolment import lay_stage
from table_controller.sim.scene import Scene
from table_controller.table.events import CardsSeen, PromptLaid
from table_controller.vision.client import VisionClient
from table_controller.vision.enrol.learner import ENDED, Learner, Lecture, learn_and_keep
from table_controller.vision.enrol.plan import Stage, stages
from table_controller.vision.enrol.store import DeckStore
from table_controller.vision.enrol.teach import Collected
from table_controller.vision.mat import MatFinder, glimpse_of
from table_controller.vision.setup import setup_picture


class Watched:
    """A worker before a rendered table between deals."""

    def __init__(self, decks: Path) -> None:
        self.client = VisionClient()
        self.client.start()
        self.rng = random.Random(3)
        self.scene, self.ms = Scene(self.rng, style="bridge"), 0
        self.client.watch("idle")
        self.enrolment = DeckEnrolment(lambda: self.client, decks, lambda: self.ms)
        self.events: list[Any] = []

    def look(self, frames: int) -> list[Any]:
        before = len(self.events)
        for _ in range(frames):
            self.events += self.client.submit(self.scene.render(), self.ms)
            self.take()
            self.ms += 100
        return self.events[before:]

    def take(self) -> None:
        """What the worker says beside its answers."""
        self.events += self.client.receive()

    def lay(self, stage: Stage) -> None:
        lay_stage(self.scene, stage, self.rng)


@pytest.fixture
def watched(decks: Path) -> Iterator[Watched]:
    made = Watched(decks)
    yield made
    made.enrolment.cancel()
    made.client.close()


def told(watched: Watched) -> dict[str, Any]:
    watched.take()
    return watched.enrolment.told()


def test_it_guides_refuses_a_poor_picture_and_takes_what_is_laid_for_no_play(watched: Watched) -> None:
    plan = stages()
    watched.look(3)
    watched.enrolment.begin("hall", prompts=False, replace=False)
    watched.look(3)
    asks = told(watched)
    assert (asks["state"], asks["step"], asks["steps"], asks["amiss"]) == ("showing", 1, 2, [])
    assert "黑桃" in asks["asks"]["zh"] and "spades" in asks["asks"]["en"]
    rows = {seat: tuple(card for card in row if card != "9D") for seat, row in plan[0].rows.items()}
    watched.lay(Stage(plan[0].words, rows))
    watched.look(6)
    refused = told(watched)
    assert refused["step"] == 1
    assert any("9D" in words["zh"] and "9D" in words["en"] for words in refused["amiss"])
    watched.lay(plan[0])
    watched.look(6)
    assert told(watched)["step"] == 2
    watched.lay(plan[1])
    watched.look(8)
    now = told(watched)
    assert now["state"] == "learning", now
    assert [event for event in watched.events if isinstance(event, CardsSeen | PromptLaid)] == []
    watched.scene.lay_prompt("N", "TD")
    assert watched.look(12) == [], "the cards still lie there: what is put away or laid with them is no news"
    watched.scene.sweep()
    watched.look(16)
    watched.scene.lay_prompt("E", "TD")
    assert [event.kind for event in watched.look(8) if isinstance(event, PromptLaid)] == ["TD"], "and now it is"


def test_a_deal_ends_it_and_another_name_or_camera_is_said(watched: Watched) -> None:
    watched.look(2)
    with pytest.raises(UsageError, match="no name"):
        watched.enrolment.begin("../x", prompts=True, replace=False)
    watched.enrolment.begin("hall", prompts=True, replace=False)
    watched.look(2)
    assert told(watched)["steps"] > 2, "the prompt cards too"
    watched.client.watch("deal")
    watched.look(2)
    ended = told(watched)
    assert ended["state"] == "failed" and "a deal began" in ended["words"] and "发牌" in ended["words"]
    watched.client.watch("play")
    watched.scene.lay("S", ["5S"])
    assert [event.cards for event in watched.look(8) if isinstance(event, CardsSeen)] == [("5S",)]
    watched.enrolment.begin("hall", prompts=True, replace=False)
    watched.look(2)
    assert told(watched)["state"] == "failed", "in a deal there is none"
    nothing = DeckEnrolment(lambda: None, watched.enrolment.decks, lambda: 0)
    with pytest.raises(DeviceError, match="no camera"):
        nothing.begin("hall", prompts=True, replace=False)


def test_an_enrolled_deck_is_taken_into_use_while_the_table_runs(watched: Watched, deck: Any, decks: Path) -> None:
    DeckStore(decks).save(deck)
    with pytest.raises(InputError, match="No deck 'other'"):
        watched.enrolment.use("other")
    assert told(watched)["reads_with"] == ""
    watched.enrolment.use("hall")
    events: list[Any] = []
    while watched.client._starting_ms is not None:
        select.select([watched.client.fileno()], [], [], 20)
        events += watched.client.check(0)
    assert events == [], "nobody is told that the camera is lost"
    assert (told(watched)["reads_with"], told(watched)["used"], watched.client.restarts) == ("hall", True, 1)
    watched.client.watch("play")
    watched.look(2)
    watched.scene.lay("S", ["5S"])
    assert [len(event.cards) for event in watched.look(8) if isinstance(event, CardsSeen)] == [1]


def test_the_picture_shows_where_cards_were_read_and_no_face(rehearse: Callable, plan: list[Stage]) -> None:
    rehearsal = rehearse(plan[:1], "classic")
    rehearsal.lay(plan[0])
    rehearsal.show()
    frame = rehearsal.scene.render()
    pose = MatFinder(load_geometry()).find(frame, glimpse_of(frame))
    marks = rehearsal.guide.marks
    assert {mark.card for mark in marks} == {card for row in plan[0].rows.values() for card in row}
    without = setup_picture(frame, pose, load_geometry())
    shown = setup_picture(frame, pose, load_geometry(), marks=marks)
    changed = np.any(shown != without, axis=2)
    assert 54 * 60 < np.count_nonzero(changed) < 54 * 600, "a dot and a name each"
    assert cv2.imencode(".png", shown)[0]


def test_a_learner_keeps_the_deck_or_says_why_not(
    shown: Any, few_rounds: None, decks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = mp.Pipe()
    collected, prompts = shown.guide.collected, tuple(shown.guide.prompts)
    learn_and_keep(theirs, Lecture("hall", decks, False, collected, prompts))
    said = []
    while ours.poll(0):
        said.append(ours.recv())
    assert [kind for kind, _ in said[:-1]] == ["share"] * (len(said) - 1) and len(said) > 1
    assert said[-1][0] == "done" and "hall" in said[-1][1]
    assert DeckStore(decks).names() == ["hall"]
    learn_and_keep(theirs, Lecture("hall", decks, False, collected, prompts))
    while ours.poll(0):
        last = ours.recv()
    assert last[0] == "failed" and "enrolled already" in last[1]


def test_a_learner_in_its_own_process_says_what_failed_and_one_that_is_killed_too(shown: Any, decks: Path) -> None:
    few = Collected(shown.guide.collected.samples[:3], shown.guide.collected.facts, ())
    learner = Learner(Lecture("hall", decks, False, few, ()))
    learner._process.join(60)
    assert learner.poll()[0] == "failed"
    learner.stop()
    learner = Learner(Lecture("hall", decks, False, shown.guide.collected, ()))
    learner._process.kill()
    learner._process.join(60)
    assert learner.poll() == ("failed", ENDED)
    learner.stop()
    assert DeckStore(decks).names() == []
