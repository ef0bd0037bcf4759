"""The mechanism's figures (firmware/machine.toml): 108 cards in at most 20 s, and the firmware loses none of it."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path

import pytest

from table_controller.dealer import messages as m
from table_controller.dealer.bench import NO_AVR, Bench, unavailable_reason
from table_controller.dealer.plan import HANDS
from table_controller.dealer.stepped import SteppedLink
from table_controller.table.effects import PlanDeal, RunDeal
from table_controller.table.events import DealDone

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "firmware" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["generate"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def lengths(generate) -> dict[str, int]:
    card_um = int(generate.load("hardware/geometry.toml")["card"]["height_mm"] * 1000)
    return {key.upper(): value for key, value in generate.load("firmware/machine.toml").items()} | {"CARD_UM": card_um}


def test_108_cards_in_at_most_20_seconds(generate, lengths):
    assert 18.0 < generate.least_deal_s(lengths, 108) < 19.0


def test_the_chute_moves_between_two_cards(generate, lengths):
    free_s, needed_s = generate.chute_window_s(lengths)
    assert 0.045 < needed_s < free_s < 0.07
    settle_most = (2 * m.CHUTE_SETTLE_MS - m.CHUTE_SETTLE_MS) / 1000
    assert needed_s + settle_most < free_s  # also with the longest settling that the settings allow


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("CHUTE_ACCEL", 10_000, "chute needs"),
        ("PITCH_STEPS", 190, "chute needs"),
        ("FEED_MAX_SPS", 2100, "machine.toml"),
    ],
)
def test_figures_that_cannot_work_are_refused(generate, lengths, name, value, words):
    with pytest.raises(SystemExit, match=words):
        generate.check_dimensions(lengths | {name: value})


@pytest.mark.avr
def test_a_deal_takes_at_most_one_percent_longer_than_the_mechanism_needs(generate, lengths):
    """Machine time of the real firmware with its link, from the person's Start to the released hands."""
    reason = unavailable_reason()
    if reason.startswith(NO_AVR):
        pytest.skip(reason)
    bench = Bench(108)
    log: list = []
    link = SteppedLink(bench, log.append, random_bytes=random.Random(1).randbytes)
    link.step(3000)
    link.perform(PlanDeal(1, "A", HANDS["27"]), 3000)
    link.perform(RunDeal(1, "A", log[-1].plan), 3000)
    link.step(25_000)
    bench.close()
    assert isinstance(log[-1], DealDone)
    took_s = (log[-1].at_ms - 3000) / 1000
    assert took_s <= 1.01 * generate.least_deal_s(lengths, 108)
    assert took_s <= 20
