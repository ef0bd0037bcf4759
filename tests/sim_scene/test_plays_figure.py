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
from table_controller.sim.figures import plays
from table_controller.sim.figures.places import INDEX_STEP_MM, Places
from table_controller.sim.figures.pool import Pool
from table_controller.sim.figures.trial import Result
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


def test_scenes_named_are_shown_and_their_decks_read_enrolled_or_as_shipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    styles, readers = [], []

    def shown(seed: int, style: str, reader: object) -> Result:
        styles.append((seed, style))
        readers.append(reader)
        return Result(seed, style, laid=[Laid("E", ("5S",), 1000, "tidy", [CardsSeen(1000, "E", ("5S",))])])

    monkeypatch.setattr(plays, "run_trial", shown)
    monkeypatch.setattr(plays, "enrolled_reader", lambda style, models: f"enrolled {style}")
    command = ["sim", "plays", "--enrol", "2", "--seed", "3", "--json", "--scene", "300007", "300002", "300005"]
    assert main(command) == main([*command, "--shipped"]) == 0
    assert [seed for seed, _ in styles] == [300007, 300002, 300005] * 2
    assert styles[:3] == styles[3:], "the same decks"
    assert len({style for _, style in styles}) == 2 and styles[0][1] == styles[2][1]
    assert readers[:3] == [f"enrolled {style}" for _, style in styles[:3]]
    assert len(set(map(id, readers[3:]))) == 1 and not isinstance(readers[3], str)
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["plays"] == second["plays"] == 3 and second["shipped"] and "shipped" not in first


def test_shipped_without_decks_to_enrol_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "plays", "--shipped"]) == 64
    assert "--enrol" in capsys.readouterr().err
