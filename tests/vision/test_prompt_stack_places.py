"""A PASS card under others: laid anew it is a new pass, merely uncovered it is not."""

from __future__ import annotations

import cv2
import numpy as np

from table_controller.geometry import load_geometry
from table_controller.table.events import PromptLaid, PromptLifted
from table_controller.vision.marker_places import card_outline
from table_controller.vision.prompt_reader import PromptSight, PromptStack

PASS_0, PASS_1, TEN = 0, 1, 19
HERE = ((10.0, 10.0), (34.0, 10.0), (10.0, 44.0), (34.0, 44.0))
THERE = tuple((x + 1.5, y - 1.1) for x, y in HERE)


def stacked() -> PromptStack:
    stack = PromptStack("E", load_geometry())
    for number, marker in enumerate((PASS_0, PASS_1, TEN)):
        stack.settle(PromptSight({marker: 4}, True, places={marker: HERE}), 1000 * number)
    return stack


def test_uncovered_cards_are_no_new_pass() -> None:
    stack = stacked()
    wobble = tuple((x + 0.3, y - 0.2) for x, y in HERE)
    events = stack.settle(PromptSight({PASS_0: 4}, True, places={PASS_0: wobble}), 9000)
    assert [type(e) for e in events] == [PromptLifted, PromptLifted]
    assert stack.stack == [PASS_0]


def test_a_card_collected_under_a_hand_and_laid_again_is_a_new_pass() -> None:
    stack = stacked()
    events = stack.settle(PromptSight({PASS_0: 4}, True, places={PASS_0: THERE}), 9000)
    assert [(type(e), e.kind) for e in events if isinstance(e, PromptLaid | PromptLifted)] == [
        (PromptLifted, "PASS"),
        (PromptLaid, "PASS"),
    ]
    assert stack.stack == [PASS_1, TEN, PASS_0]


def test_one_marker_near_an_old_one_is_no_card_uncovered() -> None:
    """Half covered, the card showed one marker; laid again elsewhere, another marker came to lie near that place."""
    stack = stacked()
    stack.settle(PromptSight({TEN: 4, PASS_0: 1}, True, places={TEN: HERE, PASS_0: HERE[:1]}), 5000)
    turned = ((9.8, 9.5), (50.0, 30.0), (30.0, 50.0), (55.0, 55.0))
    events = stack.settle(PromptSight({PASS_0: 4}, True, places={PASS_0: turned}), 9000)
    assert [type(e) for e in events] == [PromptLifted, PromptLaid]


def test_a_stack_pushed_as_one_is_no_new_card_but_touched() -> None:
    stack = PromptStack("E", load_geometry())
    stack.settle(PromptSight({PASS_0: 4}, True, places={PASS_0: HERE}), 1000)
    higher = tuple((x + 4.0, y + 3.0) for x, y in HERE)
    stack.settle(PromptSight({PASS_0: 2, PASS_1: 4}, True, places={PASS_0: HERE[:2], PASS_1: higher}), 2000)
    pushed = {
        PASS_0: tuple((x + 6.0, y - 2.0) for x, y in HERE[:2]),
        PASS_1: tuple((x + 6.2, y - 2.1) for x, y in higher),
    }
    events = stack.settle(PromptSight({PASS_0: 2, PASS_1: 4}, True, places=pushed), 3000)
    assert [(type(e).__name__, e.kind) for e in events] == [("PromptTouched", "PASS")]
    assert stack.stack == [PASS_0, PASS_1]


def seen_from_above(*cards: tuple[tuple[float, float], ...]) -> np.ndarray:
    """Where the mat shows round cards with these markers (a pixel a millimetre)."""
    mat = np.ones((90, 90), dtype=np.uint8)
    for places in cards:
        outline = card_outline(places, load_geometry(), 0.0)
        assert outline is not None
        cv2.fillConvexPoly(mat, np.round(outline).astype(np.int32), 0)
    return mat > 0


