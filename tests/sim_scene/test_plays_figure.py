"""The figure of whole plays: what is drawn, how it is scored, and a few plays read through the product's eye."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from table_controller.cli import main
from table_controller.games.guandan.hands import readings
from table_controller.games.guandan.profile import load_profile
from table_controller.geometry import load_geometry
from table_controller.sim import poses
from table_controller.sim.deck import deck
from table_controller.sim.figures.places import INDEX_STEP_MM, Places
from table_controller.sim.figures.pool import Pool
from table_controller.sim.figures.truth import Laid, conserve, match
from table_controller.table.events import CardsSeen

SIZE = load_geometry().card_mm


@pytest.mark.parametrize("seed", range(4))
def test_what_is_drawn_is_a_legal_play_of_every_type_and_no_card_twice_over(seed: int) -> None:
    types: set[str] = set()
    wilds = 0
    for number in range(12):
        pool = Pool(random.Random(100 * seed + number))
        drawn: Counter[str] = Counter()
        while len(pool.cards) > 40:
            cards = pool.draw()
            known = readings(cards, pool.level, load_profile("default").policy)
            if cards[0][1] != "J" and len(cards) > 1:
                assert known, cards
            types |= {reading.type for reading in known}
            wilds += pool.wild in cards and len(cards) > 1
            drawn.update(cards)
        assert max(drawn.values()) <= 2
    assert types >= {"single", "pair", "triple", "fullhouse", "straight", "tube", "plate", "bomb", "sf"}
    assert wilds


@pytest.mark.parametrize("seed", range(10))
def test_every_index_stays_visible_however_the_cards_lie(seed: int) -> None:
    rng = random.Random(seed)
    places, count = Places(load_geometry(), rng), rng.randint(1, 10)
    for laid in (
        places.row(count, [], step_mm=INDEX_STEP_MM),
        places.row(count, [], tidy=0.0),
        places.turned(count, []),
        places.outside(count, []),
    ):
        assert len(laid) == count
        assert poses.all_indices_visible(laid, SIZE)


def test_drawn_decks_differ_and_a_number_is_always_the_same_deck() -> None:
    one, again, other = (deck(name).face("QS") for name in ("drawn-5", "drawn-5", "drawn-6"))
    assert np.array_equal(one, again)
    assert float(np.mean(np.abs(one.astype(int) - other.astype(int)))) > 3


def test_plays_and_events_are_compared_as_they_are_meant() -> None:
    laid = [Laid("E", ("5S", "5H"), 1000, "tidy"), Laid("E", ("9C",), 4000, "tidy"), Laid("N", ("KD",), 2000, "tidy")]
    events = [
        CardsSeen(1100, "E", ("5S", "5H")),
        CardsSeen(4100, "E", ("9S",)),
        CardsSeen(4600, "E", ("9C",)),
        CardsSeen(900, "N", ("2D",)),
    ]
    assert match(laid, events) == [events[3]]
    assert [play.outcome for play in laid] == ["right", "wrong", "missed"]
    assert [play.false_extra for play in laid] == [0, 1, 0]


def test_a_third_copy_asks_a_human() -> None:
    laid = [Laid("E", ("5S",), 1000 * i, "tidy") for i in range(3)]
    events = [CardsSeen(1000 * i, "E", ("5S",)) for i in range(3)]
    match(laid, events)
    conserve(laid, events)
    assert [play.outcome for play in laid] == ["right", "right", "doubtful"]


def test_the_figure_of_a_few_plays_names_its_scenes_and_none_is_wrong_and_sure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "plays.jsonl"
    command = ["sim", "plays", "--count", "15", "--seed", "3", "--json", "--log", str(log)]
    assert main(command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["plays"] == 15
    assert report["wrong_and_sure"] == report["false_extra_plays"] == 0
    assert report["right"] >= 13
    assert all(fault["scene"] == 300000 for fault in report["faults"])
    main(command)
    assert json.loads(capsys.readouterr().out) == report, "a finished scene is taken from the log"
