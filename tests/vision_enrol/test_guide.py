"""The guided enrolment, before rendered tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from table_controller.cards import FACES
from table_controller.sim import faults
from table_controller.vision.enrol.guide import POOR_REFUSALS, RETRY_MS
from table_controller.vision.enrol.plan import Stage, stages
from table_controller.vision.enrol.samples import NOTHING


def test_the_plan_asks_for_every_card_twice_and_every_prompt_card_once_in_six_pictures() -> None:
    kinds = ("PASS", *map(str, range(1, 11)), "TD", "STOP")
    plan = stages(kinds)
    assert len(plan) == 6
    assert Counter(card for stage in plan for row in stage.rows.values() for card in row) == dict.fromkeys(FACES, 2)
    assert [kind for stage in plan for kind in stage.prompts.values()] == list(kinds)
    assert all(stage.words.zh and stage.words.en for stage in plan)


def test_a_laid_deck_is_taken_without_a_question(shown) -> None:
    guide = shown.guide
    assert guide.done and guide.repeats == 0
    seen = Counter(sample.card for sample in guide.collected.samples)
    assert set(seen) - {NOTHING} == set(FACES)
    assert seen[NOTHING] > 0  # frames and figures of courts teach what is no index
    assert seen["BJ"] == seen["SJ"] == 4  # both corners of the last card of a row, in two frames
    assert sorted(kind for kind, _ in guide.prompts) == ["1", "2", "PASS", "TD"]


def test_a_missing_card_is_named_and_the_picture_taken_again(rehearse: Callable, plan: list[Stage]) -> None:
    rehearsal = rehearse(plan[:1], "club")
    rows = {seat: tuple(c for c in row if c != "9D") for seat, row in plan[0].rows.items()}
    rehearsal.lay(Stage(plan[0].words, rows))
    said = rehearsal.show()
    assert any("9D" in words.en and "9D" in words.zh for words in said[1:])
    assert not rehearsal.guide.done and not rehearsal.guide.collected.samples
    rehearsal.lay(plan[0])
    rehearsal.show()
    assert rehearsal.guide.done and rehearsal.guide.repeats == 1


def test_swapped_cards_are_asked_about_and_not_learnt(rehearse: Callable, plan: list[Stage]) -> None:
    rehearsal = rehearse(plan[:1], "classic")
    row = list(plan[0].rows["W"])
    row[4], row[5] = row[5], row[4]
    rehearsal.lay(Stage(plan[0].words, {**plan[0].rows, "W": tuple(row)}))
    said = rehearsal.show()
    assert any("W" in words.en and ("6C" in words.en or "7C" in words.en) for words in said[1:])
    assert not rehearsal.guide.done


def glaring(rehearsal) -> Callable:
    lamp = faults.at_frame(rehearsal.scene.to_frame, "N", 60, 200)
    return lambda frame: faults.glare(frame, lamp, 160)


def blurring(_) -> Callable:
    return lambda frame: faults.defocus(frame, 1.7)


@pytest.mark.parametrize(("spoil", "zh", "en"), [(glaring, "北家", "N"), (blurring, "不清晰", "not sharp")])
def test_a_capture_with_glare_or_blur_is_refused_and_repeated(
    rehearse: Callable, plan: list[Stage], spoil: Callable, zh: str, en: str
) -> None:
    rehearsal = rehearse(plan[:1], "classic")
    rehearsal.lay(plan[0])
    said = rehearsal.show(fault=spoil(rehearsal))
    assert any(zh in words.zh and en in words.en for words in said[1:]), [words.en for words in said]
    assert not rehearsal.guide.done and not rehearsal.guide.collected.samples
    rehearsal.show()
    assert rehearsal.guide.done and rehearsal.guide.repeats == 1


def test_a_hall_without_a_better_lens_is_not_kept_waiting_for_ever(rehearse: Callable, plan: list[Stage]) -> None:
    rehearsal = rehearse(plan[:1], "bold")
    rehearsal.lay(plan[0])
    shots = 0
    while not rehearsal.guide.done and shots < 6:
        rehearsal.show(fault=lambda frame: faults.defocus(frame, 1.7))
        rehearsal.ms += RETRY_MS
        shots += 1
    assert rehearsal.guide.done and shots == POOR_REFUSALS + 1


def test_an_empty_circle_is_named(rehearse: Callable, plan: list[Stage]) -> None:
    rehearsal = rehearse(plan[1:], "classic")
    prompts = dict(list(plan[1].prompts.items())[:-1])
    rehearsal.lay(Stage(plan[1].words, prompts=prompts))
    missing = list(plan[1].prompts.values())[-1]
    assert any(missing in words.en for words in rehearsal.show()[1:])
    assert not rehearsal.guide.prompts


def test_a_camera_that_sees_no_mat_is_told(rehearse: Callable, plan: list[Stage]) -> None:
    guide = rehearse(plan, "classic").guide
    blank = np.full((900, 900, 3), 90, np.uint8)
    said = [words for ms in range(0, 4000, 500) for words in guide.see(blank, ms)]
    assert "mat" in said[-1].en and "桌垫" in said[-1].zh and len(said) == 2