def turned(places: tuple[tuple[float, float], ...], degrees: float) -> tuple[tuple[float, float], ...]:
    (x0, y0), turn = np.mean(places, axis=0), np.radians(degrees)
    return tuple(
        (
            x0 + np.cos(turn) * (x - x0) - np.sin(turn) * (y - y0),
            y0 + np.sin(turn) * (x - x0) + np.cos(turn) * (y - y0),
        )
        for x, y in places
    )


def crossed() -> PromptStack:
    stack = PromptStack("E", load_geometry())
    for number, (marker, degrees) in enumerate(((PASS_0, 0.0), (PASS_1, 14.0), (TEN, -16.0))):
        stack.settle(PromptSight({marker: 4}, True, places={marker: turned(MIDDLE, degrees)}), 1000 * number)
    return stack


MIDDLE = ((36.0, 30.0), (56.0, 30.0), (36.0, 60.0), (56.0, 60.0))


def test_laid_again_in_its_old_place_by_chance_a_card_lies_on_those_that_stick_out_under_it() -> None:
    stack = crossed()
    others = [turned(MIDDLE, degrees) for degrees in (14.0, -16.0)]
    sight = PromptSight({PASS_0: 4}, True, places={PASS_0: MIDDLE}, mat=seen_from_above(MIDDLE, *others))
    assert [(type(e), e.kind) for e in stack.settle(sight, 9000)] == [(PromptLifted, "PASS"), (PromptLaid, "PASS")]
    assert stack.stack == [PASS_1, TEN, PASS_0]


def test_where_nothing_sticks_out_those_above_were_taken_away() -> None:
    stack = crossed()
    sight = PromptSight({PASS_0: 4}, True, places={PASS_0: MIDDLE}, mat=seen_from_above(MIDDLE))
    assert [type(e) for e in stack.settle(sight, 9000)] == [PromptLifted, PromptLifted]
    assert stack.stack == [PASS_0]


def test_a_line_printed_on_the_mat_where_the_corners_were_is_no_card() -> None:
    stack, mat = crossed(), seen_from_above(MIDDLE).astype(np.uint8)
    out = [turned(((33.0, 26.0), (59.0, 26.0), (33.0, 64.0), (59.0, 64.0)), degrees) for degrees in (14.0, -16.0)]
    for x, y in (corner for card in out for corner in card):
        cv2.circle(mat, (round(x), round(y)), 1, 0, -1)
    sight = PromptSight({PASS_0: 4}, True, places={PASS_0: MIDDLE}, mat=mat > 0)
    assert [type(e) for e in stack.settle(sight, 9000)] == [PromptLifted, PromptLifted]
    assert stack.stack == [PASS_0]


def test_collected_under_a_report_and_laid_on_it_a_card_is_laid_though_nobody_knows_where_it_lay() -> None:
    """The recogniser was started again since: it knows what lies there, and places of what came later only."""
    stack = PromptStack("E", load_geometry(), [PASS_0])
    for number, (marker, degrees) in enumerate(((PASS_1, 14.0), (TEN, -16.0))):
        stack.settle(PromptSight({marker: 4}, True, places={marker: turned(MIDDLE, degrees)}), 1000 * number)
    alone = turned(MIDDLE, 5.0)
    sight = PromptSight({PASS_0: 4}, True, places={PASS_0: alone}, mat=seen_from_above(alone, turned(MIDDLE, -16.0)))
    assert [(type(e), e.kind) for e in stack.settle(sight, 9000)] == [(PromptLifted, "PASS"), (PromptLaid, "PASS")]
    lifted = PromptStack("E", load_geometry(), [PASS_0])
    lifted.settle(PromptSight({PASS_1: 4}, True, places={PASS_1: turned(MIDDLE, 14.0)}), 0)
    sight = PromptSight({PASS_0: 4}, True, places={PASS_0: alone}, mat=seen_from_above(alone))
    assert [type(e) for e in lifted.settle(sight, 9000)] == [PromptLifted]
